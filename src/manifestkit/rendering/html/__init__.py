"""Reports and previews as one HTML file that opens from disk and e-mail, without a script.

A report says how many findings there are of each rule, then shows each in its file, the worst
first. A preview ends with the same of its one file.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import unified_diff
from hashlib import sha256
from importlib.resources import files
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

from markupsafe import Markup, escape

from manifestkit.edits.patch import apply_edits
from manifestkit.findings.words import counted, named
from manifestkit.model.change import ABSENT, Change
from manifestkit.model.finding import Edit, Finding, Severity
from manifestkit.model.location import LineIndex, Span
from manifestkit.model.printable import truncate
from manifestkit.model.report import FileResult, Report
from manifestkit.rendering.escape import Style, visible
from manifestkit.rendering.places import Mark, marks, notes, severities, verdict
from manifestkit.rules.catalogue import find_rule

if TYPE_CHECKING:
    from manifestkit.rendering.preview import Card, Fact, Preview, PreviewSection

_MOST_FILES = 2_000
_MOST_FRAMES = 4_000
_MOST_CHANGES = 1_000
_MOST_FIXES = 3
_LONGEST_POINTER = 160
_WEB_ADDRESS = re.compile(r"https?://[!-~]+")
_AROUND = 1
_MOST_LINES = 8
_MOST_PLACES = 8
_LONGEST = 240
_CONTEXT = 80
_MOST_CHANGED = 2_000
_LINE_END = re.compile(r"\r\n?|\n")
_TAB = "    "
_CUT = "…"
_FRAME = "<pre>{}</pre>"
_UNSEEN = '<span class="unseen">{}</span>'


class _Html(Markup):
    """Markup that shows what has no shape in the texts that it is formatted with."""

    @classmethod
    def escape(cls, value: Any, /) -> Self:
        """Return a text as markup; markup stays as it is."""
        if isinstance(value, Markup):
            return cls(value)
        return cls(visible(str(escape(str(value))), _UNSEEN))


def _name(given: str) -> _Html:
    """Return the name of a thing; one that is blank is shown by what it is made of."""
    if given.strip():
        return _Html.escape(given)
    made_of = "".join(f"\\u{ord(each):04x}" for each in given)
    return _Html(_UNSEEN).format(made_of or "no name")


def _sentence(said: str) -> _Html:
    """Return a message, in which what stands between ticks is code."""
    pieces = said.split("`")
    if len(pieces) % 2 == 0:  # an odd tick: no telling where code starts
        return _Html.escape(said)
    code = _Html("<code>{}</code>")
    return _Html().join(
        code.format(each) if index % 2 else each for index, each in enumerate(pieces)
    )


def render(report: Report, _: Style) -> Iterator[str]:
    """Yield the page of a report."""
    summary = report.summary
    counts = [_count(counted(summary.files, "manifest")), *_severity_counts(report.findings)]
    if report.errors:
        counts.append(_count(f"{len(report.errors):,} not checked", "error"))
    if summary.suppressed:
        counts.append(_count(f"{summary.suppressed:,} suppressed"))
    if summary.skipped:
        counts.append(_count(f"{summary.skipped:,} skipped"))
    content = list(_files(report.results))
    if report.untold:
        rows = [(_name(each.path), _sentence(each.reason)) for each in report.untold]
        content.insert(0, _table("unchecked", "Not checked", ("file", "why"), rows))
    command = "manifest diff" if report.is_comparison else "manifest lint"
    yield _page(command, verdict(report).capitalize(), _Html(), counts, content)


def render_preview(preview: Preview) -> str:
    """Return the page of a preview."""
    subject = preview.subject
    lead = _line('<span class="fact"><bdi>{}</bdi></span>', subject.subtitle)
    fact = _Html('<span class="fact">{0.title}: <bdi>{0.value}</bdi> </span>\n')
    lead += _Html().join(fact.format(each) for each in subject.facts)
    counts = [_count(each.amount) for each in preview.sections if each.amount]
    counts += _severity_counts(preview.result.findings)
    content = [
        _note(preview.origin),
        *map(_section, preview.sections),
        *_files([preview.result]),
        _note(preview.suppressed),
    ]
    return _page("manifest preview", subject.title, lead, counts, content)


def _page(
    command: str, heading: str, lead: _Html, counts: Iterable[_Html], content: Iterable[_Html]
) -> _Html:
    """Return a whole page; its policy admits the stylesheet by a digest, and nothing else."""
    folder = files(__package__)
    style = folder.joinpath("style.css").read_text("utf-8").strip()
    return _Html(folder.joinpath("page.html").read_text("utf-8")).format(
        digest=b64encode(sha256(style.encode()).digest()).decode(),
        style=_Html(style),
        command=command,
        title=visible(heading),
        heading=heading,
        lead=_line('<p class="lead">{}</p>', lead),
        counts=_line('<dl class="counts">{}</dl>', _Html().join(counts)),
        content=_Html().join(content),
    )


def _line(template: str, value: object) -> _Html:
    """Return a line with a value; nothing where there is none."""
    return _Html(template + "\n").format(value) if value else _Html()


def _list(kind: str, items: Iterable[_Html]) -> _Html:
    return _line(f'<ul class="{kind}">{{}}</ul>', _Html().join(items))


def _note(text: str) -> _Html:
    return _line('<p class="note">{}</p>', _sentence(text))


def _table(
    kind: str, caption: str, columns: Sequence[str], rows: Iterable[tuple[str, ...]]
) -> _Html:
    """Return a table; the first cell of a row is its heading."""
    heads = _Html().join(map(_Html('<th scope="col">{}</th>').format, columns))
    cells = '<th scope="row">{}</th>' + "<td>{}</td>" * (len(columns) - 1)
    row = _Html(f"<tr>{cells}</tr>\n")
    return _Html(
        '<div class="scroll" tabindex="0" role="region" aria-label="{0}">\n'
        '<table class="{1}">\n<caption>{0}</caption>\n<thead><tr>{2}</tr></thead>\n'
        "<tbody>\n{3}</tbody>\n</table>\n</div>\n"
    ).format(caption, kind, heads, _Html().join(row.format(*each) for each in rows))


def _counts(findings: Iterable[Finding]) -> list[int]:
    """Return the number of findings of each severity."""
    found = Counter(each.severity for each in findings)
    return [found[each] for each in Severity]


def _count(said: str, severity: str = "") -> _Html:
    """Return a number of things at the head of a page, in the colour of a severity."""
    number, _, noun = said.partition(" ")
    return _Html('<div class="{}"><dt>{}</dt><dd>{}</dd></div>').format(severity, noun, number)


def _severity_counts(findings: Iterable[Finding]) -> Iterator[_Html]:
    numbers = _counts(findings)
    found = (each.value for each, number in zip(Severity, numbers, strict=True) if number)
    return map(_count, severities(numbers), found)


def _files(results: Iterable[FileResult]) -> Iterator[_Html]:
    """Yield tables of rules and of files, then each finding with its lines, the worst first."""
    worst = [
        (result, _counts(result.findings))
        for result in results
        if result.findings or result.changes
    ]
    worst.sort(key=lambda each: ([-number for number in each[1]], each[0].path))
    shown, rest = worst[:_MOST_FILES], worst[_MOST_FILES:]
    found = [each for result, _ in worst for each in result.findings]
    counts = Counter(each.rule for each in found)
    first = {each.rule: each for each in reversed(found)}
    order = sorted(counts, key=lambda rule: (first[rule].severity.rank, -counts[rule], rule))
    numbers = {rule: number for number, rule in enumerate(order)}
    if counts:
        most = max(counts.values())
        rows = (_rule(first[rule], numbers[rule], counts[rule], most) for rule in order)
        yield _table("rules", "Rules", ("rule", "severity", "findings", "share"), rows)
    if len(shown) > 1:
        link = _Html('<a href="#f{}">{}</a>')
        rows = (
            (link.format(number, _name(result.path)), *map("{:,}".format, own))
            for number, (result, own) in enumerate(shown)
        )
        yield _table("files", "Files", ("file", "errors", "warnings", "info"), rows)
    before = 0
    for number, (result, _) in enumerate(shown):
        yield _file(number, result, numbers, before)
        before += len(result.findings)
    if rest:
        yield _note(f"{counted(len(rest), 'more file')} with findings are not shown.")


def _rule(finding: Finding, number: int, count: int, most: int) -> tuple[str, ...]:
    """Return the row of the rule of a finding."""
    known = find_rule(finding.rule)
    title, page = _name(finding.rule), finding.url or ""
    if _WEB_ADDRESS.fullmatch(page):
        title = _Html('<a href="{}">{}</a>').format(page, title)
    about = _sentence(known.title if known else "")
    bar = (
        '<svg class="bar {}" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true" '
        'focusable="false"><rect width="{}" height="1"/></svg>'
    )
    return (
        _Html('<span id="r{}">{}</span> <small>{}</small>').format(number, title, about),
        _Html('<span class="severity {0}">{0}</span>').format(finding.severity.value),
        f"{count:,}",
        _Html(bar).format(finding.severity.value, max(1, round(100 * count / most))),
    )


def _file(number: int, result: FileResult, rules: Mapping[str, int], before: int) -> _Html:
    """Return the section of a file, on a page that has some findings `before` it."""
    source = result.text or ""
    lines = LineIndex(source)
    findings = result.findings[: max(0, _MOST_FRAMES - before)]
    left_out = len(result.findings) - len(findings)
    return _Html(
        '<section class="file" id="f{}">\n<h2><bdi>{}</bdi> <span class="sums">{}</span></h2>\n'
        "{}{}{}</section>\n"
    ).format(
        number,
        _name(result.path),
        ", ".join(severities(_counts(result.findings)))
        or counted(len(result.changes or ()), "change"),
        _changes(result.changes) if result.changes else "",
        _Html().join(_finding(each, source, lines, rules) for each in findings),
        _note(f"{left_out:,} more are not shown." if left_out else ""),
    )


def _finding(finding: Finding, source: str, lines: LineIndex, rules: Mapping[str, int]) -> _Html:
    """Return a finding, the lines that it is about, and what fixes it."""
    fixes = _Html()
    for each in finding.fixes[:_MOST_FIXES]:
        if each.message != finding.help:
            label = "fix" if each.safety == "safe" else "unsafe fix"
            template = f'<p class="fix"><span class="label">{label}</span> {{}}</p>'
            fixes += _line(template, _sentence(each.message))
        fixes += _rewritten(each.edits, source, lines)
    others = (text for role, text in notes(finding) if role == "note")
    return _Html(
        '<article class="finding {severity}">\n'
        '<h3><span class="severity">{severity}</span> {message}</h3>\n'
        '<p class="where"><a href="#r{number}">{rule}</a> line {at.line}, column {at.column} '
        "<code>{place}</code></p>\n"
        "{frame}{help}{fixes}{notes}</article>\n"
    ).format(
        severity=finding.severity.value,
        message=_sentence(finding.message),
        number=rules[finding.rule],
        rule=_name(finding.rule),
        at=finding.location,
        place=truncate(finding.pointer, _LONGEST_POINTER),
        frame=_framed(finding, source, lines),
        help=_line(
            '<p class="help"><span class="label">help</span> {}</p>', _sentence(finding.help or "")
        ),
        fixes=fixes,
        notes=_Html().join(map(_note, others)),
    )


def _changes(changes: Sequence[Change]) -> _Html:
    count = len(changes)
    caption = "Changes"
    if count > _MOST_CHANGES:
        caption += f": the first {_MOST_CHANGES:,} of {count:,}"
    rows = (
        (
            each.field or "the manifest",
            each.kind,
            *("" if value is ABSENT else _sentence(named(value)) for value in (each.old, each.new)),
        )
        for each in changes[:_MOST_CHANGES]
    )
    return _table("changes", caption, ("member", "change", "old", "new"), rows)


def _section(section: PreviewSection) -> _Html:
    change = _Html('<li class="{0}"><span class="severity">{0}</span> {1}</li>').format
    changes = (change(each.severity.value, _sentence(each.message)) for each in section.changes)
    return _Html('<section class="{}">\n<h2><bdi>{}</bdi></h2>\n{}{}{}{}</section>\n').format(
        f"news {section.news}" if section.news else "",
        section.heading,
        _note(section.note),
        _list(section.form, (_card(each, section.form) for each in section.cards)),
        _facts(section.facts),
        _list("more", changes),
    )


def _card(card: Card, form: str) -> _Html:
    tag = "h3" if form == "cards" else "p"
    return _Html(f"<li>\n<{tag}><bdi>{{}}</bdi></{tag}>\n{{}}{{}}{{}}{{}}</li>\n").format(
        card.title,
        _line('<p class="id"><bdi>{}</bdi></p>', card.subtitle),
        _facts(card.facts),
        _note(card.purpose),
        _line('<p class="note unused">{}</p>', _sentence(card.warning)),
    )


def _facts(facts: Iterable[Fact]) -> _Html:
    pair = _Html("<div><dt>{0.title}</dt><dd><bdi>{0.value}</bdi>\n{1}</dd></div>")
    kind = '<span class="kind">{}</span>'
    pairs = (pair.format(each, _line(kind, each.kind)) for each in facts)
    return _line('<dl class="facts">{}</dl>', _Html().join(pairs))


def _framed(finding: Finding, source: str, lines: LineIndex) -> _Html:
    """Return the lines of a finding, those around them, and the other places in the file."""
    here = finding.location
    found = sorted(marks(finding)[: 1 + _MOST_PLACES])
    last = lines.position(len(source))[0]
    is_long = here.end_line - here.line > _MOST_LINES
    end = here.line + _MOST_LINES if is_long else min(last, here.end_line + _AROUND) + 1
    near = range(max(1, here.line - _AROUND), end)
    shown = sorted({*near, *(each.location.line for each in found)})
    made = _Html()
    for before, number in pairwise([shown[0] - 1, *shown]):
        made += _numbered("⋯") if number > before + 1 else ""
        made += _numbered(number, *_marked(source, lines.span_of(number), found))
    return _line(_FRAME, made)


def _numbered(number: object, *pieces: str, kind: str = "l") -> _Html:
    content = _Html().join(pieces)
    return _Html('<span class="{}" data-n="{}">{}\n</span>').format(kind, number, content)


def _marked(source: str, line: Span, found: Iterable[Mark]) -> Iterator[str]:
    """Yield a line with its marks and what they say; of a long one, what is around the first."""
    places = [(each.location.span, each) for each in found]
    here = [
        each
        for span, each in places
        if span.start <= line.end and (span.end > line.start or span.start == line.start)
    ]
    start = line.start
    if here and line.end - line.start > _LONGEST:
        start = max(start, min(here[0].location.span.start - _CONTEXT, line.end - _LONGEST))
    end = min(line.end, start + _LONGEST)
    yield _CUT * (start > line.start)
    yield from _pieces(source, Span(start, end), here)
    yield _CUT * (end < line.end)
    for each in here:
        if each.message and start <= each.location.span.start <= end:
            yield _Html('<span class="say"> {}</span>').format(each.message)


def _pieces(source: str, window: Span, found: Iterable[Mark]) -> Iterator[str]:
    """Yield the text of a window, cut wherever a mark begins or ends."""
    spans = [(each.location.span, "a" if each.is_own else "b") for each in found]
    cuts = {*window}
    for span, _ in spans:
        cuts |= {min(max(place, window.start), window.end) for place in span}
    for start, end in pairwise([*sorted(cuts), window.end]):
        for span, kind in spans:
            if span == (start, start):
                yield _mark([kind], "")
        if start < end:
            over = {kind for span, kind in spans if span.start <= start and end <= span.end}
            piece = source[start:end].replace("\t", _TAB)
            yield _mark(over, piece) if over else piece


def _mark(kinds: Iterable[str], text: str) -> _Html:
    return _Html('<mark class="{}">{}</mark>').format(" ".join(sorted(kinds)), text)


def _rewritten(edits: Sequence[Edit], source: str, lines: LineIndex) -> _Html:
    """Return the lines before and after edits; nothing if a few lines cannot show them."""
    if not edits or edits[-1].end - edits[0].start > _MOST_CHANGED:
        return _Html()
    first, last = edits[0].start, edits[-1].end
    line_start = lines.span_of(lines.position(first)[0]).start
    line_end = lines.span_of(lines.position(last)[0]).end
    start, end = max(line_start, first - _CONTEXT), max(last, min(line_end, last + _CONTEXT))
    before, after = _CUT if start > line_start else "", _CUT if end < line_end else ""
    moved = [Edit(each.start - start, each.end - start, each.text) for each in edits]
    old, new = (
        _LINE_END.split(f"{before}{each}{after}")
        for each in (source[start:end], apply_edits(source[start:end], moved))
    )
    changed = [each for each in unified_diff(old, new, n=0, lineterm="") if each[0] in "-+"][2:]
    made = _Html()
    for line in changed[: 2 * _MOST_LINES]:
        kind, sign = ("out", "\N{MINUS SIGN}") if line[0] == "-" else ("in", "+")
        text = truncate(line[1:].replace("\t", _TAB), _LONGEST)
        made += _numbered(sign, text, kind=f"l {kind}")
    return _line(_FRAME, made)
