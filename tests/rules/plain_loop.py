"""The verdict against a plain loop over `jsonschema`, with the settings applied by hand.

Each case is a manifest, requirements of a host with severities of their own, and settings. What
counts is found once more here, without a line of the linter: each requirement is a schema of its
own, so it is known which rule and severity an error of it has.

Usage: python tests/rules/plain_loop.py COUNT [SEED]
"""

from __future__ import annotations

import copy
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import pyarrow as pa
from jsonschema import Draft202012Validator

import manifestkit
from judging import BASE, SECTION_2
from manifestkit import Options, Severity
from manifestkit.decode import decode
from manifestkit.engine.lint import lint
from manifestkit.engine.workspace import Workspace
from manifestkit.fleet import FleetPolicy, lint_batches

PERMISSIONS = SECTION_2["$defs"]["permission"]["enum"]
CAPABILITIES = SECTION_2["$defs"]["capability"]["enum"]
SEVERITIES = ("error", "warning", "info")
_PER_PROFILES = 8
_KEYWORDS = {
    "required": "missing-field",
    "type": "wrong-type",
    "additionalProperties": "unknown-member",
}
_BASE = Draft202012Validator(SECTION_2)


class Broken(NamedTuple):
    """One requirement that is broken: what the linter calls a violation."""

    rule: str
    pointer: str
    severity: str
    member: str = ""
    profile: bool = False
    demand: str = ""


class Requirement(NamedTuple):
    """A schema of a host with one severity, and maybe a rule of its own."""

    schema: dict[str, Any]
    severity: str
    rule: str | None

    @property
    def contents(self) -> dict[str, Any]:
        """The schema, annotated at its root."""
        notes = {"severity": self.severity, **({"rule": self.rule} if self.rule else {})}
        return {**self.schema, "x-manifestkit": notes}


def always(schema: Any) -> dict[str, Any]:
    """Put a schema into a condition: there, a profile may have a type that no manifest has."""
    return {"if": True, "then": schema}


def requirement(random: Random) -> Requirement:
    """Draw one."""
    texts = [
        {"type": "string"},
        always({"type": "integer"}),
        {"pattern": "^2"},
        {"pattern": "9$"},
        {"const": "2.0"},
        {"enum": ["2.0", "3.0"]},
        {"minLength": 4},
        always({"type": "integer", "enum": ["3.0"]}),
        always({"type": ["integer", "null"], "allOf": [{"pattern": "^x"}], "const": "2.0"}),
    ]
    values = {"permissions": PERMISSIONS, "capabilities": CAPABILITIES}
    name, listed = random.choice(list(values.items()))
    lists = [
        {"items": {"enum": random.sample(listed, 4)}},
        {"items": {"pattern": "^host"}},
        {"items": always({"type": "integer"})},
        {"maxItems": 1},
        always({"type": "object"}),
        {"minItems": 1, "items": {"const": listed[-1]}},
    ]
    kind = random.randrange(6)
    if kind == 5:
        schema: dict[str, Any] = {"$ref": SECTION_2["$id"]}
    elif kind == 0:
        member = random.choice(["author", "schema_version", "permissions"])
        schema = {"required": [member]}
    elif kind == 1:
        schema = {"properties": {"schema_version": random.choice(texts)}}
    elif kind == 2:
        schema = {"properties": {"provider": {"properties": {"version": random.choice(texts)}}}}
    else:
        schema = {"properties": {name: random.choice(lists)}}
    rule = random.choice([None, None, "host-one", "host-two", "ignored-member"])
    return Requirement(schema, random.choice(SEVERITIES), rule)


def manifest(random: Random) -> Any:
    """Draw a manifest without misspelt members."""
    value = copy.deepcopy(BASE)
    value["schema_version"] = random.choice(["1.0", "2.0", "2.9", 1, None])
    value["provider"]["version"] = random.choice(["1.0.0", "2.0", 2])
    listed = [*PERMISSIONS, *CAPABILITIES, "host.haptick"]
    odd = [*listed, 5, None]
    for name, swapped in (("permissions", CAPABILITIES), ("capabilities", PERMISSIONS)):
        pool = random.choice([swapped, swapped, listed, odd])
        value[name] = random.sample(pool, random.randrange(3))
        if random.randrange(12) == 0:
            value[name] = random.choice(["host.timer", {"host.timer": True}])
        if random.randrange(12) == 0:
            del value[name]
    if random.randrange(6) == 0:
        value["presentation"] = {"colour": "red", "size": 1}
    if random.randrange(8) == 0:
        value["activities"] = []
    return value


def pointer(path: Any) -> str:
    """A path without names that need an escape, as a pointer."""
    return "".join(f"/{token}" for token in path)


def broken_by(value: Any, validator: Draft202012Validator) -> Iterator[tuple[str, str, str, str]]:
    """The keyword, pointer and missing member of each error, and what it demands."""
    for error in validator.iter_errors(value):
        path = list(error.absolute_path)
        if error.validator == "required":
            missing = error.message.split("'")[1]
            yield "required", pointer(path), missing, "required"
        elif error.validator == "additionalProperties":
            known = error.schema.get("properties", {})
            for name in error.instance:
                if name not in known:
                    yield "additionalProperties", pointer([*path, name]), "", "closed"
        else:
            demand = json.dumps([error.validator, error.validator_value])
            yield str(error.validator), pointer(path), "", demand


def every_violation(value: Any, requirements: list[Requirement]) -> list[Broken]:
    """All that is broken, before any setting."""
    found = []
    for keyword, at, member, _ in broken_by(value, _BASE):
        rule = _own_rule(keyword, at) or _KEYWORDS.get(keyword, f"schema-{keyword}")
        found.append(Broken(rule, at, "error", member))
    for each in requirements:
        is_ours = "$ref" in each.schema
        validator = _BASE if is_ours else Draft202012Validator(each.schema)
        for keyword, at, member, demand in broken_by(value, validator):
            own = _own_rule(keyword, at) if is_ours else None
            rule = own or each.rule or _KEYWORDS.get(keyword, f"schema-{keyword}")
            found.append(Broken(rule, at, each.severity, member, True, demand))
    return found


def _own_rule(keyword: str, at: str) -> str | None:
    """The rule of a requirement of section 2 that has one of its own."""
    if keyword == "enum":
        return "unknown-permission" if at.startswith("/perm") else "unknown-capability"
    return "no-activities" if keyword == "minItems" else None


class Settings(NamedTuple):
    """What is selected, ignored and given another severity."""

    select: tuple[str, ...] | None
    ignore: tuple[str, ...]
    severity: dict[str, str]

    def counted(self, found: list[Broken]) -> list[Broken]:
        """What counts, each with the severity that counts."""
        return [
            each._replace(severity=self.severity.get(each.rule, each.severity))
            for each in found
            if each.rule not in self.ignore
            and (not self.select or each.rule in self.select)
            and self.severity.get(each.rule) != "off"
        ]

    def options(self, profiles: tuple[Any, ...]) -> Options:
        """The same for the linter."""
        return Options(
            profiles=profiles,
            select=self.select,
            ignore=self.ignore,
            severity={
                rule: None if each == "off" else Severity(each)
                for rule, each in self.severity.items()
            },
            isolated=True,
        )


_RULES = (
    *("missing-field", "wrong-type", "unknown-permission", "unknown-capability"),
    *("schema-pattern", "schema-enum", "schema-const", "unknown-member", "no-activities"),
)


def settings(random: Random, declared: set[str]) -> Settings:
    """Draw some."""
    rules = [*_RULES, *sorted(declared)]

    def some(most: int) -> tuple[str, ...]:
        return tuple(random.sample(rules, random.randrange(most)))

    return Settings(
        random.choice([None, None, some(8)]),
        some(3),
        {rule: random.choice([*SEVERITIES, "off"]) for rule in some(3)},
    )


ADVICE = frozenset(
    {
        *("duplicate-item", "version-form", "empty-text", "misspelt-field", "float-integer"),
        *("unfilled-placeholder", "quoted-text"),
    }
)
"""What our rules advise; of these the loop knows nothing."""


def tallied(text: str, options: Options) -> tuple[bool, set[tuple[str, str]]]:
    """The verdict of a fleet, and the rules and pointers of what counts."""
    batch = pa.RecordBatch.from_pydict({"uri": ["m.json"], "content": [text]})
    (rows,) = lint_batches([batch], FleetPolicy(options._replace(isolated=False)))
    decoded = decode(text.encode(), "m.json")
    policy = Workspace(options).policy("")
    verdict = lint(decoded, policy, only_verdict=True).verdict
    found = {(each.rule, each.pointer) for each in verdict.violations} if verdict else set()
    return rows["fails"][0].as_py(), found


def differences(
    value: Any, requirements: list[Requirement], profiles: tuple[Any, ...], chosen: Settings
) -> Iterator[str]:
    """What the linter says otherwise than the loop."""
    counted = chosen.counted(every_violation(value, requirements))
    fails = any(each.severity == "error" for each in counted)
    places = {(each.rule, each.pointer) for each in counted}
    options = chosen.options(profiles)
    text = json.dumps(value)
    verdict, found = tallied(text, options)
    if verdict != fails:
        yield f"a fleet's verdict is {verdict}, not {fails}"
    if {each for each in found if each[0] not in ADVICE} != places:
        yield f"what counts is {sorted(found)}, not {sorted(places)}"
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "m.json"
        file.write_text(text, "utf-8")
        report = manifestkit.lint_paths([file], options)
    shown = [each for each in report.findings if each.rule not in ADVICE]
    if report.fails != fails:
        yield f"the verdict is {report.fails}, not {fails}"
    if any(each.severity is Severity.ERROR for each in shown) != fails:
        yield f"the severities shown are {[each.severity.value for each in shown]}"
    rules = {rule for each in shown for rule in (each.rule, *each.covers)} - ADVICE
    if rules != {each.rule for each in counted}:
        yield f"the rules shown are {sorted(rules)}, not {sorted({each.rule for each in counted})}"


def drawn(seed: int, folder: Path) -> tuple[list[Requirement], tuple[Any, ...]]:
    """Requirements, and the profiles that they stand in: together or apart, in any order."""
    random = Random(seed)
    requirements = [requirement(random) for _ in range(random.randrange(1, 5))]
    files = []
    if random.randrange(2):
        contents = [{"allOf": [each.contents for each in requirements]}]
    else:
        contents = [each.contents for each in requirements]
    for index, each in enumerate(contents):
        file = folder / f"{seed}-{index}.schema.json"
        file.write_text(json.dumps(each), "utf-8")
        files.append(manifestkit.load_schema(file))
    return requirements, tuple(files)


def run(count: int, seed: int = 0) -> list[str]:
    """Compare so many cases; what is said otherwise."""
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        for number in range(count):
            if number % _PER_PROFILES == 0:
                requirements, profiles = drawn(seed + number, Path(name))
            random = Random(f"{seed}-{number}")
            value = manifest(random)
            declared = {each.rule for each in requirements if each.rule}
            chosen = settings(random, declared)
            for each in differences(value, requirements, profiles, chosen):
                case = f"{json.dumps(value)}, {[each.contents for each in requirements]}, {chosen}"
                wrong.append(f"{each}: {case}")
    return wrong


if __name__ == "__main__":
    found = run(int(sys.argv[1]), int((sys.argv[2:] or ["0"])[0]))
    print(*found[:10], sep="\n")
    print(f"{int(sys.argv[1]):,} cases; {len(found):,} differ")
    sys.exit(bool(found))
