"""A comment stays with what it is about."""

from __future__ import annotations

from command import CLEAN, FINDINGS, Outcome
from in_process import manifest_here

HEAD = """\
schema_version: "1.0"
provider: { id: com.example.a, name: A, version: "1.0.0" }
runtime: { entrypoint: a.js, sdk_version: "1.0" }
"""


def fmt(text: str) -> Outcome:
    return manifest_here("fmt", "-", "--stdin-filename", "m.yaml", stdin=text.encode())


def test_a_comment_in_brackets_is_left_where_it_is() -> None:
    text = HEAD + "activities: [\n  { # our host shows the id\n    id: a\n  }\n]\n"
    refusal = "error: m.yaml: cannot be formatted: the comment `# our host shows the id` stands in"
    outcome = fmt(text)
    assert (outcome.code, outcome.err) == (FINDINGS, f"{refusal} brackets\n")


def test_comments_above_the_first_member_of_an_item_are_written_above_its_dash() -> None:
    text = """\
permissions: []
activities:
  # our host shows the id
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
  # our host shows the id
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
