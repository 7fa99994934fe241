"""Which violations are one finding, and which of them it describes."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import manifestkit
from manifestkit import Options, Severity
from rows import rows

_TEXT = """\
schema_version: "1.0"
provider: {{id: com.example.calm, name: Calm, version: {version}}}
runtime: {{entrypoint: dist/index.js, sdk_version: "1.0"}}
activities: [{{id: box, name: Box}}]
permissions: {permissions}
capabilities: {capabilities}
{more}
"""
_VALUES = {"version": '"1.0"', "permissions": "[]", "capabilities": "[]", "more": "icon: x"}
_OURS = {"$ref": "urn:manifestkit:activity-provider-manifest"}
_SWAPPED = {"permissions": "[activity.start]", "capabilities": "[host.timer]"}


def _version(schema: Any) -> Any:
    return {"properties": {"provider": {"properties": {"version": schema}}}}


def _noted(schema: Any, **notes: str) -> Any:
    return {"allOf": [{**schema, "x-manifestkit": notes}]}


def _member(name: str, schema: Any) -> Any:
    return {"properties": {name: schema}}


@rows(
    ("written", "profile", "options", "told"),
    [
        (
            {"version": "2"},
            _version({"enum": ["1.0"]}),
            {},
            [("error wrong-type", ("schema-enum",))],
        ),
        (
            {"version": "2"},
            {"allOf": [_version({"enum": ["1.0"]}), _noted(_OURS, rule="host-form")]},
            {"severity": {"wrong-type": Severity.INFO}},
            [("error wrong-type", ("host-form", "schema-enum"))],
        ),
        (
            {"permissions": "[host.clock]"},
            _noted(_OURS, severity="warning"),
            {"severity": {"unknown-permission": Severity.INFO}},
            [("info unknown-permission", ())],
        ),
        (
            {"more": "legacy: 1"},
            _member("legacy", {"type": "string", "deprecated": True}),
            {},
            [("error wrong-type", ()), ("warning deprecated-value", ())],
        ),
        (
            {"version": "1_0"},
            _version(_noted({"pattern": "[.]"}, severity="info")),
            {"ignore": ("version-form",)},
            [("warning yaml-ambiguous-scalar", ("schema-pattern",))],
        ),
        (
            {"version": "1_0"},
            _version({"pattern": "[.]"}),
            {"ignore": ("version-form",)},
            [("error schema-pattern", ()), ("warning yaml-ambiguous-scalar", ())],
        ),
        (
            {"version": "1_0"},
            _version(_noted({"minLength": 4}, severity="info")),
            {"ignore": ("version-form",)},
            [("info schema-minLength", ()), ("warning yaml-ambiguous-scalar", ())],
        ),
        (
            {"more": "no: calm"},
            _member("no", _noted({"pattern": "[.]"}, severity="info")),
            {},
            [("info schema-pattern", ()), ("warning yaml-ambiguous-scalar", ())],
        ),
        (_SWAPPED, {}, {}, [("error unknown-permission", ("unknown-capability",))]),
        (
            _SWAPPED,
            _member("permissions", {"items": {"enum": ["host.timer"]}}),
            {"ignore": ("unknown-permission",)},
            [("error schema-enum", ()), ("error unknown-capability", ())],
        ),
    ],
    ids=[
        "a wrong type and the rest",
        "a wrong type by reference and the rest",
        "one requirement by reference",
        "a wrong type and a name",
        "a scalar and its form",
        "a scalar and its graver form",
        "a scalar and its length",
        "a key and the form of its value",
        "swapped lists",
        "lists that only a profile refuses",
    ],
)
def test_a_finding_describes_what_belongs_together(
    written: dict[str, str],
    profile: Any,
    options: dict[str, Any],
    told: list[tuple[str, tuple[str, ...]]],
    tmp_path: Path,
) -> None:
    by, file = tmp_path / "host.schema.json", tmp_path / "manifest.yaml"
    by.write_text(json.dumps(profile), "utf-8")
    file.write_text(_TEXT.format(**(_VALUES | written)), "utf-8")
    report = manifestkit.lint_paths(file, Options(profiles=(by,), isolated=True, **options))
    assert report.crashed == ()
    found = [(f"{each.severity.value} {each.rule}", each.covers) for each in report.findings]
    assert sorted(found) == told


_SPLIT = """\
{{"schema_version": "1.0", "provider": {{"id": "com.example.calm", "name": "Calm"}},
 "runtime": {{"entrypoint": "dist/index.js", "sdk_version": "1.0"}},
 "activities": [{{"id": "box"}}, {{"name": {name}}}], "permissions": [], "capabilities": []}}
"""


@pytest.fixture
def usual_stack() -> Iterator[None]:
    """The depth that Python has at the start: a test before may have raised it."""
    depth = sys.getrecursionlimit()
    sys.setrecursionlimit(1_000)
    yield
    sys.setrecursionlimit(depth)


@pytest.mark.usefixtures("usual_stack")
def test_what_cannot_be_grouped_is_told_one_by_one(tmp_path: Path) -> None:
    options = Options(isolated=True, limits={"depth": 2_000})
    levels = 1_200  # more than can be followed where the parts of an item are put together
    flat, deep = tmp_path / "a.json", tmp_path / "b.json"
    flat.write_text(_SPLIT.format(name='"Box"'), "utf-8")
    deep.write_text(_SPLIT.format(name="[" * levels + "]" * levels), "utf-8")
    report = manifestkit.lint_paths([deep, flat], options)
    told = [(Path(each.path).name, each.rule, each.pointer) for each in report.findings]
    assert told == [
        ("a.json", "missing-field", "/provider"),
        ("a.json", "missing-field", "/activities/1"),
        ("b.json", "missing-field", "/provider"),
        ("b.json", "missing-field", "/activities/0"),
        ("b.json", "missing-field", "/activities/1"),
        ("b.json", "wrong-type", "/activities/1/name"),
    ]
    (crash,) = report.crashed
    assert (crash.path, "RecursionError" in crash.reason) == (deep.as_posix(), True)
    assert all(each.fails for each in report.results)
