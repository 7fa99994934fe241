"""Which files a run is about."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from manifestkit.engine.ignoring import Ignore, ignored, ignores_above, ignores_in
from manifestkit.errors import UnreadableFileError
from manifestkit.files import is_folder, shown

MANIFEST_NAME = re.compile(
    r"(?:manifest|[^/]+\.(?:manifest|activity-provider))\.(?:json|ya?ml)", re.IGNORECASE
)
"""The names by which a manifest is found in a folder."""


@dataclass(frozen=True, slots=True)
class Target:
    """A file to judge.

    Attributes:
        path: where it is.
        name: how it is named to the user.
        found: whether it was found in a folder, and not named itself.
    """

    path: Path
    name: str
    found: bool


_Found = list[Target | UnreadableFileError]


def discover(paths: Iterable[Path]) -> Iterator[tuple[Path, _Found]]:
    """The files that are named, and the manifests in the folders that are; each file once.

    A folder is searched without what ``.gitignore`` files leave out, and without following links
    to folders. A folder that cannot be read comes back as the error it is; a named file that is
    not there is told when it is read.
    """
    seen: set[str] = set()
    for path in paths:
        if is_folder(path):
            found: _Found = list(_search(path))
        else:
            found = [Target(path, shown(path), found=False)]
        yield path, [each for each in found if _is_new(each, seen)]


def _is_new(each: Target | UnreadableFileError, seen: set[str]) -> bool:
    key = os.path.normcase(os.path.abspath(each.path))  # noqa: PTH100 - links stay links
    new = key not in seen
    seen.add(key)
    return new


def _search(folder: Path) -> Iterator[Target | UnreadableFileError]:
    todo = [(folder, ignores_above(folder))]
    while todo:
        here, above = todo.pop()
        try:
            entries = sorted(here.iterdir())
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            yield UnreadableFileError(shown(here), f"the folder cannot be searched: {reason}")
            continue
        ignores = (*above, *ignores_in(here))
        for entry in entries:
            if is_folder(entry) and not entry.is_symlink():
                if entry.name != ".git" and not ignored(entry, ignores, is_folder=True):
                    todo.append((entry, ignores))
            elif MANIFEST_NAME.fullmatch(entry.name) and not _left_out(entry, ignores):
                yield Target(entry, shown(entry), found=True)


def _left_out(path: Path, ignores: tuple[Ignore, ...]) -> bool:
    return is_folder(path) or ignored(path, ignores, is_folder=False)
