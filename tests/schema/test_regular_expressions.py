"""Regular expressions mean the same on every supported Python, and read a text once.

Before 3.11.5, Python keeps the place that a failed repetition of a possessive group has come to
(python/cpython#100061). It does not where the last alternative is `(?!)`, which fails at once.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from re import _compiler as compiler  # type: ignore[attr-defined]
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import manifestkit
from manifestkit.config.exclude import Ignore
from manifestkit.files import other_tools
from rows import rows

_ONE = {ops.LITERAL, ops.NOT_LITERAL, ops.IN, ops.ANY}
_REPETITIONS = {ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT}
_ASCII = [chr(code) for code in range(128)]
_MOVING = {
    ops.ASSERT, ops.ASSERT_NOT, ops.ATOMIC_GROUP, ops.BRANCH, ops.MAX_REPEAT, ops.MIN_REPEAT
}  # fmt: skip


def patterns() -> Iterator[tuple[str, re.Pattern[Any]]]:
    """The regular expressions of all modules, with where they are."""
    for module in pkgutil.walk_packages(manifestkit.__path__, "manifestkit."):
        if module.name.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            for each in value if isinstance(value, tuple) else (value,):
                if isinstance(each, re.Pattern):
                    yield f"{module.name}.{name}", each
                elif isinstance(each, str) and re.search(r"[*+?}]\+", each):
                    with suppress(re.error):
                        yield f"{module.name}.{name}", re.compile(each, re.VERBOSE)
    table = (*other_tools("texts"), *other_tools("objects"), [other_tools("another-kind")])
    for number, (pattern, *_) in enumerate(table):
        yield f"row {number} of other tools", re.compile(pattern)
    for each in Ignore.of(Path(), ["a*[!b-c]?", "/a/**/b*c/**/d", "**/*"]).patterns:
        yield f"the ignored {each.path.pattern}", each.path


def careless(sequence: Any) -> Iterator[str]:
    """The possessive groups that an old Python may leave in the midst of a repetition."""
    for op, argument in sequence:
        for body in _bodies(op, argument):
            yield from careless(body)
        if op is ops.POSSESSIVE_REPEAT and _moves(list(argument[2])) and not _fails(argument[2]):
            yield str(argument[2])


def _bodies(op: Any, argument: Any) -> list[Any]:
    if op is ops.SUBPATTERN:
        return [argument[3]]
    if op in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT):
        return [argument[2]]
    if op in (ops.ASSERT, ops.ASSERT_NOT):
        return [argument[1]]
    if op is ops.BRANCH:
        return list(argument[1])
    return [argument] if op is ops.ATOMIC_GROUP else []


def _moves(body: list[Any]) -> bool:
    """Whether a repetition holds more than characters, one after the other."""
    if len(body) == 1 and body[0][0] is ops.BRANCH:
        return any(_moves(list(each)) for each in body[0][1][1])
    if len(body) == 1 and body[0][0] in _ONE:
        return False
    if len(body) == 1 and body[0][0] is ops.SUBPATTERN:
        return _moves(list(body[0][1][3]))
    return any(
        op in _MOVING
        or (op is ops.SUBPATTERN and _moves(list(argument[3])))
        or (
            op is ops.POSSESSIVE_REPEAT
            and not (len(argument[2]) == 1 and argument[2][0][0] in _ONE)
        )
        for op, argument in body
    )


def _fails(body: Any) -> bool:
    """Whether the last alternative fails at once."""
    last = body[-1]
    while last[0] is ops.SUBPATTERN:
        last = last[1][3][-1]
    return last[0] is ops.BRANCH and [op for op, _ in last[1][1][-1]] in (
        [ops.FAILURE],
        [ops.ASSERT_NOT],
    )


def _flat(sequence: Any) -> Iterator[tuple[Any, Any]]:
    for op, argument in sequence:
        if op is ops.SUBPATTERN:
            yield from _flat(argument[3])
        else:
            yield op, argument


def _repeated(op: Any, argument: Any) -> re.Pattern[str] | None:
    """The character that is repeated without an end, as a pattern; None where none is."""
    if op not in _REPETITIONS or argument[1] is not ops.MAXREPEAT:
        return None
    body = list(_flat(argument[2]))
    if len(body) != 1 or body[0][0] not in _ONE:
        return None
    one: re.Pattern[str] = compiler.compile(parser.SubPattern(argument[2].state, body))
    return one


def _one(op: Any, argument: Any) -> re.Pattern[str] | None:
    """The character that must stand there, as a pattern; None where none must."""
    if op not in _ONE:
        return None
    one: re.Pattern[str] = compiler.compile(parser.SubPattern(parser.State(), [(op, argument)]))
    return one


def _all_take(patterns: Sequence[re.Pattern[str]]) -> str:
    return "".join(each for each in _ASCII if all(one.match(each) for one in patterns))


def slow(sequence: Any, after: Sequence[tuple[Any, Any]] = ()) -> Iterator[str]:
    """The characters that one repetition can give back to another, which takes them all again.

    A text of them is then read as often as it is long. One that is possessive gives nothing back.
    """
    items = list(_flat(sequence))
    for index, (op, argument) in enumerate(items):
        following = [*items[index + 1 :], *after]
        for body in _bodies(op, argument):
            yield from slow(body, () if op in (ops.ASSERT, ops.ASSERT_NOT) else following)
        first = None if op is ops.POSSESSIVE_REPEAT else _repeated(op, argument)
        between: list[re.Pattern[str]] = []
        for other, its in following if first else []:
            second, one = _repeated(other, its), _one(other, its)
            if first and second and all(_all_take([first, each, second]) for each in between):
                yield _all_take([first, second])
            if first and one and _all_take([first, one]):
                between.append(one)
            elif other not in (ops.ASSERT, ops.ASSERT_NOT) and (
                other not in _REPETITIONS or its[0] > 0
            ):
                break


def far(sequence: Any, *, is_ahead: bool = False) -> Iterator[str]:
    """The characters that an assertion reads over the ends of lines, without an end.

    What is tried at each line then reads all lines below, as often as there are lines.
    """
    for op, argument in _flat(sequence):
        ahead = is_ahead or op in (ops.ASSERT, ops.ASSERT_NOT)
        for body in _bodies(op, argument):
            yield from far(body, is_ahead=ahead)
        one = _repeated(op, argument) if is_ahead else None
        if one and one.match("\n"):
            yield "".join(each for each in _ASCII if one.match(each) and not each.isspace())


def test_no_assertion_reads_on_over_the_ends_of_lines() -> None:
    found = [
        f"{where}: {characters!r}"
        for where, pattern in patterns()
        for characters in far(parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG))
        if characters
    ]
    assert found == []


@rows("pattern", [r"(?=[^\w-]+-[ ])a", r"x(?![\s\S]*y)", r"(?:a|(?=[^b]*+b))"])
def test_an_assertion_that_reads_on_is_found(pattern: str) -> None:
    assert any(far(parser.parse(pattern)))


def test_no_repetition_gives_back_what_the_next_one_takes() -> None:
    found = [
        f"{where}: {characters!r}"
        for where, pattern in patterns()
        for characters in slow(parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG))
        if characters
    ]
    assert found == []


@rows(
    "pattern",
    ["a*a*b", r"0*([0-9]*)\.?c", r"\w+ ?\w*+!", r"(?:x|[ \t]*)(?:y)?\s*;", r"> \S+@\d\S* "],
)
def test_a_repetition_that_gives_back_is_found(pattern: str) -> None:
    assert any(slow(parser.parse(pattern)))


def test_a_possessive_group_is_left_where_it_began() -> None:
    found = [
        f"{where}: {group}"
        for where, pattern in patterns()
        for group in careless(parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG))
    ]
    assert found == []


def test_the_check_sees_what_old_pythons_leave_in_the_midst() -> None:
    for text in (r"(?:,[ ]*b)?+", r"(?:a|:(?=b))*+", r"(?:[ ]*+(?:#[^\n]*+)?+\n)*+"):
        assert list(careless(parser.parse(text)))
    for text in (r"(?:,[ ]*b|(?!))?+", r"(?:[ ]*+\n)*+", r"(?:[^a]|\\.)*+"):
        assert not list(careless(parser.parse(text)))
