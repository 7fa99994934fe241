"""Comments and empty lines between members, wherever they are (docs/editing.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from click.testing import CliRunner
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from command import CLEAN
from manifestkit.cli.main import app
from manifestkit.decode import decode
from manifestkit.edits.formatting import formatted
from manifestkit.edits.patch import is_same_data
from manifestkit.model.errors import EditRefusedError
from manifestkit.schema.model import Schema
from manifestkit.schema.sources import Sources
from rows import rows
from styles import spaced_documents, spaced_mappings, spaced_values

KNOWN: dict[str, Any] = {
    "properties": {name: {"properties": {n: {} for n in "zyx"}} for name in "zyxwvu"}
}
ORDER = Schema("order", Sources.local(KNOWN))


def check(text: str) -> str:
    decoded = decode(text, "m.yaml")
    assume(decoded.readable and not decoded.findings)
    try:
        once = formatted(decoded.document, ORDER)
    except EditRefusedError as refusal:
        assume("stands in brackets" not in str(refusal))
        raise
    read = decode(once, "m.yaml")
    assert is_same_data(read.document.value, decoded.document.value)
    assert once.count("#") == text.count("#")
    assert formatted(read.document, ORDER) == once
    return once


@given(spaced_mappings())
def test_every_one_is_formatted_and_then_left(text: str) -> None:
    check(text)


@settings(max_examples=settings().max_examples // 2)
@given(st.data())
def test_a_comment_stays_directly_above_the_member_that_it_was_above(data: st.DataObject) -> None:
    """However deep it stands, where no block is open that it would be in."""
    names = data.draw(st.lists(st.sampled_from("uvwxyzab"), min_size=2, max_size=6, unique=True))
    text, deepest = "# file\n\n", 0
    for name in names:
        empty = "\n" * data.draw(st.integers(0, 2))
        depth = data.draw(st.integers(0, deepest))
        value = data.draw(spaced_values("", deeper=False))
        text += f"{empty}{' ' * depth}# on {name}\n{name}:{value}"
        deepest = 0 if value[1] in "|>" else 4 if "behind" in value else 9
    lines = check(text).splitlines()
    for name in names:
        at = lines.index(f"# on {name}")
        assert lines[at + 1].startswith(f"{name}:")


@settings(
    max_examples=settings().max_examples // 2,
    suppress_health_check=list(HealthCheck),
)
@given(spaced_documents())
def test_so_is_what_is_written_in_any_style(text: str) -> None:
    check(text)


@rows(
    ("text", "expected"),
    [
        (
            "capabilities: []\nnote: x # n\n\n  # about the permissions\npermissions: []\n",
            "# about the permissions\npermissions: []\ncapabilities: []\nnote: x # n\n",
        ),
        ("activities:\nruntime:\n  # a\n\n# b\n", "runtime:\n  # a\nactivities:\n\n# b\n"),
        (
            "note: x # that\n        # goes on\n\nruntime: {}\n",
            "runtime: {}\nnote: x # that\n        # goes on\n",
        ),
        (
            "provider:   # that\n            # goes on\n   name: b\n   id: a\n  # b\nruntime: {}\n",
            "provider: # that\n          # goes on\n  id: a\n  name: b\n# b\nruntime: {}\n",
        ),
        (
            "provider:\n  name: b\n  id: a\n  # the end of it\nruntime: {}\n",
            "provider:\n  id: a\n  name: b\n  # the end of it\nruntime: {}\n",
        ),
        (
            "capabilities:   # one\n# two\n\n# three\n- activity.start\n",
            "capabilities: # one\n  # two\n\n  # three\n  - activity.start\n",
        ),
        ("id:\n\n  a\npermissions:\n  -\n\n    b\n", "permissions:\n  - b\nid: a\n"),
    ],
)
def test_fmt_keeps_each_where_it_belongs(tmp_path: Path, text: str, expected: str) -> None:
    file = tmp_path / "a.manifest.yaml"
    file.write_text(text)
    for arguments in (["fmt"], ["fmt", "--check"]):
        outcome = CliRunner().invoke(app, [*arguments, str(file)], standalone_mode=False)
        assert outcome.return_value == CLEAN, outcome.output
        assert file.read_text() == expected
