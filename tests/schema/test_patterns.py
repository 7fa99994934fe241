"""Patterns are those of ECMA-262 with the flag `u`, as JSON Schema has it, and `(?i)`."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from command import USAGE
from manifestkit.model.errors import SchemaError
from manifestkit.schema.engines import compiled
from manifestkit.schema.engines.interpreting import compile_pattern
from manifestkit.schema.loading.load import load_schema
from manifestkit.schema.model import Schema
from rows import rows
from schema_engine import needs_jsonschema_rs

_FOUND = [
    (r"\bbox\b", "ébox", True),
    (r"\bbox\b", "abox", False),
    (r"^\Bé", "é", True),
    (r"^\bé\b$", "é", False),
    (r"\\bé", r"\bé", True),
    (r"^a.b$", "a\nb", False),
    (r"^[[&~-]+$", "[&-", True),
    (r"^\w\s$", "a\ufeff", True),
    (r"^\p{Script=Greek}\p{Lu}$", "αA", True),
    (r"^\cA\/\u{1F600}$", "\x01/\U0001f600", True),
    (r"(?i)^ab$", "AB", True),
]
_FOREIGN = [
    *("(?s)^a.b$", "(?x)a b", "(?U)a", "(?R)", "(?-u)a", "a(?i)b", "(?i:a)", "(?m)^a", "(?#a)"),
    *(r"\<a\>", r"^b\z", r"\Ab", r"a\Z", r"\b{start}a", r"\h", r"\x{41}", r"\U00000041", r"\a"),
    *(r"\p{IsGreek}", r"\p{Greek}", r"\pL", r"\p{alpha}", r"\p{Script=greek}", r"\p{Age=6.0}"),
    *("(?P<n>a)", "(?<n>a)(?<n>b)", "(?>a)", "a++", "a**", "^*", r"\b+", "a{1}{2}", "a{,3}"),
    *("a{", "a}", "a]", "[[:alpha:]]", "[a--b]", "[b-a]", r"[\w-z]", "a{2,1}", "*a", "(a", "[a"),
    *(r"\-", r"\@", r"\_", r"[\@]", r"[\q]", r"\u004", r"\x4", r"\c1", r"[\c]"),
]
"""Of others than ECMA-262, or of nobody."""
_RIGHT = {
    r"^b\z": "^b$", r"\Ab\Z": "^b$", "a++": "a+", "(?P<n>a)": "(?<n>a)", r"\b{start}a": r"\ba",
    r"\p{IsGreek}": r"\p{Script=Greek}", r"\pL": r"\p{L}", "[[:alpha:]_]": "[a-zA-Z_]",
    r"\x{41}": r"\u{41}", r"\@a\-": "@a-", r"[\w\-\@]": r"[\w\-@]", "[^]": r"[\s\S]",
}  # fmt: skip

_CHARACTER = st.sampled_from(
    [*"abkéſ0_-&~ ,", r"\d", r"\W", r"\s", r"\n", r"\x41", r"\u00e9", r"\/", r"\.", r"\[", r"\cA"]
)
_CLASS = st.builds("[{}{}]".format, st.sampled_from(["", "^"]), st.sampled_from(
    ["a-c", r"\w-", "&&b", "a~~", "[", r"\-a", r"\S", "+--", "^^", r"\p{L}", "|.", r"\]é"]
))  # fmt: skip
_ATOM = st.one_of(_CHARACTER, _CLASS, st.sampled_from([".", r"\p{Lu}", r"\P{ASCII}", "(?:)"]))
_REPEATED = st.builds(
    "{}{}".format,
    _ATOM,
    st.sampled_from(["", "", "*", "+?", "?", "{0}", "{2}", "{1,}?", "{0,2}"]),
)
_PIECE = st.one_of(_REPEATED, st.sampled_from(["^", "$", r"\b", r"\B", "|"]))
_GENERATED = st.recursive(
    st.lists(_PIECE, max_size=4).map("".join),
    lambda inner: st.builds("{}(?:{})?{}".format, inner, inner, inner),
    max_leaves=3,
)
_TEXTS = st.text("abkKéſ\u212a0_-&~ ,.[]^|+\n\u2028\ufeff\x01α\U0001f600", max_size=5)
_NODE = """
const rows = JSON.parse(require("fs").readFileSync(0));
const one = p => p.startsWith("(?i)") ? new RegExp(p.slice(4), "iu") : new RegExp(p, "u");
const tried = p => { try { return one(p) } catch { return null } };
console.log(JSON.stringify(rows.map(([p, t]) => tried(p) && tried(p).test(t))));
"""


def in_node(pairs: list[tuple[str, str]]) -> list[bool | None]:
    """Ask Node.js whether patterns are found in texts; None for a pattern that is none."""
    told = subprocess.run(
        ["node", "-e", _NODE], input=json.dumps(pairs), capture_output=True, text=True, check=True
    )
    verdicts: list[bool | None] = json.loads(told.stdout)
    return verdicts


needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js")


def loaded(folder: Path, schema: Any) -> Schema:
    file = folder / "host.schema.json"
    file.write_text(json.dumps(schema), "utf-8")
    return load_schema(file)


def is_found(folder: Path, pattern: str, text: str) -> bool:
    """Whether a pattern is found in a text: as a value, as a name and as one that is closed."""
    closed = {"patternProperties": {pattern: {"type": "string"}}, "additionalProperties": False}
    schema = loaded(folder, {"properties": {"value": {"pattern": pattern}, "names": closed}})
    tried = [{"value": text}, {"names": {text: "a"}}, {"names": {text: 1}}]
    value, name, other = [[each.keyword for each in schema.validator.errors(v)] for v in tried]
    assert (value, name, other) in (
        ([], [], ["type"]),
        (["pattern"], ["additionalProperties"], ["additionalProperties"]),
    )
    return not value


@needs_jsonschema_rs
@rows(("pattern", "text", "expected"), _FOUND)
def test_a_pattern_is_found_where_ecma_262_finds_it(
    pattern: str, text: str, expected: bool, tmp_path: Path
) -> None:
    assert is_found(tmp_path, pattern, text) == expected


@rows("pattern", _FOREIGN)
def test_what_is_not_of_ecma_262_is_refused(pattern: str, tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="is not a supported regular expression: "):
        loaded(tmp_path, {"pattern": pattern})
    with pytest.raises(SchemaError, match="is not a supported regular expression: "):
        loaded(tmp_path, {"patternProperties": {pattern: True}})


@rows(("pattern", "right"), _RIGHT.items())
def test_what_to_write_is_told_and_is_right(pattern: str, right: str, tmp_path: Path) -> None:
    with pytest.raises(SchemaError) as caught:
        loaded(tmp_path, {"pattern": pattern})
    assert str(caught.value).endswith(f"; write `{json.dumps(right)}`")


def test_no_warning_of_python_stands_before_the_reason(tmp_path: Path) -> None:
    (tmp_path / "host.json").write_text('{"pattern": "[a--b]"}', "utf-8")
    (tmp_path / "manifest.json").write_text("{}", "utf-8")
    words = (sys.executable, "-W", "error", "-m", "manifestkit", "lint", "--profile", "host.json")
    told = subprocess.run(words, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    reason = "error: host.json:1:13: `[a--b]` is not a supported regular expression: "
    assert (told.returncode, told.stderr.partition("a range")[0]) == (USAGE, reason)


@needs_node
@needs_jsonschema_rs
def test_node_finds_what_the_tables_say() -> None:
    assert in_node([(pattern, text) for pattern, text, _ in _FOUND]) == [row[2] for row in _FOUND]
    assert not any(verdict is not None for verdict in in_node([(each, "") for each in _FOREIGN]))


@needs_jsonschema_rs
@rows("pattern", ["(?<é>x)", "[(?<n>](?<n>x)|x", r"\(\?<n>|(?<n>x)"])
def test_both_engines_read_the_names_of_groups(pattern: str, tmp_path: Path) -> None:
    assert is_found(tmp_path, pattern, "x")
    assert compile_pattern(pattern)("x")


@pytest.mark.slow
@needs_node
@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(_GENERATED, _TEXTS), min_size=40, max_size=60))
def test_both_engines_find_what_node_finds(pairs: list[tuple[str, str]]) -> None:
    for (pattern, text), expected in zip(pairs, in_node(pairs), strict=True):
        assert expected is not None
        assert compiled.matches(pattern, text) == expected
        with suppress(ValueError):  # which it does not read
            assert compile_pattern(pattern)(text) == expected


@needs_jsonschema_rs
@given(pattern=_GENERATED)
def test_what_is_of_ecma_262_is_taken(pattern: str, tmp_path_factory: Any) -> None:
    assert loaded(tmp_path_factory.getbasetemp(), {"pattern": pattern})
