"""A comment stays with what it is about."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

from command import CLEAN, FINDINGS, Outcome
from in_process import manifest_here
from rows import rows

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


_MEMBERS = {"id": "com.example.a", "name": "A", "version": '"1.0.0"'}


@rows("line_break", ["\n", "\r\n"], ids=repr)
@rows("start", ["\n", "\n  # of all\n\n", " # of all\n # odd\n"], ids=repr)
def test_what_is_set_leaves_each_comment_above_its_member(
    tmp_path: Path, start: str, line_break: str
) -> None:
    file = tmp_path / "m.yaml"
    for there in (order for count in (1, 2) for order in permutations(_MEMBERS, count)):
        lines = (f"  # of {name}\n  # too\n  {name}: {_MEMBERS[name]}\n" for name in there)
        text = f"# the file\nprovider:{start}{''.join(lines)}permissions: []\n"
        for name in _MEMBERS.keys() - {*there}:
            file.write_bytes(text.replace("\n", line_break).encode())
            outcome = manifest_here("set", f"provider.{name}", "1.0.0", file, "--force")
            assert outcome.code == CLEAN, outcome.err
            edited = file.read_bytes().decode()
            assert edited.count(line_break) == edited.count("\n") == text.count("\n") + 1
            for each in there:
                assert f"  # of {each}{line_break}  # too{line_break}  {each}: " in edited


def test_what_is_set_before_all_stands_below_the_comments_at_the_top(tmp_path: Path) -> None:
    file = tmp_path / "m.yaml"
    file.write_text(f"# of the file\n{HEAD}".replace('schema_version: "1.0"\n', ""))
    assert manifest_here("set", "schema_version", "1.0", file, "--force").code == CLEAN
    assert file.read_text() == f"# of the file\n{HEAD}"
