"""`manifest lint --watch`: lint again what changes, until Ctrl-C."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NoReturn

import click

from manifestkit.cli.console import failure, note
from manifestkit.cli.options import need
from manifestkit.config.configuration import OWN_FILE, SHARED_FILE
from manifestkit.engine import Options, Workspace
from manifestkit.engine.many import Known
from manifestkit.files import is_folder, relative_name
from manifestkit.model.errors import ManifestkitError

_SETTINGS = frozenset({OWN_FILE, SHARED_FILE, ".gitignore"})
_SUFFIXES = (".json", ".yaml", ".yml")
_PAUSE = 100
_SHOWN = 3

Lint = Callable[[Workspace, Known], object]
"""Lints and reports with a new run; what is known of files that did not change is kept."""


def watch(options: Options, paths: tuple[Path, ...], lint: Lint) -> NoReturn:
    """Lint, and lint again whenever something changes; only an interrupt ends it."""
    need("watch", "--watch")
    watched: list[str] = []
    events: Iterator[set[str]] = iter(())
    known: Known = {}
    changed: set[str] = set()
    while True:
        workspace = Workspace(options)
        _lint(workspace, lint, known, changed)
        wanted = _to_watch(workspace, paths) or watched
        if wanted != watched:
            # What changed before the watch began may have been missed: lint once more.
            watched, events, known = wanted, _changes(wanted), {}
            next(events)
            continue
        relevant = (_relevant(workspace, paths, known, each) for each in events if each)
        changed = next(filter(None, relevant))


def _lint(workspace: Workspace, lint: Lint, known: Known, changed: set[str]) -> None:
    click.clear()
    if changed:
        names = sorted(relative_name(Path(each)) for each in changed)
        more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
        note(f"{time.strftime('%H:%M:%S')} changed: {', '.join(names[:_SHOWN])}{more}")
    try:
        lint(workspace, known)
    except ManifestkitError as problem:
        known.clear()
        failure(problem)
    note("watching for changes; Ctrl-C ends")


def _to_watch(workspace: Workspace, paths: Iterable[Path]) -> list[str]:
    """Return the folders whose changes matter, none of them inside another."""
    files = [*(each for each in paths if not is_folder(each)), *workspace.inputs()]
    folders = {
        os.path.abspath(each)  # noqa: PTH100 - `..` must go
        for each in (*filter(is_folder, paths), *(file.parent for file in files))
        if is_folder(each)
    }
    return sorted(
        each
        for each in folders
        if not any(each != other and Path(each).is_relative_to(other) for other in folders)
    )


def _changes(folders: Iterable[str]) -> Iterator[set[str]]:
    """Yield the paths that changed since the last look; an empty set now and then."""
    import watchfiles  # noqa: PLC0415 - an extra

    for changes in watchfiles.watch(
        *folders,
        watch_filter=None,
        rust_timeout=_PAUSE,
        yield_on_timeout=True,
        ignore_permission_denied=True,
    ):
        yield {path for _, path in changes if ".git" not in Path(path).parts}


def _relevant(
    workspace: Workspace, paths: Iterable[Path], known: Known, changed: set[str]
) -> set[str]:
    """Return the changes for which to lint again, and forget the files that they touch."""
    inputs = {os.path.abspath(each) for each in workspace.inputs()}  # noqa: PTH100 - as above
    folders = {os.path.dirname(each) for each in inputs}  # noqa: PTH120 - text, as they are
    named = {os.path.abspath(each) for each in paths}  # noqa: PTH100 - as above
    names = {os.path.abspath(each): each for each in known}  # noqa: PTH100 - as above
    settings = {each for each in changed - names.keys() if _is_setting(each, inputs, folders)}
    touched = {
        each for each in names if not changed.isdisjoint((each, *map(str, Path(each).parents)))
    }
    for path in names if settings else touched:
        del known[names[path]]
    fresh = {
        each
        for each in changed
        if each in named or is_folder(each) or _is_manifest(workspace, each)
    }
    return settings | touched | fresh


def _is_setting(path: str, inputs: set[str], folders: set[str]) -> bool:
    """Return whether a file is a setting: a schema may refer to files beside it."""
    folder, name = os.path.split(path)
    return path in inputs or name in _SETTINGS or (folder in folders and name.endswith(_SUFFIXES))


def _is_manifest(workspace: Workspace, path: str) -> bool:
    folder, name = os.path.split(path)
    try:
        return workspace.finder(f"{relative_name(Path(folder))}/")(name)
    except ManifestkitError:
        return True
