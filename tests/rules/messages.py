"""The text of messages, case by case."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from json_mistakes import MISTAKES
from judging import BASE, NEEDS, SECTION_2, findings_of, held_to, with_activity, with_members
from manifestkit import Finding
from manifestkit.rules.catalogue import catalogue
from test_rule_examples import findings_of as findings_of_example
from test_schema_keywords import CASES, demanding

FILE = Path(__file__).with_name("messages.txt")

_MANIFESTS: dict[str, Any] = {
    **{
        f"permissions: {value}": with_members(permissions=[value])
        for value in [
            *SECTION_2["$defs"]["capability"]["enum"],
            *("host.timers", "profile-basic", "HOST.TIMER", "host.camera", "", " ", "x" * 200),
        ]
        if value not in SECTION_2["$defs"]["permission"]["enum"]
    },
    **{
        f"capabilities: {value}": with_members(capabilities=[value])
        for value in [
            *SECTION_2["$defs"]["permission"]["enum"],
            *("activity.strat", "context.get_goals", "getGoals", "host.timer.stop"),
        ]
        if value not in SECTION_2["$defs"]["capability"]["enum"]
    },
    "nothing in it": {},
    "an array": [],
    "a text": "null",
    "schemaVersion": {
        "schemaVersion" if name == "schema_version" else name: value for name, value in BASE.items()
    },
    "misspelt in provider": with_members(
        provider={"ID": "a", "nmae": "A", "versoin": "1.0", "contact": "x"}
    ),
    "misspelt in runtime": with_members(runtime={"entryPoint": "a.js", "sdk-version": "1.0"}),
    "misspelt in an activity": with_members(
        activities=[{"id": "a", "nam": "A", "durationMinutes": 5, "surface": ["phone"]}]
    ),
    "misspelt in presentation": with_members(presentation={"thumbnial": "a.png"}),
    "misspelt presentation": with_members(presentaton={"thumbnail": "a.png"}),
    "unknown in presentation": with_members(presentation={"banner": "a.png", "a\nb\x1b": 1}),
    "types at the top": with_members(
        schema_version=1.0, provider="x", runtime=[], activities={}, permissions=None,
        capabilities="host.timer", presentation=True,
    ),
    "types in an activity": with_members(
        activities=[
            "box",
            {
                "id": None, "name": True, "category": [], "duration_minutes": "30",
                "thumbnail": {}, "surfaces": "phone",
            },
        ]
    ),
    "types in lists": with_members(permissions=[1, None, []], capabilities=[{}, True]),
    "durations": with_members(
        activities=[
            {"id": f"a{index}", "name": "A", "duration_minutes": value}
            for index, value in enumerate((0, -5, 30.0, 1e300, 1.5, "5 min"))
        ]
    ),
    "versions": with_members(
        schema_version="v1",
        provider={**BASE["provider"], "version": "1.0.0.0"},
        runtime={**BASE["runtime"], "sdk_version": "^1.0"},
    ),
    "empty and blank": with_members(
        provider={"id": "", "name": "\t", "version": ""},
        runtime={"entrypoint": " ", "sdk_version": ""}
    ),
    "duplicates": with_members(
        activities=[{"id": "a", "name": "A", "surfaces": ["tv", "tv"]}] * 2,
        permissions=["host.timer"] * 2, capabilities=["host.haptic"] * 3,
    ),
    "lone surrogates": with_members(**{"a\ud83d": "\udc00"}),
    "several faults of one text": '{"a": True, \'b\': 01, "c" 1 /* x */, "d": NaN,}',
    "names twice": '{"a": 1, "a\\u001b": 1, "a": 2, "a\\u001b": 3}',
}  # fmt: skip


@cache
def cases() -> tuple[tuple[str, tuple[Finding, ...]], ...]:
    """The name of each case, and what is found."""
    return tuple(_cases())


def _cases() -> Iterator[tuple[str, tuple[Finding, ...]]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for rule in catalogue().values():
            if rule.bad.manifest == "":
                continue
            found = findings_of_example(folder, rule, rule.bad)
            yield f"example of {rule.id}", tuple(_without(folder, each) for each in found)
        for what, manifest in _MANIFESTS.items():
            yield what, findings_of(manifest)
        for what, mistake, _ in MISTAKES:
            yield f"JSON with {what}", findings_of(mistake)
        for each in CASES:
            found = held_to(folder, {**BASE, "x": each.value}, demanding(each.demand))
            yield f"{json.dumps(each.demand)} of {json.dumps(each.value)}", found
        demands = {"properties": {"activities": {"items": {"properties": {
            "category": {"enum": ["relaxation", "learning"]},
            "surfaces": {"items": {"title": "Outlet", "enum": ["phone", "watch"]}},
        }}}}}  # fmt: skip
        value = with_activity(category="relaxtion", surfaces=["fone", "car"])
        yield "a profile's lists", held_to(folder, value, demands)
        yield (
            "the profile of capabilities that need permissions",
            held_to(folder, with_members(capabilities=["host.timer.start"]), NEEDS),
        )


def _without(folder: Path, finding: Finding) -> Finding:
    return finding._replace(message=finding.message.replace(f"{folder.as_posix()}/", ""))


def text() -> str:
    """All cases, with message, help and the messages of what is related."""
    return "".join(f"{_plain(name)}\n{''.join(map(_told, found))}\n" for name, found in cases())


def _told(finding: Finding) -> str:
    lines = [f"  {finding.severity.value}[{finding.rule}] {_plain(finding.pointer)}"]
    lines.append(f"    {finding.message}")
    lines.append(f"    help: {finding.help}")
    lines.extend(f"    see {_plain(each.pointer)}: {each.message}" for each in finding.related)
    lines.extend(f"    fix: {each.message} ({each.safety})" for each in finding.fixes)
    return "\n".join(lines) + "\n"


def _plain(name: str) -> str:
    return "".join(each if each.isprintable() else f"\\u{ord(each):04x}" for each in name)
