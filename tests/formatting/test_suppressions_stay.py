"""What comments suppress is suppressed after `fmt`, or the file is left alone (docs/editing.md)."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import manifestkit
from command import CLEAN, FINDINGS, Outcome
from in_process import manifest_here

pytestmark = pytest.mark.slow

HEAD = """\
schema_version: "1.0"
provider: { id: com.example.a, name: A, version: "1.0.0" }
runtime: { entrypoint: a.js, sdk_version: "1.0" }
"""
FOOT = "permissions: []\ncapabilities: []\n"

FAULTY: dict[str, Any] = {
    "schema_version": "1.0",
    "provider": {"id": "", "name": "A", "versoin": "1.0"},
    "runtime": {"entrypoint": "a.js", "sdk_version": 1},
    "activities": [
        {"id": "box", "name": "", "duration_minutes": "5", "surfaces": ["tv", "phone", "tv"]},
        {"name": "Walk", "duration_minutes": "5", "category": "x"},
        {"id": "twin", "name": "One"},
        {"id": "twin", "name": "Other"},
    ],
    "permissions": ["host.timer", "host.timer"],
}
RULES = [
    "missing-field",
    "wrong-type",
    "empty-text",
    "duplicate-item",
    "duplicate-activity-id",
    "unknown-field",
]
Place = tuple[str, str, str | None]


def fmt(text: str) -> Outcome:
    return manifest_here("fmt", "-", "--stdin-filename", "m.yaml", stdin=text.encode())


def seen(text: str) -> tuple[Counter[Place], int]:
    """The findings that comments suppress, and how many comments have no use."""
    result = manifestkit.lint(text, "m.yaml")
    hidden = (each.finding for each in result.suppressed)
    suppressed = Counter((each.rule, each.pointer, each.property) for each in hidden)
    return suppressed, sum(each.rule == "unused-suppression" for each in result.findings)


# -- texts -------------------------------------------------------------------------------------


class Lines:
    """Writes a value as YAML, its members in any order, each scalar on a line of its own.

    Args:
        draw: chooses.
        shares: whether a line may also have several values, and a dash a line of its own.
    """

    def __init__(self, draw: st.DrawFn, *, shares: bool) -> None:
        self._draw = draw
        self._shares = shares

    def block(self, value: Any, indent: int) -> Iterator[str]:
        pad = " " * indent
        for name, each in self._entries(value):
            head = f"{pad}{json.dumps(name)}:" if name else f"{pad}-"
            if not each or not isinstance(each, dict | list):
                yield f"{head} {json.dumps(each)}"
            elif self._draw(st.integers(0, 3)) == 0:
                first, *rest = self.brackets(each, indent + 2)
                yield from (f"{head} {first}", *rest)
            else:
                lines = list(self.block(each, indent + 2))
                if name or (self._shares and self._draw(st.integers(0, 3)) == 0):
                    yield from (head, *lines)
                else:
                    yield from (f"{head} {lines[0].lstrip()}", *lines[1:])

    def brackets(self, value: Any, indent: int) -> list[str]:
        """The lines of a value in brackets, the first without its indent."""
        if not value or not isinstance(value, dict | list):
            return [json.dumps(value)]
        if self._shares and self._draw(st.booleans()):
            return [json.dumps(value)]
        opener, closer = "{}" if isinstance(value, dict) else "[]"
        lines = [opener]
        for name, each in self._entries(value):
            first, *rest = self.brackets(each, indent + 2)
            entry = f"{json.dumps(name)}: {first}" if name else first
            joins = self._shares and self._draw(st.integers(0, 3)) == 0 and "#" not in lines[-1]
            lines += [f"{lines.pop()} {entry}" if joins else f"{' ' * indent}  {entry}", *rest]
            lines[-1] += ","
        return [*lines, " " * indent + closer]

    def _entries(self, value: Any) -> list[tuple[str, Any]]:
        if isinstance(value, list):
            return [("", each) for each in value]
        return self._draw(st.permutations(list(value.items())))


NOTE = "# note"


@st.composite
def commented(draw: st.DrawFn) -> str:
    """A manifest with comments at random places."""
    lines = list(Lines(draw, shares=True).block(FAULTY, 0))
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(lines) - 1))
        rules = draw(st.lists(st.sampled_from(RULES), max_size=2, unique=True))
        comment = f"# manifest: ignore[{', '.join(rules)}] why" if rules else NOTE
        if "#" not in lines[at] and draw(st.booleans()):
            lines[at] += f" {comment}"
        else:
            lines.insert(at, " " * draw(st.integers(0, 6)) + comment)
        if draw(st.integers(0, 4)) == 0:
            lines.insert(at, "")
    return "\n".join(lines) + "\n"


@st.composite
def as_advised(draw: st.DrawFn) -> str:
    """A manifest with each finding suppressed where documentation and messages say."""
    lines = list(Lines(draw, shares=False).block(FAULTY, 0))
    result = manifestkit.lint("\n".join(lines), "m.yaml")
    behind: dict[int, list[str]] = {}
    above: dict[int, list[str]] = {}
    for each in result.findings:
        value: Any = FAULTY
        for token in filter(None, each.pointer.split("/")):
            value = value[int(token) if isinstance(value, list) else token]
        place = above if isinstance(value, dict | list) else behind
        place.setdefault(each.location.line if each.pointer else 0, []).append(each.rule)
    text = ""
    for number, line in enumerate(["", *lines]):
        note = draw(st.sampled_from(["", "", f"{' ' * draw(st.integers(0, 6))}{NOTE}\n"]))
        if number in above:
            note += f"# manifest: ignore[{', '.join(sorted(set(above[number])))}] why\n"
        tail = ", ".join(sorted(set(behind.get(number, []))))
        text += f"{note}{line}{tail and f' # manifest: ignore[{tail}] why'}\n"
    return text


LIVELY = settings(
    max_examples=settings().max_examples * 3 // 2,
    suppress_health_check=list(HealthCheck),
)


@LIVELY
@given(commented())
def test_comments_suppress_the_same_afterwards_or_the_file_is_refused(text: str) -> None:
    outcome = fmt(text)
    if outcome.code == FINDINGS:
        assert outcome.err.startswith("error: m.yaml: cannot be formatted: ")
        assert re.search(r"suppressed|suppression", outcome.err), outcome.err
        assert outcome.out == text
        return
    assert outcome.code == CLEAN
    (before, unused), (after, unused_then) = seen(text), seen(outcome.out)
    assert after == before
    assert unused_then <= unused
    assert outcome.out.count("#") == text.count("#")
    assert fmt(outcome.out).out == outcome.out


@LIVELY
@given(as_advised())
def test_no_file_is_refused_whose_comments_stand_where_they_are_advised_to(text: str) -> None:
    suppressed, unused = seen(text)
    assert suppressed.total() > 8
    assert unused == 0
    outcome = fmt(text)
    assert outcome.code == CLEAN, outcome.err
    assert seen(outcome.out) == (suppressed, 0)
    assert fmt(outcome.out).out == outcome.out


# -- examples ----------------------------------------------------------------------------------

ITEM = """\
activities:
  # manifest: ignore[wrong-type] our host reads text here
  - duration_minutes: "5 min"
    id: a
    name: B
"""


@pytest.mark.parametrize(
    ("text", "place", "advice"),
    [
        (
            HEAD + ITEM + FOOT,
            "`wrong-type` at `/activities/0/duration_minutes` (line 6)",
            "write that value on a separate line, with the comment behind it",
        ),
        (
            HEAD
            + "activities: [{ version: x, # manifest: ignore[missing-field] y\n  id: a }]\n"
            + FOOT,
            "`missing-field` at `/activities/0` (line 4)",
            "write its comment above the line that the value and its name or dash begin on",
        ),
        (
            f"# manifest: ignore[missing-field] none\npermissions: []\n{HEAD}activities: []\n",
            "`missing-field` (line 2)",
            "write its comment at the top of the file, with an empty line below",
        ),
    ],
)
def test_a_file_is_refused_in_which_a_finding_would_be_reported_again(
    tmp_path: Path, text: str, place: str, advice: str
) -> None:
    file = tmp_path / "a.manifest.yaml"
    file.write_text(text)
    for options in ([], ["--check"], ["--diff"], ["--force-exclude"]):
        outcome = manifest_here("fmt", *options, str(file))
        assert outcome.code == FINDINGS
        assert outcome.err == (
            f"error: {file}: cannot be formatted: {place} would no longer be suppressed: {advice}\n"
        )
    assert file.read_text() == text


def test_so_is_one_in_which_a_comment_would_suppress_something_else(tmp_path: Path) -> None:
    item = "  # manifest: ignore[wrong-type] nothing of that type here\n  - name: B\n    id: 1\n"
    text = f"{HEAD}activities:\n{item}{FOOT}"
    file = tmp_path / "a.manifest.yaml"
    file.write_text(text)
    outcome = manifest_here("fmt", str(file))
    assert outcome.code == FINDINGS
    assert outcome.err == (
        f"error: {file}: cannot be formatted: `wrong-type` at `/activities/0/id` (line 7) would be "
        "suppressed by a comment about something else: write that comment behind the value that "
        "it is about\n"
    )
    assert file.read_text() == text


def test_a_comment_stays_behind_the_bracket_that_it_is_behind() -> None:
    text = """\
activities: [
  { # manifest: ignore[missing-field] our host shows the id
    id: a
  }
]
capabiliteis: [ # manifest: ignore[missing-field] as it is
  activity.start, # starts
]
empty: [ # manifest: ignore[empty-text] on purpose
  # nothing
]
permissions: []
"""
    expected = """\
activities: [
    { # manifest: ignore[missing-field] our host shows the id
      id: a
    }
  ]
permissions: []
capabiliteis: [ # manifest: ignore[missing-field] as it is
    activity.start # starts
  ]
empty: [ # manifest: ignore[empty-text] on purpose
    # nothing
  ]
"""
    assert fmt(HEAD + text) == Outcome(CLEAN, HEAD + expected, "")
    assert fmt(HEAD + expected).out == HEAD + expected


def test_comments_above_the_first_member_of_an_item_are_written_above_its_dash() -> None:
    text = """\
permissions: []
activities:
  # manifest: ignore[missing-field] our host shows the id
  - surfaces: [watch]
    # what the host calls it

    # and shows
    id: a
  -
    # the second
    - # inner
      - 1
"""
    expected = """\
activities:
  # manifest: ignore[missing-field] our host shows the id
  # what the host calls it

  # and shows
  - id: a
    surfaces: [watch]
  # the second
  - - # inner
      - 1
permissions: []
"""
    assert fmt(HEAD + text) == Outcome(CLEAN, HEAD + expected, "")
    assert fmt(HEAD + expected).out == HEAD + expected
    assert [
        each.finding.rule for each in manifestkit.lint(HEAD + expected, "m.yaml").suppressed
    ] == ["missing-field"]


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        (
            "  # manifest: ignore[schema-const] ours\n  - name: B\n    id: b\n",
            "`schema-const` at `/activities/0/name` (line 6) would no longer be suppressed: ",
        ),
        (
            (
                "  # manifest: ignore[schema-not] one\n  - category: x\n"
                "    # manifest: ignore[schema-not] two\n    id: a\n"
            ),
            (
                "then the suppression of `schema-not` has no effect: it matches no finding; remove "
                "that comment, or write it behind its value\n"
            ),
        ),
    ],
)
def test_what_is_configured_is_suppressed_as_before_too(
    tmp_path: Path, item: str, reason: str
) -> None:
    members = {"name": {"const": "A"}, "id": {"not": {"const": "a"}}}
    items = {"properties": members, "not": {"required": ["category"]}}
    profile = {"properties": {"activities": {"items": items}}}
    (tmp_path / "host.json").write_text(json.dumps(profile))
    (tmp_path / "manifestkit.toml").write_text('profile = ["host.json"]\n')
    file = tmp_path / "a.manifest.yaml"
    text = f"{HEAD}activities:\n{item}{FOOT}"
    file.write_text(text)
    assert manifestkit.lint_paths([file]).summary.suppressed > 0
    outcome = manifest_here("fmt", str(file))
    assert outcome.code == FINDINGS
    assert f"cannot be formatted: {reason}" in outcome.err
    assert file.read_text() == text


def test_without_such_comments_nothing_is_judged_by_what_is_configured(tmp_path: Path) -> None:
    many = "".join(f"  - {{id: a{number}}}\n" for number in range(30))
    text = HEAD + "activities: # ignore\n" + many + FOOT
    file = tmp_path / "a.manifest.yaml"
    (tmp_path / "manifestkit.toml").write_text("[limits]\nfindings = 20\n")
    file.write_text(text)
    assert manifest_here("fmt", str(file)).code == CLEAN
    file.write_text(text.replace("# ignore", "# manifest: ignore[missing-field] no"))
    outcome = manifest_here("fmt", str(file))
    assert outcome.code == FINDINGS
    assert "raise the limit `findings`" in outcome.err
    assert file.read_text().count("{id") == 30
