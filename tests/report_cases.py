"""Reports that every output format has to put into words: clean, faulty and hostile ones."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

import manifestkit
from manifestkit import Finding, Options, Report, Severity, UnreadableFileError
from manifestkit.engine import FileResult, Suppressed
from manifestkit.location import LineIndex, Span
from manifestkit.rules.catalogue import catalogue
from manifestkit.rules.rule import Example, Rule

REPOSITORY = Path(__file__).parent.parent
EXAMPLES = REPOSITORY / "examples"

GOOD: dict[str, Any] = {
    "schema_version": "1.0",
    "provider": {"id": "com.example.box", "name": "Box", "version": "1.0.0"},
    "runtime": {"entrypoint": "urn:example:box", "sdk_version": "1.0"},
    "activities": [{"id": "box", "name": "Box breathing"}],
    "permissions": [],
    "capabilities": [],
}
GOOD_TEXT = json.dumps(GOOD, indent=2)

HOSTILE_NAMES = (
    "a%0A::error ::x,y:z.json",
    "b\n::error file=x::forged.json",
    "c\r\n##[error]forged.json",
    "d\x1b[31mred\x1b[0m\x9b1m\x7f\x00.json",
    " ::warning::spaces first.json",
    "##vso[task.setvariable variable=x]y.json",
    "\u202egpj.\u2066tcerid.json",
    "@everyone/<img src=x onerror=alert(1)>/[a](http:b).json",
    "`tick``ticks```.json",
    "e]]>\uffff&amp;'\".json",
    "raw\udcff byte.json",
    "lone\ud800.json",
    "c:/d:e.json",
    "/absolute/f:g.json",
    " ",
)
HOSTILE_TEXT = (
    *HOSTILE_NAMES,
    "](http://x)",
    "www.example.com http://example.com/ user@example.com #1 GH-1 !1",
    "`</details><script>alert(1)</script>`",
    "![x](https://example.com/x.png)",
    "--> -- <!-- x",
    "|a|b|",
    "\\`\\",
    "\\",
    "",
    " ",
    "😀é\u0301" * 60,
)


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
    """A report for each file of `examples/`."""
    return {
        file.relative_to(EXAMPLES).as_posix(): manifestkit.lint_paths(
            [file], Options(isolated=True)
        )
        for file in sorted(EXAMPLES.rglob("*"))
        if file.is_file()
    }


@cache
def of_rules() -> dict[str, Report]:
    """A report on each rule's bad example, which has findings of that rule."""
    reports = {}
    for rule in catalogue().values():
        with tempfile.TemporaryDirectory() as folder:
            reports[rule.id] = _bad(rule, Path(folder))
    return reports


@cache
def hostile() -> dict[str, Report]:
    """Reports with text in every part that no reader may act on."""
    reports = {}
    for number, name in enumerate(HOSTILE_NAMES):
        reports[f"name {number}"] = report_on(_faulty("x"), name)._replace(
            unreadable=(UnreadableFileError(name, "no such file"),)
        )
    for number, text in enumerate(HOSTILE_TEXT):
        reports[f"value {number}"] = report_on(_faulty(text))
        reports[f"source {number}"] = report_on(f'{{"a": {text}')
        reports[f"YAML {number}"] = report_on(f"a: {text}\n? {text}: - {text}", f"{text}.yaml")
        reports[f"finding {number}"] = made_up(text)
    reports["all names at once"] = Report.of(
        [manifestkit.lint(_faulty(name), name=name) for name in HOSTILE_NAMES]
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
    hidden = tuple(Suppressed(finding, by, text) for by in ("configuration", "comment", "baseline"))
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
    st.lists(st.sampled_from(HOSTILE_TEXT) | st.text(CHARACTERS, max_size=5), max_size=3).map(
        "".join
    ),
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
    return manifestkit.lint_paths([file], Options(profiles=tuple(profiles), select=select))


def _suppressions(example: Example) -> str:
    entries = [
        "".join(f"{name} = {json.dumps(value)}\n" for name, value in entry.items())
        for entry in example.suppress
    ]
    return "".join(f"[[suppress]]\n{entry}" for entry in entries)
