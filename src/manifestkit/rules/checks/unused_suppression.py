"""Comments in YAML that look as if they suppressed a finding."""

import json
import re
from bisect import bisect_left
from collections.abc import Iterator
from pathlib import PurePath

from manifestkit.findings.fingerprints import stable_pointer
from manifestkit.findings.words import listed
from manifestkit.model.document import Document, Node
from manifestkit.model.finding import Description
from manifestkit.model.location import Span
from manifestkit.model.pointer import Path
from manifestkit.model.printable import truncate
from manifestkit.model.violation import Violation
from manifestkit.rules.rule import Rule
from manifestkit.schema.manifest import Manifest

_SPACE = r"[ \t]*+"
_COMMENT = re.compile(
    rf"(?:(?P<alone>(?<![^\r\n])[ \t\ufeff]*+)|(?<=[\s\ufeff]))"
    rf"(?P<comment>#{_SPACE}manifest(?:kit)?{_SPACE}[:-]?+{_SPACE}(?:ignore|disable)(?:[:-]\w++)*+\b"
    rf"{_SPACE}(?:[=\[]?{_SPACE}(?P<rule>[a-z]++(?:-[a-z]++)++){_SPACE}\]?+)?"
    rf"{_SPACE}(?P<reason>[^\r\n]*+))",
    re.IGNORECASE,
)


def check(rule: Rule, manifest: Manifest) -> Iterator[Violation]:
    """Find each comment that looks like a suppression."""
    document = manifest.document
    if not _COMMENT.search(document.text):
        return
    parts = _parts(document)
    starts = [span.start for span, _, _ in parts]
    for match in _COMMENT.finditer(document.text):
        before = bisect_left(starts, match.start("comment"))
        if before and parts[before - 1][2] and parts[before - 1][0].end > match.start("comment"):
            continue  # it is part of a text
        # On a line of its own, a comment is about what follows; else about what is before it.
        index = before - (match["alone"] is None)
        path = parts[index][1] if 0 <= index < len(parts) else ()
        about = _description(manifest, path, match)
        yield rule.violation(path, about, span=Span(*match.span("comment")))


def _description(manifest: Manifest, path: Path, comment: re.Match[str]) -> Description:
    """Say where suppressions stand, and write the entry."""
    entry = {
        "rule": comment["rule"] or "RULE",
        "path": PurePath(manifest.document.name).name,
        **({"pointer": stable_pointer(manifest, path)} if path else {}),
        "reason": comment["reason"].strip() or "why this is acceptable",
    }
    if isinstance(value := manifest.document.value_or_none(path), list) and value:
        entry["pointer"] += "/*"  # its items have the findings
    members = listed([_as_toml(*each) for each in entry.items()], "and")
    return Description(
        "a comment suppresses nothing: suppressions are entries of `manifestkit.toml`",
        f"write a `[[suppress]]` there with {members}",
    )


def _as_toml(name: str, value: str) -> str:
    return f"`{name} = {json.dumps(truncate(value, 200), ensure_ascii=False)}`"


def _parts(document: Document) -> list[tuple[Span, Path, bool]]:
    """Return the spans of all keys and values in order, and which are texts."""
    parts: list[tuple[Span, Path, bool]] = []
    todo: list[tuple[Path, Node]] = [((), document.root)]
    while todo:
        path, node = todo.pop()
        for token, key, value in node.parts():
            below = (*path, token)
            parts += [(key, below, True)] if key else []
            parts.append((value.span, below, not (value.is_object or value.is_array)))
            todo.append((below, value))
    return sorted(parts, key=lambda each: (each[0].start, len(each[1])))
