"""Files that the manifest names and that are not beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from manifestkit.pointer import Path
from manifestkit.rules.rule import Manifest, Rule
from manifestkit.rules.wording import label, quoted

if TYPE_CHECKING:
    from manifestkit.finding import Finding

_FILE_MEMBERS = frozenset({"entrypoint", "thumbnail"})
_SCHEME = r"[A-Za-z][A-Za-z0-9+.-]*:"
_WEB_SUFFIX = r"(?i)\.(?:html?|m?js|cjs|ts|wasm|py|css|json|png|jpe?g|gif|svg|webp|avif|ico)$"


def check(rule: Rule, manifest: Manifest) -> Iterator[Finding]:
    """One finding for each entry point or thumbnail that has a path's form and no file."""
    if manifest.has_file is None:
        return
    document = manifest.document
    for path, value in _file_members(document.value):
        if _is_relative_path(value) and not manifest.has_file(value):
            message = f"{label(path)} names {quoted(value)}, and there is no such file here"
            yield rule.finding(document, path, message)


def _file_members(value: object) -> Iterator[tuple[Path, str]]:
    todo: list[tuple[Path, object]] = [((), value)]
    while todo:
        path, each = todo.pop()
        if isinstance(each, dict):
            for name, member in each.items():
                if name in _FILE_MEMBERS and isinstance(member, str):
                    yield (*path, name), member
                todo.append(((*path, name), member))
        elif isinstance(each, list):
            todo.extend(((*path, index), item) for index, item in enumerate(each))


def _is_relative_path(text: str) -> bool:
    """`./x`, a `/` without a scheme, or a usual suffix; anything else may be a module or a URL."""
    if re.match(_SCHEME, text) or text.startswith("/"):
        return False
    return "/" in text or re.search(_WEB_SUFFIX, text) is not None
