"""“Did you mean”: one typo gives one finding, and its fix leaves none."""

from __future__ import annotations

import copy
import json
import string
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import manifestkit
from judging import BASE, SECTION_2, findings_of, report_of, with_members, written
from manifestkit import Finding, Options
from manifestkit.model.pointer import format_pointer
from patches import edited, patched
from rows import rows

PERMISSIONS: list[str] = SECTION_2["$defs"]["permission"]["enum"]
CAPABILITIES: list[str] = SECTION_2["$defs"]["capability"]["enum"]

COMPLETE: dict[str, Any] = with_members(
    presentation={"thumbnail": "images/provider.png"},
    activities=[
        {"id": "walk", "name": "Walk"},
        {
            "id": "box",
            "name": "Box breathing",
            "category": "relaxation",
            "duration_minutes": 5,
            "thumbnail": "images/box.png",
            "surfaces": ["phone"],
        },
    ],
    permissions=["host.timer"],
    capabilities=["host.timer.start"],
)


@dataclass(frozen=True)
class Known:
    """A member of the complete manifest, and what the document says of it."""

    owner: tuple[str | int, ...]
    name: str
    need: str

    def misspelt(self, name: str) -> Any:
        """The complete manifest with another name for it, in the same place."""
        changed = copy.deepcopy(COMPLETE)
        owner: Any = changed
        for token in self.owner:
            owner = owner[token]
        renamed = {name if each == self.name else each: owner[each] for each in list(owner)}
        owner.clear()
        owner.update(renamed)
        return changed


def known_members() -> list[Known]:
    """Every member at every level; from section 2 of the document, by hand."""
    top = ["schema_version", "provider", "runtime", "activities", "permissions", "capabilities"]
    optional = ["category", "duration_minutes", "thumbnail", "surfaces"]
    return [
        *(Known((), name, "required") for name in top),
        Known((), "presentation", "optional"),
        *(Known(("provider",), name, "required") for name in ("id", "name", "version")),
        *(Known(("runtime",), name, "required") for name in ("entrypoint", "sdk_version")),
        *(Known(("activities", 1), name, "required") for name in ("id", "name")),
        *(Known(("activities", 1), name, "optional") for name in optional),
        Known(("presentation",), "thumbnail", "closed"),
    ]


KNOWN = known_members()
LETTERS = string.ascii_letters + string.digits + "_-"


def typos(word: str) -> list[str]:
    """Every slip of one key: a letter left out, put in, changed, or swapped with the next.

    What people put before a name to switch it off is no slip.
    """
    places = range(len(word))
    slips = {word[:at] + word[at + 1 :] for at in places}
    slips |= {word[:at] + letter + word[at + 1 :] for at in places for letter in LETTERS}
    slips |= {word[:at] + letter + word[at:] for at in [*places, len(word)] for letter in LETTERS}
    slips |= {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in places[:-1]}
    return sorted(slips - {word, "", *(f"{mark}{word}" for mark in "-_xX")})


MARKS = (
    "!",
    "-",
    "--",
    "//",
    "// ",
    "#",
    ";",
    "~",
    "_",
    ".",
    "$",
    "@",
    "x-",
    "X-",
    "x_",
    "x",
    "X.",
)


@rows("mark", MARKS)
def test_what_switches_a_name_off_is_never_taken_away_as_safe(mark: str) -> None:
    texts = [copy.deepcopy(COMPLETE) | {"permissions": [f"{mark}host.haptics"]}]
    texts += [known.misspelt(f"{mark}{known.name}") for known in KNOWN]
    for each in texts:
        for finding in findings_of(each):
            assert all(fix.safety == "unsafe" for fix in finding.fixes), finding


def the_one(manifest: Any) -> Finding:
    found = findings_of(manifest)
    assert len(found) == 1, [(each.rule, each.pointer, each.message) for each in found]
    return found[0]


def assert_fixes(manifest: Any, finding: Finding, corrected: Any, *, typo: str = "") -> None:
    """The fix of a finding, as edits and as a patch, gives the corrected manifest.

    It is safe, but for a typo that may be another word.
    """
    text = json.dumps(manifest, indent=2)
    (fix,) = finding.fixes
    if not typo or sorted(typo) == sorted(str(finding.suggestion)):
        assert fix.safety == "safe"
    assert json.loads(edited(text, fix)) == corrected
    assert patched(manifest, fix.patch) == corrected


_A_TYPO = st.sampled_from(KNOWN).flatmap(
    lambda known: st.tuples(st.just(known), st.sampled_from(typos(known.name)))
)


@given(_A_TYPO, st.data())
def test_of_two_members_that_may_both_be_meant_none_is_renamed_as_safe(
    case: tuple[Known, str], data: st.DataObject
) -> None:
    known, typo = case
    other = data.draw(st.sampled_from([known.name.upper(), f"{known.name} ", *typos(known.name)]))
    assume(other != typo)
    manifest = known.misspelt(typo)
    owner = manifest
    for token in known.owner:
        owner = owner[token]
    owner[other] = copy.deepcopy(owner[typo])
    renamed = [fix for each in findings_of(manifest) for fix in each.fixes if fix.safety == "safe"]
    assert not [fix for fix in renamed if fix.patch[0]["op"] == "move"]


@given(_A_TYPO)
def test_one_typo_of_a_members_name_gives_one_finding_at_most(case: tuple[Known, str]) -> None:
    """`misspelt-field`: "If the near one is required and absent, there is only the
    `missing-field`, with `related` the misspelt key and a safe rename; in `presentation` only
    `unknown-member` with the suggestion"."""
    known, typo = case
    manifest = known.misspelt(typo)
    found = findings_of(manifest)
    at = format_pointer((*known.owner, typo))
    if known.need == "required":
        finding = the_one(manifest)
        assert (finding.rule, finding.property) == ("missing-field", known.name)
        assert finding.pointer == format_pointer(known.owner)
        assert all(each.pointer == at for each in finding.related)
    elif known.need == "closed":
        finding = the_one(manifest)
        assert (finding.rule, finding.pointer) == ("unknown-member", at)
    else:
        # Other names are legal there: advice is due only where the slip is plain.
        assert [(each.rule, each.pointer) for each in found] in ([], [("misspelt-field", at)])
    for finding in found:
        if finding.suggestion is not None:
            assert finding.suggestion == known.name
            # Two letters: any slip of them may be another name, and so may one with a number.
            if known.name != "id" and not typo[-1].isdecimal():
                assert_fixes(manifest, finding, COMPLETE, typo=typo)


@given(_A_TYPO.filter(lambda case: len(case[0].name) > 4 and not case[1][-1].isdecimal()))
def test_a_typo_of_a_longer_name_is_recognised(case: tuple[Known, str]) -> None:
    known, typo = case
    manifest = known.misspelt(typo)
    finding = the_one(manifest)
    assert finding.suggestion == known.name
    assert_fixes(manifest, finding, COMPLETE, typo=typo)


@rows("known", KNOWN, ids=lambda known: f"{format_pointer(known.owner)}/{known.name}")
def test_a_name_in_another_case_is_recognised(known: Known) -> None:
    manifest = known.misspelt(known.name.title().replace("_", ""))
    if known.need == "optional" and len(known.name) < 5:
        return
    finding = the_one(manifest)
    assert finding.suggestion == known.name
    assert_fixes(manifest, finding, COMPLETE)


@pytest.mark.parametrize("name", ["host.timer", "host.haptics", "context.goals"])
@given(mark=st.sampled_from("!?#~*×✗✕❌🚫⛔¬†¹…？！"), where=st.integers(0, 13))
def test_a_mark_anywhere_in_a_name_is_no_slip_of_a_key(name: str, mark: str, where: int) -> None:
    at = min(where, len(name))
    changed = (name[:at] + mark + name[at:], f"{name} {mark}", name[:-1] + mark, f"{name}-")
    for marked in changed:
        text = json.dumps(with_members(permissions=[marked]), ensure_ascii=False)
        assert manifestkit.fix(text).data.decode() == text, marked


@rows("surfaces", ["• phone • watch", "phone and watch", "[phone]", "none", "*"])
def test_a_text_that_may_be_several_items_or_none_is_no_item(surfaces: str) -> None:
    text = json.dumps(
        with_members(activities=[{**COMPLETE["activities"][1], "surfaces": surfaces}])
    )
    assert manifestkit.fix(text).data.decode() == text


@rows("permissions", [None, "", "host.timer|host.haptics"])
def test_what_may_be_unfinished_or_one_of_several_is_no_list(permissions: Any) -> None:
    text = json.dumps(with_members(permissions=permissions))
    assert manifestkit.fix(text).data.decode() == text


@rows("duration", ["12:30:00", {"max": 5, "unit": "min"}, {"reps": 5, "unit": "m"}])
def test_a_time_of_day_or_a_bound_is_no_duration(duration: Any) -> None:
    activity = {**COMPLETE["activities"][1], "duration_minutes": duration}
    text = json.dumps(with_members(activities=[activity]))
    assert manifestkit.fix(text).data.decode() == text


@rows("value", [each for each in CAPABILITIES if ".get" in each])
def test_the_opposite_of_a_capability_is_none_of_its_misspellings(value: str) -> None:
    text = json.dumps(with_members(capabilities=[value, value.replace(".get", ".set")]))
    assert manifestkit.fix(text, unsafe=True).data.decode() == text


@pytest.mark.parametrize("value", ["host.timer.stop", "activity.stop"])
def test_the_opposite_of_what_is_written_is_not_suggested(value: str) -> None:
    (finding,) = findings_of(with_members(capabilities=[value]))
    assert finding.suggestion is None
    assert "did you mean" not in (finding.help or "")


@pytest.mark.parametrize("value", ["host.timer.stop", "host.timer.pause"])
def test_of_a_long_list_those_of_the_same_group_are_shown(value: str) -> None:
    (finding,) = findings_of(with_members(capabilities=[value]))
    assert finding.help == 'remove it, or use `"host.timer.start"` or `"host.timer.cancel"`'


@pytest.mark.parametrize(
    ("written", "meant"), [("jdk_version", "sdk_version"), ("ndk_version", "sdk_version")]
)
def test_another_short_word_is_no_slip_of_a_key(written: str, meant: str) -> None:
    manifest = with_members(runtime={"entrypoint": "dist/index.js", written: "17"})
    text = json.dumps(manifest)
    assert meant in json.dumps([each.help for each in findings_of(manifest)])
    assert manifestkit.fix(text).data.decode() == text


@given(st.sampled_from([*PERMISSIONS, *CAPABILITIES]), st.sampled_from("0123456789"))
def test_a_number_after_a_value_is_no_slip_of_a_key(value: str, number: str) -> None:
    name = "permissions" if value in PERMISSIONS else "capabilities"
    text = json.dumps(with_members(**{name: [value + number]}))
    assert manifestkit.fix(text).data.decode() == text


def test_a_missing_member_is_placed_on_the_key_that_misspells_it() -> None:
    manifest = with_members(runtime={"entrypoint": "a.js", "sdk_verison": "1.0"})
    finding = the_one(manifest)
    (related,) = finding.related
    text = json.dumps(manifest, indent=2)
    assert text[slice(*related.location.span)] == '"sdk_verison"'
    assert text[slice(*finding.location.span)] == '"sdk_verison"'
    assert (finding.property, related.pointer) == ("sdk_version", "/runtime/sdk_verison")


@rows(
    ("members", "rules"),
    [
        ({"duration_minuts": 5, "duration_minutess": 6}, []),
        ({"duration_minutes": 5, "duration_minuts": 6}, []),
        ({"category": "x", "categories": ["x"]}, []),
        ({"duration": 5}, ["misspelt-field"]),
        ({"durationMin": 5}, ["misspelt-field"]),
        ({"duration_minutes": 5, "duration": 6}, []),
        ({"dur": 5, "duration_seconds": 6, "duration_minutes_max": 7}, []),
        ({"tags": [], "description": "x", "icon": "x", "nam": "x"}, []),
        ({"icon": "wind", "title": "Box", "kind": "x", "platforms": ["phone"], "time": 5}, []),
        ({"max_duration": 5, "duration_minutes_max": 7, "est_minutes": 5}, []),
        ({"x-icon": "a.png", "$icon": "a.png", "thumbnail": "a.png", "icon": "b.png"}, []),
        ({"icon": "a.png"}, []),
        ({"permissions": ["x"], "capabilities": [], "provider": "x"}, []),
        ({"surface": ["phone"]}, ["misspelt-field"]),
        ({"thumbnial": "a", "catgory": "b"}, ["misspelt-field", "misspelt-field"]),
    ],
    ids=str,
)
def test_advice_on_names_is_given_only_where_it_is_sure(
    members: dict[str, Any], rules: list[str]
) -> None:
    manifest = with_members(activities=[{**BASE["activities"][0], **members}])
    # Of two names that are equally near, neither is called a slip.
    assert [each.rule for each in findings_of(manifest)] == rules


# -- values ------------------------------------------------------------------------------------

_CROSS_PERMISSIONS: dict[str, tuple[str, ...]] = {
    "activity.start": (),
    "activity.cancel": (),
    "activity.outcome": (),
    "context.getCurrent": ("context.current_state",),
    "context.getGoals": ("context.goals",),
    "context.getSession": ("context.session",),
    "context.getSignals": (),
    "context.getConstraints": ("context.constraints",),
    "profile.getBasic": ("profile.basic",),
    "host.haptic": ("host.haptics",),
    "host.timer.start": ("host.timer",),
    "host.timer.cancel": ("host.timer",),
}
_CROSS_CAPABILITIES: dict[str, tuple[str, ...]] = {
    "profile.basic": ("profile.getBasic",),
    "context.current_state": ("context.getCurrent",),
    "context.goals": ("context.getGoals",),
    "context.health_summary": (),
    "context.constraints": ("context.getConstraints",),
    "context.session": ("context.getSession",),
    "host.haptics": ("host.haptic",),
    "host.timer": ("host.timer.start", "host.timer.cancel"),
}
_SLIPS = [
    *(("permissions", value, meant) for value, meant in _CROSS_PERMISSIONS.items()),
    *(("capabilities", value, meant) for value, meant in _CROSS_CAPABILITIES.items()),
]
_ONE = {"permissions": "permission", "capabilities": "capability"}


def test_every_value_of_one_list_that_the_other_has_not_is_tried() -> None:
    assert set(_CROSS_PERMISSIONS) == set(CAPABILITIES) - set(PERMISSIONS)
    assert set(_CROSS_CAPABILITIES) == set(PERMISSIONS) - set(CAPABILITIES)


@rows(("member", "value", "meant"), _SLIPS)
def test_a_value_of_the_other_list_is_recognised_as_such(
    member: str, value: str, meant: tuple[str, ...]
) -> None:
    manifest = with_members(**{member: [value]})
    finding = the_one(manifest)
    kind, (other,) = _ONE[member], set(_ONE.values()) - {_ONE[member]}
    assert (finding.rule, finding.pointer) == (f"unknown-{kind}", f"/{member}/0")
    assert finding.message.startswith(f"`{value}` is a {other}")
    assert finding.help is not None
    assert all(f"`{each}`" in finding.help for each in meant)
    if len(meant) == 1:
        assert f"`{meant[0]}`" in finding.message
        assert finding.suggestion == meant[0]
        assert_fixes(manifest, finding, with_members(**{member: list(meant)}))
    else:
        assert finding.suggestion is None
        assert not [fix for fix in finding.fixes if fix.safety == "safe"]


_LISTS = {"permissions": PERMISSIONS, "capabilities": CAPABILITIES}
_A_VALUE = st.sampled_from(
    [(member, value) for member, values in _LISTS.items() for value in values]
).flatmap(
    lambda case: st.tuples(st.just(case[0]), st.just(case[1]), st.sampled_from(typos(case[1])))
)


@given(_A_VALUE)
def test_one_typo_of_a_value_is_one_finding_that_suggests_a_value_of_that_list(
    case: tuple[str, str, str],
) -> None:
    member, value, typo = case
    if typo in PERMISSIONS or typo in CAPABILITIES or typo.startswith("-"):
        return  # A slip into the other list, told above; or a mark that says no.
    manifest = with_members(**{member: [typo]})
    finding = the_one(manifest)
    assert finding.rule == f"unknown-{_ONE[member]}"
    assert finding.suggestion == value
    assert_fixes(manifest, finding, with_members(**{member: [value]}), typo=typo)


@rows("value", ["camera", "", "x", "🎈", "a" * 500, "\n"])
def test_what_is_near_to_nothing_gets_the_whole_list_and_no_suggestion(value: str) -> None:
    finding = the_one(with_members(permissions=[value, "host.timer"]))
    assert finding.suggestion is None
    (removal,) = finding.fixes
    assert (removal.message, removal.safety) == ("remove it", "unsafe")
    assert finding.help is not None
    assert all(each in finding.help for each in PERMISSIONS)


def test_a_number_in_place_of_a_listed_text_is_not_turned_into_a_text_outside_the_list() -> None:
    finding = the_one(with_members(permissions=[1]))
    assert (finding.rule, finding.suggestion, finding.fixes) == ("wrong-type", None, ())


@rows(
    ("member", "value", "corrected"),
    [
        ("duration_minutes", "30", 30),
        ("duration_minutes", "-5", -5),
        ("name", 7, "7"),
        ("name", 1.5, "1.5"),
        ("category", 10**30, str(10**30)),
    ],
)
def test_a_value_of_the_wrong_type_with_a_plain_meaning_is_mended(
    member: str, value: Any, corrected: Any
) -> None:
    activity = {**BASE["activities"][0], member: value}
    manifest = with_members(activities=[activity])
    finding = next(each for each in findings_of(manifest) if each.rule == "wrong-type")
    assert_fixes(manifest, finding, with_members(activities=[{**activity, member: corrected}]))


@rows("value", ["5 or 6 min", "1.5", "", "٥", " 5", "9" * 40, True, [5, 6], 1.5])
def test_a_value_whose_meaning_is_not_plain_is_left_to_its_author(value: Any) -> None:
    manifest = with_members(activities=[{**BASE["activities"][0], "duration_minutes": value}])
    finding = the_one(manifest)
    assert (finding.rule, finding.fixes, finding.suggestion) == ("wrong-type", (), None)


# -- both places -------------------------------------------------------------------------------


def places(manifest: str, finding: Finding) -> list[str]:
    """What stands at the places that a finding shows, its own first."""
    spans = [finding.location.span, *(each.location.span for each in finding.related)]
    return [manifest[slice(*span)] + f" at {span.start}" for span in spans]


def at(text: str, part: str, nth: int) -> str:
    start = -1
    for _ in range(nth):
        start = text.index(part, start + 1)
    return f"{part} at {start}"


@rows(
    ("manifest", "rule", "pointer", "part", "first", "later"),
    [
        (
            with_members(permissions=["host.timer"] * 2),
            "duplicate-item",
            "/permissions/1",
            '"host.timer"',
            1,
            2,
        ),
        (
            with_members(capabilities=["host.haptic", "activity.start", "host.haptic"]),
            "duplicate-item",
            "/capabilities/2",
            '"host.haptic"',
            1,
            2,
        ),
        (
            with_members(activities=[{"id": "a", "name": "A", "surfaces": ["tv", "tv"]}]),
            "duplicate-item",
            "/activities/0/surfaces/1",
            '"tv"',
            1,
            2,
        ),
        (
            with_members(activities=[{"id": "twin", "name": "A"}, {"id": "twin", "name": "B"}]),
            "duplicate-activity-id",
            "/activities/1/id",
            '"twin"',
            1,
            2,
        ),
        (
            json.dumps(BASE).replace('"id": "box"', '"id": "box", "id": "box"'),
            "duplicate-key",
            "/activities/0/id",
            '"id"',
            2,
            3,
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and value.startswith("/") else None,
)
def test_of_a_duplicate_both_places_are_shown(
    manifest: Any, rule: str, pointer: str, part: str, first: int, later: int
) -> None:
    text = manifest if isinstance(manifest, str) else json.dumps(manifest, indent=2)
    finding = the_one(text)
    assert (finding.rule, finding.pointer) == (rule, pointer)
    assert places(text, finding) == [at(text, part, later), at(text, part, first)]


def test_each_further_duplicate_points_at_the_first() -> None:
    found = findings_of(with_members(permissions=["host.timer"] * 3))
    assert [each.pointer for each in found] == ["/permissions/1", "/permissions/2"]
    assert [each.related[0].pointer for each in found] == ["/permissions/0"] * 2


@pytest.mark.parametrize(
    "activities",
    [
        [{"id": "a", "name": "A"}, {"id": "A", "name": "A"}],
        [{"id": "a", "name": "A"}, {"id": "b", "name": "A"}],
    ],
)
def test_only_equal_ids_are_duplicates(activities: list[Any]) -> None:
    assert findings_of(with_members(activities=activities)) == ()


def test_values_in_a_misspelt_member_are_judged_once_it_has_its_name() -> None:
    manifest = with_members(activiteis=[{"id": 7, "name": "Box"}, {"id": "b"}])
    del manifest["activities"]
    found = {(each.rule, each.pointer, each.property) for each in findings_of(manifest)}
    assert found == {("missing-field", "", "activities")}
    fixed = manifestkit.fix(json.dumps(manifest))
    told = [(each.rule, each.pointer, each.property) for each in fixed.result.findings]
    assert told == [("missing-field", "/activities/1", "name")]
    assert json.loads(fixed.data)["activities"][0] == {"id": "7", "name": "Box"}


_NESTED_LISTS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "groups": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"tags": {"type": "array", "items": {"enum": ["x", "y"]}}},
            },
        },
        "sizes": {"type": "array", "items": {"enum": ["s", "m"]}},
    },
}


@rows("groups", [[], None, 5, "text", {}, [5], [[]], [{"tags": 5}]])
def test_a_value_is_looked_for_in_other_lists_whatever_stands_there(
    tmp_path: Path, groups: Any
) -> None:
    schema = written(tmp_path / "own.schema.json", _NESTED_LISTS)
    options = Options(schema=schema, isolated=True)
    report = report_of(tmp_path, {"groups": groups, "sizes": ["x"]}, options)
    assert "/sizes/0" in [each.pointer for each in report.findings]


@rows(
    ("owner", "name", "written", "safety"),
    [
        ("runtime", "entrypoint", "entrypoint a.js", "unsafe"),
        ("runtime", "sdk_version", 'sdk_version "1.0', "unsafe"),
        ("provider", "id", "id:7", "unsafe"),
        ("provider", "name", "name\u201c", "unsafe"),
        ("runtime", "sdk_version", "SDK version", "safe"),
        ("runtime", "sdk_version", "sdk.verison", "safe"),
    ],
)
def test_a_correction_that_would_lose_a_word_is_not_safe(
    owner: str, name: str, written: str, safety: str
) -> None:
    manifest = copy.deepcopy(COMPLETE)
    manifest[owner][written] = manifest[owner].pop(name)
    assert [each.safety for each in the_one(manifest).fixes] == [safety]


def test_a_value_that_would_lose_a_word_is_not_corrected_by_a_safe_fix() -> None:
    finding = the_one(with_members(permissions=["host.timer; x"]))
    assert [(each.safety, each.patch[0]["value"]) for each in finding.fixes] == [
        ("unsafe", "host.timer")
    ]


@rows(
    ("written", "array"),
    [
        ({"box": {"name": "Box"}}, [{"id": "box", "name": "Box"}]),
        ({"box": {"name": "Box", "id": "box"}}, [{"id": "box", "name": "Box"}]),
        ({"morning": {"id": "box", "name": "Box"}}, None),
        ({"box": {"name": "Box"}, "morning": {"id": "b", "name": "B"}}, None),
    ],
)
def test_an_object_for_an_array_becomes_one_if_no_key_is_lost(
    written: dict[str, Any], array: list[Any] | None
) -> None:
    finding = the_one(with_members(activities=written))
    proposed = [each.patch[0]["value"] for each in finding.fixes]
    assert proposed == ([] if array is None else [array])


@rows(
    ("one", "other", "shown"),
    [
        ('{"schema_version": -0}', '{"schema_version": 0}', ("`-0`", "`0`")),
        ('{"schema_version": true}', '{"schema_version": 1}', ("`true`", "`1`")),
        (
            '{"presentation": {"thumbnial": "a.png"}}',
            '{"presentation": {"thumbnail": "a.png", "thumbnial": "a.png"}}',
            ("did you mean `thumbnail`?", "remove it"),
        ),
    ],
)
def test_what_one_manifest_has_is_not_said_of_the_next(
    one: str, other: str, shown: tuple[str, str]
) -> None:
    for text, part in zip((one, other, one), (*shown, shown[0]), strict=True):
        findings = manifestkit.lint(text, "manifest.json").findings
        assert any(part in f"{each.message}; {each.help}" for each in findings), findings


def test_a_fix_belongs_to_its_finding_alone() -> None:
    text = '{"schema_version": 2}'
    for _ in range(2):
        fixes = [each for found in manifestkit.lint(text).findings for each in found.fixes]
        patch: Any = fixes[0].patch[0]
        assert patch == {"op": "replace", "path": "/schema_version", "value": "2"}
        patch["value"] = "2"
