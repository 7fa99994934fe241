"""Texts of which a reader could say, keep or print far more than they hold."""

from __future__ import annotations

import json
from collections.abc import Iterator

from hostile_json import Case
from report_cases import GOOD, GOOD_TEXT

_LONG = 200_000
_MANY = 4_990


def outsized_texts() -> Iterator[Case]:
    """Every case, each a file."""
    for number, (what, text) in enumerate(_json(), 1):
        yield f"s{number:03}.json", what, text.encode()
    for number, (what, text) in enumerate(_yaml(), 1):
        yield f"s{number:03}.yaml", what, text.encode()


def _json() -> Iterator[tuple[str, str]]:
    wrong = [1] * _MANY
    yield "an id of 800,000 characters above 4,990 findings", _with_surfaces("i" * 800_000, wrong)
    yield "a name of 200,000 characters above 4,990 duplicates", _above("k" * _LONG, '"a": 1')
    yield "the same of characters that are escaped", _above("\U000e0001" * 50_000, '"a": 1')
    yield "the same of characters that XML escapes", _above('\\"' * 100_000, '"a": 1')
    yield "the same of characters that GitHub escapes", _above("%" * _LONG, '"a": 1')
    yield "4,990 names of 2,000 characters, each given twice", _doubled(2_000)
    yield "two names of 2 MB given twice", _doubled(2_000_000, 2)
    yield "a name of 5 MB given twice", _doubled(5_000_000, 1)
    yield (
        "4,990 wrong items under 100 long names",
        _nested(["n" * 2_000] * 100, json.dumps({"presentation": wrong})),
    )
    yield "4,990 values of 2,000 characters that are wrong", _permissions("p", 2_000)
    yield "5 MB of values of wide characters that are wrong", _permissions("坐", 300)
    yield "5 MB of values of combining marks that are wrong", _permissions("\u0301", 300)
    yield "a wrong type of 5 MB", GOOD_TEXT.replace('"1.0"', f"[{'1,' * 250_000}1]", 1)
    yield "a version of 5 MB", _with(schema_version=["x" * 5_000_000])
    yield "an id of 5 MB given twice", _activities(["i" * 5_000_000] * 2)
    yield "4,990 activities with one id of 1,000 characters", _activities(["i" * 1_000] * _MANY)
    yield "300,000 unknown members", _with({f"m{number}": number for number in range(300_000)})
    yield (
        "300,000 unknown members, and none that is required",
        json.dumps({f"m{number}": number for number in range(300_000)}),
    )
    yield (
        "5,000 objects with 20 unknown members",
        _with(activities=[{f"nam{n}e{m}": 1 for m in range(20)} for n in range(5_000)]),
    )
    yield (
        "300,000 members that are anagrams of one that is missing",
        json.dumps({_anagram(number): 1 for number in range(300_000)}),
    )
    yield "5,000 findings in a line of 10 MB", _with(extra="x" * 9_900_000, permissions=wrong)
    yield "2 MB of colons", ":" * 2_000_000
    yield "10 MB of line ends", "\n" * 10_000_000
    yield "2 MB of carriage returns", "\r" * 2_000_000
    yield "2 MB of commas", "[" + "," * 1_999_998 + "]"
    yield "2 MB of brackets", "[" * 2_000_000
    yield "2 MB of quotes", '"' * 2_000_000
    yield "2 MB of comments", "//\n" * 666_666
    yield "2 MB of blanks", " " * 2_000_000
    yield "2 MB of backslashes", '{"a": "' + "\\q" * 1_000_000 + '"}'
    yield "500,000 values", "[" + "0," * 499_997 + "0]"
    yield "a fraction of 999 digits, 10,000 times", _durations("0." + "0" * 990 + "1e991", 10_000)
    yield "4,990 deep values under long names", _with(extra=_deep(180, 250), permissions=wrong)
    yield "10 MB of strings that end nowhere", '{"a": "\n' * 1_111_111


def _yaml() -> Iterator[tuple[str, str]]:
    yield "2,000 aliases to 800,000 characters", _aliases("x" * 800_000, 2_000)
    yield "9,000 aliases to 1,000 characters", _aliases("x" * 1_000, 9_000)
    yield (
        "9,000 aliases to a wrong list",
        f"permissions: [&p [1, 2], {', '.join(['*p'] * 4_000)}]\n",
    )
    yield (
        "200 aliases of 50,000 characters",
        f"a: &{'n' * 50_000} x\nb: [{', '.join(['*' + 'n' * 50_000] * 190)}]\n",
    )
    yield (
        "a key of 200,000 characters above 4,990 duplicates",
        f"{'k' * 120}: {{ {'a: 1, ' * _MANY} }}\n",
    )
    yield (
        "a quoted key of 200,000 characters above 4,990 duplicates",
        f'? "{"k" * _LONG}"\n: {{ {"a: 1, " * _MANY} }}\n',
    )
    yield (
        "4,990 comments without use of 2,000 characters",
        f"# manifest: ignore[{'x' * 1_990}] y\n" * _MANY + "a: 1\n",
    )
    yield "2 MB of comments that suppress nothing", "# manifest: ignore[x] y\n" * 83_000 + "a: 1\n"
    yield "2 MB of comments that are not understood", "# manifest ignore y\n" * 100_000 + "a: 1\n"
    yield "100,000 members in a block", "".join(f"k{number}: v\n" for number in range(100_000))
    yield (
        "100,000 members below one that has a fix",
        "schema_version: 1.0\n" + "".join(f"k{number}: v\n" for number in range(100_000)),
    )
    yield "100,000 items in a block", "a:\n" + "".join(f"- v{n}\n" for n in range(100_000))
    yield "100,000 members with comments", "".join(f"k{n}: v # c\n" for n in range(100_000))
    yield "200,000 objects in a block", "".join(f"k{n}:\n  a: v\n" for n in range(200_000))
    yield "29,990 members with comments", "".join(f"k{n}: v # c\n" for n in range(29_990))
    yield "14,990 objects with comments", "".join(f"# c\n\nk{n}:\n  a: v\n" for n in range(14_990))
    yield (
        "9,990 items of 900 characters with comments",
        "a:\n" + "".join(f"  # {'c' * 90}\n  - {n} {'v ' * 450}\n" for n in range(9_990)),
    )
    comment = f"# {'c' * 4_700_000}\n"
    yield (
        "14,990 blocks of text with comments between comments of 4.7 MB",
        comment + "".join(f"k{n}: | # c\n  v\n" for n in range(14_990)) + comment,
    )


def _with(members: dict[str, object] | None = None, **others: object) -> str:
    return json.dumps({**GOOD, **(members or {}), **others})


def _with_surfaces(activity: str, surfaces: list[int]) -> str:
    return _with(activities=[{"id": activity, "name": "x", "surfaces": surfaces}])


def _above(name: str, member: str) -> str:
    inner = ", ".join([member] * _MANY)
    return f'{GOOD_TEXT[:-2]}, "{name}": {{{inner}}}}}'


def _doubled(length: int, count: int = _MANY) -> str:
    names = (f"{number}{'k' * length}" for number in range(count))
    if count == _MANY:
        names = (f"{number}{'k' * (length // 2)}" for number in range(count))
    return "{" + ", ".join(f'"{name}": 1, "{name}": 2' for name in names) + "}"


def _nested(names: list[str], inner: str) -> str:
    opened = "".join(f'{{"{name}": ' for name in names)
    return f'{GOOD_TEXT[:-2]}, "extra": {opened}{inner}{"}" * len(names)}}}'


def _permissions(character: str, length: int) -> str:
    wrong = [f"{number}{character * length}" for number in range(_MANY)]
    return json.dumps({**GOOD, "permissions": wrong}, ensure_ascii=False)


def _activities(ids: list[str]) -> str:
    return _with(activities=[{"id": each, "name": "x"} for each in ids])


def _durations(number: str, count: int) -> str:
    activity = f'{{"id": "a", "name": "x", "duration_minutes": {number}}}'
    return GOOD_TEXT.replace('"activities": [', f'"activities": [{f"{activity}, " * count}', 1)


def _deep(depth: int, length: int) -> object:
    value: object = {"a": 1}
    for _ in range(depth):
        value = {"n" * length: value}
    return value


def _anagram(number: int) -> str:
    letters, name = list("activities"), ""
    for size in range(len(letters), 0, -1):
        number, at = divmod(number, size)
        name += letters.pop(at)
    return name + "x" * (number + 1)


def _aliases(text: str, count: int) -> str:
    return f'permissions: [&p "{text}", {", ".join(["*p"] * count)}]\n'
