"""A comment stays with what it is about."""

from __future__ import annotations

from command import CLEAN, Outcome
from in_process import manifest_here

HEAD = """\
schema_version: "1.0"
provider: { id: com.example.a, name: A, version: "1.0.0" }
runtime: { entrypoint: a.js, sdk_version: "1.0" }
"""


def fmt(text: str) -> Outcome:
    return manifest_here("fmt", "-", "--stdin-filename", "m.yaml", stdin=text.encode())


def test_a_comment_stays_behind_the_bracket_that_it_is_behind() -> None:
    text = """\
activities: [
  { # our host shows the id
    id: a
  }
]
capabiliteis: [ # as it is
  activity.start, # starts
]
empty: [ # on purpose
  # nothing
]
permissions: []
"""
    expected = """\
activities: [
    { # our host shows the id
      id: a
    }
  ]
permissions: []
capabiliteis: [ # as it is
    activity.start # starts
  ]
empty: [ # on purpose
    # nothing
  ]
"""
    assert fmt(HEAD + text) == Outcome(CLEAN, HEAD + expected, "")
    assert fmt(HEAD + expected).out == HEAD + expected


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
