"""No text that a stranger can put anywhere acts on who reads the output.

`injections.tsv` says how each format shows each text of `injections.py` as the name of a file, and
as what a finding says; `pytest --regenerate` writes it anew: read the difference before you commit
it. That each format is whole and harmless whatever is in a report is in `tests/rendering`.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import manifestkit
from command import CLEAN, FINDINGS, Outcome
from in_process import manifest_here
from injections import INJECTIONS
from manifestkit import Finding, Options, Report, Severity
from manifestkit.model.location import LineIndex, Span
from manifestkit.model.report import FileResult
from manifestkit.rendering import FORMATS
from readers import READERS, UNSEEN, check, forged_commands, rendered
from report_cases import GOOD, GOOD_TEXT

pytestmark = pytest.mark.slow

_TABLE = Path(__file__).with_name("injections.tsv")
_NAMES = {
    "concise": r"^(.*):1:1: error a-rule plainly$",
    "github": r"^::error file=(.*),line=1,",
    "json": r'"path": "(.*?)", "rule"',
    "sarif": r'"artifactLocation": \{"uri": "(.*?)"\}, "region"',
    "gitlab": r'"path": "(.*)",$',
    "junit": r'<testsuite .* name="(.*?)"',
    "markdown": r"^#### (.*)$",
    "html": r"^<h2><bdi>(.*)</bdi> <span",
}
"""Where each format names a file."""
_MESSAGES = {
    "concise": r"^m\.json:1:1: error a-rule (.*)$",
    "github": r"^::error .*title=a-rule::(.*)$",
    "json": r'"message": "(.*?)", "pointer"',
    "sarif": r'"message": \{"text": "(.*?)"\}, "locations"',
    "gitlab": r'"description": "a-rule: (.*)",$',
    "junit": r'<failure .* message="(.*?)"',
    "markdown": r"^- ❌ \*\*1:1\*\* ?(.*) <sub>",
    "html": r'^<h3><span class="severity">error</span> (.*)</h3>$',
}
"""Where it says what a finding says."""
_MOST = 120


def _check_harmless(outcome: Outcome) -> None:
    for text in (outcome.out, outcome.err):
        assert not UNSEEN.search(text), text
        assert forged_commands(text) == [], text


def _shown(text: str, pattern: str, report: Report, form: str) -> str:
    match = re.search(pattern, rendered(report, form), re.MULTILINE)
    assert match, (text, form)
    return match[1] if len(match[1]) <= _MOST else f"{match[1][:_MOST]} ..."


def _rows() -> Iterator[list[str]]:
    yield ["text", "as a", *_NAMES]
    for what, text in INJECTIONS.items():
        said = _report(text or " ", "plainly")
        yield [what, "name", *(_shown(text, _NAMES[form], said, form) for form in _NAMES)]
        said = _report("m.json", text)
        yield [what, "message", *(_shown(text, _MESSAGES[form], said, form) for form in _NAMES)]


def _report(name: str, message: str) -> Report:
    place = LineIndex("{}").locate(Span(0, 2))
    finding = Finding(name, "a-rule", Severity.ERROR, message, "", place)
    return Report.of([FileResult(name, (finding,), "{}", fails=True)])


def test_each_format_shows_each_text_in_its_own_way(regenerate: bool) -> None:
    assert len(INJECTIONS) >= 60
    found = [[cell.replace("\t", "\\t") for cell in row] for row in _rows()]
    if regenerate:
        lines = ("\t".join(row) + "\n" for row in found)
        _TABLE.write_text("".join(lines), "utf-8", newline="\n")
    with _TABLE.open(encoding="utf-8", newline="\n") as file:
        assert found == list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def _files(folder: Path) -> int:
    """Faulty manifests of all the names that the file system takes."""
    count = 0
    for text in INJECTIONS.values():
        with suppress(OSError, ValueError):
            (folder / f"{text.replace('/', '-')}.manifest.json").write_text("{}")
            count += 1
    return count


@pytest.mark.parametrize("form", FORMATS)
def test_files_of_such_names_are_judged_and_named(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    count = _files(tmp_path)
    assert count >= len(INJECTIONS) * 0.8
    outcome = manifest_here("lint", f"--output-format={form}")
    assert outcome.code == FINDINGS
    assert not UNSEEN.search(outcome.out)
    assert form == "github" or forged_commands(outcome.out) == []
    READERS[form](outcome.out, manifestkit.lint_paths([Path()]))


def _is_encodable(text: str) -> bool:
    return text.encode(errors="replace").decode() == text


_IN_SCHEMAS = list(filter(_is_encodable, INJECTIONS.values()))
"""What a schema can say: one with a lone surrogate is refused."""


def _profile(folder: Path) -> Path:
    """A profile that says each text in each place that it can say something.

    `{0}` is no placeholder of a message or a help; a profile with it is refused.
    """
    texts = (text.replace("{0}", "{value}") for text in _IN_SCHEMAS)
    told = [text.replace("{x}", "{value}") for text in texts]  # others are no placeholders
    (folder / "host.json").write_text(
        json.dumps(
            {
                "title": "".join(_IN_SCHEMAS),
                "allOf": [
                    {
                        "not": {},
                        "title": text,
                        "x-manifestkit": {
                            "rule": f"host-{number}",
                            "message": f"{said}: {{value}} {{path}}" if text.strip() else "x",
                            **({"help": said, "clause": text} if text.strip() else {}),
                        },
                    }
                    for number, (text, said) in enumerate(zip(_IN_SCHEMAS, told, strict=True))
                ],
            }
        ),
        "utf-8",
    )
    return folder / "host.json"


@pytest.mark.parametrize("form", FORMATS)
def test_what_a_profile_says_acts_on_nobody(form: str, tmp_path: Path) -> None:
    file = tmp_path / "manifest.json"
    file.write_text(json.dumps({**GOOD, "thumbnail": "".join(INJECTIONS.values())}), "utf-8")
    report = manifestkit.lint_paths([file], Options(profiles=(_profile(tmp_path),), isolated=True))
    assert len({each.rule for each in report.findings}) >= len(_IN_SCHEMAS)
    check(report, form)


def test_what_a_schema_says_of_itself_acts_on_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _profile(tmp_path)
    for number, text in enumerate(_IN_SCHEMAS):
        about = {"title": text, "description": text, "examples": [text], "type": "string"}
        listed = {**about, "enum": [text, "b"], "markdownEnumDescriptions": [text, text]}
        members = {"a": about, "b": {"type": "array", "items": listed}, text: about}
        schema = {**about, "type": "object", "required": ["a"], "properties": members}
        Path("s.json").write_text(json.dumps(schema), "utf-8")
        commands = (
            *(("explain", "--schema=s.json", each) for each in ("", "/a", "/b/0", "b")),
            ("explain", "--profile=host.json", f"host-{number}"),
            ("new", "--schema=s.json", "--help"),
            ("new", "--schema=s.json", "m.json"),
        )
        for each in commands:
            _check_harmless(manifest_here(*each))
    for form in ("text", "markdown"):
        listed_rules = manifest_here("explain", "--profile=host.json", f"--output-format={form}")
        assert listed_rules.code == CLEAN
        _check_harmless(listed_rules)


_SETTINGS = {
    "an unknown rule": "select = [{0}]\n[severity]\n{0} = 'off'\n",
    "a rule that is ignored": "ignore = [{0}]\n",
    "an option": "{0} = 1\n",
    "a table": "[{0}]\nx = 1\n",
    "a schema": "schema = {0}\n",
    "a profile": "profile = [{0}]\n",
    "a baseline": "baseline = {0}\n",
    "a weight": "fail-on = {0}\n",
    "a suppression": "[[suppress]]\nrule = {0}\nreason = {0}\npath = {0}\npointer = {0}\n",
    "a day": "[[suppress]]\nrule = 'wrong-type'\nreason = {0}\nexpires = {0}\n",
    "no TOML": "{0} = {0} {0}\n",
}


@pytest.mark.parametrize("what", _SETTINGS)
def test_what_a_configuration_says_acts_on_nobody(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("manifest.json").write_text(GOOD_TEXT, "utf-8")
    for text in INJECTIONS.values():
        quoted = json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
        written = _SETTINGS[what].replace("{0}", quoted)
        Path("manifestkit.toml").write_bytes(written.encode(errors="surrogatepass"))
        outcome = manifest_here("lint", "--verbose")
        _check_harmless(outcome)
        assert all(re.match("error: |note: |1 file", line) for line in outcome.err.splitlines())


_ARGUMENTS = {
    "--select": ("lint", "--select", "{}"),
    "--severity": ("lint", "--severity", "{}"),
    "--output-format": ("lint", "--output-format", "{}"),
    "--profile": ("lint", "--profile", "x{}"),
    "--stdin-filename": ("lint", "-", "--stdin-filename", "{}"),
    "an option": ("lint", "--{}"),
    "explain": ("explain", "--", "{}"),
    "set": ("set", "--", "{}", "{}"),
    "add": ("add", "--", "{}", "{}"),
    "get": ("get", "--", "/{}"),
    "remove": ("remove", "--", "/{}"),
    "new": ("new", "--id={}", "--name={}", "--yes", "{}/{}"),
    "fmt": ("fmt", "--diff", "--stdin-filename={}", "-"),
    "convert": ("convert", "--output=x{}.yaml", "--", "{}"),
    "convert, to a file": ("convert", "--to=json", "--output={}.yaml", "manifest.json"),
    "--base-url": ("login", "--base-url=ftp://{}", "--email={}"),
    "a command": ("x{}",),
}


@pytest.mark.parametrize("what", _ARGUMENTS)
def test_what_is_told_of_an_argument_acts_on_nobody(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refused = 0
    for text in INJECTIONS.values():
        if set("\0\ud800") & set(text):
            continue  # no system passes them on
        Path("manifest.json").write_text(GOOD_TEXT, "utf-8")
        arguments = [each.replace("{}", text) for each in _ARGUMENTS[what]]
        outcome = manifest_here(*arguments, stdin=b'{"a":1}')
        _check_harmless(outcome)
        refused += outcome.code != CLEAN
    assert refused
