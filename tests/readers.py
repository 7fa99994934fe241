"""What the reader of each output format requires, in our own words."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

from markdown_it import MarkdownIt

from manifestkit import Report
from manifestkit.rendering import FORMATS
from manifestkit.rendering.escape import Style

UNSEEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff\ufffe\uffff"
    "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0]"
)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_FORGED_ANYWHERE = re.compile(r"##[A-Za-z]*\[")
_LINE_ENDS = re.compile(r"\r\n|\r|\n")
_URI = re.compile(r"(?:[A-Za-z0-9._~/*+@!$&'(),;=-]|%[0-9A-F]{2})+|file:///[^\s\"<>\\^`{|}]*")


@dataclass(frozen=True)
class Command:
    """A workflow command as GitHub's runner understands it."""

    name: str
    properties: dict[str, str]
    data: str


def rendered(report: Report, form: str) -> str:
    """A report in a form."""
    return "".join(FORMATS[form](report, Style()))


def workflow_command(line: str) -> Command | None:
    """What GitHub's runner makes of a line of output (actions/runner, ActionCommand.cs)."""
    match = re.match(r"\s*::(.*?)::(.*)", line)
    if match is None:
        return None
    name, _, written = match[1].partition(" ")
    pairs = [each.partition("=") for each in written.strip().split(",") if each]
    properties = {key: _unescaped(value, ":%3A", ",%2C") for key, _, value in pairs}
    return Command(name, properties, _unescaped(match[2]))


def _unescaped(text: str, *more: str) -> str:
    for pair in ("\r%0D", "\n%0A", *more, "%%25"):
        text = text.replace(pair[1:], pair[0])
    return text


def forged_commands(text: str) -> list[str]:
    """The lines of an output that a build service would act on."""
    return [
        line
        for line in _LINE_ENDS.split(text)
        if workflow_command(line) or _FORGED_ANYWHERE.search(line)
    ]


def check(report: Report, form: str) -> str:
    """The report in a form, which keeps what that form's reader requires."""
    text = rendered(report, form)
    assert not UNSEEN.search(text), repr(text)
    assert form in NOT_ONLY_ASCII or text.isascii()
    assert form == "github" or forged_commands(text) == []
    assert text == "" or text.endswith("\n")
    READERS[form](text, report)
    return text


def _full(text: str, report: Report) -> None:
    colored = "".join(FORMATS["full"](report, Style(color=True)))
    assert _COLOUR.sub("", colored) == text, "a colour shows nothing else, and begins nowhere else"


def _concise(text: str, report: Report) -> None:
    lines = text.splitlines()
    assert len(lines) == len(report.findings)
    for line, finding in zip(lines, report.findings, strict=True):
        at = f":{finding.location.line}:{finding.location.column}: {finding.severity.value} "
        assert at in line
    colored = "".join(FORMATS["concise"](report, Style(color=True)))
    assert _COLOUR.sub("", colored) == text


def _github(text: str, report: Report) -> None:
    lines = text.splitlines()
    assert len(lines) == len(report.findings) + len(report.unreadable)
    ranks = []
    for line in lines:
        command = workflow_command(line)
        assert command is not None
        assert command.name in {"error", "warning", "notice"}
        assert line.startswith(f"::{command.name} file=")
        ranks.append(["error", "warning", "notice"].index(command.name))
        assert "title" in command.properties
        place = {"line", "endLine"} & command.properties.keys()
        columns = {"col", "endColumn"} & command.properties.keys()
        assert len(place) in {0, 2}
        assert len(columns) in {0, 2}
        if columns:
            assert command.properties["line"] == command.properties["endLine"]
    assert ranks == sorted(ranks), "the most severe come first"


def _no_empty_text(value: Any) -> None:
    if isinstance(value, dict):
        for each in value.values():
            _no_empty_text(each)
    elif isinstance(value, list):
        for each in value:
            _no_empty_text(each)
    else:
        assert value != ""


def _region(region: dict[str, int]) -> None:
    assert region.keys() == {"startLine", "startColumn", "endLine", "endColumn"}
    start = (region["startLine"], region["startColumn"])
    assert min(start) >= 1
    assert (region["endLine"], region["endColumn"]) >= start


def _sarif_location(location: dict[str, Any]) -> None:
    physical = location["physicalLocation"]
    assert _URI.fullmatch(physical["artifactLocation"]["uri"]), physical
    _region(physical["region"])


def _sarif(text: str, report: Report) -> None:
    log = json.loads(text)
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-schema-2.1.0.json")
    _no_empty_text(log)
    (run,) = log["runs"]
    assert run["columnKind"] == "unicodeCodePoints"
    assert run["invocations"][0]["executionSuccessful"] == (not report.unreadable)
    rules = run["tool"]["driver"]["rules"]
    described = {rule["id"] for rule in rules}
    assert len(described) == len(rules)
    for rule in rules:
        assert rule["shortDescription"]["text"]
        assert 0 < len(rule["fullDescription"]["text"]) <= 1024
        assert rule["help"]["text"]
    results = run["results"]
    hidden = sum(len(each.suppressed) for each in report.results)
    assert len(results) == len(report.findings) + hidden
    assert sum(bool(each.get("suppressions")) for each in results) == hidden
    assert len({"suppressions" in each for each in results}) <= 1, "3.27.23: of all or of none"
    for result in results:
        assert result["ruleId"] in described
        assert result["level"] in {"error", "warning", "note"}
        assert "](" not in result["message"]["text"], "3.11.6: a link"
        assert all(result["partialFingerprints"].values())
        for location in (*result["locations"], *result.get("relatedLocations", [])):
            _sarif_location(location)
        for fix in result.get("fixes", []):
            for change in fix["artifactChanges"]:
                for replacement in change["replacements"]:
                    _region(replacement["deletedRegion"])


def _gitlab(text: str, report: Report) -> None:
    issues = json.loads(text)
    assert len(issues) == len(report.findings) + len(report.unreadable)
    prints = [issue["fingerprint"] for issue in issues]
    assert len(set(prints)) == len(prints), "GitLab drops an issue whose fingerprint it has seen"
    for issue in issues:
        assert issue["description"].startswith(f"{issue['check_name']}: ")
        assert issue["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert not issue["location"]["path"].startswith("./")
        assert issue["location"]["lines"]["begin"] >= 1


def parsed_xml(text: str) -> ET.Element:
    """A document of XML, by an XML reader."""
    return ET.fromstring(text)  # noqa: S314 - our own output


def _junit(text: str, report: Report) -> None:
    root = parsed_xml(text)
    assert root.tag == "testsuites"
    suites = root.findall("testsuite")
    assert len(suites) == len(report.results) + len(report.unreadable)
    for suite in suites:
        assert suite.get("name", "").strip()
        for count, path in (
            ("tests", "testcase"),
            ("failures", "testcase/failure"),
            ("errors", "testcase/error"),
            ("skipped", "testcase/skipped"),
        ):
            assert suite.get(count) == str(len(suite.findall(path)))
        for case in suite.findall("testcase"):
            assert case.get("name")
            assert case.get("classname")
            assert case.get("time")
    assert len(root.findall(".//failure")) == sum(result.fails for result in report.results)
    assert len(root.findall(".//error")) == len(report.unreadable)


_MARKDOWN = MarkdownIt("gfm-like", {"linkify": False}).disable("linkify")
_OWN_TAGS = {"h3", "h4", "ul", "li", "p", "code", "strong", "br", "sub"}
_FOLLOWED = re.compile(
    r"@\w|(?<!\w)#\d|://|\bwww\.|\bgh-\d|(?<!\w)[0-9a-f]{7,40}(?!\w)", re.IGNORECASE
)


def _markdown(text: str, report: Report) -> None:
    del report
    assert len(text) < 65_536, "GitHub takes no longer comment"
    page = _MARKDOWN.render(text)
    tags = set(re.findall(r"</?([a-zA-Z][a-zA-Z0-9]*)", page))
    assert tags <= _OWN_TAGS, tags - _OWN_TAGS
    assert page.count("<!--") == 1
    # Mentions, issue numbers and addresses are looked for outside of code only.
    outside = re.sub(r"<code>.*?</code>", "", page, flags=re.DOTALL)
    assert not _FOLLOWED.search(outside), outside


def _json(text: str, report: Report) -> None:
    document = json.loads(text)
    names = [x.path.encode(errors="backslashreplace").decode() for x in report.findings]
    assert [each["path"] for each in document["findings"]] == names
    assert len(document["errors"]) == len(report.unreadable)


_VOID = frozenset({"meta", "link", "br"})
_HTML_TAGS = _VOID | {
    *("html", "head", "title", "style", "body", "header", "main", "footer", "section", "article"),
    *("h1", "h2", "h3", "p", "a", "span", "code", "pre", "mark", "del", "ins", "small", "bdi"),
    *("ul", "li", "dl", "dt", "dd", "div", "svg", "rect"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td"),
}
_HTML_ATTRIBUTES = frozenset(
    {
        *("lang", "charset", "http-equiv", "content", "name", "rel", "href", "class", "id"),
        *("tabindex", "role", "aria-label", "aria-hidden", "data-n", "scope"),
        *("viewbox", "preserveaspectratio", "focusable", "width", "height"),
    }
)
_TARGET = re.compile(r"https?://[!-~]+|#[a-z]+[0-9]*|data:,")


@dataclass
class Page(HTMLParser):
    """A page of HTML whose every tag is one of ours, and closed where it should be."""

    open: list[str] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    targets: list[str] = field(default_factory=list)
    count: Counter[str] = field(default_factory=Counter)
    style: str = ""
    pieces: list[str] = field(default_factory=list)
    policy: str = ""

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in _HTML_TAGS, tag
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), attrs
        assert set(names) <= _HTML_ATTRIBUTES, attrs
        given = {name: value or "" for name, value in attrs}
        if "id" in given:
            assert given["id"] not in self.ids, given
            self.ids.add(given["id"])
        if "href" in given:
            assert _TARGET.fullmatch(given["href"]), given
            self.targets.append(given["href"])
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"]
        self.count[f"{tag}.{given['class']}" if "class" in given else tag] += 1
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "style":
            self.style += data
        elif "title" not in self.open:
            self.pieces.append(data)

    @property
    def text(self) -> str:
        """What a reader sees."""
        return "".join(self.pieces)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)


def read_html(text: str) -> Page:
    """A page that can load nothing and run nothing, whatever is in it."""
    page = Page()
    page.feed(text)
    page.close()
    assert page.open == []
    digest = base64.b64encode(hashlib.sha256(page.style.encode()).digest()).decode()
    assert page.policy == (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )
    assert (page.count["h1"], page.count["main"], page.count["style"]) == (1, 1, 1)
    assert {each[1:] for each in page.targets if each[0] == "#"} <= page.ids
    assert "url(" not in page.style
    assert "@import" not in page.style
    return page


def _html(text: str, report: Report) -> None:
    page = read_html(text)
    for severity in ("error", "warning", "info"):
        found = sum(each.severity.value == severity for each in report.findings)
        assert page.count[f"article.finding {severity}"] == found
    assert page.count["caption"] >= bool(report.unreadable)


READERS: dict[str, Callable[[str, Report], None]] = {
    "full": _full,
    "concise": _concise,
    "json": _json,
    "github": _github,
    "sarif": _sarif,
    "gitlab": _gitlab,
    "junit": _junit,
    "markdown": _markdown,
    "html": _html,
}
NOT_ONLY_ASCII = {"full", "concise", "github", "markdown", "html"}
"""The formats whose text need not be ASCII."""
