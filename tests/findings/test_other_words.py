"""A safe fix writes what nobody could have meant otherwise: another word is not a misspelling."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import manifestkit
from manifestkit import Finding
from other_words import LISTED, MANIFEST, WORDS, fixed, is_meant, places, with_word
from rows import rows


def the_one(**members: Any) -> Finding:
    (finding,) = manifestkit.lint(json.dumps({**MANIFEST, **members})).findings
    return finding


def safe_fixes(finding: Finding) -> list[str]:
    return [each.message for each in finding.fixes if each.safety == "safe"]


def unsafely_fixed(name: str, written: str) -> list[str]:
    """Return what becomes of an item beside a good one: the last one left is never removed."""
    good = {"permissions": "profile.basic", "capabilities": "host.haptic"}[name]
    text = json.dumps({**MANIFEST, name: [good, written]})
    found: list[str] = json.loads(manifestkit.fix(text, unsafe=True).data)[name]
    return found[1:]


@settings(max_examples=10 * settings().max_examples)
@given(st.sampled_from(places()), st.sampled_from(WORDS))
def test_a_fix_changes_one_key_of_a_segment_or_nothing(
    place: tuple[str, str, int], word: str
) -> None:
    """ "For each listed value, each segment of it replaced by each of 3,000 English words: `--fix`
    leaves the text, or no segment changes by more than Damerau 1"."""
    name, value, index = place
    written = with_word(value, index, word)
    after = fixed(name, written)
    assert after == written or is_meant(name, written, after)


@rows(
    ("name", "written", "near"),
    [
        ("permissions", "context.signals", "context.goals"),
        ("permissions", "context.lessons", "context.session"),
        ("permissions", "context.current_date", "context.current_state"),
        ("capabilities", "activity.state", "activity.start"),
        ("capabilities", "activity.income", "activity.outcome"),
        ("permissions", "Host.Timr", "host.timer"),
        ("permissions", "Haptics", "host.haptics"),
        ("permissions", "apple.goals", "context.goals"),
        ("permissions", "my.host.timer", "host.timer"),
        ("permissions", "host.time", "host.timer"),
        ("permissions", "ghost.timer", "host.timer"),
        ("permissions", "context.wealth_summary", "context.health_summary"),
        ("permissions", "context.heath_summary", "context.health_summary"),
        ("permissions", "context.gals", "context.goals"),
        ("permissions", "host.timers", "host.timer"),
        ("permissions", "hostxtimer", "host.timer"),
        ("permissions", "context.health", "context.health_summary"),
        ("capabilities", "profile.get", "profile.getBasic"),
        ("capabilities", "activity.compete", "activity.complete"),
        ("capabilities", "activity.stat", "activity.start"),
        ("capabilities", "timer.getGoals", "context.getGoals"),
        ("permissions", "getGoals", "context.goals"),  # by the value of the other list
    ],
)
def test_another_word_is_suggested_and_not_written(name: str, written: str, near: str) -> None:
    finding = the_one(**{name: [written]})
    assert finding.suggestion == near
    assert safe_fixes(finding) == []
    assert fixed(name, written) == written
    assert unsafely_fixed(name, written) == [near]


@rows(
    ("name", "written", "meant"),
    [
        ("permissions", "haptics", "host.haptics"),
        ("permissions", "timer", "host.timer"),
        ("permissions", "health_summary", "context.health_summary"),
        ("capabilities", "getGoals", "context.getGoals"),
        ("capabilities", "timer.start", "host.timer.start"),
        ("permissions", "HOST.TIMER", "host.timer"),
        ("permissions", "host_timer", "host.timer"),
        ("permissions", "host: timer", "host.timer"),
        ("permissions", "context.currentState", "context.current_state"),
        ("permissions", "h\u043est.tim\u0435r", "host.timer"),  # two Cyrillic letters
        ("permissions", "host.t\u0456m\u0435r", "host.timer"),
        ("capabilities", "act\u03b9vity.sta\uff52t", "activity.start"),  # Greek, and a wide one
        ("permissions", "host.tiemr", "host.timer"),
        ("permissions", "host.timmer", "host.timer"),
        ("permissions", "host.timr", "host.timer"),
        ("permissions", "context.curent_state", "context.current_state"),
        ("permissions", "context.getGoals", "context.goals"),
        ("capabilities", "context.goals", "context.getGoals"),
    ],
)
def test_a_slip_or_a_missing_prefix_is_corrected(name: str, written: str, meant: str) -> None:
    assert fixed(name, written) == meant


@rows(
    ("name", "written", "meant"),
    [
        ("capabilities", "start", ("activity.start", "host.timer.start")),
        ("capabilities", "camera.start", ("activity.start", "host.timer.start")),
        ("capabilities", "host.timer", ("host.timer.start", "host.timer.cancel")),
        ("capabilities", "context.get", ("context.getCurrent", "context.getGoals")),
        ("permissions", "host.timer or host.haptcs", ()),
        ("permissions", "activity.start", ()),  # is a capability
        ("permissions", "start", ()),
    ],
)
def test_what_resembles_something_is_not_removed(
    name: str, written: str, meant: tuple[str, ...]
) -> None:
    finding = the_one(**{name: [written]})
    assert finding.only_fix() is None
    assert all(f"`{each}`" in str(finding.help) for each in meant)
    assert unsafely_fixed(name, written) == [written]


def test_what_resembles_nothing_can_be_removed() -> None:
    assert unsafely_fixed("permissions", "camera") == []


@rows(
    ("written", "is_fixed"),
    [("category", True), ("catgory", True), ("Category", True), ("categories", False)],
)
def test_a_member_is_renamed_where_its_name_has_one_slip(written: str, is_fixed: bool) -> None:
    activity = dict(MANIFEST["activities"][0])
    activity[written] = activity.pop("category")
    text = json.dumps({**MANIFEST, "activities": [activity]})
    after = json.loads(manifestkit.fix(text).data)["activities"][0]
    assert ("category" in after) is is_fixed


def test_a_name_of_two_letters_is_no_slip_of_another() -> None:
    provider = {"ip": "com.example.calm", "name": "Calm", "version": "1.2.0"}
    finding = the_one(provider=provider)
    assert finding.suggestion == "id"
    assert safe_fixes(finding) == []


def test_every_listed_value_is_tried() -> None:
    assert {value for _, value, _ in places()} == {
        each for values in LISTED.values() for each in values
    }


@rows("known", ["icon", "logo", "thumnail"])
@rows("other", ["picture", "hero", "logo_url", "image", "splash"])
def test_of_two_members_that_may_mean_one_only_one_becomes_it(known: str, other: str) -> None:
    text = json.dumps({**MANIFEST, "presentation": {known: "a.png", other: "b.png"}})
    first, second = (str(each.help) for each in manifestkit.lint(text).findings)
    assert "`thumbnail`" in first
    assert f"`{known}` becomes" in second or second.startswith(f"keep one of the two: `{known}`")
    assert b'"thumbnail": "a.png"' in manifestkit.fix(text, unsafe=True).data
