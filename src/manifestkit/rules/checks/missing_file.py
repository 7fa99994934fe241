"""Files that the manifest names and that are not beside it."""

import re
from collections.abc import Iterator

from manifestkit.findings.words import label, quoted
from manifestkit.model.finding import Description
from manifestkit.model.violation import Violation
from manifestkit.rules.rule import Rule
from manifestkit.schema.manifest import Manifest

ID = "missing-file"
_SCHEME = r"[A-Za-z][A-Za-z0-9+.-]*:"
_WEB_SUFFIX = r"(?i)\.(?:html?|m?js|cjs|ts|wasm|py|css|json|png|jpe?g|gif|svg|webp|avif|ico)$"


def check(rule: Rule, manifest: Manifest) -> Iterator[Violation]:
    """Find each member that may name a file, and names none by a path."""
    lack = manifest.surroundings.lack
    for path, value, field in manifest.schema.described(manifest.value) if lack else ():
        is_path = field.file and isinstance(value, str) and _is_relative_path(value)
        if is_path and lack and (why := lack(value)) is not None:
            yield rule.violation(path, (value, *why))


def describe(_: Manifest, violation: Violation) -> Description:
    """Say which file is missing, and why."""
    file, *why = violation.about
    but, *do = why or ["there is no such file here"]
    return Description(f"{label(violation.path)} names {quoted(file)}, but {but}", *do)


def _is_relative_path(text: str) -> bool:
    """`./x`, a `/` without a scheme, or a usual suffix; anything else may be a module or a URL."""
    if re.match(_SCHEME, text) or text.startswith("/"):
        return False
    return "/" in text or re.search(_WEB_SUFFIX, text) is not None
