"""`--fix`: the finding is gone, no new one came, and nothing else was touched (design/edits.md)."""

from __future__ import annotations

import copy
import json
import re
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import manifestkit
import manifests
from command import REPOSITORY
from in_process import manifest_here
from manifestkit import FileResult, Finding, Options, Severity
from manifestkit.authoring.fixing import Fixed, fix
from manifestkit.config.policy import Policy
from manifestkit.decode import Decoded, decode
from manifestkit.edits.layout import trivia
from manifestkit.edits.patch import apply_edits, apply_patch, is_same_data
from manifestkit.engine.lint import lint, lint_text
from manifestkit.engine.workspace import Workspace
from manifestkit.model.pointer import path_in
from manifestkit.rules.catalogue import catalogue
from manifestkit.schema.drafts import at_places
from manifestkit.schema.loading.load import load_schema
from manifestkit.schema.manifest import Surroundings
from manifestkit.schema.model import Schema
from manifestkit.schema.sources import Sources
from rows import rows
from styles import Sharing, Various
from yaml_texts import Emitter

NEEDS = load_schema(
    REPOSITORY / "examples" / "profiles" / "capabilities-need-permissions.schema.json"
)
HOST = Policy(profiles=(NEEDS,))
FEWER = settings(max_examples=settings().max_examples // 3)

ODD: dict[str, list[Any]] = {
    "schema_version": [1.10, 3, None],
    "provider": [{"id": "a", "name": "b", "versoin": "1"}, {"id": 7, "name": "no", "version": 1.5}],
    "presentation": [{"thumbnial": "x.png"}, {"thumbnail": 2026}, {"a": 1, "thumbnail": "b"}],
    "permissions": [
        ["host.haptic", "profile.basics"],
        ["profile.basic", "profile.basic"],
        [1],
        ["host.camera", "profile.basic", "host.camera"],
        "host.timer",
        {"host.timer": True, "profile.basic": None},
        [{"name": "host.timer"}, ["profile.basic"]],
    ],
    "capabilities": [
        *(["activity.strat"], ["context.goals", "profile.basic"], [], ["host.timer"]),
        {"activity.start": {}, "host.timer": "when it runs"},
    ],
    "activities": [
        [{"id": "a", "name": "b", "duration_minutes": 30.0, "catgory": "off"}],
        [{"id": "a", "name": "b", "duration_minutes": "30"}, {"id": "a", "name": 1}],
        [{"id": "a", "name": "b", "duration_mintes": {}, "surfaces": ["x", "y", "x", "y"]}],
        {"a": {"name": "b", "duration_minutes": 30}, "c": {"name": "d"}},
        {"id": "a", "name": "b", "surfaces": {"daily_plan": True}},
    ],
}


@st.composite
def broken(draw: st.DrawFn, *, shares: bool = True) -> tuple[str, str]:
    """A manifest with some of the mistakes that fixes are offered for, in any style; its name."""
    value = draw(manifests.VALID)
    for name in draw(st.sets(st.sampled_from(sorted(ODD)), min_size=1)):
        value[name] = copy.deepcopy(draw(st.sampled_from(ODD[name])))
    if draw(st.integers(0, 3)) == 0:
        indent = draw(st.sampled_from([None, 2, "\t"]))
        return json.dumps(value, indent=indent), "manifest.json"
    writers = [Emitter, Various, *([Sharing] if shares else [])]
    text = draw(st.sampled_from(writers))(draw).document(value)
    text = text.replace("\n", "\r\n") if draw(st.integers(0, 4)) == 0 else text
    decoded = decode(text, "manifest.yaml")
    assume(decoded.readable and is_same_data(decoded.document.value, value))
    return text, "manifest.yaml"


def fixed(text: str, name: str, *, unsafe: bool = False, policy: Policy = HOST) -> Fixed:
    return fix(partial(lint, policy=policy), text.encode(), name, unsafe=unsafe)


def rules(result: FileResult) -> list[tuple[str, Severity]]:
    return [(each.rule, each.severity) for each in result.findings]


def weights(result: FileResult) -> tuple[int, ...]:
    """How many errors there are, how many warnings, how many notes."""
    found = [each.severity for each in result.findings]
    return tuple(found.count(severity) for severity in Severity)


@FEWER
@given(broken())
def test_the_edits_of_every_fix_say_what_its_patch_says(manifest: tuple[str, str]) -> None:
    text, name = manifest
    value = decode(text, name).document.value
    for finding in lint_text(text, name, policy=HOST).findings:
        for each in finding.fixes:
            if each.edits:
                again = decode(apply_edits(text, each.edits), name)
                assert again.readable, (finding, again.findings)
                assert is_same_data(again.document.value, apply_patch(value, each.patch))
                is_less = _comments(text, name) - _comments(again.document.text, name)
                assert not is_less or "this drops comments" in each.message


def _comments(text: str, name: str) -> Counter[str]:
    document = decode(text, name).document
    return Counter(each[0] for each in trivia(document) if each.lastgroup == "comment")


@FEWER
@given(broken(shares=False))
def test_every_fix_of_what_is_not_shared_has_its_edits(manifest: tuple[str, str]) -> None:
    for finding in manifestkit.lint(*manifest).findings:
        for each in finding.fixes:
            assert each.edits, finding


@FEWER
@given(broken(), st.booleans())
def test_after_a_fix_its_finding_is_gone_and_no_new_one_came(
    manifest: tuple[str, str], unsafe: bool
) -> None:
    before = lint_text(*manifest, HOST)
    after = fixed(*manifest, unsafe=unsafe)
    text = after.data.decode()
    assert after.result == lint_text(text, manifest[1], policy=HOST)
    if after.fixed:
        assert weights(after.result) <= weights(before)
        came = Counter(rules(after.result)) - Counter(rules(before))
        same = {each.rule for each in after.fixed}  # another rule may see what a name hid
        assert all(severity is Severity.INFO or rule not in same for rule, severity in came)
    else:
        assert text == manifest[0]
    again = fixed(text, manifest[1], unsafe=unsafe)
    assert (again.data, again.fixed) == (after.data, ())


@pytest.fixture(scope="module")
def around(tmp_path_factory: pytest.TempPathFactory) -> Surroundings:
    """Return a project of another version, without any file that a manifest names."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "package.json").write_text('{"version": "9.9.9"}')
    return Surroundings.in_folder(f"{folder.as_posix()}/")


OPTIONAL = [name for name, each in catalogue().items() if each.severity is None]


@FEWER
@given(broken(), st.booleans(), st.sampled_from(Severity))
def test_each_fix_that_is_offered_is_made_whatever_optional_rules_see_then(
    around: Surroundings, manifest: tuple[str, str], unsafe: bool, severity: Severity
) -> None:
    options = Options(isolated=True, severity=dict.fromkeys(OPTIONAL, severity))
    judge = partial(lint, policy=Workspace(options).policy(""), surroundings=around)
    after = fix(judge, manifest[0].encode(), manifest[1], unsafe=unsafe)
    left = [(each.reason, each.finding) for each in after.refused if each.finding.fixes[0].edits]
    graver = ("duplicate", "`wrong-type`")  # than what is fixed, or a matter of two places
    assert not [each for each in left if not any(one in each[0] for one in graver)]


@FEWER
@given(broken())
def test_safe_fixes_lose_nothing(manifest: tuple[str, str]) -> None:
    text, name = manifest
    after = fixed(text, name)
    assert after.data.decode().count("#") == text.count("#")
    before, now = decode(text, name).document.value, decode(after.data, name).document.value
    assert (
        set(map(_words, leaves(before))) - {"hosthaptic", "profilebasics"}
        <= set(map(_words, leaves(now))) | MEANT
    )


@FEWER
@given(broken())
def test_what_is_described_changes_nothing_that_is_counted(manifest: tuple[str, str]) -> None:
    decoded = decode(*manifest)
    told, counted = (lint(decoded, HOST, only_verdict=each) for each in (False, True))
    assert (sorted(told.rule_severities), told.fails) == (
        sorted(counted.rule_severities),
        counted.fails,
    )


SHARED = """\
schema_version: {}
provider: {{id: {}, name: {}, version: {}}}
runtime: {{entrypoint: {}, sdk_version: {}}}
activities:
- {{id: a, name: b, duration_minutes: {}}}
- {{id: c, name: d, duration_minutes: {}}}
permissions: []
capabilities: []
"""
SHARED_PLACES = (
    *("/schema_version", "/provider/id", "/provider/name", "/provider/version"),
    *("/runtime/entrypoint", "/runtime/sdk_version"),
    *("/activities/0/duration_minutes", "/activities/1/duration_minutes"),
)


@st.composite
def shared(draw: st.DrawFn) -> tuple[str, dict[str, str]]:
    """A manifest whose values have anchors and tags, or repeat others; how each is spelt."""
    written, anchored = list[str](), list[str]()
    spelt: dict[str, str] = {}
    for place in SHARED_PLACES:
        if anchored and draw(st.integers(0, 2)) == 0:
            repeated = draw(st.sampled_from(anchored))
            written.append(f"*{repeated}")
            spelt[place] = spelt[repeated]
            continue
        spelt[place] = draw(st.sampled_from(["1.10", "30.0", "7", "0x1F", "+1.50", "no", "x"]))
        source = draw(st.sampled_from(["{}", "{}", "'{}'", '"{}"'])).format(spelt[place])
        tag = draw(st.sampled_from(["", "", "!!int ", "!!float ", "!!str "]))
        anchor = ""
        if draw(st.booleans()):
            anchor = f"&x{len(anchored)} "
            anchored.append(f"x{len(anchored)}")
            spelt[anchored[-1]] = spelt[place]
        written.append(f"{tag}{anchor}{source}")
    return SHARED.format(*written), spelt


@FEWER
@given(shared())
def test_no_fix_takes_the_name_of_an_alias_for_its_value(case: tuple[str, dict[str, str]]) -> None:
    text, spelt = case
    decoded = decode(text, "m.yaml")
    for finding in lint_text(text, "m.yaml", policy=HOST).findings:
        for each in finding.fixes:
            for operation in each.patch:
                place, value = str(operation["path"]), operation["value"]
                read = decoded.document.value_at(path_in(decoded.document.value, place))
                assert value in (spelt[place], read) or str(value) == spelt[place], finding
        shown = [finding.message, finding.help or "", finding.suggestion or ""]
        assert not re.search(r"[*&]x[0-9]", " ".join(shown)), finding
    after = decode(fixed(text, "m.yaml").data, "m.yaml")
    assert not [each for each in leaves(after.document.value) if str(each)[:1] in "*&"]


MEANT = {"activitystrat", "contextgoals", "profilebasic", "hosttimer"}


def _words(leaf: Any) -> str:
    return "".join(filter(str.isalnum, f"{leaf:g}" if isinstance(leaf, float) else str(leaf)))


def leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for each in value.values() for leaf in leaves(each)]
    if isinstance(value, list):
        return [leaf for each in value for leaf in leaves(each)]
    return [value]


# -- one by one ------------------------------------------------------------------------------

GOOD = """\
schema_version: "1.0"
provider: {id: a, name: b, version: "1.0"}
runtime: {entrypoint: a, sdk_version: "1.0"}
activities: [{id: a, name: b}]
permissions: []
capabilities: []
"""


def with_line(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new)


def only(result: Fixed) -> Finding:
    (finding,) = result.result.findings
    return finding


def test_a_fix_may_bring_another_one_that_is_fixed_too() -> None:
    after = fixed(with_line('version: "1.0"}\nr', "versoin: 1.10}\nr"), "m.yaml")
    assert 'version: "1.10"}\nr' in after.data.decode()
    assert (len(after.fixed), after.result.findings) == (2, ())


SLEEP = {"items": {"properties": {"category": {"pattern": "^sleep"}}}}


def test_a_fix_that_would_bring_a_graver_finding_is_not_applied(tmp_path: Path) -> None:
    policy = Policy(profiles=(profile(tmp_path, {"properties": {"activities": SLEEP}}),))
    text = with_line("name: b}]", "name: b, catgory: walk}]")
    after = fixed(text, "m.yaml", policy=policy)
    assert after.data.decode() == text
    assert only(after).rule == "misspelt-field"
    assert [each.reason for each in after.refused] == [
        "it would cause another finding, `schema-pattern`"
    ]


def test_other_fixes_are_applied_beside_one_that_is_not(tmp_path: Path) -> None:
    policy = Policy(profiles=(profile(tmp_path, {"properties": {"activities": SLEEP}}),))
    text = with_line("name: b}]", "name: b, catgory: walk}]")
    slip = text.replace("permissions: []", "permissions: [host.timr]")
    after = fixed(slip, "m.yaml", policy=policy)
    assert after.data.decode() == text.replace("permissions: []", "permissions: [host.timer]")
    assert [each.rule for each in after.fixed] == ["unknown-permission"]


def test_lists_that_are_swapped_keep_what_is_said_of_their_items() -> None:
    lists = "permissions:\n  - activity.start # why\ncapabilities:\n  - host.haptics # why not\n"
    text = with_line("permissions: []\ncapabilities: []\n", lists)
    other = {"permissions": "capabilities", "capabilities": "permissions"}
    meant = re.sub("permissions|capabilities", lambda each: other[each[0]], text)
    assert manifestkit.fix(text, "m.yaml", unsafe=True).data.decode() == meant


def test_a_fix_beside_an_anchor_is_refused_with_its_reason() -> None:
    text = with_line('sdk_version: "1.0"', "sdk_version: &v 1.0") + "other: *v\n"
    after = fixed(text, "m.yaml")
    assert after.data.decode() == text
    assert [each.reason for each in after.refused] == [
        "it has the anchor `&v` (line 3, column 39); write each value out first"
    ]


@rows("written", ["!!float '1.50'", '!!float "1.50"', "&v !!float 1.50"])
def test_the_help_for_a_number_by_its_tag_is_its_spelling(written: str) -> None:
    text = with_line('sdk_version: "1.0"', f"sdk_version: {written}")
    (finding,) = (
        e for e in lint_text(text, "m.yaml", policy=HOST).findings if e.rule == "wrong-type"
    )
    assert (finding.help, finding.suggestion) == ('write `"1.50"`', "1.50")


@pytest.mark.parametrize("written", ['!!float "1.\\x350"', "!!float |-\n  1.50"])
def test_a_number_whose_spelling_is_not_seen_has_no_fix(written: str) -> None:
    text = with_line('schema_version: "1.0"', f"schema_version: {written}")
    findings = [
        e for e in lint_text(text, "m.yaml", policy=HOST).findings if e.rule == "wrong-type"
    ]
    assert [each.fixes for each in findings] == [()]


def test_a_key_that_is_the_alias_of_a_number_is_not_put_in_quotes() -> None:
    text = "x-number: &k 5\n*k : x\n" + GOOD
    after = fixed(text, "m.yaml")
    assert (after.data.decode(), after.fixed) == (text, ())
    assert not [each for each in after.result.findings if "write `" in (each.help or "")]


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
@pytest.mark.parametrize("behind", ["- host.haptics\n", "  # deep\n", ""])
def test_a_repeated_item_below_its_comment_goes_only_on_request(
    behind: str, line_break: str
) -> None:
    others = GOOD.replace("permissions: []\n", "")
    text = f"{others}permissions:\n- host.timer\n# why\n- host.timer\n{behind}"
    text = text.removesuffix("" if behind else "\n").replace("\n", line_break)
    assert fixed(text, "m.yaml").data.decode() == text
    after = fixed(text, "m.yaml", unsafe=True).data.decode()
    assert (after.count("host.timer"), after.count("# why")) == (1, 1)


def test_a_fix_that_moves_members_says_that_it_drops_their_comments() -> None:
    flat = 'id: a  # registered\nname: b  # shown\nversion: "1.0"'
    text = with_line('provider: {id: a, name: b, version: "1.0"}', flat)
    (finding,) = (each for each in lint_text(text, "m.yaml").findings if each.fixes)
    (move,) = finding.fixes
    message = "move them into `provider`; this drops comments"
    assert (move.message, move.safety) == (message, "unsafe")


def test_a_repeated_item_goes_but_its_comment_only_on_request() -> None:
    text = with_line("permissions: []", "permissions:\n- host.timer\n- host.timer # why")
    assert fixed(text, "m.yaml").data.decode() == text
    assert fixed(text, "m.yaml", unsafe=True).data.decode() == text.replace(
        "- host.timer # why\n", ""
    )


@rows(
    "permissions",
    [
        "  host.timer: true # why\n  profile.basic: true",
        "  # why\n  host.timer: true",
        "  host.timer: # why\n    true",
        "  - name: host.timer # why",
        "  - # why\n    name: host.timer",
    ],
)
def test_a_value_of_another_shape_keeps_its_comment_unless_asked(
    permissions: str,
) -> None:
    text = with_line("permissions: []", f"permissions:\n{permissions}")
    assert "# why" in fixed(text, "m.yaml").data.decode()
    assert fixed(text, "m.yaml", unsafe=True).result.findings == ()


def test_several_mistakes_of_syntax_are_fixed_and_then_what_they_hid() -> None:
    text = """{"schema_version": '1.0', "provider": {"id": "a", "name": "b", "version": "1.0",},
      "runtime": {"entrypoint": "x", "sdk_version": 1.4} "activities": [{"id": "a", "name": "b"}],
      "permissions": ["host.timr",], "capabilities": []}"""
    after = fixed(text, "m.json")
    assert after.result.findings == ()
    assert len(after.fixed) == 6


def test_many_fixes_are_made_in_few_rounds() -> None:
    count = 500
    value = json.loads((REPOSITORY / "examples/valid/minimal.activity-provider.json").read_text())
    value["activities"] = [
        {"id": str(number), "name": "x", "duration_minutes": 30.0} for number in range(count)
    ]
    value["permissions"] = ["host.timer"] * count
    judged = 0

    def judge(decoded: Decoded) -> FileResult:
        nonlocal judged
        judged += 1
        return lint(decoded, Policy())

    after = fix(judge, json.dumps(value, indent=2).encode(), "m.json")
    assert json.loads(after.data)["permissions"] == ["host.timer"]
    assert not after.result.findings
    assert judged <= 4


E = """\
schema_version: "1.0"
provider: {id: com.example.a, name: Calm, version: "1.0"}
runtime: {entrypoint: a.js, sdk_version: "1.4"}
activities:
  - {id: 478, nmae: A}
  - {id: "478", name: B}
  - {id: x, naem: C, duration_minutes: 30.0}
permissions: [Host.timer, host.timer]
capabilities: []
"""


def profile(folder: Path, contents: dict[str, Any]) -> Schema:
    (folder / "profile.schema.json").write_text(json.dumps(contents))
    return load_schema(folder / "profile.schema.json")


def why(result: Fixed) -> dict[str, str]:
    return {each.finding.pointer: each.reason for each in result.refused}


def test_only_the_fix_that_would_bring_a_finding_elsewhere_is_not_applied() -> None:
    after = fixed(E, "m.yaml")
    expected = E.replace("nmae", "name").replace("naem", "name").replace("30.0", "30")
    assert after.data.decode() == expected.replace("Host.timer, ", "")
    reason = "it would cause another finding, `duplicate-activity-id`"
    assert why(after) == {"/activities/0/id": reason}


SURFACES = {
    "if": {"properties": {"activities": {"contains": {"required": ["surfaces"]}}}},
    "then": {"required": ["presentation"]},
}


def with_activities(count: int, rest: str) -> str:
    added = "".join(f"  - {{id: a{number}, {rest}}}\n" for number in range(count))
    return E.replace("  - {id: x", added + "  - {id: x")


def test_of_many_fixes_the_one_that_meets_the_condition_of_a_profile_is_found(
    tmp_path: Path,
) -> None:
    text = with_activities(20, "nmae: A")
    text = text.replace("naem: C", 'naem: C, surfacs: ["activity.main"]')
    after = fixed(text, "m.yaml", policy=Policy(profiles=(profile(tmp_path, SURFACES),)))
    assert why(after) == {
        "/activities/0/id": "it would cause another finding, `duplicate-activity-id`",
        "/activities/22/surfacs": "it would cause another finding, `missing-field`",
    }
    assert "nmae" not in after.data.decode()


@pytest.mark.slow
def test_fixes_at_fault_are_looked_for_within_bounds(tmp_path: Path) -> None:
    policy = Policy(profiles=(profile(tmp_path, SURFACES),))
    text = with_activities(200, 'name: A, surfacs: ["activity.main"]')
    judged = 0

    def judge(decoded: Decoded) -> FileResult:
        nonlocal judged
        judged += 1
        return lint(decoded, policy)

    after = fix(judge, text.encode(), "m.yaml")
    assert judged < 100
    assert "surfaces" not in after.data.decode()


AUTHOR = {
    "type": "object",
    "required": ["author"],
    "properties": {"author": {"type": "string"}},
}


def test_a_fix_is_not_blamed_for_what_the_move_of_a_member_brings(tmp_path: Path) -> None:
    policy = Policy(profiles=(profile(tmp_path, AUTHOR),))
    text = GOOD.replace("capabilities: []", "capabilities: [activity.state]")
    text += "presentation: {author: {a: b}}\n"
    after = fixed(text, "m.yaml", unsafe=True, policy=policy)
    assert "[activity.start]" in after.data.decode()
    again = fixed(after.data.decode(), "m.yaml", unsafe=True, policy=policy)
    assert (again.data, again.fixed) == (after.data, ())


def test_a_member_that_stands_at_another_place_is_not_removed(tmp_path: Path) -> None:
    policy = Policy(profiles=(profile(tmp_path, AUTHOR),))
    text = GOOD + "presentation: {author: {a: b}}\n"
    after = fixed(text, "m.yaml", unsafe=True, policy=policy)
    assert after.data.decode() == text
    assert why(after) == {"": "it would cause another finding, `wrong-type`"}


def test_advice_about_what_a_fix_moves_does_not_hold_it_back() -> None:
    text = 'schema_version: "1.0"\nid: a\nname: A\nversion: "1"\n'
    text += 'runtime: {entrypoint: a.js, sdk_version: "1.0"}\n'
    text += "activities: [{id: box, name: Box}]\npermissions: []\ncapabilities: []\n"
    after = fixed(text, "m.yaml", unsafe=True)
    assert [each.rule for each in after.result.findings] == ["version-form"]


def test_each_of_very_many_fixes_of_neighbours_has_its_edits() -> None:
    activity = "- id: a{}\n  name: N\n  duartion_minutes: '5'\n"
    activities = "".join(map(activity.format, range(400)))
    text = with_line("activities: [{id: a, name: b}]", f"activities:\n{activities}")
    found = [e for e in lint_text(text, "m.yaml").findings if e.rule == "misspelt-field"]
    assert len(found) == 400
    assert all(each.fixes[0].edits for each in found)


_PLACES = [
    *(("schema_version",), ("provider", "version"), ("runtime", "sdk_version"), ("permissions",)),
    *(("permissions", 0), ("activities", 0, "duration_minutes"), ("activities", 0, "name")),
    *(("capabilities", 0), ("activities",), ("provider",), ("activities", 0, "surfaces")),
]
_DEMANDS = st.one_of(
    st.sampled_from(["string", "number", "integer", "array", "object", "boolean"]).map(
        lambda name: {"type": name}
    ),
    st.lists(st.sampled_from(["string", "integer", "null"]), min_size=2, unique=True).map(
        lambda names: {"type": names}
    ),
    st.lists(st.sampled_from(["1.0", 1.0, "host.timer", 5, "5", []]), min_size=1, max_size=3).map(
        lambda values: {"enum": values}
    ),
    st.sampled_from(["^[0-9]+$", "^host", "a"]).map(lambda text: {"pattern": text}),
    st.sampled_from([{"maxItems": 1}, {"minimum": 9}, {"not": {"const": "host.timer"}}]),
)


@st.composite
def demanding(draw: st.DrawFn) -> Policy:
    """A policy with profiles that ask something of members of the format, and may contradict it."""
    rows = st.lists(st.tuples(st.sampled_from(_PLACES), _DEMANDS), min_size=2, max_size=9)
    contents = [{"allOf": [at_places([place], each) for place, each in draw(rows)]} for _ in "ab"]
    made = (Schema(f"{n}.json", Sources.local(each)) for n, each in enumerate(contents))
    return Policy(profiles=tuple(made))


def _told(finding: Finding) -> tuple[str, str | None, str]:
    return finding.rule, finding.profile, re.sub(r"\[[0-9]+\]", "[]", finding.message)


@FEWER
@given(st.one_of(manifests.VALID.map(json.dumps), broken().map(lambda made: made[0])), demanding())
def test_what_a_fix_is_offered_for_is_gone_after_it_whatever_profiles_ask(
    text: str, policy: Policy
) -> None:
    before = lint_text(text, "manifest.yaml", policy=policy).findings
    for finding in before:
        for each in finding.fixes:
            if each.edits:
                after = lint_text(apply_edits(text, each.edits), "manifest.yaml", policy=policy)
                told = Counter(map(_told, before))[_told(finding)]
                assert Counter(map(_told, after.findings))[_told(finding)] < told, finding
    once = fixed(text, "manifest.yaml", unsafe=True, policy=policy)
    again = fixed(once.data.decode(), "manifest.yaml", unsafe=True, policy=policy)
    assert (again.data, again.fixed) == (once.data, ())


def test_a_fix_that_a_profile_contradicts_is_none(tmp_path: Path) -> None:
    asks: dict[str, Any] = {
        "if": True,
        "then": {"properties": {"schema_version": {"type": "number"}}},
    }
    (tmp_path / "host.json").write_text(json.dumps(asks), "utf-8")
    (tmp_path / "manifest.json").write_text(json.dumps(manifests.SCHEMA["examples"][0]), "utf-8")
    words = ("lint", "--fix", "--profile", "host.json", "manifest.json")
    outcome = manifest_here(*words, cwd=tmp_path)
    assert 'not the string `"1.0"`; write a number; required' in outcome.out
    assert "1 file checked, 0 fixed: 1 error left" in outcome.err
    asks = asks["then"]
    (tmp_path / "host.json").write_text(json.dumps(asks), "utf-8")
    told = manifest_here(*words, cwd=tmp_path).err
    assert told.endswith(":1:36: `schema_version` is never of that type: its type is `string`\n")
