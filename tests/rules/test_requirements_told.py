"""What a schema or a profile requires is in a text, at the place where the reader would look."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import described
import manifestkit
from judging import held_to, with_activity, with_members
from rows import rows

_FORMS = {
    "oneOf": [
        {"title": "One", "properties": {"type": {"const": "one"}, "value": {"type": "string"}}},
        {"title": "Two", "properties": {"type": {"const": "two"}, "value": {"type": "number"}}},
    ]
}


_LAST = 59


def _form(number: int) -> dict[str, Any]:
    members = {"type": {"const": number}, "value": {"type": "number"}}
    title = {"title": "Walk"} if number == _LAST else {}
    return {**title, "properties": members, "required": ["type"]}


def _required_below(names: str) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for name in reversed(names):
        schema = {"required": [name], "properties": {name: schema}}
    return schema


def _nested(names: str) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for name in reversed(names):
        value = {name: value}
    return value


def _member(name: str, schema: Any) -> dict[str, Any]:
    return {"properties": {name: schema}}


_TEXTS: dict[str, tuple[dict[str, Any], Any, str]] = {
    "the form that the discriminator names": (
        _member("x", _FORMS),
        with_members(x={"type": "two", "value": "a"}),
        (
            "`x` matches none of the forms that the schema allows; as `Two`: `x.value` must be a "
            'number, not the string `"a"`; another form is `One`'
        ),
    ),
    "two things of one form": (
        _member("x", {"anyOf": [{"type": "string"}, {"required": ["a", "b"]}]}),
        with_members(x={}),
        "`x` matches none of the forms that the schema allows; `x` has no `a` and `x` has no `b`",
    ),
    "a member six levels down": (
        _member("x", {"anyOf": [{"type": "string"}, _required_below("abcdefm")]}),
        with_members(x=_nested("abcdef")),
        "`x` matches none of the forms that the schema allows; `x.a.b.c.d.e.f` has no `m`",
    ),
    "values that branches list": (
        _member("tier", {"anyOf": [{"enum": ["gold", "silver"]}, {"type": "null"}]}),
        with_members(tier="sliver"),
        '`tier` is the string `"sliver"`, not one of the allowed values; did you mean `silver`?',
    ),
    "types that branches allow": (
        _member("tier", {"anyOf": [{"type": "string"}, {"type": "number"}]}),
        with_members(tier=None),
        "`tier` must be a string or a number, not null; write a string or a number",
    ),
    "members of which one is required": (
        {"anyOf": [{"required": ["alpha"]}, {"required": ["beta"]}]},
        with_members(),
        "the manifest has neither `alpha` nor `beta`; add `alpha` or `beta`",
    ),
    "an item that is not allowed": (
        _member("permissions", {"not": {"contains": {"const": "host.timer"}}}),
        with_members(permissions=["host.timer"]),
        "`host.timer` is not allowed in `permissions`; remove it",
    ),
    "an item that is required": (
        _member("permissions", {"contains": {"const": "host.timer"}}),
        with_members(permissions=[]),
        "`permissions` does not list `host.timer`; add `host.timer`",
    ),
    "a condition": (
        {
            "if": {"properties": {"tier": {"const": "gold"}}, "required": ["tier"]},
            "then": {"required": ["contact"]},
        },
        with_members(tier="gold"),
        "the manifest has no `contact`; add `contact`",
    ),
    "a condition about a value with a type": (
        {
            "if": {"properties": {"tier": {"type": "string", "const": "gold"}}},
            "then": {"required": ["contact"]},
        },
        with_members(tier="gold"),
        "the manifest has no `contact`; add `contact`",
    ),
    "a condition, and a misspelt member": (
        {
            "if": {"required": ["tier"]},
            "then": {"required": ["contact"]},
        },
        with_members(tier="gold", contcat="a"),
        (
            "the manifest has no `contact`; `contcat` looks like a "
            "misspelling of it; write `contact`"
        ),
    ),
    "values with a type that branches list": (
        _member("tier", {"anyOf": [{"type": "string", "enum": ["gold"]}, {"type": "null"}]}),
        with_members(tier="god"),
        '`tier` is the string `"god"`, not one of the allowed values; did you mean `gold`?',
    ),
    "a misspelt member that only a profile describes": (
        {"properties": {"support_email": {"type": "string"}}, "required": ["support_email"]},
        with_members(suport_email="a@example.org"),
        (
            "the manifest has no `support_email`; `suport_email` looks like a misspelling of it; "
            "write `support_email`"
        ),
    ),
    "a misspelt member of an object that only a profile closes": (
        _member("box", {"additionalProperties": False, "properties": {"colour": {}}}),
        with_members(box={"color": 1}),
        "`box` does not allow the member `color`; did you mean `colour`?",
    ),
    "a member that is not allowed": (
        {"not": {"required": ["contact"]}},
        with_members(contact="a"),
        "the manifest must not have `contact`; remove `contact`",
    ),
    "members that are not allowed": (
        {"not": {"anyOf": [{"required": ["a"]}, {"required": ["b"]}, {"required": ["c"]}]}},
        with_members(a=1, b=2),
        "the manifest must not have `a` and `b`; remove `a` and `b`",
    ),
    "members that are not allowed together": (
        {"not": {"required": ["a", "b"]}},
        with_members(a=1, b=2),
        "the manifest must not have `a` and `b` together; remove one of them",
    ),
    "members of which one is allowed": (
        {"oneOf": [{"required": ["a"]}, {"required": ["b"]}, {"required": ["c"]}]},
        with_members(a=1, b=2),
        "the manifest has `a` and `b`, of which only one is allowed; keep `a` or `b`",
    ),
    "what no object is": (
        _member("x", {"not": {"required": ["a"]}}),
        with_members(x="a"),
        (
            '`x` is the string `"a"`, which the schema does not allow; write a value that does not '
            'match `{"required": ["a"]}`'
        ),
    ),
    "a missing discriminator": (
        _member("x", {"oneOf": [{**each, "required": ["type"]} for each in _FORMS["oneOf"]]}),
        with_members(x={}),
        "`x` has no `type`; add `type`",
    ),
    "a wrong discriminator": (
        _member("x", _FORMS),
        with_members(x={"type": "three", "value": 5}),
        (
            "`x` matches none of the forms that the schema allows; "
            '`x.type` is the string `"three"`, not one of the allowed values '
            '(use `"one"` or `"two"`)'
        ),
    ),
    "a wrong discriminator of a form in a form": (
        _member("x", {"oneOf": [{"title": "Box", **_member("in", _FORMS)}, {"type": "string"}]}),
        with_members(x={"in": {"type": "three"}}),
        (
            "`x` matches none of the forms that the schema allows; as `Box`: `x.in.type` is the "
            'string `"three"`, not one of the allowed values (use `"one"` or `"two"`)'
        ),
    ),
    "members of which one form requires more": (
        {"anyOf": [{"required": ["a"]}, {"required": ["a", "b"]}, {"required": ["c"]}]},
        with_members(),
        "the manifest has neither `a` nor `c`; add `a` or `c`",
    ),
    "one of many forms, by reference": (
        {
            "$defs": {f"f{n}": _form(n) for n in range(60)},
            **_member("x", {"oneOf": [{"$ref": f"#/$defs/f{n}"} for n in range(60)]}),
        },
        with_members(x={"type": _LAST, "value": "a"}),
        (
            "`x` matches none of the forms that the schema allows; as `Walk`: `x.value` must be a "
            'number, not the string `"a"`'
        ),
    ),
    "one of many forms, twice": (
        _member("x", {"oneOf": [*map(_form, range(60)), _form(58)]}),
        with_members(x={"type": 58, "value": 1}),
        (
            "`x` matches several forms of which only one is allowed; change it to match only one "
            "of them"
        ),
    ),
    "values that a branch refers to": (
        {
            "$defs": {"tier": {"title": "Tier", "type": "string", "enum": ["gold", "silver"]}},
            **_member("tier", {"anyOf": [{"$ref": "#/$defs/tier"}, {"type": "null"}]}),
        },
        with_members(tier="sliver"),
        '`tier` is the string `"sliver"`, not one of the allowed values; did you mean `silver`?',
    ),
    "a misspelt member of which one is required": (
        {"anyOf": [{"required": ["alpha"]}, {"required": ["beta"]}]},
        with_members(alhpa=1),
        (
            "the manifest has neither `alpha` nor `beta`; `alhpa` looks like a misspelling of "
            "`alpha`; write `alpha`"
        ),
    ),
    "a message without a help": (
        {"x-manifestkit": {"message": "Bitte einen Kontakt angeben"}, "required": ["contact"]},
        with_members(),
        "Bitte einen Kontakt angeben; add `contact`",
    ),
    "a message about the value of a member that is missing": (
        {"x-manifestkit": {"message": "no address: {value}"}, "required": ["contact"]},
        with_members(),
        "the manifest has no `contact`; add `contact`",
    ),
    "null where a member is optional": (
        {},
        with_members(presentation={"thumbnail": None}),
        (
            "`presentation.thumbnail` must be a string, not null; write, for example, "
            '`"images/provider.png"`, or leave out `thumbnail`'
        ),
    ),
}


@rows("what", _TEXTS)
def test_a_text_names(what: str, tmp_path: Path) -> None:
    profile, manifest, expected = _TEXTS[what]
    (finding,) = held_to(tmp_path, manifest, profile)
    assert "; ".join(filter(None, (finding.message, finding.help))) == expected


def test_a_missing_member_of_a_form_is_told_at_the_object_that_lacks_it(tmp_path: Path) -> None:
    profile, manifest, _ = _TEXTS["a member six levels down"]
    (finding,) = held_to(tmp_path, manifest, profile)
    text = json.dumps(manifest, indent=2)
    assert text[slice(*finding.location.span)] == '"f"'
    assert finding.pointer == "/x"


def test_the_place_of_an_item_that_is_not_allowed_is_the_item(tmp_path: Path) -> None:
    profile = _member("permissions", {"not": {"contains": {"const": "host.timer"}}})
    manifest = with_members(permissions=["host.haptics", "host.timer"])
    (finding,) = held_to(tmp_path, manifest, profile)
    assert finding.pointer == "/permissions/1"
    assert [fix.safety for fix in finding.fixes] == ["unsafe"]


_LISTS: list[tuple[dict[str, Any], str]] = [
    ({"contains": {"const": "host.timer"}}, "`host.timer`"),
    ({"contains": {"const": "host.haptics"}}, "`host.haptics`"),
    ({"maxItems": 1}, "1 item"),
    ({"maxItems": 0}, "0 items"),
    ({"minItems": 7}, "7 items"),
    ({"minItems": 8}, "8 items"),
    ({"not": {"contains": {"const": "context.goals"}}}, "`context.goals` is not allowed"),
]
_TEXTS_OF_NAMES: list[tuple[dict[str, Any], str]] = [
    ({"pattern": "^x"}, "`^x`"),
    ({"pattern": "x$"}, "`x$`"),
    ({"maxLength": 3}, "3 characters"),
    ({"maxLength": 2}, "2 characters"),
    ({"minLength": 50}, "50 characters"),
    ({"enum": ["y", "z"]}, '`"y"`'),
    ({"const": "q"}, '`"q"`'),
    ({"x-manifestkit": {"rule": "r", "message": "Wrong", "help": "one"}, "const": "a"}, "one"),
    ({"x-manifestkit": {"rule": "r", "message": "Wrong", "help": "two"}, "const": "a"}, "two"),
]


@given(st.data())
def test_each_of_several_requirements_of_one_place_is_in_a_text(data: st.DataObject) -> None:
    name, known = data.draw(
        st.sampled_from([("permissions", _LISTS), ("activities", _TEXTS_OF_NAMES)])
    )
    drawn = data.draw(st.lists(st.sampled_from(known), min_size=2, max_size=5, unique_by=str))
    schemas = [schema for schema, _ in drawn]
    place = (
        _member(name, {"allOf": schemas})
        if known is _LISTS
        else _member(name, {"items": _member("name", {"allOf": schemas})})
    )
    manifest = with_members(permissions=["context.goals", "context.session"])
    if known is _TEXTS_OF_NAMES:
        manifest = with_activity(name="Walk")
    described.check_all_told(manifest, place, [text for _, text in drawn])


def test_two_profiles_that_ask_the_same_are_told_once(tmp_path: Path) -> None:
    profile = {"required": ["contact"]}
    (finding,) = held_to(tmp_path, with_members(), profile, profile)
    assert finding.message == "the manifest has no `contact`"
    assert finding.profile is not None
    assert [each in finding.profile for each in ("p0", "p1")] == [True, True]


def test_values_of_every_type_are_described_by_random_schemas() -> None:
    assert described.run(100, seed=1) == []


def test_a_list_among_the_allowed_values_of_an_item_is_described() -> None:
    assert described.problems_of(["", "host.timer"], {"items": {"enum": ["a", ["b"]]}}) == []


def test_an_item_of_the_root_with_a_wrong_type_is_described() -> None:
    assert list(described.problems_of([[]], {"items": {"type": "boolean"}})) == []


_GOLD = {"properties": {"tier": {"const": "gold"}}}
_NO_REASONS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "a member that is not there": (_GOLD, {}),
    "a member of an object that is not there": (_member("plan", _GOLD), {"plan": {}}),
    "another member": ({**_GOLD, "required": ["plan"]}, {"plan": 1}),
}


@rows("what", _NO_REASONS)
def test_what_is_not_in_the_manifest_is_no_reason(what: str, tmp_path: Path) -> None:
    condition, members = _NO_REASONS[what]
    profile = {"if": condition, "then": {"required": ["contact"]}}
    (finding,) = held_to(tmp_path, with_members(**members), profile)
    assert finding.message == "the manifest has no `contact`"


def test_what_is_said_of_a_member_depends_on_those_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "host.schema.json"
    closed = {"additionalProperties": False, "properties": {"colour": {}}}
    file.write_text(json.dumps(_member("box", closed)), "utf-8")
    profile = manifestkit.load_profile(file)
    helps = []
    for box in ({"color": 1}, {"color": 1, "colour": 2}):
        text = json.dumps(with_members(box=box))
        (finding,) = manifestkit.lint(text, "m.json", profile=profile).findings
        helps.append(finding.help)
    assert helps == ["did you mean `colour`?", "remove it, unless it is meant as another member"]


@rows(
    "other",
    [
        {"if": {"required": ["emails"]}, "then": _member("emails", {"type": "string"})},
        {"anyOf": [{"required": ["emails"]}, {"required": ["phone"]}]},
        {"patternProperties": {"^emails$": {"type": "string"}}},
        {"dependentRequired": {"emails": ["provider"]}},
    ],
    ids=str,
)
def test_a_member_that_another_profile_names_is_no_misspelling(
    other: dict[str, Any], tmp_path: Path
) -> None:
    manifest = with_members(emails="a@example.org")
    (finding,) = held_to(tmp_path, manifest, {"required": ["email"]}, other)
    assert (finding.message, finding.fixes) == ("the manifest has no `email`", ())


@pytest.mark.parametrize("name", ["thumbnails", "names"])
def test_a_member_that_a_profile_describes_is_no_misspelling(name: str, tmp_path: Path) -> None:
    own = _member(name, {"title": "Of the host", "type": "string"})
    manifest = with_members(activities=[{"id": "box", name: "Box breathing"}])
    (finding,) = held_to(tmp_path, manifest, _member("activities", {"items": own}))
    assert (finding.message, finding.fixes) == ("`activities[0]` has no `name`", ())
