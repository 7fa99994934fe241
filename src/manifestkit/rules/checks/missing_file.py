"""Files that the manifest names and that are not beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from manifestkit.rules.messages import label, quoted
from manifestkit.rules.rule import Manifest, Rule

if TYPE_CHECKING:
    from manifestkit.model.finding import Finding

ID = "missing-file"
_SCHEME = r"[A-Za-z][A-Za-z0-9+.-]*:"
_WEB_SUFFIX = r"(?i)\.(?:html?|m?js|cjs|ts|wasm|py|css|json|png|jpe?g|gif|svg|webp|avif|ico)$"


def check(rule: Rule, manifest: Manifest) -> Iterator[Finding]:
    """One finding for each member that may name a file, and names none by a path."""
    if manifest.has_file is None:
        return
    document = manifest.document
    for path, value, field in manifest.described():
        is_path = field.file and isinstance(value, str) and _is_relative_path(value)
        if is_path and not manifest.has_file(value):
            message = f"{label(path)} names {quoted(value)}, but there is no such file here"
            yield rule.finding(document, path, message)


def _is_relative_path(text: str) -> bool:
    """`./x`, a `/` without a scheme, or a usual suffix; anything else may be a module or a URL."""
    if re.match(_SCHEME, text) or text.startswith("/"):
        return False
    return "/" in text or re.search(_WEB_SUFFIX, text) is not None
