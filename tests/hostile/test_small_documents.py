"""Small documents of the format's own names and values, of any type in any place: no crash."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from command import CLEAN, FINDINGS
from in_process import manifest_here
from manifests import SCHEMA
from yaml_texts import Emitter


def _schemas(part: Any) -> Iterator[dict[str, Any]]:
    """Yield every object in a schema."""
    if isinstance(part, dict):
        yield part
        part = [*part.values()]
    for each in part if isinstance(part, list) else ():
        yield from _schemas(each)


_NAMES = sorted({name for each in _schemas(SCHEMA) for name in each.get("properties", ())})
_SAMPLES = [
    value
    for each in _schemas(SCHEMA)
    for key in ("enum", "examples")
    if isinstance(each.get(key), list)
    for value in each[key]
]
_WRONG: list[Any] = [
    None,
    True,
    False,
    0,
    5,
    -1.5,
    "",
    " ",
    "a",
    "5",
    "no",
    "a, b",
    "id=a",
    "{a: 1}",
    [],
    {},
]


_ODD_NAMES = ["", "a", "0", "value", "key", "Name", "x-y"]
_SHAPES = {"array": "list", "object": "object"}
_SHAPE = st.sampled_from(["asked", "asked", "asked", "asked", "list", "object", "scalar"])
_DEEPEST = 5


def _document(draw: st.DrawFn, schema: dict[str, Any], depth: int = 0) -> Any:
    """Draw what a schema asks for, and at each place perhaps something else."""
    if "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    asked = _SHAPES.get(schema.get("type", ""), "scalar")
    shape = draw(_SHAPE) if depth else "asked"
    shape = asked if shape == "asked" else shape
    count = draw(st.integers(0, 3)) if depth < _DEEPEST else 0
    if shape == "list":
        item = schema.get("items", schema)
        return [_document(draw, item, depth + 1) for _ in range(count)]
    if shape == "object":
        members = schema.get("properties", {})
        names = st.sampled_from([*members, *members, *members, *_NAMES, *_ODD_NAMES])
        drawn = draw(st.lists(names, min_size=count, max_size=count, unique=True))
        return {name: _document(draw, members.get(name, {}), depth + 1) for name in drawn}
    own = [*schema.get("enum", ()), *schema.get("examples", ())]
    return draw(st.sampled_from([*own, *_WRONG, *_SAMPLES, *_NAMES]))


@st.composite
def _texts(draw: st.DrawFn) -> tuple[str, str]:
    """A document in JSON and in YAML."""
    document = _document(draw, SCHEMA)
    return json.dumps(document), Emitter(draw).document(document)


def _does_not_crash(texts: tuple[str, str]) -> None:
    with TemporaryDirectory() as folder:
        for suffix, text in zip(("json", "yaml"), texts, strict=True):
            Path(folder, f"m.{suffix}").write_text(text, "utf-8")
        for fixes in ([], ["--fix"], ["--fix", "--unsafe-fixes"]):
            outcome = manifest_here("lint", "--isolated", *fixes, "m.json", "m.yaml", cwd=folder)
            assert outcome.code in {CLEAN, FINDINGS}, outcome.err


@settings(max_examples=200)
@given(_texts())
def test_no_small_document_crashes_a_command(texts: tuple[str, str]) -> None:
    _does_not_crash(texts)


@pytest.mark.slow
@settings(max_examples=max(2_000, settings().max_examples))
@given(_texts())
def test_none_of_many_small_documents_crashes_a_command(texts: tuple[str, str]) -> None:
    _does_not_crash(texts)
