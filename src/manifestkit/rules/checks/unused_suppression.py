"""Comments in YAML that look as if they suppressed a finding."""

from __future__ import annotations

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
from manifestkit.model.report import STDIN
from manifestkit.model.violation import Violation
from manifestkit.rules.catalogue import rule_ids
from manifestkit.rules.rule import Rule
from manifestkit.schema.manifest import Manifest

_SPACE = r"[ \t]*+"
_COMMENT = re.compile(
    rf"(?:(?P<alone>(?<![^\r\n])[ \t\ufeff]*+)|(?<=[\s\ufeff]))"
    rf"(?P<comment>#{_SPACE}manifest(?:kit)?{_SPACE}[:-]?+{_SPACE}(?:ignore|disable)(?:[:-]\w++)*+\b"
    rf"(?:{_SPACE}\[(?P<rules>[^\]#\r\n]*+)\])?+{_SPACE}(?P<reason>[^\r\n]*+))",
    re.IGNORECASE,
)
_BLOCK_HEADER = re.compile(r"[|>][^\r\n]*+")
_MOST_RULES = 5


def check(rule: Rule, manifest: Manifest) -> Iterator[Violation]:
    """Find each comment that looks like a suppression."""
    document = manifest.document
    if not _COMMENT.search(document.text):
        return
    entries, texts = _parts(document)
    starts = [start for start, _ in entries]
    for match in _comments(document.text, texts):
        # On a line of its own, a comment is about what follows; else about what is before it.
        index = bisect_left(starts, match.start("comment")) - (match["alone"] is None)
        path = entries[index][1] if 0 <= index < len(entries) else ()
        about = _description(manifest, path, match)
        yield rule.violation(path, about, span=Span(*match.span("comment")))


def _description(manifest: Manifest, path: Path, comment: re.Match[str]) -> Description:
    """Say where suppressions stand, and write the entry."""
    rules, reason = comment["rules"], comment["reason"].lstrip("=: ")
    first = reason.partition(" ")[0]
    if rules is None and first in rule_ids():
        rules, reason = first, reason.removeprefix(first)
    ids = [each.strip() for each in (rules or "").split(",", _MOST_RULES)[:_MOST_RULES]]
    first, *others = [each for each in ids if each] or ["RULE"]
    entry = {"rule": first, "path": PurePath(manifest.document.name).name}
    if manifest.document.name == STDIN:
        del entry["path"]
    if path:
        entry["pointer"] = stable_pointer(manifest, path)
        if isinstance(value := manifest.document.value_or_none(path), list) and value:
            entry["pointer"] += "/*"  # its items have the findings
    entry["reason"] = reason.strip() or "why this is acceptable"
    more = (f", and another one with {_as_toml('rule', each)}" for each in others)
    members = listed([_as_toml(*each) for each in entry.items()], "and")
    return Description(
        "a comment suppresses nothing: suppressions are entries of `manifestkit.toml`",
        f"write a `[[suppress]]` there with {members}{''.join(more)}",
    )


def _as_toml(name: str, value: str) -> str:
    return f"`{name} = {json.dumps(truncate(value, 200), ensure_ascii=False)}`"


def _comments(text: str, texts: list[Span]) -> Iterator[re.Match[str]]:
    """Yield the comments that look like a suppression, and are no part of a text."""
    begin = 0
    for span in (*texts, Span(len(text), len(text))):
        yield from _COMMENT.finditer(text, begin, span.start)
        begin = span.end


def _parts(document: Document) -> tuple[list[tuple[int, Path]], list[Span]]:
    """Return where each member and item begins, and the spans of scalars and keys, in order.

    Of a block scalar it is that of its lines.
    """
    entries: list[tuple[int, Path]] = []
    texts: list[Span] = []
    todo: list[tuple[Path, Node]] = [((), document.root)]
    while todo:
        path, node = todo.pop()
        if not (node.is_object or node.is_array):
            header = _BLOCK_HEADER.match(document.text, *node.span)
            texts.append(Span(header.end(), node.span.end) if header else node.span)
        for token, key, value in node.parts():
            if key:
                texts.append(key)
            entries.append(((key or value.span).start, (*path, token)))
            todo.append(((*path, token), value))
    return sorted(entries), sorted(texts)
