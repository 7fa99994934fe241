"""What moves keeps its text: numbers and strings as they are spelt, objects in their layout."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

import manifestkit
from command import CLEAN
from in_process import manifest_here
from manifestkit.decode import decode
from manifestkit.edits.editor import Editor
from manifestkit.edits.patch import apply_edits
from reshaping import CHANGES, valid
from rows import rows
from samples import VALID

ODD = [
    "1.00000000000000000001",
    "1E5",
    "-0",
    "0",
    "0.0",
    "-0e0",
    "1.0",
    "1.50",
    "9e+01",
    "100000.0",
]
_RANDOMS = st.randoms(use_true_random=False)
_SCALAR = re.compile(r'"(?:[^"\\]|\\.)*"|-?[0-9][-+.eE0-9]*')


def spelt(value: Any, random: Random) -> str:
    """JSON with odd numbers and escapes, on one line or on several."""

    def text(value: str) -> str:
        marked = "".join(f"\\u{ord(c):04X}" if random.random() < 0.1 else c for c in value)
        return f'"{marked}"'.replace("/", "\\/")

    def write(value: Any, indent: str) -> str:
        if isinstance(value, str):
            return text(value)
        if not isinstance(value, dict | list):
            return json.dumps(value)
        parts = [
            text(each) + random.choice([":", ": ", " : "]) + write(value[each], indent + "   ")
            if isinstance(value, dict)
            else write(each, indent + "   ")
            for each in value
        ]
        if isinstance(value, dict) and random.random() < 0.5:
            parts.append(f'"x{random.randrange(10**6)}": {random.choice(ODD)}')
        start, end = "{}" if isinstance(value, dict) else "[]"
        if random.random() < 0.5:
            return start + ", ".join(parts) + end
        deeper = f"\n{indent}   "
        return start + deeper + f",{deeper}".join(parts) + f"\n{indent}" + end

    return write(value, "")


def spellings(*texts: str) -> dict[tuple[type, str], Counter[str]]:
    """The texts of each number and string."""
    found = defaultdict[tuple[type, str], Counter[str]](Counter)
    for text in texts:
        for written in _SCALAR.findall(text):
            value = json.loads(written)
            found[type(value), repr(value)][written] += 1
    return found


def assert_kept(after: str, *before: str) -> None:
    """Require that what is not new is spelt as it was."""
    known = spellings(*before)
    for value, written in spellings(after).items():
        if written.total() <= known[value].total():
            assert written <= known[value], (value, written, known[value])


@given(_RANDOMS, st.booleans())
def test_a_fix_keeps_the_spelling_of_all_that_it_moves(random: Random, unsafe: bool) -> None:
    value = valid(random)
    random.choice(CHANGES)(value, random)
    text = spelt(value, random)
    assert_kept(manifestkit.fix(text, unsafe=unsafe).data.decode(), text)


WRAPPED = """\
{
  "schema_version": "1.0",
  "provider": [
      {"id": "c\\u006fm.example.calm",   "name": "Calm",
          "version": "1.2.0", "x": [1E5,-0,
            1.00000000000000000001] }
  ],
  "runtime": { "entrypoint": ["dist\\/index.js"], "sdk_version": "1.0" },
  "activities": [{"id": "box", "name": "Box", "duration_minutes": [5]}],
  "permissions": [],
  "capabilities": []
}
"""
UNWRAPPED = """\
{
  "schema_version": "1.0",
  "provider": {"id": "c\\u006fm.example.calm",   "name": "Calm",
      "version": "1.2.0", "x": [1E5,-0,
        1.00000000000000000001] },
  "runtime": { "entrypoint": "dist\\/index.js", "sdk_version": "1.0" },
  "activities": [{"id": "box", "name": "Box", "duration_minutes": 5}],
  "permissions": [],
  "capabilities": []
}
"""


def test_an_object_that_moves_keeps_its_layout() -> None:
    assert manifestkit.fix(WRAPPED).data.decode() == UNWRAPPED


@rows(
    ("scalar", "after"),
    [
        ("1.10", "1.10"),
        ("-0", "-0"),
        ("1.5e+3", "1.5e+3"),
        ("1e3", "1.0e+3"),
        ("0x1F", "31"),
        ("010", "10"),
        ('"\\u0041"', '"\\u0041"'),
    ],
)
def test_in_yaml_a_number_keeps_its_spelling_where_all_read_it_alike(
    scalar: str, after: str
) -> None:
    document = decode(f"a: {scalar}\nb: [1]\n", "m.yaml").document
    wrap = {"op": "replace", "path": "/a", "value": [document.value["a"]]}
    edits = Editor(document).patch([wrap])
    assert apply_edits(document.text, edits) == f"a: [{after}]\nb: [1]\n"


@rows("place, text", [("x-a", "{}"), ("x-a", "[1, {}]"), ("provider", '{{"x-a": {}}}')])
@rows("spelling", ["1.10", "1E2", "0.10e-1", "5.0000000000000000001", "1e-400", "-0.0"])
def test_a_number_that_is_given_is_written_as_it_is_spelt(
    tmp_path: Path, spelling: str, place: str, text: str
) -> None:
    for start in (VALID, b'{"x-a": 2.50}', b'{"x-a": 2.50, "provider": {}}'):
        (tmp_path / "m.json").write_bytes(start)
        arguments = ["set", "--force", "--", place, text.format(spelling), "m.json"]
        outcome = manifest_here(*arguments, cwd=tmp_path)
        assert outcome.code == CLEAN, outcome.err
        written = (tmp_path / "m.json").read_text()
        assert re.search(rf"(?<![\w.+-]){re.escape(spelling)}(?![\w.+-])", written), written
        assert outcome.err.startswith(f"Set `{place}` to `{spelling}` " if text == "{}" else "Set ")


def test_a_number_of_an_item_that_is_added_is_written_as_it_is_spelt(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_bytes(VALID)
    item = '{"id": "q", "name": "Q", "x-a": [1.50, 1e2]}'
    assert manifest_here("add", "activity", item, "m.json", cwd=tmp_path).code == CLEAN
    assert '"x-a": [1.50, 1e2]' in (tmp_path / "m.json").read_text()


NUMBERS = st.from_regex(
    r"-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,22})?([eE][-+]?[0-9]{1,2})?", fullmatch=True
)


@given(NUMBERS | st.sampled_from(["1e-400", "2e-324", *ODD]))
def test_every_command_that_writes_keeps_the_spelling_of_a_number(number: str) -> None:
    item = f'{{"id": "q", "name": "Q", "x-a": [{number}]}}'
    answers = VALID.decode().replace('"activities": [', f'"activities": [{item}, ', 1)
    in_yaml = re.sub(r"^(-?[0-9]+)(?=[eE])", r"\1.0", number)
    in_yaml = re.sub(r"(?<=[eE])(?=[0-9])", "+", in_yaml)
    runs = {
        "new b.json --from answers.json": number,
        "new b.yaml --from answers.json": in_yaml,
        "new b.json --fill --from answers.json": number,
        "convert answers.json --to json --output b.json": number,
        "convert answers.json --to yaml --output b.yaml": in_yaml,
        f"set --force -- activities[0].x-a [{number}] b.json": number,
    }
    for command, written in runs.items():
        with TemporaryDirectory() as folder:
            here = Path(folder)
            (here / "answers.json").write_text(answers)
            if "--fill" in command or "set" in command:
                text = VALID.decode() if "set" in command else '{"schema_version": "1.0"}'
                (here / "b.json").write_text(text)
            outcome = manifest_here(*command.split(), cwd=here)
            assert outcome.code == CLEAN, (command, outcome.err)
            (after,) = (each.read_text() for each in here.glob("b.*"))
            assert re.findall(r"-?[0-9][-+.\w]*", after.partition("x-a")[2])[0] == written, command
            value = yaml.safe_load(after) if "yaml" in command else json.loads(after)
            assert value["activities"][0]["x-a"] == [json.loads(number)]
