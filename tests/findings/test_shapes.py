"""A value of the wrong shape is repaired with what its author wrote, or left as it is."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

import manifestkit
from mistakes import MEANT
from reshaping import lost, outcome, unnamed
from rows import rows

GOOD: dict[str, Any] = {
    "schema_version": "1.0",
    "provider": {"id": "com.example.calm", "name": "Calm", "version": "1.2.0"},
    "runtime": {"entrypoint": "dist/index.js", "sdk_version": "1.0"},
    "activities": [
        {"id": "box", "name": "Box breathing", "duration_minutes": 5, "surfaces": ["phone", "tv"]},
        {"id": "walk", "name": "Slow walk"},
    ],
    "permissions": ["host.timer", "host.haptics"],
    "capabilities": ["host.haptic"],
}


def but(**members: Any) -> dict[str, Any]:
    return {**GOOD, **members}


def first_activity(**members: Any) -> dict[str, Any]:
    first, *others = GOOD["activities"]
    return but(activities=[{**first, **members}, *others])


def without(*names: str) -> dict[str, Any]:
    return {name: value for name, value in GOOD.items() if name not in names}


SAFE = {
    "permissions in one text": but(permissions="host.timer, host.haptics"),
    "permissions by blanks": but(permissions="host.timer host.haptics"),
    "permissions that are true": but(permissions={"host.timer": True, "host.haptics": True}),
    "one capability without a list": but(capabilities="host.haptic"),
    "a provider in a list": but(provider=[GOOD["provider"]]),
    "an entry point in a list": but(
        runtime={"entrypoint": ["dist/index.js"], "sdk_version": "1.0"}
    ),
    "minutes by letter": first_activity(duration_minutes="5m"),
    "minutes in words": first_activity(duration_minutes="5 minutes"),
    "minutes by ISO 8601": first_activity(duration_minutes="PT5M"),
    "seconds": first_activity(duration_minutes="300s"),
    "a duration in a list": first_activity(duration_minutes=[5]),
    "a duration with a remainder": first_activity(duration_minutes={"secs": 300, "nanos": 0}),
    "a version in parts": but(
        provider={**GOOD["provider"], "version": {"major": 1, "minor": 2, "patch": 0}}
    ),
}
UNSAFE = {
    "permissions by access": but(permissions={"host.timer": "write", "host.haptics": "read"}),
    "permissions that are chosen": but(
        permissions={"host.timer": True, "host.haptics": True, "host.camera": False}
    ),
    "surfaces in one text": first_activity(surfaces="phone, tv"),
    "surfaces in brackets in a text": first_activity(surfaces=" [phone, tv]"),
    "surfaces in round brackets": first_activity(surfaces="(phone, tv)"),
    "an object around activities": but(activities={"items": GOOD["activities"]}),
    "an object around a text": but(
        runtime={"entrypoint": {"src": "dist/index.js"}, "sdk_version": "1.0"}
    ),
    "activities by number": but(activities=dict(zip("01", GOOD["activities"], strict=True))),
    "pairs of a name and its value": but(
        provider=[{"name": each, "value": value} for each, value in GOOD["provider"].items()]
    ),
    "a provider of another name": {**without("provider"), "app": GOOD["provider"]},
    "files for main and styles": but(
        runtime={"entrypoint": {"main": "dist/index.js", "css": "a.css"}, "sdk_version": "1.0"}
    ),
    "bundles by size": but(
        runtime={"entrypoint": {"16": "a.js", "128": "dist/index.js"}, "sdk_version": "1.0"}
    ),
    "a provider at the top level, last": {**without("provider"), **GOOD["provider"]},
    "a provider at the top level, first": {**GOOD["provider"], **without("provider")},
    "provider and runtime at the top level": {
        **without("provider", "runtime"),
        **GOOD["provider"],
        **GOOD["runtime"],
    },
}
LEFT = {
    "surfaces with a bracket in one": first_activity(surfaces="phone (small, large)"),
    "surfaces in quotes in a text": first_activity(surfaces="['phone', 'tv']"),
    "permissions that do not exist": but(permissions="everything, all"),
    "seconds that are no minutes": first_activity(duration_minutes="290s"),
    "an entry point for each system": but(
        runtime={"entrypoint": {"linux": "a.js", "mac": "b.js"}, "sdk_version": "1.0"}
    ),
    "entry points that are numbers": but(runtime={"entrypoint": [1, 2], "sdk_version": "1.0"}),
    "activities with an unknown member each": but(activities=[{"titel": "A"}, {"titel": "B"}]),
    "two objects like a provider": {
        **without("provider"),
        **dict.fromkeys(("vendor", "author"), GOOD["provider"]),
    },
    "permissions in a list of lists": but(permissions=[["host.timer", "host.haptics"]]),
    "two providers": but(provider=[GOOD["provider"], GOOD["provider"]]),
    "half a provider at the top level": {**without("provider"), "id": "com.example.calm"},
}


def texts(value: Any) -> list[tuple[str, str]]:
    yaml = io.StringIO()
    YAML().dump(value, yaml)
    return [
        ("m.json", json.dumps(value, indent=2)),
        ("m.json", json.dumps(value)),
        ("m.yaml", yaml.getvalue()),
    ]


def fixed(text: str, name: str, *, unsafe: bool) -> str:
    return manifestkit.fix(text, name, unsafe=unsafe).data.decode()


def safely_fixed(value: dict[str, Any]) -> Any:
    return json.loads(fixed(json.dumps(value), "manifest.json", unsafe=False))


def read(text: str) -> Any:
    return YAML(typ="safe").load(text)


@rows("shape", SAFE)
def test_a_shape_with_one_meaning_has_a_safe_fix(shape: str) -> None:
    for name, text in texts(SAFE[shape]):
        assert read(fixed(text, name, unsafe=False)) == GOOD


@rows("shape", UNSAFE)
def test_a_shape_that_may_mean_more_has_an_unsafe_fix(shape: str) -> None:
    for name, text in texts(UNSAFE[shape]):
        assert fixed(text, name, unsafe=False) == text
        assert read(fixed(text, name, unsafe=True)) == GOOD


@rows("shape", LEFT)
def test_a_shape_without_a_clear_meaning_is_left_alone(shape: str) -> None:
    for name, text in texts(LEFT[shape]):
        assert fixed(text, name, unsafe=True) == text


@given(
    st.lists(st.sampled_from(["1h", "2h", "5 min", "10m", "60 min", "300 s", "30s"]), min_size=2),
    st.sampled_from([" ", ", ", ""]),
)
def test_only_parts_of_one_length_are_added(parts: list[str], between: str) -> None:
    """Another length, or the same one in another unit, may be a choice."""
    written = between.join(parts)
    sizes = [{"h": 3600, "m": 60, "s": 1}[each.strip("0123456789 ")[0]] for each in parts]
    counts = [int(each.strip("hmins ")) for each in parts]
    lengths = [count * size for count, size in zip(counts, sizes, strict=True)]
    is_one = all(length < size for length, size in zip(lengths[1:], sizes, strict=False))
    value = safely_fixed(first_activity(duration_minutes=written))
    minutes = value["activities"][0]["duration_minutes"]
    assert minutes == (sum(lengths) // 60 if is_one and not sum(lengths) % 60 else written)


@rows("hours", ["1.30 h", "1,30 h", "0.45 h", "10:30:00"])
def test_hours_and_perhaps_minutes_are_not_fixed_safely(hours: str) -> None:
    value = first_activity(duration_minutes=hours)
    assert safely_fixed(value) == value


@rows("word", ["off", "never", "none", "0", "TODO", "n/a", "nothing", "disabled", "No", "ALL"])
def test_a_word_that_names_nothing_is_no_item(word: str) -> None:
    value = first_activity(surfaces=word)
    assert safely_fixed(value) == value


@rows("mark", ["|", " + ", " – ", " — ", " * ", " • "])
def test_a_mark_between_two_values_may_mean_either(mark: str) -> None:
    text = mark.join(("host.timer", "host.haptics"))
    for value in (text, [text]):
        assert safely_fixed(but(permissions=value)) == but(permissions=value)


@rows("name", ["except", "unless", "without"])
def test_what_is_excepted_is_never_written(name: str) -> None:
    for value in ({name: "phone"}, [{name: "phone"}]):
        text = json.dumps(first_activity(surfaces=value))
        found = manifestkit.lint(text, "manifest.json").findings
        assert found
        assert not [fix for each in found for fix in each.fixes]


def test_a_value_that_is_nested_deeply_is_described(tmp_path: Path) -> None:
    (tmp_path / "manifestkit.toml").write_text("[limits]\ndepth = 1000\n")
    deep = json.loads("[" * 900 + "]" * 900)
    text = json.dumps(but(permissions=[deep]))
    config = tmp_path / "manifestkit.toml"
    (found,) = manifestkit.lint(text, "manifest.json", config=config).findings
    assert "must be a string, not an array" in found.message


def test_what_moves_has_the_indentation_of_its_new_place() -> None:
    value = {**without("activities"), "contributes": {"activities": GOOD["activities"]}}
    for indent in (2, 4, "\t"):
        after = fixed(json.dumps(value, indent=indent), "m.json", unsafe=True)
        assert after == json.dumps(json.loads(after), indent=indent)


@given(st.integers(0, 1_000_000))
def test_a_fix_of_any_changed_shape_leads_back_or_touches_nothing(seed: int) -> None:
    assert outcome(seed)[1] in ("back", "left")


@settings(max_examples=20 * settings().max_examples)
@given(st.integers(0, 1_000_000))
def test_a_safe_fix_keeps_each_scalar_and_no_fix_empties_a_value(seed: int) -> None:
    assert lost(seed) is None


@settings(max_examples=50 * settings().max_examples)
@given(st.integers(0, 1_000_000))
def test_what_an_unsafe_fix_drops_is_named_whatever_it_is_and_stood_under(seed: int) -> None:
    assert unnamed(seed) is None


X = '{"id": "x", "name": "X"'
NEVER = {
    "a member twice": '"activities": {"id": "x", "name": "X", "name": "Y"}',
    "a range": f'"activities": [{X}, "duration_minutes": {{"min": 5, "max": "9"}}}}]',
    "a note": f'"activities": [{X}, "duration_minutes": {{"default": 5, "note": "h"}}}}]',
    "a value of the other list": '"permissions": {"host.timer": true, "activity.start": true}',
    "an unknown name": '"permissions": {"camera": true}',
    "a denial by number": '"permissions": {"host.timer": 0}',
    "a denial by word": '"permissions": {"host.timer": "Denied"}',
    **{
        f"a denial by name, {name}": f'"permissions": {{"{name}": ["host.timer"]}}'
        for name in ("denied", "denylist", "deny_list", "blocked", "revoked", "never", "notAllowed")
    },
    "no permission": '"permissions": false',
    "a name of each item": '"activities": [{"titel": "A"}, {"titel": "B"}]',
    "an object that is no activity": '"activities": [{"meta": {"level": 1}, "name": "Box"}]',
    "permissions in groups": '"permissions": {"all": ["host.timer"], "more": ["host.haptics"]}',
    "values beside a number": '"permissions": ["host.timer, host.haptics", 3]',
}


@rows("shape", NEVER)
def test_what_would_lose_or_ask_for_something_is_left(shape: str) -> None:
    name = NEVER[shape].split('"')[1]
    text = json.dumps(but(**{name: None})).replace(f'"{name}": null', NEVER[shape])
    for unsafe in (False, True):
        assert fixed(text, "m.json", unsafe=unsafe) == text


DENIALS: list[Any] = [
    *({"@": each} for each in ({"granted": False}, {"enabled": 0}, [False], {"x": [None]})),
    *({"@": each} for each in ("no, thanks", "not needed", "reject", "nope", "0.0", "n", "N")),
    {"permission": "@", "granted": False},
    [{"name": "@", "granted": False}],
    [{"id": "@", "status": "denied"}],
    [{"id": "@", "status": ["Denied by the host"]}],
    [{"denied_permissions": "@"}],
    [{"deniedPermissions": "@"}],
    {"not-granted": {"value": "@"}},
    *([f"{mark}@"] for mark in ("!", "-", " ! ", "~", "\u2212", "no ", "not:", "without-")),
    ["@: no"],
]


@pytest.mark.parametrize("beside", [[], ["*"]], ids=["alone", "beside another"])
@pytest.mark.parametrize(
    ("name", "denied", "other"),
    [
        ("permissions", "host.timer", "host.haptics"),
        ("capabilities", "host.timer.start", "host.haptic"),
    ],
)
@pytest.mark.parametrize("written", DENIALS, ids=json.dumps)
def test_no_fix_asks_for_what_is_denied(
    written: Any, name: str, denied: str, other: str, beside: list[str]
) -> None:
    if beside:
        is_list = isinstance(written, list)
        written = [*written, other] if is_list else {**written, other: True}
    text = json.dumps(but(**{name: json.loads(json.dumps(written).replace("@", denied))}))
    after = json.loads(fixed(text, "m.json", unsafe=True))
    assert after == json.loads(text) or after[name] == [other]
    for each in manifestkit.lint(text).findings:
        assert each.suggestion != denied
        assert f'write `["{denied}"' not in str(each.help)


NAMES = st.sampled_from(["items", "value", "android", "required", "list", "0"])


@given(
    st.recursive(
        st.sampled_from(DENIALS),
        lambda within: (
            st.lists(within, min_size=1, max_size=2)
            | st.dictionaries(NAMES, within, min_size=1, max_size=2)
        ),
        max_leaves=4,
    )
)
def test_no_fix_asks_for_what_is_denied_at_any_depth(written: Any) -> None:
    denied = "host.timer"
    value = json.loads(json.dumps(written).replace("@", denied))
    before = but(permissions=value)
    after = json.loads(fixed(json.dumps(before), "m.json", unsafe=True))
    assert after == before or denied not in after["permissions"]
    for each in manifestkit.lint(json.dumps(before)).findings:
        assert each.suggestion != denied
        assert f'write `["{denied}"' not in str(each.help)


@pytest.mark.parametrize("name", ["permissions", "capabilities"])
@pytest.mark.parametrize("items", [["no"], [" "], ["activity.begin"], ["no", "zzz"]])
def test_no_fix_empties_a_list(name: str, items: list[str]) -> None:
    text = json.dumps(but(**{name: items}))
    assert json.loads(fixed(text, "m.json", unsafe=True))[name]


def test_what_is_dropped_is_named_though_it_is_a_part_of_what_is_kept() -> None:
    text = json.dumps(but(permissions={"host.timer": "host", "host.haptics": False}))
    (finding,) = manifestkit.lint(text).findings
    assert 'drops the values `"host"` and `"host.haptics"`' in str(finding.help)


def test_the_help_shows_the_value_to_write() -> None:
    (finding,) = manifestkit.lint(json.dumps(SAFE["permissions that are true"])).findings
    assert finding.help == 'write `["host.timer", "host.haptics"]`'


def test_a_whole_document_of_the_wrong_type_is_described(tmp_path: Path) -> None:
    schema = tmp_path / "whole.schema.json"
    schema.write_text('{"title": "Count", "type": "integer"}')
    result = manifestkit.lint('"5-10"', "manifest.json", schema=schema)
    assert [each.rule for each in result.findings] == ["wrong-type"]
    assert result.crash is None


@rows(
    "members",
    [
        {"modules": [{"permissions": ["host.timer"]}, {"permissions": ["context.goals"]}]},
        {"denied": [{"permissions": ["host.timer"]}]},
        {"revoked": {"permissions": ["host.timer"]}},
        {"denylist": ["host.timer"]},
        {"activities": [{"id": "a", "name": "A", "permissions": ["host.timer", {"x": "y"}]}]},
    ],
    ids=["of others", "of what is denied", "of what is revoked", "by name", "with more than texts"],
)
def test_lists_that_may_mean_something_else_are_not_joined(members: dict[str, Any]) -> None:
    value = {name: each for name, each in {**MEANT, **members}.items() if name != "permissions"}
    fixed = manifestkit.fix(json.dumps(value), "m.json", unsafe=True)
    assert json.loads(fixed.data) == value
