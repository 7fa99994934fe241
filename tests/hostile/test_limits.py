"""Each limit can be lowered and raised in the configuration."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command import CLEAN, FINDINGS, USAGE
from hostile_json import with_member
from hostile_yaml import GOOD_YAML
from in_process import manifest_here
from report_cases import GOOD_TEXT

pytestmark = pytest.mark.slow

_DEEP = 8_000

# The limit, a number too low, the syntax, the text, and the place of the finding.
_PASSED = [
    ("bytes", 100, "json", GOOD_TEXT.encode(), (1, 1)),
    ("bytes", 100, "yaml", GOOD_YAML.encode(), (1, 1)),
    ("depth", 4, "json", with_member("[[[[1]]]]"), (20, 15)),
    ("depth", 4, "yaml", f"{GOOD_YAML}extra: [[[[1]]]]\n".encode(), (14, 11)),
    ("nodes", 16, "json", with_member("[1]"), (20, 13)),
    ("nodes", 16, "yaml", f"{GOOD_YAML}extra: [1]\n".encode(), (14, 9)),
    ("findings", 2, "json", GOOD_TEXT.replace('"1.0"', "1").encode().replace(b'"Box"', b"1"), None),
]


def _limit(name: str, most: int) -> None:
    Path("manifestkit.toml").write_text(f"[limits]\n{name} = {most}\n", "utf-8")


@pytest.mark.parametrize(
    ("name", "most", "syntax", "data", "place"),
    _PASSED,
    ids=[f"{row[0]} in {row[2]}" for row in _PASSED],
)
def test_a_lowered_limit_is_told_with_its_place(
    name: str,
    most: int,
    syntax: str,
    data: bytes,
    place: tuple[int, int] | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    file = f"manifest.{syntax}"
    Path(file).write_bytes(data)
    _limit(name, most)
    outcome = manifest_here("lint", file, "--output-format=json")
    assert outcome.code == FINDINGS
    found = [
        each for each in json.loads(outcome.out)["findings"] if each["rule"] == "limit-exceeded"
    ]
    assert len(found) == 1
    assert place in {None, (found[0]["line"], found[0]["column"])}
    _limit(name, 1_000_000)
    raised = manifest_here("lint", file, "--output-format=json")
    assert "limit-exceeded" not in raised.out


@pytest.mark.parametrize("value", ["0", "-1", "1.5", "true", '"9"', "[]"])
def test_a_limit_that_is_no_number_is_refused_with_its_place(
    value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("manifest.json").write_text(GOOD_TEXT, "utf-8")
    Path("manifestkit.toml").write_text(f"[limits]\ndepth = {value}\n", "utf-8")
    outcome = manifest_here("lint")
    assert outcome.code == USAGE
    assert outcome.err.startswith("error: manifestkit.toml:2: `limits.depth`")


def test_a_misspelt_limit_is_refused_with_what_is_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("manifestkit.toml").write_text("[limits]\ndepht = 9\n", "utf-8")
    Path("manifest.json").write_text(GOOD_TEXT, "utf-8")
    outcome = manifest_here("lint")
    assert outcome.code == USAGE
    assert "did you mean `depth`?" in outcome.err


@pytest.mark.parametrize(
    "command", ["fmt", "set /provider/version 2.0.0", "add permission host.timer"]
)
def test_what_edits_holds_to_the_configured_limits(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    data = with_member("[" * 250 + "]" * 250)
    file = Path("manifest.json")
    file.write_bytes(data)
    assert manifest_here(*command.split(), "manifest.json").code == FINDINGS
    assert file.read_bytes() == data
    Path("manifestkit.toml").write_text("[limits]\ndepth = 300\n", "utf-8")
    assert manifest_here(*command.split(), "manifest.json").code == CLEAN
    assert file.read_bytes() != data
    assert manifest_here("lint").code == CLEAN


@pytest.mark.parametrize(
    "command",
    [
        "fmt",
        "convert --to yaml",
        "set /provider/version 2.0.0",
        "add permission host.timer",
        "remove /provider/version --force",
        "lint --fix",
    ],
)
def test_a_file_with_too_many_values_is_judged_and_not_changed(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = Path("manifest.json")
    for count, is_refused in ((30_000, True), (29_000, False)):
        data = with_member(json.dumps([0] * count)).replace(b'"1.0"', b"1.0", 1)
        file.write_bytes(data)
        outcome = manifest_here(*command.split(), "manifest.json")
        assert ("it has more than 30,000 values" in outcome.err) == is_refused
        if is_refused:
            assert outcome.code == FINDINGS
            assert file.read_bytes() == data


def test_what_is_deeper_than_the_stack_is_judged_where_that_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("manifestkit.toml").write_text(f"[limits]\ndepth = {2 * _DEEP}\n", "utf-8")
    deep = "[" * _DEEP + "]" * _DEEP
    file = Path("manifest.json")
    file.write_bytes(with_member(deep))
    assert manifest_here("lint").code == CLEAN
    broken = GOOD_TEXT.replace('"1.0"', deep, 1).encode()
    file.write_bytes(broken)
    assert manifest_here("lint").code == FINDINGS
    for command in (("fmt",), ("remove", "/provider")):
        assert manifest_here(*command, file.name).code == FINDINGS
        assert file.read_bytes() == broken


@pytest.mark.parametrize("syntax", ["json", "yaml"])
def test_what_is_told_of_a_file_is_bounded_in_sum_and_each_pointer_is_exact(
    syntax: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name = "k" * 100_000
    twice = ", ".join(['"a": 1'] * 50)
    file = Path(f"manifest.{syntax}")
    file.write_text(f'{{"extra": {{"{name}": {{{twice}}}}}}}', "utf-8")
    if syntax == "yaml":  # a key of YAML has at most 1,024 characters, unless it is explicit
        file.write_text(f'extra:\n  ? "{name}"\n  : {{{twice}}}\n', "utf-8")
    outcome = manifest_here("lint", "--output-format=json", str(file))
    assert outcome.code == FINDINGS
    *told, last = json.loads(outcome.out)["findings"]
    assert 20 <= len(told) <= 30
    assert {each["pointer"] for each in told} == {f"/extra/{name}/a"}
    assert {len(each["message"]) < 200 for each in told} == {True}
    assert (last["rule"], last["pointer"]) == ("limit-exceeded", "/extra")
    assert last["message"] == "stopped after 6,000,000 characters of findings"
    assert len(outcome.out) < 6_600_000
    shown = manifest_here("lint", "--output-format=full", str(file))
    assert len(shown.out) < 60_000


@pytest.mark.parametrize("break_", ["\n", "\r", "\r\n"], ids=["LF", "CR", "CRLF"])
def test_a_place_behind_a_million_lines_is_exact(break_: str, tmp_path: Path) -> None:
    file = tmp_path / "manifest.json"
    file.write_bytes(f'{break_ * 1_000_000}  {{"a" 1}}'.encode())
    outcome = manifest_here("lint", "--output-format=json", str(file))
    first = json.loads(outcome.out)["findings"][0]
    assert (first["line"], first["column"]) == (1_000_001, 7)


def test_answers_that_aliases_make_huge_write_nothing(tmp_path: Path) -> None:
    answers, made = tmp_path / "answers.yaml", tmp_path / "made.json"
    aliases = ", ".join(["*p"] * 4_000)
    answers.write_text(f'{GOOD_YAML}extra: [&p "{"x" * 10_000}", {aliases}]\n', "utf-8")
    outcome = manifest_here("new", str(made), "--yes", "--from", str(answers))
    assert outcome.code == USAGE
    assert "it has more than 32,000,000 characters of text" in outcome.err
    assert not made.exists()
