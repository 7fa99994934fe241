"""The dimensions in which a manifest, a profile or a run can grow, each as files of a size."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from report_cases import GOOD, GOOD_TEXT

Files = dict[str, str]
"""What stands in a folder, by name."""


class Dimension(NamedTuple):
    """Something that can be doubled.

    Attributes:
        name: what there are so many of.
        files: the files with so many of it.
        arguments: the command that is run on them.
        most: the largest number of it that makes sense: more is beyond a limit, or never met.
        is_product: whether each is compared with each, as far as a limit goes: that ends in time,
            but does not grow in step before.
    """

    name: str
    files: Callable[[int], Files]
    arguments: tuple[str, ...] = ("lint",)
    most: int = 100_000
    is_product: bool = False


def dimensions() -> Iterator[Dimension]:
    """Every dimension."""
    for name, value in _VALUES.items():
        yield Dimension(f"JSON: {name}", _json_of(value))
        yield Dimension(f"YAML: {name}", _yaml_of(value))
    for name, text in _JSON_TEXTS.items():
        yield Dimension(f"JSON text: {name}", _file_of("manifest.json", text))
    for name, text in _YAML_TEXTS.items():
        yield Dimension(f"YAML text: {name}", _file_of("manifest.yaml", text))
    for name, profile in _PROFILES.items():
        yield Dimension(
            f"profile: {name}",
            _profile_of(profile),
            ("lint", "--profile=p.json", "manifest.json"),
            20_000,
        )
    for name in _BOTH:
        for by in ("profile", "schema"):
            arguments = ("lint", f"--{by}=p.json", "manifest.json")
            files = _of_both(name, by)
            yield Dimension(f"{by}: {name}", files, arguments, 10_000, name in _PRODUCTS)
    yield from _RUNS


def _stairs(depth: int) -> str:
    """Arrays in each other, each on its own line and deeper than the last."""
    return "".join(" " * column + "[\n" for column in range(depth))


def _json_of(value: Callable[[int], Any]) -> Callable[[int], Files]:
    return lambda size: {"manifest.json": json.dumps(value(size), indent=1)}


def _yaml_of(value: Callable[[int], Any]) -> Callable[[int], Files]:
    return lambda size: {"manifest.yaml": "".join(_block(value(size), ""))}


def _file_of(name: str, text: Callable[[int], str]) -> Callable[[int], Files]:
    return lambda size: {name: text(size)}


def _block(value: Any, indent: str) -> Iterator[str]:
    """A value as a block of YAML, which no library writes in time."""
    if isinstance(value, dict) and value:
        for key, each in value.items():
            yield f"{indent}{_scalar(key)}:"
            yield from _nested(each, indent)
    elif isinstance(value, list) and value:
        for each in value:
            yield f"{indent}-"
            yield from _nested(each, indent)
    else:
        yield f"{_scalar(value)}\n"


def _nested(value: Any, indent: str) -> Iterator[str]:
    if isinstance(value, dict | list) and value:
        yield "\n"
        yield from _block(value, f"{indent}  ")
    else:
        yield f" {_scalar(value)}\n"


def _scalar(value: Any) -> str:
    plain = isinstance(value, str) and value.isidentifier() and value not in {"yes", "no", "n"}
    return value if plain else json.dumps(value)


def _with(members: dict[str, Any] | None = None, **others: Any) -> dict[str, Any]:
    return {**GOOD, **(members or {}), **others}


def _activity(number: int, **others: Any) -> dict[str, Any]:
    return {"id": f"a{number}", "name": f"Activity {number}", **others}


def _activities(size: int, **others: Any) -> dict[str, Any]:
    return _with(activities=[_activity(number, **others) for number in range(size)])


def _unknown(size: int) -> dict[str, int]:
    return {f"m{number}": number for number in range(size)}


def _deep(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


_PERMISSIONS = ["host.timer", "host.haptics", "profile.basic", "context.goals"]
_CAPABILITIES = ["host.timer.start", "host.haptic", "profile.getBasic", "context.getGoals"]


def _cycled(values: list[str], size: int) -> list[str]:
    return (values * (size // len(values) + 1))[:size]


_VALUES: dict[str, Callable[[int], Any]] = {
    "unknown members at the root": lambda n: _with(_unknown(n)),
    "unknown members, and none that is required": _unknown,
    "unknown members in provider": lambda n: _with(provider={**GOOD["provider"], **_unknown(n)}),
    "unknown members in an empty provider": lambda n: _with(provider=_unknown(n)),
    "unknown members in presentation": lambda n: _with(presentation=_unknown(n)),
    "unknown members in one activity": lambda n: _with(activities=[_activity(0, **_unknown(n))]),
    "activities with unknown members": lambda n: _activities(n // 10, **_unknown(10)),
    "activities with other unknown members each": lambda n: _with(
        activities=[
            _activity(number, **{f"m{number}x{m}": m for m in range(10)})
            for number in range(n // 10)
        ]
    ),
    "activities with objects for members": lambda n: _with(
        activities=[_each(200, lambda _: {})] * (n // 40)
    ),
    "anagrams of a missing member": lambda n: {
        f"activitise{number % 10}" + "x" * (number // 1000): 1 for number in range(n)
    },
    "valid permissions": lambda n: _with(permissions=_cycled(_PERMISSIONS, n)),
    "unknown permissions": lambda n: _with(permissions=[f"host.timer{m}" for m in range(n)]),
    "unknown capabilities": lambda n: _with(capabilities=[f"host.haptic{m}" for m in range(n)]),
    "one unknown permission": lambda n: _with(permissions=["host.timers"] * n),
    "permissions that are numbers": lambda n: _with(permissions=list(range(n))),
    "permissions that are objects": lambda n: _with(
        permissions=[{"name": str(m)} for m in range(n)]
    ),
    "permissions that are lists": lambda n: _with(permissions=[[m] for m in range(n)]),
    "swapped lists": lambda n: _with(
        permissions=_cycled(_CAPABILITIES, n), capabilities=_cycled(_PERMISSIONS, n)
    ),
    "one list for both": lambda n: _with(
        permissions=_cycled([*_PERMISSIONS, *_CAPABILITIES], n),
        capabilities=_cycled([*_PERMISSIONS, *_CAPABILITIES], n),
    ),
    "activities": _activities,
    "activities of one id": lambda n: _with(activities=[_activity(0)] * n),
    "empty activities": lambda n: _with(activities=[{}] * n),
    "activities that are numbers": lambda n: _with(activities=list(range(n))),
    "activities that are null": lambda n: _with(activities=[None] * n),
    "activities with one misspelt name": lambda n: _with(
        activities=[{"id": f"a{m}", "nmae": "x"} for m in range(n)]
    ),
    "activities with a misspelt id and a wrong name": lambda n: _with(
        activities=[{"idd": f"a{m}", "name": m} for m in range(n)]
    ),
    "activities with other misspelt names each": lambda n: _with(
        activities=[
            {"id": f"a{m}", f"{'nmae' if m % 2 else 'naem'}": m, f"x{m}": 1} for m in range(n)
        ]
    ),
    "activities in a misspelt list": lambda n: {
        **{key: value for key, value in GOOD.items() if key != "activities"},
        "activites": [{"idd": f"a{m}", "nmae": m} for m in range(n)],
    },
    "activities with all that can be wrong": lambda n: _activities(
        n, duration_minutes=-1.5, category="", thumbnail=1, surfaces=["x", "x", 1]
    ),
    "activities that last whole numbers of minutes": lambda n: _activities(n, duration_minutes=4.0),
    "activities with thumbnails": lambda n: _activities(n, thumbnail="images/none.png"),
    "activities with empty texts": lambda n: _activities(n, category=""),
    "activities with control characters": lambda n: _activities(n, category="a\x07b"),
    "activities with lone surrogates": lambda n: _activities(n, category="\ud800"),
    "surfaces": lambda n: _with(activities=[_activity(0, surfaces=[f"s{m}" for m in range(n)])]),
    "surfaces that are the same": lambda n: _with(activities=[_activity(0, surfaces=["x"] * n)]),
    "surfaces that are numbers": lambda n: _with(
        activities=[_activity(0, surfaces=list(range(n)))]
    ),
    "surfaces of many activities": lambda n: _activities(n // 10, surfaces=["x"] * 10),
    "a long text": lambda n: _with(provider={**GOOD["provider"], "name": "x" * 50 * n}),
    "a long text in the wrong place": lambda n: _with(permissions=["x" * 50 * n]),
    "a long name": lambda n: _with({"x" * 10 * n: 1}),
    "a long name in presentation": lambda n: _with(presentation={"x" * 10 * n: 1}),
    "deep values": lambda n: _with(extra=[_deep(150)] * (n // 150)),
    "deep values with deep errors": lambda n: _with(permissions=[_deep(150)] * (n // 150)),
    "objects": lambda n: _with(extra=[{"a": 1}] * n),
    "items at the root": lambda n: list(range(n)),
    "numbers of 1,000 digits": lambda n: _with(extra=[10**900] * (n // 100)),
    "fractions": lambda n: _with(extra=[1.5] * n),
}


def _repeated(*parts: str) -> dict[str, Callable[[int], str]]:
    return {f"only {part!r}": lambda n, part=part: part * (10 * n // len(part)) for part in parts}  # type: ignore[misc]


def _line(text: str, size: int) -> str:
    """So many copies of a member in a manifest that is written by lines."""
    return (
        GOOD_TEXT[:-2] + "".join(",\n  " + text.replace("@", str(m)) for m in range(size)) + "\n}\n"
    )


_JSON_TEXTS: dict[str, Callable[[int], str]] = {
    **_repeated(
        *"[]{}\",:-0a'#/\\",
        "[1,",
        '{"a":',
        "- ",
        "//\n",
        "/*",
        '"a" ',
        '"a",\n',
        "1.e",
        '{"a',
        "a: b\n",
        "- a\n",
        "\r",
        "\0",
        "\ufeff",
        "é",
        '"\\u',
        "<<<<<<< a\n",
        "NaN ",
    ),
    "one line": lambda n: json.dumps(_with(_unknown(n))),
    "one line of faults": lambda n: json.dumps(_with(permissions=list(range(n)))),
    "a member given again and again": lambda n: _line('"a": 1', n),
    "members given twice": lambda n: _line('"m@": 1, "m@": 2', n),
    "required members given again": lambda n: _line('"schema_version": "1.@"', n),
    "escapes at fault behind a long text": lambda n: (
        '{"a": "' + "x" * 45 * n + '", ' + '"b": "\\q", ' * n
    ),
    "members without commas": lambda n: _line('"m@": 1', n).replace(',\n  "m', '\n  "m'),
    "members without colons": lambda n: _line('"m@" 1', n),
    "names without quotes": lambda n: _line("m@: 1", n),
    "single quotes": lambda n: _line("'m@': 'x'", n),
    "commas too many": lambda n: _line('"m@": [1,],', n),
    "comments": lambda n: _line('"m@": 1 // c', n),
    "block comments": lambda n: _line('/* c */ "m@": 1', n),
    "literals of Python": lambda n: _line('"m@": True', n),
    "strings that end nowhere": lambda n: _line('"m@": "x', n),
    "wrong escapes": lambda n: _line('"m@": "\\x"', n),
    "wrong numbers": lambda n: _line('"m@": 01', n),
    "raw control characters": lambda n: _line('"m@": "\x01"', n),
    "wrong brackets": lambda n: _line('"m@": [1}', n),
    "lists that nothing closes": lambda n: _line('"m@": [1', n),
    "lines at fault": lambda n: "{\n" + '  "a",\n' * n + "}",
    "lines at fault in an array": lambda n: '[\n  "a" b,\n' + '  "a": 1,\n' * n + "]",
    "lines at fault, deep": lambda n: _stairs(190) + ' "a" b\n' + '"a"\n}\n' * n,
    "ends of other brackets": lambda n: '{\n  "a": [\n' + '    ["b"},\n' * n,
    "a cut file": lambda n: json.dumps(_activities(n), indent=1)[:-1000],
    "a cut line": lambda n: json.dumps(_activities(n))[:-1000],
    "a file cut at its head": lambda n: json.dumps(_activities(n), indent=1)[100:],
    "two files in one": lambda n: json.dumps(_activities(n // 2), indent=1) * 2,
    "many documents": lambda n: '{"a": 1}\n' * n,
    "a text of escapes": lambda n: _line('"m": "' + "\\u0041" * n + '"', 1),
    "a text of quotes": lambda n: _line('"m": "' + '\\"' * 5 * n + '"', 1),
    "blank lines": lambda n: GOOD_TEXT + "\n" * 10 * n,
    "blank lines before a fault": lambda n: "\n" * 10 * n + GOOD_TEXT.replace('"1.0"', "1", 1),
    "lines that end with a carriage return": lambda n: _line('"m@": 1', n).replace("\n", "\r"),
}


def _yaml_lines(text: str, size: int, head: str = "") -> str:
    good = "".join(_block(GOOD, ""))
    return good + head + "".join(text.replace("@", str(m)) for m in range(size))


def _wrong_activities(text: str, size: int) -> str:
    head = "".join(_block({**GOOD, "activities": []}, "")).replace("activities: []\n", "")
    items = (text.replace("@", f"- {{id: a{m}, name: 1}}") for m in range(size))
    return f"{head}activities:\n{''.join(items)}"


_YAML_TEXTS: dict[str, Callable[[int], str]] = {
    **_repeated(
        *"[]{}\",:-0a'#&*!|>%?@`",
        "[1,",
        "{a: ",
        "- ",
        "? ",
        ": ",
        "-\n",
        "- a\n",
        "a: ",
        "a:\n",
        "a: b\n",
        "--- ",
        "---\n",
        "...\n",
        "# c\n",
        "&a ",
        "*a ",
        "!!str ",
        "!a ",
        "\t",
        " \t\n",
        "\r",
        "\0",
        "\ufeff",
        "é",
        "''",
        '""',
        "'\n",
        '"\n',
        "|\n",
        "a: |\n",
        "- [\n",
        "- {a\n",
        "{a: b, ",
        "a\n\n",
        "<<: ",
        "\x85",
        "\u2028",
        "[a]: ",
        "- - ",
        "%YAML 1.2\n",
    ),
    "JSON in one line": lambda n: json.dumps(_activities(n)),
    "JSON by lines": lambda n: json.dumps(_activities(n), indent=1),
    "JSON that is cut": lambda n: json.dumps(_activities(n), indent=1)[:-1000],
    "JSON in one line that is cut": lambda n: json.dumps(_activities(n))[:-1000],
    "JSON without commas": lambda n: _line('"m@": 1', n).replace(',\n  "m', '\n  "m'),
    "JSON with tabs": lambda n: json.dumps(_activities(n), indent="\t"),
    "JSON with comments": lambda n: _line('"m@": 1 # c', n),
    "a flow that is cut": lambda n: "a: [" + "b, " * n,
    "a block that is cut": lambda n: "".join(_block(_activities(n), ""))[:-20] + '"',
    "a string that is cut": lambda n: 'a: "' + "b c\n  " * n,
    "flow lists": lambda n: _yaml_lines("m@: [1, {a: 2}]\n", n),
    "a flow list": lambda n: "a: [" + ", ".join(f"b{m}" for m in range(n)) + "]\n",
    "comments": lambda n: _yaml_lines("m@: 1 # c\n", n),
    "lines of comments": lambda n: _yaml_lines("# c\n", n),
    "comments that look like suppressions": lambda n: _wrong_activities(
        "@ # manifest: ignore[wrong-type] y\n", n
    ),
    "lines that look like suppressions": lambda n: _wrong_activities(
        "# manifest: ignore[wrong-type] y\n@\n", n
    ),
    "comments that name no rule": lambda n: _yaml_lines("# manifest ignore y\n", n),
    "rules in one comment": lambda n: _yaml_lines(
        "# manifest: ignore[" + ", ".join(f"r{m}" for m in range(n)) + "] y\n", 1
    ),
    "aliases": lambda n: _yaml_lines("- *p\n", n // 12, "extra:\n- &p x\n"),
    "aliases to wrong items": lambda n: "permissions: [&p wrong, " + "*p, " * (n // 12) + "]\n",
    "anchors": lambda n: _yaml_lines("- &p@ x\n", n, "extra:\n"),
    "anchors and aliases": lambda n: _yaml_lines("- &p@ x\n- *p@\n", n // 12, "extra:\n"),
    "aliases without anchors": lambda n: _yaml_lines("- *p@\n", n, "extra:\n"),
    "merges": lambda n: _yaml_lines("- {<<: *p}\n", n // 12, "extra:\n- &p {a: 1}\n"),
    "tags": lambda n: _yaml_lines("- !!str x@\n", n, "extra:\n"),
    "unknown tags": lambda n: _yaml_lines("- !x x@\n", n, "extra:\n"),
    "members given twice": lambda n: _yaml_lines("m@: 1\nm@: 2\n", n),
    "a member given again and again": lambda n: _yaml_lines("m: 1\n", n),
    "keys that are lists": lambda n: _yaml_lines("[a, @]: 1\n", n),
    "explicit keys": lambda n: _yaml_lines("? m@\n: 1\n", n),
    "keys that are numbers": lambda n: _yaml_lines("@: 1\n", n),
    "ambiguous words": lambda n: _yaml_lines(
        "- yes\n- no\n- 012\n- 1_000\n- 12:30\n", n // 5, "extra:\n"
    ),
    "versions that are numbers": lambda n: (
        "schema_version: 1.0\n" + _yaml_lines("m@: 1\n", n).replace('schema_version: "1.0"\n', "")
    ),
    "documents": lambda n: "a: 1\n---\n" * n,
    "block texts": lambda n: _yaml_lines("m@: |\n  x\n  y\n", n),
    "a block text": lambda n: _yaml_lines("  x y\n", n, "m: |\n"),
    "a folded text": lambda n: _yaml_lines("  x y\n\n", n, "m: >\n"),
    "a plain text of many lines": lambda n: _yaml_lines("  x y\n", n, "m: z\n"),
    "a quoted text of many lines": lambda n: _yaml_lines("  x y\n", n, 'm: "z\n') + '"\n',
    "tabs for indents": lambda n: _yaml_lines("\t- x@\n", n, "extra:\n"),
    "wrong indents": lambda n: _yaml_lines("   - x@\n - y@\n", n, "extra:\n"),
    "ever less indents": lambda n: "".join(
        " " * (100 - m % 100) + "a: 1\n" for m in range(n // 10)
    ),
    "lines without colons": lambda n: _yaml_lines("m@ 1\n", n),
    "colons without blanks": lambda n: _yaml_lines("m@:1\n", n),
    "texts that hold a colon": lambda n: _yaml_lines("m@: a: b\n", n),
    "members without values": lambda n: _yaml_lines("m@:\n", n),
    "blank lines": lambda n: _yaml_lines("\n" * 10, n),
    "blank lines before a fault": lambda n: "\n" * 10 * n + "a: 1\n",
    "a long line": lambda n: _yaml_lines("m: " + "x y " * 10 * n + "\n", 1),
    "quoted texts with escapes": lambda n: _yaml_lines('m@: "\\x41\\n"\n', n),
    "quoted texts with wrong escapes": lambda n: _yaml_lines('m@: "\\y"\n', n),
    "quotes that end nowhere": lambda n: _yaml_lines("m@: 'x\n", n),
    "texts in single quotes that hold quotes": lambda n: _yaml_lines("m@: 'it''s'\n", n),
}


def _profile_of(profile: Callable[[int], dict[str, Any]]) -> Callable[[int], Files]:
    bad = {
        **GOOD,
        "permissions": ["host.timer", "host.tmer"],
        "capabilities": ["host.timer.start", "m1"],
        "activities": [{"id": "m1", "name": "x", "category": "m0x"}, {"id": "m2", "nmae": "x"}],
        "m1": 1,
        "have": ["m1"],
        "want": [],
    }
    return lambda size: {"manifest.json": json.dumps(bad), "p.json": json.dumps(profile(size))}


def _each(size: int, requirement: Callable[[int], Any]) -> dict[str, Any]:
    return {f"m{number}": requirement(number) for number in range(size)}


def _of_category(requirement: dict[str, Any]) -> dict[str, Any]:
    return {"properties": {"activities": {"items": {"properties": {"category": requirement}}}}}


def _needing(needs: dict[str, list[str]]) -> dict[str, Any]:
    lists: dict[str, Any] = {name: {"type": "array", "items": {}} for name in ("have", "want")}
    lists["have"]["x-manifestkit"] = {"rule": "r", "needs": {"/want": needs}}
    return {"properties": lists}


_PROFILES: dict[str, Callable[[int], dict[str, Any]]] = {
    "properties": lambda n: {"properties": _each(n, lambda _: {"type": "string"})},
    "properties of each activity": lambda n: {
        "properties": {
            "activities": {
                "items": {
                    "properties": _each(n, lambda _: {"type": "string"}),
                    "additionalProperties": False,
                }
            }
        }
    },
    "required members": lambda n: {"required": list(_each(n, str))},
    "required members that are described": lambda n: {
        "required": list(_each(n, str)),
        "properties": _each(n, lambda _: {"type": "string"}),
    },
    "required members of activities": lambda n: {
        "properties": {"activities": {"items": {"required": list(_each(n, str))}}}
    },
    "values of an enum": lambda n: _of_category({"enum": list(_each(n, str))}),
    "requirements of one value": lambda n: _of_category(
        {"allOf": [{"minLength": 10 + m} for m in range(n)]}
    ),
    "rules for one value": lambda n: _of_category(
        {"allOf": [{"minLength": 10 + m, "x-manifestkit": {"rule": f"r-{m}"}} for m in range(n)]}
    ),
    "patterns": lambda n: _of_category({"allOf": [{"pattern": f"^a{m}$"} for m in range(n)]}),
    "alternatives": lambda n: _of_category({"anyOf": [{"const": f"c{m}"} for m in range(n)]}),
    "exclusive alternatives": lambda n: _of_category(
        {"oneOf": [{"const": f"c{m}"} for m in range(n)]}
    ),
    "conditions": lambda n: {
        "allOf": [{"if": {"required": ["m1"]}, "then": {"required": [f"m{m}"]}} for m in range(n)]
    },
    "definitions": lambda n: {
        "$defs": _each(n, lambda m: {"$ref": f"#/$defs/m{m + 1}"} if m + 1 < n else {}),
        "properties": {"m1": {"$ref": f"#/$defs/m{n - 1}"}},
    },
    "references": lambda n: {
        "$defs": {"a": {"type": "string"}},
        "properties": _each(n, lambda _: {"$ref": "#/$defs/a"}),
    },
    "needs of one item": lambda n: _needing({"m1": list(_each(n, str))}),
    "items with needs": lambda n: _needing(_each(n, lambda m: [f"w{m % 9}"])),
    "patterns of names": lambda n: {
        "patternProperties": {f"^m{m}$": {"type": "string"} for m in range(n)}
    },
    "members that depend": lambda n: {"dependentRequired": _each(n, lambda m: [f"m{m + 1}"])},
    "long texts": lambda n: {
        "properties": {
            "m1": {
                "type": "string",
                "description": "x" * 10 * n,
                "x-manifestkit": {"message": "x" * n},
            }
        }
    },
}


def _of_activity(**requirements: Any) -> dict[str, Any]:
    return {"properties": {"activities": {"items": requirements}}}


_OBJECT: dict[str, Any] = {"type": "object"}

# Of so much each: a profile's requirement, and what breaks it.
_BOTH: dict[str, tuple[Callable[[int], Any], Callable[[int], Any]]] = {
    "values of an enum, and wrong ones": (
        lambda n: _of_category({"enum": [f"category{m}" for m in range(n)]}),
        lambda n: _with(activities=[_activity(m, category=f"catgory{m}") for m in range(n)]),
    ),
    "values of an enum, and wrong items": (
        lambda n: {"properties": {"extra": {"items": {"enum": [f"value{m}" for m in range(n)]}}}},
        lambda n: _with(extra=[f"other{m}" for m in range(n)]),
    ),
    "values of an enum, and numbers": (
        lambda n: {"properties": {"extra": {"items": {"enum": list(_each(n, str))}}}},
        lambda n: _with(extra=list(range(n))),
    ),
    "required members, and misspelt ones": (
        lambda n: {"required": [f"member{m}" for m in range(n)]},
        lambda n: _with({f"memebr{m}": m for m in range(n)}),
    ),
    "required members, and objects": (
        lambda n: {"required": [f"r{m}" for m in range(n)]},
        lambda n: _with({f"m{m}": {} for m in range(min(n, 90))}),
    ),
    "described members, and unknown ones": (
        lambda n: {"properties": _each(n, lambda _: {}), "additionalProperties": False},
        lambda n: _with({f"x{m}": {} for m in range(n)}),
    ),
    "described members, and those of the wrong type": (
        lambda n: {"properties": _each(n, lambda _: _OBJECT)},
        lambda n: _with(_each(n, lambda _: None)),
    ),
    "closed activities, and misspelt members": (
        lambda _: _of_activity(
            properties={"id": {}, "name": {}, "surfaces": {}}, additionalProperties=False
        ),
        lambda n: _with(activities=[{"id": f"a{m}", "nmae": "x"} for m in range(n)]),
    ),
    "required members of activities, and activities": (
        lambda n: _of_activity(required=[f"r{m}" for m in range(n // 100)]),
        _activities,
    ),
    "conditions, and what meets them": (
        lambda n: {
            "allOf": [
                {"if": {"required": [f"m{m}"]}, "then": {"required": [f"x{m}"]}}
                for m in range(min(n, 1_000))
            ]
        },
        lambda n: _with(_unknown(n)),
    ),
    "alternatives, and values that match none": (
        lambda n: _of_category({"anyOf": [{"const": f"c{m}"} for m in range(min(n, 1_000))]}),
        lambda n: _activities(n, category="x"),
    ),
    "patterns, and texts": (
        lambda n: _of_category({"allOf": [{"pattern": f"^a{m}$"} for m in range(min(n, 1_000))]}),
        lambda n: _activities(n, category="x"),
    ),
    "long texts, and wrong values": (
        lambda n: _of_category({"const": "y", "x-manifestkit": {"message": "x" * n + "{value}"}}),
        lambda n: _activities(n, category="x"),
    ),
    "unique surfaces, and surfaces": (
        lambda _: _of_activity(properties={"surfaces": {"uniqueItems": True}}),
        lambda n: _with(activities=[_activity(0, surfaces=[f"s{m}" for m in range(n)])]),
    ),
    "unique objects, and objects": (
        lambda _: {"properties": {"extra": {"uniqueItems": True}}},
        lambda n: _with(extra=[{"a": m} for m in range(n)]),
    ),
    "contained surfaces, and surfaces": (
        lambda _: _of_activity(properties={"surfaces": {"contains": {"const": "x"}}}),
        lambda n: _with(activities=[_activity(0, surfaces=[f"s{m}" for m in range(n)])]),
    ),
    "unevaluated members, and members": (
        lambda _: {
            "$ref": "urn:manifestkit:activity-provider-manifest",
            "unevaluatedProperties": False,
        },
        lambda n: _with(_unknown(n)),
    ),
}


_PRODUCTS = frozenset(
    {
        "values of an enum, and wrong ones",
        "values of an enum, and wrong items",
        "required members, and misspelt ones",
        "required members of activities, and activities",
        "patterns, and texts",
        "described members, and unknown ones",
    }
)


def _of_both(name: str, by: str) -> Callable[[int], Files]:
    requirement, value = _BOTH[name]

    def files(size: int) -> Files:
        schema = requirement(size)
        if by == "schema":
            schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
        return {"manifest.json": json.dumps(value(size), indent=1), "p.json": json.dumps(schema)}

    return files


_BAD = json.dumps(_with(permissions=["wrong"]))


def _configured(text: Callable[[int], str], manifest: str = _BAD) -> Callable[[int], Files]:
    return lambda size: {"manifestkit.toml": text(size), "manifest.json": manifest}


def _suppression(number: int, path: str = "manifest.json") -> str:
    place = f'path = "{path}"\npointer = "/permissions/m{number}"'
    return f'[[suppress]]\nrule = "unknown-permission"\n{place}\nreason = "x"\n'


def _baselined(size: int) -> Files:
    entries = [
        {
            "path": "manifest.json",
            "rule": "unknown-permission",
            "pointer": f"/permissions/m{m}",
            "fingerprint": f"{m:032x}",
        }
        for m in range(size)
    ]
    return {
        "manifest.json": _BAD,
        "b.json": json.dumps({"version": 2, "entries": entries}, indent=1),
    }


def _many_files(text: str) -> Callable[[int], Files]:
    return lambda size: {
        f"f{m}.manifest.json": text.replace("com.example.box", f"com.example.b{m}")
        for m in range(size)
    }


def _two(old: Callable[[int], Any], new: Callable[[int], Any]) -> Callable[[int], Files]:
    return lambda size: {
        "old.json": json.dumps(old(size), indent=1),
        "new.json": json.dumps(new(size), indent=1),
    }


_FEW = 3_000
_EDITED = 7_000


_RUNS: list[Dimension] = [
    Dimension(
        "suppressions", _configured(lambda n: "".join(map(_suppression, range(n)))), most=1_000
    ),
    Dimension(
        "suppressions of everything",
        _configured(lambda n: "".join(_suppression(m, "*") for m in range(n))),
        most=1_000,
    ),
    Dimension(
        "suppressions and findings",
        lambda n: {
            "manifestkit.toml": "".join(map(_suppression, range(n))),
            "manifest.json": json.dumps(_with(permissions=[f"m{m}" for m in range(n)])),
        },
        most=5_000,
    ),
    Dimension(
        "baseline entries", _baselined, ("lint", "--baseline=b.json", "manifest.json"), most=50_000
    ),
    Dimension(
        "excluded patterns",
        _configured(lambda n: "exclude = [" + ", ".join(f'"x{m}/"' for m in range(n)) + "]\n"),
        most=10_000,
    ),
    Dimension("files", _many_files(GOOD_TEXT), most=_FEW),
    Dimension("files with a fault", _many_files(_BAD), most=_FEW),
    Dimension(
        "files that say the same",
        lambda n: {f"f{m}.manifest.json": GOOD_TEXT for m in range(n)},
        most=_FEW,
    ),
    Dimension(
        "folders",
        lambda n: {
            f"d{m}/manifest.json": _BAD.replace("com.example.box", f"x{m}") for m in range(n)
        },
        most=_FEW,
    ),
    Dimension(
        "profiles",
        lambda n: {
            "manifestkit.toml": "profile = [" + ", ".join(f'"p{m}.json"' for m in range(n)) + "]\n",
            "manifest.json": _BAD,
            **{
                f"p{m}.json": json.dumps({"$id": f"urn:x:{m}", "required": [f"m{m}"]})
                for m in range(n)
            },
        },
        most=_FEW,
    ),
    Dimension(
        "formats",
        lambda n: {
            "manifestkit.toml": "".join(
                f'[[format]]\nschema = "p.json"\nid = "f{m}"\nfiles = ["*.x{m}.json"]\n'
                for m in range(n)
            ),
            "manifest.json": _BAD,
            "p.json": "{}",
        },
        most=1_500,
    ),
    *(
        Dimension(f"diff: {name}", _two(old, new), ("diff", "old.json", "new.json"), most=most)
        for name, old, new, most in (
            (
                "unknown members",
                lambda n: _with(_unknown(n)),
                lambda n: _with({key + "x": m for key, m in _unknown(n).items()}),
                100_000,
            ),
            (
                "changed members",
                lambda n: _with(_unknown(n)),
                lambda n: _with({key: m + 1 for key, m in _unknown(n).items()}),
                100_000,
            ),
            (
                "permissions",
                lambda n: _with(permissions=[f"a{m}" for m in range(n)]),
                lambda n: _with(permissions=[f"b{m}" for m in range(n)]),
                100_000,
            ),
            ("activities", _activities, lambda n: _activities(n, category="x"), 100_000),
            (
                "activities in another order",
                _activities,
                lambda n: _with(activities=[_activity(m) for m in reversed(range(n))]),
                100_000,
            ),
            (
                "renamed activities",
                _activities,
                lambda n: _with(
                    activities=[{"id": f"b{m}", "name": f"Activity {m}"} for m in range(n)]
                ),
                100_000,
            ),
            (
                "other activities",
                _activities,
                lambda n: _with(activities=[{"id": f"b{m}", "name": f"New {m}"} for m in range(n)]),
                100_000,
            ),
            (
                "activities without ids",
                lambda n: _with(activities=[{"name": f"x{m}"} for m in range(n)]),
                lambda n: _with(activities=[{"name": f"y{m}"} for m in range(n)]),
                100_000,
            ),
            (
                "activities of one id",
                lambda n: _with(activities=[_activity(0)] * n),
                lambda n: _with(activities=[_activity(0, category="x")] * n),
                100_000,
            ),
            (
                "surfaces",
                lambda n: _with(activities=[_activity(0, surfaces=[f"a{m}" for m in range(n)])]),
                lambda n: _with(activities=[_activity(0, surfaces=[f"b{m}" for m in range(n)])]),
                100_000,
            ),
            (
                "a long text",
                lambda n: _with(name="x " * 10 * n),
                lambda n: _with(name="y " * 10 * n),
                100_000,
            ),
            (
                "items of an unknown list",
                lambda n: _with(extra=list(range(n))),
                lambda n: _with(extra=list(range(1, n + 1))),
                100_000,
            ),
            (
                "objects of an unknown list",
                lambda n: _with(extra=[{"a": m} for m in range(n)]),
                lambda n: _with(extra=[{"a": m, "b": 1} for m in range(n)]),
                100_000,
            ),
        )
    ),
]
