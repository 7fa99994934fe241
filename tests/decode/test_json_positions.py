"""Positions that are looked up one by one are those of a reading of the whole."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from manifestkit.decode import decode
from manifestkit.decode.json.scanner import scan
from manifestkit.model.document import Node
from manifestkit.model.limits import DEFAULT_LIMITS, Limits

names = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | names
values = st.recursive(
    scalars.filter(lambda value: value not in (float("inf"), float("-inf"))),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=20,
)


def spelt_out(node: Node) -> Any:
    """All positions below a node, as plain values."""
    members = [
        (name, member.key, spelt_out(member.node)) for name, member in (node.members or {}).items()
    ]
    return node.span, members, [spelt_out(item) for item in node.items or ()]


@given(
    value=values,
    shells=st.lists(st.sampled_from(["[]", '"\\', "x"]), max_size=14),
    indent=st.sampled_from([None, 0, 2, "\t"]),
    separators=st.sampled_from([(", ", ": "), (",", ":"), (" ,\n", " :\r\n")]),
    plain=st.booleans(),
)
def test_positions_are_those_that_the_strict_reader_finds(
    value: Any, shells: list[str], indent: Any, separators: tuple[str, str], plain: bool
) -> None:
    for shell in shells:  # deeper than what is looked up level by level
        value = [value] if shell == "[]" else {shell: value, "y": 0}
    text = json.dumps(value, indent=indent, separators=separators, ensure_ascii=plain)
    text = f" \n{text}\n"
    found = spelt_out(scan(text, "manifest.json", DEFAULT_LIMITS).document.root)
    assert spelt_out(decode(text, "manifest.json").document.root) == found
    assert spelt_out(decode(text, "manifest.json", Limits(depth=900)).document.root) == found
