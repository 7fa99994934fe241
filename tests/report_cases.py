"""Reports that every output format has to put into words: clean, faulty and hostile ones."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

import manifestkit
from injections import INJECTIONS
from manifestkit import Finding, Options, Report, Severity, UnreadableFileError
from manifestkit.model.location import LineIndex, Span
from manifestkit.model.report import FileResult, Suppressed
from manifestkit.rules.catalogue import catalogue
from manifestkit.rules.rule import Example, Rule

REPOSITORY = Path(__file__).parent.parent
EXAMPLES = REPOSITORY / "examples"
GOLDEN = REPOSITORY / "tests" / "golden"

GOOD: dict[str, Any] = {
    "schema_version": "1.0",
    "provider": {"id": "com.example.box", "name": "Box", "version": "1.0.0"},
    "runtime": {"entrypoint": "urn:example:box", "sdk_version": "1.0"},
    "activities": [{"id": "box", "name": "Box breathing"}],
    "permissions": [],
    "capabilities": [],
}
GOOD_TEXT = json.dumps(GOOD, indent=2)

_NAMES = [text for text in INJECTIONS.values() if text]


def _faulty(text: str) -> str:
    """A manifest with a text wherever the author of one can write it."""
    manifest = {
        **GOOD,
        text: text,
        "schema_verson": text,
        "permissions": [text, text],
        "capabilities": [{text: text}],
        "presentation": {text: text},
        "activities": [{"id": text, "name": 1}, {"id": text, "surfaces": text}],
    }
    return json.dumps(manifest)


def report_on(text: str, name: str = "manifest.json") -> Report:
    """The report of one manifest."""
    return Report.of([manifestkit.lint(text, name=name)])


@cache
def of_examples() -> dict[str, Report]:
    """A report for each file of `examples` and `tests/golden`."""
    return {
        file.relative_to(REPOSITORY).as_posix(): manifestkit.lint_paths(
            [file], Options(isolated=True)
        )
        for folder in (EXAMPLES, GOLDEN)
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


@cache
def of_rules() -> dict[str, Report]:
    """A report on each rule's bad example, which has findings of that rule."""
    reports = {}
    for rule in (each for each in catalogue().values() if each.bad.manifest != ""):
        with tempfile.TemporaryDirectory() as folder:
            reports[rule.id] = _bad(rule, Path(folder))
    return reports


@cache
def hostile() -> dict[str, Report]:
    """Reports with text in every part that no reader may act on."""
    reports = {}
    for name in _NAMES:
        reports[f"name {name!r}"] = report_on(_faulty("x"), name)._replace(
            unreadable=(UnreadableFileError(name, "no such file"),)
        )
    for what, text in INJECTIONS.items():
        reports[f"value, {what}"] = report_on(_faulty(text))
        reports[f"source, {what}"] = report_on(f'{{"a": {text}')
        reports[f"YAML, {what}"] = report_on(f"a: {text}\n? {text}: - {text}", f"{text}.yaml")
        reports[f"finding, {what}"] = made_up(text)
    reports["all names at once"] = Report.of(
        [manifestkit.lint(_faulty(name), name=name) for name in _NAMES]
    )
    return reports


def made_up(text: str) -> Report:
    """A report with a text in every member that a profile or a configuration can fill."""
    source = f"first line\n{text}"
    end = len(source)
    place = LineIndex(source).locate(Span(11, end))
    finding = Finding(
        path="manifest.json",
        rule=text or "rule",
        severity=Severity.WARNING,
        message=text,
        pointer=text and f"/{text}",
        location=place,
        property=text,
        related=(manifestkit.Related(text, f"/{text}", place),),
        fixes=(manifestkit.Fix(text, "safe", (manifestkit.Edit(11, end, text),), ()),),
        suggestion=text,
        help=text,
        clause=text,
        profile=text,
        url=text,
    )
    hidden = tuple(Suppressed(finding, by, text) for by in ("configuration", "baseline"))
    result = FileResult("manifest.json", (finding, finding), source, hidden, fails=True)
    skipped = FileResult("other.json", skipped=text or "something else")
    unreadable = UnreadableFileError("gone.json", text or "no such file")
    return Report.of([result, skipped], [unreadable])


CHARACTERS = st.one_of(
    st.sampled_from("\x00\x07\x1b\x7f\x85\x9b\n\r\t\u2028\u202e\u2066\ufeff\ufffe\ud800\udc80"),
    st.sampled_from("`<>&\"'\\|[](){}!@#:%,;*_~$-+=/. aé😀"),
    st.characters(),
)
TEXTS = st.one_of(
    st.text(CHARACTERS, max_size=20),
    st.lists(
        st.sampled_from(sorted(INJECTIONS.values())) | st.text(CHARACTERS, max_size=5), max_size=3
    ).map("".join),
)
REPORTS = st.one_of(
    st.builds(report_on, TEXTS.map(_faulty), TEXTS.filter(bool)),
    st.builds(report_on, TEXTS, TEXTS.filter(bool)),
    st.builds(report_on, TEXTS, TEXTS.map(lambda name: f"{name}.yaml")),
    TEXTS.map(made_up),
)
"""Reports with hostile text in names, keys and values, in the source and in findings."""


def _bad(rule: Rule, folder: Path) -> Report:
    example = rule.bad
    shown = example.manifest
    file = folder / "manifest.json"
    file.write_text(shown if isinstance(shown, str) else json.dumps({**GOOD, **shown}), "utf-8")
    profiles = []
    if example.profile is not None:
        profiles.append(folder / "host.schema.json")
        profiles[0].write_text(json.dumps(example.profile), "utf-8")
    (folder / "manifestkit.toml").write_text(_suppressions(example), "utf-8")
    select = None if rule.severity else (rule.id,)
    return manifestkit.lint_paths([file, folder], Options(profiles=tuple(profiles), select=select))


def _suppressions(example: Example) -> str:
    entries = [
        "".join(f"{name} = {json.dumps(value)}\n" for name, value in entry.items())
        for entry in example.suppress
    ]
    return "".join(f"[[suppress]]\n{entry}" for entry in entries)
