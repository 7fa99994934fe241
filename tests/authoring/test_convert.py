"""`manifest convert`: a whole document in the other syntax, or anew in its own."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml as pyyaml
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

import manifestkit
from command import CLEAN, EXAMPLES, FINDINGS, GOLDEN, USAGE, Outcome, manifest
from in_process import manifest_here
from manifestkit.authoring.convert import convert
from manifestkit.decode import decode
from manifestkit.model.document import Document, Syntax
from manifests import JSON_VALUES, VALID
from report_cases import GOOD_TEXT
from rows import rows
from skips import posix
from yaml_texts import same, texts, written

JSON_SOURCE = b"""\
{"schema_version": "1.0", "provider": {"version": "1.10", "name": "no", "id": "com.example.box"},
 "duration": 30.0, "empty": [{}, []], "text": "two\\nlines\\n", "none": null, "yes": true}
"""
AS_YAML = """\
schema_version: "1.0"
provider:
  version: "1.10"
  name: "no"
  id: com.example.box
duration: 30.0
empty:
  - {}
  - []
text: "two\\nlines\\n"
none: null
"yes": true
"""
AS_JSON = """\
{
  "schema_version": "1.0",
  "provider": {
    "version": "1.10",
    "name": "no",
    "id": "com.example.box"
  },
  "duration": 30.0,
  "empty": [
    {},
    []
  ],
  "text": "two\\nlines\\n",
  "none": null,
  "yes": true
}
"""


def read(text: str, syntax: Syntax = "json") -> Document:
    decoded = decode(text, f"m.{syntax}")
    assert decoded.readable, decoded.findings
    return decoded.document


def to(syntax: Syntax, text: str, source: Syntax = "json") -> str:
    return convert(read(text, source), syntax).text


def others(text: str) -> list[Any]:
    """What a reader of YAML 1.1 and one of YAML 1.2 see, neither of them ours."""
    return [pyyaml.safe_load(text), YAML(typ="safe", pure=True).load(text)]


# -- what is written -------------------------------------------------------------------------------


def test_json_becomes_yaml_and_json_again(tmp_path: Path) -> None:
    there = manifest_here("convert", "-", "--to", "yaml", cwd=tmp_path, stdin=JSON_SOURCE)
    assert there == Outcome(CLEAN, AS_YAML, "")
    back = manifest_here(
        "convert", "-", "--to=json", "--stdin-filename=m.yaml", cwd=tmp_path, stdin=AS_YAML.encode()
    )
    assert back == Outcome(CLEAN, AS_JSON, "")


@rows(
    ("source", "as_yaml"),
    [
        ("1.10", "1.10"),
        ("30.0", "30.0"),
        ("-0.0", "-0.0"),
        ("1e3", "1.0e+3"),
        ("1e-400", "1.0e-400"),
        ("1e22", "1.0e+22"),
        ("9" * 40, "9" * 40),
        ("0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"),
    ],
)
def test_numbers_are_written_so_that_every_reader_takes_them(source: str, as_yaml: str) -> None:
    text = to("yaml", f"[{source}]")
    assert text == f"  - {as_yaml}\n"
    assert [repr(each) for each in others(text)] == [repr([json.loads(source)])] * 2
    assert to("json", f"[{source}]") == f"[\n  {source}\n]\n"


@rows(
    ("source", "spelt"),
    [
        (".5", "0.5"),
        ("5.", "5.0"),
        ("+7", "7"),
        ("010", "10"),
        ("+01.50", "1.5"),
        ("0x1F", "31"),
        ("0o17", "15"),
        ('!!int "3"', "3"),
        ("-.5e1", "-5.0"),
        ("~", "null"),
        ("True", "true"),
        ("1.10", "1.10"),
        ("!!float 3", "3.0"),
        ("!!float -0", "-0.0"),
        ("!!float 3.0e+1", "3.0e+1"),
    ],
)
def test_numbers_that_only_yaml_spells_so_are_written_as_json_has_them(
    source: str, spelt: str
) -> None:
    assert to("json", f"a: &x {source}\n", "yaml") == f'{{\n  "a": {spelt}\n}}\n'


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (
            [[["a"], {"b": 1, "c": [{}]}]],
            "  -   -   - a\n      - b: 1\n        c:\n          - {}\n",
        ),
        ([["l\nm\n"], []], '  -   - "l\\nm\\n"\n  - []\n'),
    ],
    ids=["lists", "lines"],
)
def test_blocks_stand_within_blocks(value: Any, text: str) -> None:
    assert to("yaml", json.dumps(value)) == text
    assert others(text) == [value, value]


ODD_TEXTS = [
    *("", " ", "~", "no", "Yes", "on", "y", "N", "null", "Null", "true", "TRUE", "NaN", ".nan"),
    *("1:30", "2026-11-20", "2026-11-20T10:00:00Z", "1_000", "010", "0x1F", "0o17", "1e3", "1.10"),
    *(".5", "+1", "-", "- a", "?", "? a", ":", "a: b", "a:", "#", "a #b", "a#b", "!x", "&x", "*x"),
    *("<<", "=", "---", "...", "--- a", "%YAML 1.1", "@a", "`a`", "'", '"', "[", "{}", ",", "|"),
    *(" lead", "trail ", "\ttab", "a\tb", "\n", "\n\n", "a\n", "a\nb", "a\n\nb\n", "a\n\n", "\na"),
    *("  a\nb", "a \nb", "a\n b\n", "---\na", "a\n...\nb", "# a\nb\n", "a\r\nb", "a\rb", "\r"),
    *("\x00", "\x07", "\x1b[31m", "\x7f", "\x85", "a\x85b", "\x9f", "\xa0", "\xad", "\u200b"),
    *(
        "\u2028",
        "a\u2029b",
        "\ufeff",
        "\ufffe",
        "\uffff",
        "\ud7ff",
        "\ue000",
        "😀",
        "é",
        "日本\n本",
    ),
    *("\u202etxt", "x" * 127, "x" * 128, "x" * 1_100, "\\", "\\n", "https://a/b"),
]


@pytest.mark.parametrize(
    "name", ["k" * 130, "k" * 1_000, "a\nb", "\x9f" * 160, "😀" * 900], ids=len
)
def test_what_has_a_long_name_can_be_edited(tmp_path: Path, name: str) -> None:
    (tmp_path / "m.yaml").write_text(to("yaml", json.dumps({name: 1})), "utf-8")
    outcome = manifest_here("set", "x-new", "1", "m.yaml", "--force", cwd=tmp_path)
    assert outcome.code == CLEAN, outcome.err


@rows("text", ODD_TEXTS, ids=ascii)
def test_every_reader_sees_the_same_text_in_every_place(text: str) -> None:
    value = {"a": text, text: [text, {text: text}, [[text]]], "z": {"k": text}}
    for each in (value, text, [text]):
        source = json.dumps(each)
        emitted = to("yaml", source)
        assert others(emitted) == [each, each]
        assert json.loads(to("json", emitted, "yaml")) == each


# -- properties ------------------------------------------------------------------------------------

_DIGITS = st.integers(0, 10**25).map(str)
_SIGN = st.sampled_from(["", "-"])
_NUMBERS = st.builds(
    "".join,
    st.tuples(
        _SIGN,
        _DIGITS,
        st.one_of(
            st.just(""),
            st.builds(".{}{}".format, st.sampled_from(["", "0", "00"]), _DIGITS),
            st.builds(
                ".{}{}{}".format, _DIGITS, st.sampled_from(["e+", "e-", "E+"]), st.integers(0, 99)
            ),
        ),
    ),
)


class _Number(str):
    """How a number is spelt."""

    __slots__ = ()


_ODD = st.recursive(
    st.none() | st.booleans() | _NUMBERS.map(_Number) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


def _spelt(value: Any, margin: str = "\n") -> str:
    """A value as `convert` writes JSON, by other means."""
    inner = f"{margin}  "
    if isinstance(value, _Number):
        return value
    if isinstance(value, list) and value:
        return f"[{inner}{f',{inner}'.join(_spelt(each, inner) for each in value)}{margin}]"
    if isinstance(value, dict) and value:
        members = (f"{json.dumps(name)}: {_spelt(each, inner)}" for name, each in value.items())
        return f"{{{inner}{f',{inner}'.join(members)}{margin}}}"
    return json.dumps(value)


def _plain_ascii(text: str) -> str:
    """A JSON text in which every character beyond ASCII is an escape."""
    return re.sub(
        "[^\x00-\x7e]", lambda each: json.dumps(each[0])[1:-1], text.replace("\\u007f", "\x7f")
    )


@given(_ODD)
def test_json_to_json_is_the_same_to_the_last_spelling(value: Any) -> None:
    text = _spelt(value) + "\n"
    assert _plain_ascii(to("json", text)) == _plain_ascii(text)
    emitted = to("yaml", text)
    assert same(json.loads(to("json", emitted, "yaml")), json.loads(text))
    assert to("yaml", emitted, "yaml") == emitted


@given(VALID | JSON_VALUES)
def test_readers_that_others_wrote_see_the_same_values_in_the_same_order(value: Any) -> None:
    emitted = to("yaml", json.dumps(value))
    for seen in others(emitted):
        assert same(seen, value)


@given(written())
def test_yaml_of_any_style_becomes_plain_yaml_of_the_same_value(case: tuple[Any, str]) -> None:
    value, text = case
    emitted = to("yaml", text, "yaml")
    assert same(read(emitted, "yaml").value, value)
    assert to("yaml", emitted, "yaml") == emitted
    for seen in others(emitted):
        assert same(seen, value)
    assert same(json.loads(to("json", text, "yaml")), value)


# -- findings --------------------------------------------------------------------------------------


def _found(text: str, name: str) -> list[tuple[str, str, str | None]]:
    return sorted(
        (each.rule, each.pointer, each.property)
        for each in manifestkit.lint(text, name=name).findings
        if each.rule != "yaml-ambiguous-scalar"
    )


@pytest.mark.parametrize("syntax", ["json", "yaml"])
def test_examples_have_the_same_findings_in_the_other_syntax(syntax: Syntax) -> None:
    other: Syntax = "yaml" if syntax == "json" else "json"
    count = 0
    for file in sorted([*EXAMPLES.glob(f"*/*.{syntax}"), *GOLDEN.glob(f"*/*.{syntax}")]):
        decoded = decode(file.read_bytes(), file.name)
        text = decoded.document.text
        if decoded.findings or "\\ud83d" in text:
            continue
        count += 1
        assert _found(convert(decoded.document, other).text, f"m.{other}") == _found(
            text, file.name
        )
    assert count > 40


def test_what_is_written_of_a_formatted_manifest_is_formatted(tmp_path: Path) -> None:
    for number, file in enumerate(sorted([*EXAMPLES.glob("valid/*"), *GOLDEN.glob("valid/*")])):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / file.name).write_bytes(file.read_bytes())
        assert manifest_here("fmt", str(folder / file.name)).code == CLEAN
        for suffix in ("json", "yaml"):
            made = str(folder / f"made.{suffix}")
            assert manifest_here("convert", str(folder / file.name), "--output", made).code == CLEAN
            assert manifest_here("fmt", "--check", made).code == CLEAN, made


# -- comments --------------------------------------------------------------------------------------


@rows(
    ("text", "has_comments"),
    [
        ("a: 1\nb: 2 # one\n# two\n", True),
        ("# one\na: 1\n", True),
        ("\ufeff# one\na: 1\n", True),
        ("a: [1, # one\n  2]\n", True),
        ("a: &x # one\n  b: 1\n", True),
        ("a: | # one\n  text\n", True),
        ("%YAML 1.2\n--- # one\na: 1\n", True),
        ("a: |\n  # text\n", False),
        ("a: \"# text\"\n'# b': c#d\n", False),
        ("a: b\n  c#d\n", False),
    ],
)
@rows("syntax", ["json", "yaml"])
def test_a_note_says_that_comments_are_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, has_comments: bool, syntax: Syntax
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.yaml").write_text(text, "utf-8")
    outcome = manifest_here("convert", "m.yaml", "--to", syntax)
    note = "note: m.yaml: its comments are left behind\n" if has_comments else ""
    assert outcome == Outcome(CLEAN, to(syntax, text, "yaml"), note)
    assert "# one" not in outcome.out


# -- the command -----------------------------------------------------------------------------------


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "manifest.json").write_text(GOOD_TEXT, "utf-8")
    return tmp_path


def test_the_suffix_of_the_output_tells_the_syntax(here: Path) -> None:
    outcome = manifest_here("convert", "manifest.json", "--output", "new.yml", cwd=here)
    told = "to be found in a folder, it needs a name such as `x.manifest.yml`"
    assert outcome == Outcome(CLEAN, "", f"note: new.yml is written; {told}\n")
    named = manifest_here("convert", "manifest.json", "--output", "x.manifest.yml", cwd=here)
    assert named.err == "note: x.manifest.yml is written\n"
    assert (here / "new.yml").read_text("utf-8") == to("yaml", GOOD_TEXT)
    assert manifest_here("lint", "new.yml", cwd=here).err == "1 file checked: no problems found\n"
    printed = manifest_here("convert", "manifest.json", "--output", "-", "--to", "yaml", cwd=here)
    assert printed == Outcome(CLEAN, to("yaml", GOOD_TEXT), "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            "manifest.json",
            "no syntax given: add --to json or --to yaml; did you mean `manifest conv",
        ),
        ("manifest.json --output -", "no syntax given: add --to json or --to yaml"),
        ("manifest.json --output new.txt", "no syntax given: add --to json or --to yaml"),
        ("manifest.json --output new", "no syntax given: add --to json or --to yaml"),
        ("manifest.json --output there.yaml", "there.yaml: exists already; choose another file"),
        ("manifest.json --output link.yaml", "link.yaml: exists already; choose another file"),
        ("manifest.json --output manifest.json", "manifest.json: exists already"),
        ("manifest.json --output folder --to json", "folder: exists already"),
        pytest.param(
            "manifest.json --output /dev/null --to json",
            "/dev/null: is a device: to print it, leave the option out",
            marks=posix,
        ),
        (
            "manifest.json --output no/m.yaml",
            "no/m.yaml: cannot be written: the folder `no` does not exist",
        ),
        (
            "manifest.json --output m.yaml --to json",
            "m.yaml would be read as YAML; for JSON, use",
        ),
        (
            "manifest.json --output m.txt --to yaml",
            "m.txt would be read as JSON; for YAML, use",
        ),
        ("gone.json --to yaml", "gone.json: no such file"),
        ("folder --to yaml", "folder: is a folder"),
        ("manifest.json more.json --to yaml", "unexpected extra argument"),
        ("manifest.json --to toml", "`toml` is not one of"),
    ],
)
def test_what_cannot_be_done_is_told_and_nothing_is_written(
    here: Path, arguments: str, said: str
) -> None:
    (here / "folder").mkdir()
    (here / "there.yaml").write_text("mine\n", "utf-8")
    (here / "link.yaml").symlink_to("nowhere")
    before = sorted(here.iterdir())
    outcome = manifest_here("convert", *arguments.split(), cwd=here)
    assert (outcome.code, outcome.out) == (USAGE, "")
    assert said in outcome.err.replace("\n", " ")
    assert sorted(here.iterdir()) == before
    assert (here / "there.yaml").read_text("utf-8") == "mine\n"
    assert (here / "manifest.json").read_text("utf-8") == GOOD_TEXT


_BOMB = "a: &a [x, x]\n" + "".join(
    f"{b}: &{b} [*{a}, *{a}]\n" for a, b in zip("abcdefghijklmn", "bcdefghijklmno", strict=True)
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.json", '{"a": 1,}'),
        ("m.json", '{"a": 1 // no\n}'),
        ("m.json", ""),
        ("m.json", '{"a": 1, "a": 2}'),
        ("m.json", '{"a": 1e400}'),
        ("m.json", "[" * 201 + "]" * 201),
        ("m.json", '{"a": ' + "1" * 1_001 + "}"),
        ("m.yaml", "a: 1\nb: [\n"),
        ("m.yaml", "a: 1\na: 2\n"),
        ("m.yaml", "a: !mine 1\n"),
        ("m.yaml", "a: &a {b: 1}\nc:\n  <<: *a\n"),
        ("m.yaml", "a: .nan\n"),
        ("m.yaml", "a: 1\n---\nb: 2\n"),
        ("m.yaml", "1: 2\n"),
        ("m.yaml", "a: &a [*a]\n"),
        ("m.yaml", _BOMB),
    ],
)
def test_what_cannot_be_read_is_told_as_lint_tells_it(here: Path, name: str, text: str) -> None:
    (here / name).write_text(text, "utf-8")
    linted = manifest_here("lint", name, "--output-format", "concise", cwd=here)
    assert linted.code == FINDINGS
    for other in ("--output=new.yaml", "--output=new.json", "--to=yaml", "--to=json"):
        outcome = manifest_here("convert", name, other)
        assert (outcome.code, outcome.out) == (FINDINGS, "")
        *found, counts, failure = outcome.err.splitlines()
        assert found
        assert failure.startswith(f"error: {name}: not converted: fix th")
        assert set(found) <= set(linted.out.splitlines())
        assert re.match(r"1 file checked: \d+ errors?", counts)
    assert sorted(each.name for each in here.iterdir()) == sorted({name, "manifest.json"})


def test_a_lone_surrogate_stays_in_json_and_is_told_before_yaml(here: Path) -> None:
    (here / "m.json").write_text('{"a": "\\ud800", "b": "\\ud83d\\ude00"}', "utf-8")
    outcome = manifest_here("convert", "m.json", "--to", "yaml")
    assert (outcome.code, outcome.out) == (FINDINGS, "")
    assert "is not an escape in YAML" in outcome.err
    outcome = manifest_here("convert", "m.json", "--to", "json")
    assert outcome == Outcome(CLEAN, '{\n  "a": "\\ud800",\n  "b": "\\ud83d\\ude00"\n}\n', "")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.json", "[" * 199 + ",".join("1" * 1_000) + "]" * 199),
        ("m.yaml", f"a: &a {'x' * 1_000}\nb: [{', '.join(['*a'] * 110)}]\n"),
    ],
    ids=["deep", "aliases"],
)
@pytest.mark.parametrize("syntax", ["json", "yaml"])
def test_a_text_that_would_outgrow_the_limit_is_not_written(
    here: Path, name: str, text: str, syntax: str
) -> None:
    (here / "manifestkit.toml").write_text("[limits]\nbytes = 100000\n", "utf-8")
    (here / name).write_text(text, "utf-8")
    outcome = manifest_here("convert", name, "--output", f"new.{syntax}")
    why = "in the converted text: the file is larger than 100,000 bytes"
    said = f"error: {name}: not converted: {why}\n"
    assert outcome == Outcome(FINDINGS, "", said)
    assert not (here / f"new.{syntax}").exists()


def test_what_is_2_000_deep_is_refused(here: Path) -> None:
    (here / "manifestkit.toml").write_text("[limits]\ndepth = 2000\n", "utf-8")
    (here / "m.json").write_text("[" * 2_000 + "]" * 2_000, "utf-8")
    for syntax in ("json", "yaml"):
        outcome = manifest("convert", "m.json", "--to", syntax, cwd=here)
        told = "error: m.json: not converted: it is nested too deeply\n"
        assert outcome == Outcome(FINDINGS, "", told)


def test_a_manifest_of_something_else_is_converted_when_it_is_named(here: Path) -> None:
    (here / "package.json").write_text('{"name": "x", "version": "1.0.0"}', "utf-8")
    outcome = manifest_here("convert", "package.json", "--to", "yaml")
    assert outcome == Outcome(CLEAN, 'name: x\nversion: "1.0.0"\n', "")
