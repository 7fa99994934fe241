"""A removal is offered only for what nothing else could want."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import manifestkit
from judging import with_members, written

KINDS = {"timer": ("seconds", "label"), "breath": ("inhale", "exhale"), "walk": ("steps",)}


def _then(kind: str, names: tuple[str, ...]) -> dict[str, Any]:
    return {
        "if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]},
        "then": {"properties": dict.fromkeys(names, True)},
    }


def _branch(kind: str, names: tuple[str, ...]) -> dict[str, Any]:
    members = {"kind": {"const": kind}, **dict.fromkeys(names, True)}
    return {"properties": members, "required": ["kind"]}


CLOSED: dict[str, dict[str, Any]] = {
    "conditions": {"allOf": [_then(*each) for each in KINDS.items()]},
    "branches": {"oneOf": [_branch(*each) for each in KINDS.items()]},
    "dependencies": {
        "dependentSchemas": {"kind": {"anyOf": [_branch(*each) for each in KINDS.items()]}}
    },
    "patterns": {
        "allOf": [
            {
                "if": {"required": ["kind"]},
                "then": {"patternProperties": {f"^({'|'.join(names)})$": {}}},
            }
            for names in KINDS.values()
        ]
    },
}


def profile(form: str) -> dict[str, Any]:
    """A profile whose closed object has a discriminator."""
    stage = {
        "type": "object",
        "required": ["kind"],
        "properties": {"kind": {"type": "string"}},
        "unevaluatedProperties": False,
        **CLOSED[form],
    }
    return {"properties": {"stage": stage}}


def fixed(value: Any, schema: dict[str, Any], folder: Path) -> Any:
    loaded = manifestkit.load_profile(written(folder / "host.schema.json", schema))
    text = json.dumps(with_members(stage=value))
    return json.loads(manifestkit.fix(text, profile=loaded, unsafe=True).data)["stage"]


@given(
    st.sampled_from(sorted(CLOSED)),
    st.sampled_from(sorted(KINDS)),
    st.sampled_from([None, "timer", "walk", "tmier", "kind"]),
    st.sampled_from(["kind", "kidn", "type"]),
)
def test_no_fix_removes_what_the_schema_describes(
    tmp_path_factory: Any, form: str, of: str, kind: str | None, name: str
) -> None:
    members: dict[str, Any] = dict.fromkeys(KINDS[of], 1)
    if kind is not None:
        members[name] = kind
    after = fixed(members, profile(form), tmp_path_factory.mktemp("profile"))
    assert members.keys() & {*KINDS[of], "kind"} <= after.keys()


def test_what_the_schema_does_not_describe_is_removed(tmp_path: Path) -> None:
    members = {"kind": "walk", "steps": 9, "colour": "green"}
    assert fixed(members, profile("conditions"), tmp_path) == {"kind": "walk", "steps": 9}


def test_a_member_may_be_the_one_that_its_object_lacks(tmp_path: Path) -> None:
    members = {"sort": "walk", "colour": "green"}
    assert fixed(members, profile("conditions"), tmp_path) == members


def test_what_resembles_a_described_member_is_not_removed(tmp_path: Path) -> None:
    members = {"kind": "walk", "stpes": 9}
    assert fixed(members, profile("conditions"), tmp_path) == members
