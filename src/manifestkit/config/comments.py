"""Suppressions in YAML comments: ``# manifest: ignore[rule] reason``.

Behind a value the comment speaks of its line; on a line of its own, of the next line that is more
than a comment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from manifestkit.model.document import Document
from manifestkit.model.finding import Description
from manifestkit.model.location import Span
from manifestkit.model.violation import Violation
from manifestkit.rules.catalogue import all_rules, catalogue, setting_names
from manifestkit.schema.suggest import nearest

_SPACE = r"[ \t]*+"
_BEGIN = rf"(?:^|(?<=[\s\ufeff]))#{_SPACE}manifest"
_COMMENT = re.compile(
    rf"{_BEGIN}:{_SPACE}ignore\[([^\]#\r\n]*+)\]{_SPACE}([^\r\n]*+)", re.MULTILINE
)
_NEAR_COMMENT = re.compile(
    rf"{_BEGIN}{_SPACE}:?+{_SPACE}ignore\b[^\r\n]*+", re.MULTILINE | re.IGNORECASE
)
_BLOCK_HEADER = re.compile(r"[|>][^\r\n]*+")
_MOST_RULES = 100
_ONLY_COMMENT = re.compile(r"\s*+(?:#.*+)?")


class _Comment(NamedTuple):
    span: Span
    rules: tuple[str, ...]
    reason: str
    line: int


def has_comments(document: Document) -> bool:
    """Return whether there may be such a comment in a document."""
    return (
        document.syntax == "yaml"
        and "ignore" in document.text.lower()  # the search proper is ten times as slow
        and _NEAR_COMMENT.search(document.text) is not None
    )


class Comments:
    """The suppressions in the comments of one YAML document."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._comments = _comments(document)
        self._used: set[tuple[int, str]] = set()
        self._suppressing: dict[tuple[int, str], _Comment] = {}
        for comment in self._comments:
            for rule in comment.rules if comment.reason else ():
                self._suppressing.setdefault((comment.line, rule), comment)

    def reason(self, rule: str, line: int) -> str | None:
        """Return why a rule is suppressed on a line; None if it is not."""
        for name in setting_names(rule):
            comment = self._suppressing.get((line, name))
            if comment is not None:
                self._used.add((comment.span.start, name))
                return comment.reason
        return None

    def unused(self, counts: Callable[[str], bool]) -> Iterator[Violation]:
        """Find the comments that suppressed nothing, or cannot be read.

        Args:
            counts: whether a rule was looked for; if not, a comment for it is not called unused.
        """
        document = self._document
        rule = catalogue()["unused-suppression"]
        for match, _ in _outside_texts(document, _NEAR_COMMENT):
            if not _COMMENT.match(document.text, match.start()):
                about = Description(
                    "this comment cannot be parsed and suppresses nothing",
                    "write `# manifest: ignore[rule] reason`",
                )
                yield rule.violation((), about, span=Span(*match.span()))
        for comment in self._comments:
            for each in comment.rules:
                may_have_use = comment.reason and not counts(each)
                if (comment.span.start, each) not in self._used and not may_have_use:
                    why, help_text = _uselessness(each, has_reason=bool(comment.reason))
                    message = f"the suppression of `{each}` has no effect: {why}"
                    yield rule.violation((), Description(message, help_text), span=comment.span)


def _comments(document: Document) -> list[_Comment]:
    """Return the comments, each with the line that it is about.

    It is the line on which the value before it begins or, where it stands alone, the next line with
    content.
    """
    if document.syntax != "yaml":
        return []
    lines = document.lines
    last = lines.position(len(document.text))[0]
    about: dict[int, int] = {}
    found: list[_Comment] = []
    # From the end on: where comments follow one another, none is passed more than once.
    for match, before in reversed(list(_outside_texts(document, _COMMENT))):
        line = own = lines.position(match.start())[0]
        if lines.position(before.end)[0] == own:
            line = lines.position(before.start)[0]
        while line < last and line not in about and _ONLY_COMMENT.fullmatch(lines.line(line)):
            line += 1
        about[own] = about.get(line, line)
        rules = tuple(rule.strip() for rule in match[1].split(",", _MOST_RULES))
        found.append(_Comment(Span(*match.span()), rules, match[2].strip(), about[own]))
    return found[::-1]


def _outside_texts(
    document: Document, pattern: re.Pattern[str]
) -> Iterator[tuple[re.Match[str], Span]]:
    """Yield the matches of a pattern between scalars and keys, each with the one before it."""
    text, before = document.text, Span(0, 0)
    for span in (*_text_spans(document), Span(len(text), len(text))):
        for match in pattern.finditer(text, before.end, span.start):
            yield match, before
        before = span


def _text_spans(document: Document) -> list[Span]:
    """Return the spans of scalars and keys, in order; of a block scalar those of its lines."""
    spans: list[Span] = []
    todo = [document.root]
    while todo:
        node = todo.pop()
        if node.members is not None:
            for member in node.members.values():
                spans.append(member.key)
                todo.append(member.node)
        elif node.items is not None:
            todo.extend(node.items)
        else:
            header = _BLOCK_HEADER.match(document.text, *node.span)
            spans.append(Span(header.end(), node.span.end) if header else node.span)
    return sorted(spans)


def _uselessness(rule: str, *, has_reason: bool) -> tuple[str, str]:
    if not has_reason:
        return "it has no reason", f"write `# manifest: ignore[{rule}] why this is acceptable`"
    meant = None if rule in all_rules() else nearest(rule, tuple(all_rules()))
    if meant:
        return f"there is no rule `{rule}`", f"did you mean `{meant}`?"
    return "it matches no finding", "remove the comment"
