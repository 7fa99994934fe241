"""A closing bracket on a line of its own stands deeper than the block around it.

YAML 1.2.2 wants it so (rule 137), and libfyaml takes nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from in_process import manifest_here
from manifestkit.decode import decode
from manifestkit.edits.formatting import formatted
from manifestkit.model.document import Document, Node
from manifestkit.model.errors import EditRefusedError
from manifestkit.schema.packaged import base_schema
from odd_manifests import odd_text
from rows import rows

WRITTEN = """\
provider:
  tags: [
    a,
    b
  ]
permissions: [
  host.clock,
  host.audio
]
"""
FORMATTED = """\
provider:
  tags: [
      a,
      b
    ]
permissions: [
    host.clock,
    host.audio
  ]
"""


def shallow_brackets(document: Document) -> Iterator[str]:
    """The lines on which a bracket closes no deeper than the block around."""
    text = document.text
    todo: list[tuple[Node, int]] = [(document.root, -1)]
    while todo:
        node, column = todo.pop()
        start, end = node.span
        if text[start : start + 1] in ("[", "{"):
            line = text.rfind("\n", 0, end) + 1
            if line > start and not text[line : end - 1].strip() and end - 1 - line <= column:
                yield text[line:end]
        elif node.members or node.items:
            column = start - text.rfind("\n", 0, start) - 1
        todo += [(each, column) for each in node.items or []]
        todo += [(each.node, column) for each in (node.members or {}).values()]


def test_fmt_indents_them() -> None:
    assert set(shallow_brackets(decode(WRITTEN, "m.yaml").document)) == {"  ]", "]"}
    once = formatted(decode(WRITTEN, "m.yaml").document, base_schema())
    assert once == FORMATTED
    assert formatted(decode(once, "m.yaml").document, base_schema()) == once


@settings(
    max_examples=3 * settings().max_examples,
)
@given(st.randoms(use_true_random=False).map(odd_text))
def test_fmt_writes_none_that_is_shallow(text: str) -> None:
    decoded = decode(text, "m.yaml")
    if decoded.findings:
        return
    try:
        once = formatted(decoded.document, base_schema())
    except EditRefusedError:
        return
    assert not list(shallow_brackets(decode(once, "m.yaml").document)), once


@rows(
    ("arguments", "expected"),
    [
        (
            ("set", "--force", "/x-map", '{"list": [["a"], ["b"]]}'),
            "x-map:\n  list: [\n      [a],\n      [b]\n    ]\n",
        ),
        (("set", "--force", "/x-list", '[["a"], ["b"]]'), "x-list: [\n    [a],\n    [b]\n  ]\n"),
        (
            ("set", "--force", "/x-list/0", '{"l": [["a"]]}'),
            "x-list: [\n  {\n    l: [\n      [a]\n    ]\n  }\n]\n",
        ),
    ],
)
def test_set_indents_them(tmp_path: Path, arguments: tuple[str, ...], expected: str) -> None:
    file = tmp_path / "manifest.yaml"
    given_text = "x-list: [\n  {\n    k: [\n      [1]\n    ]\n  }\n]\n"
    file.write_text(given_text)
    outcome = manifest_here(*arguments, cwd=tmp_path)
    assert outcome.code == 0, outcome
    after = file.read_text()
    assert after.removeprefix(given_text) == expected
    shallow = list(shallow_brackets(decode(after, "m.yaml").document))
    assert len(shallow) <= given_text.count("\n]"), after
