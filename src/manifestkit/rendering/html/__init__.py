"""Reports and previews as one HTML file that opens from disk and e-mail, without a script.

A report says how many findings there are of each rule, then shows each in its file, the worst
first. A preview ends with the same of its one file.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING

from manifestkit.findings.words import counted, named
from manifestkit.model.change import ABSENT, Change
from manifestkit.model.finding import Finding, Severity
from manifestkit.model.location import LineIndex
from manifestkit.model.printable import truncate
from manifestkit.model.report import FileResult, Report
from manifestkit.rendering.escape import Style, visible
from manifestkit.rendering.html.frames import change, frame
from manifestkit.rendering.html.markup import Html, name, sentence
from manifestkit.rendering.places import elsewhere, severities, verdict
from manifestkit.rules.catalogue import find_rule, rule_page

if TYPE_CHECKING:
    from manifestkit.rendering.preview import Card, Fact, ListedValue, Preview, ValueList

_MOST_FILES = 2_000
_MOST_FRAMES = 4_000
_MOST_LISTED = 20_000
_MOST_CHANGES = 1_000
_MOST_FIXES = 3
_LONGEST_POINTER = 160
_WEB_ADDRESS = re.compile(r"https?://[!-~]+")


def render(report: Report, _: Style) -> Iterator[str]:
    """Yield the page of a report."""
    summary = report.summary
    counts = [_count(counted(summary.files, "manifest")), *_head_counts(report.findings)]
    if report.errors:
        counts.append(_count(f"{len(report.errors):,} not checked", "error"))
    if summary.suppressed:
        counts.append(_count(f"{summary.suppressed:,} suppressed"))
    if summary.skipped:
        counts.append(_count(f"{summary.skipped:,} skipped"))
    content = list(_files(report.results))
    if report.errors:
        row = Html('<tr><th scope="row">{}</th><td>{}</td></tr>\n')
        rows = [row.format(name(each.path), sentence(each.reason)) for each in report.errors]
        content.insert(0, _table("unchecked", "Not checked", ("file", "why"), rows))
    yield _page(
        "manifest diff" if report.is_comparison else "manifest lint",
        verdict(report, [_sums(report.findings)] if report.findings else []).capitalize(),
        _lead(report),
        counts,
        content,
    )


def render_preview(preview: Preview) -> str:
    """Return the page of a preview."""
    subject, compared = preview.subject, preview.compared
    lead = _line('<span class="fact"><bdi>{}</bdi></span>', subject.subtitle)
    fact = Html('<span class="fact">{0.title}: <bdi>{0.value}</bdi> </span>\n')
    lead += Html().join(fact.format(each) for each in subject.facts)
    counts = [_count(f"{each.size:,} {each.title.lower()}") for each in preview.groups]
    counts += _head_counts(preview.result.findings, with_none=False)
    content = [] if compared is None else [_news(preview)]
    content += map(_group, preview.groups)
    content += [_note(each) for each in preview.readings]
    if preview.details:
        content.append(_section("Details", _facts(preview.details)))
    if compared is not None and compared.findings:
        content.append(_section("What changed", _list("more", map(_short, compared.findings))))
    content += _files([preview.result])
    return _page("manifest preview", subject.title, lead, counts, content)


def _page(
    command: str, heading: str, lead: str, counts: Iterable[Html], content: Iterable[Html]
) -> Html:
    """Return a whole page; its policy admits the stylesheet by a digest, and nothing else."""
    folder = files(__package__)
    style = folder.joinpath("style.css").read_text("utf-8").strip()
    return Html(folder.joinpath("page.html").read_text("utf-8")).format(
        digest=b64encode(sha256(style.encode()).digest()).decode(),
        style=Html(style),
        command=command,
        title=visible(heading),
        heading=heading,
        lead=lead,
        counts=_line('<dl class="counts">{}</dl>', Html().join(counts)),
        content=Html().join(content),
    )


def _line(template: str, value: object) -> Html:
    """Return a line with a value; nothing where there is none."""
    return Html(template + "\n").format(value) if value else Html()


def _list(kind: str, items: Iterable[Html]) -> Html:
    return _line(f'<ul class="{kind}">{{}}</ul>', Html().join(items))


def _note(text: str) -> Html:
    return _line('<p class="note">{}</p>', sentence(text))


def _section(heading: str, content: Html) -> Html:
    return Html("<section>\n<h2>{}</h2>\n{}</section>\n").format(heading, content)


def _table(kind: str, caption: str, columns: Sequence[str], rows: Iterable[Html]) -> Html:
    heads = Html().join(Html('<th scope="col">{}</th>').format(each) for each in columns)
    return Html(
        '<div class="scroll" tabindex="0" role="region" aria-label="{0}">\n'
        '<table class="{1}">\n<caption>{0}</caption>\n<thead><tr>{2}</tr></thead>\n'
        "<tbody>\n{3}</tbody>\n</table>\n</div>\n"
    ).format(caption, kind, heads, Html().join(rows))


def _lead(report: Report) -> str:
    done = "compared" if report.is_comparison else "checked"
    wrong = sum(_counts(each.findings)[0] > 0 for each in report.results if each.is_manifest)
    said = f"{counted(report.summary.files, 'manifest')} {done}"
    return f"{said}, {wrong:,} with errors." if wrong else f"{said}."


def _counts(findings: Iterable[Finding]) -> list[int]:
    """Return the number of findings of each severity."""
    found = Counter(each.severity for each in findings)
    return [found[each] for each in Severity]


def _count(said: str, severity: str = "") -> Html:
    """Return a number of things at the head of a page, in the colour of a severity."""
    number, _, noun = said.partition(" ")
    return Html('<div class="{}"><dt>{}</dt><dd>{}</dd></div>').format(severity, noun, number)


def _head_counts(findings: Iterable[Finding], *, with_none: bool = True) -> Iterator[Html]:
    numbers = _counts(findings)
    said = severities(numbers, with_none=True)
    for severity, number, each in zip(Severity, numbers, said, strict=True):
        if number or with_none:
            yield _count(each, severity.value if number else "")


def _sums(findings: Iterable[Finding]) -> str:
    return ", ".join(severities(_counts(findings)))


def _files(results: Iterable[FileResult]) -> Iterator[Html]:
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
        row = Html('<tr><th scope="row"><a href="#f{}">{}</a></th>') + 3 * Html("<td>{:,}</td>")
        rows = (
            row.format(number, name(result.path), *counts_of_file) + Html("</tr>\n")
            for number, (result, counts_of_file) in enumerate(shown)
        )
        yield _table("files", "Files", ("file", "errors", "warnings", "info"), rows)
    before = 0
    for number, (result, _) in enumerate(shown):
        yield _file(number, result, numbers, before)
        before += len(result.findings)
    if rest:
        said = Html(
            "<p>The report shows the {:,} files with the most severe findings. "
            "These have findings too:</p>\n"
        )
        item = Html('<li><bdi>{}</bdi> <span class="sums">{}</span></li>\n')
        items = (item.format(name(each.path), _sums(each.findings)) for each, _ in rest)
        heading = counted(len(rest), "more file")
        yield _section(heading, said.format(len(shown)) + _list("rest", items))


def _rule(finding: Finding, number: int, count: int, most: int) -> Html:
    """Return the row of the rule of a finding."""
    known = find_rule(finding.rule)
    title, page = name(finding.rule), finding.url or rule_page(finding.rule) or ""
    if _WEB_ADDRESS.fullmatch(page):
        title = Html('<a href="{}">{}</a>').format(page, title)
    return Html(
        '<tr>\n<th scope="row"><span id="r{number}">{title}</span> <small>{about}</small></th>\n'
        '<td><span class="severity {severity}">{severity}</span></td>\n<td>{count:,}</td>\n'
        '<td><svg class="bar {severity}" viewBox="0 0 100 1" preserveAspectRatio="none" '
        'aria-hidden="true" focusable="false"><rect width="{percent}" height="1"/></svg></td>\n'
        "</tr>\n"
    ).format(
        number=number,
        title=title,
        about=sentence(known.title if known else ""),
        severity=finding.severity.value,
        count=count,
        percent=max(1, round(100 * count / most)),
    )


def _file(number: int, result: FileResult, rules: Mapping[str, int], before: int) -> Html:
    """Return the section of a file, on a page that has some findings `before` it.

    The first findings of a page have their lines, later ones are in short, and the last are only
    counted.
    """
    source = result.text or ""
    lines = LineIndex(source)
    framed, listed = (max(0, most - before) for most in (_MOST_FRAMES, _MOST_LISTED))
    findings = result.findings
    return Html(
        '<section class="file" id="f{}">\n<h2><bdi>{}</bdi> <span class="sums">{}</span></h2>\n'
        "{}{}{}{}{}</section>\n"
    ).format(
        number,
        name(result.path),
        _sums(findings) or counted(len(result.changes or ()), "change"),
        _changes(result.changes) if result.changes else "",
        Html().join(_finding(each, source, lines, rules) for each in findings[:framed]),
        _line("<h3>{:,} more</h3>", len(findings[framed:])),
        _list("more", (_short(each, rules) for each in findings[framed:listed])),
        _line('<p class="note">{:,} of them are not listed here.</p>', len(findings[listed:])),
    )


def _finding(finding: Finding, source: str, lines: LineIndex, rules: Mapping[str, int]) -> Html:
    """Return a finding, the lines that it is about, and what fixes it."""
    fixes = Html()
    for each in finding.fixes[:_MOST_FIXES]:
        if each.message != finding.help:
            label = "fix" if each.safety == "safe" else "unsafe fix"
            template = f'<p class="fix"><span class="label">{label}</span> {{}}</p>'
            fixes += _line(template, sentence(each.message))
        fixes += change(each.edits, source, lines)
    profile = f"required by the profile {finding.profile}" if finding.profile else ""
    notes = (*elsewhere(finding), profile, finding.clause or "")
    return Html(
        '<article class="finding {severity}">\n'
        '<h3><span class="severity">{severity}</span> {message}</h3>\n'
        '<p class="where">{where} <code>{place}</code></p>\n'
        "{frame}{help}{fixes}{notes}</article>\n"
    ).format(
        severity=finding.severity.value,
        message=sentence(finding.message),
        where=_where(finding, rules),
        place=truncate(finding.pointer, _LONGEST_POINTER),
        frame=frame(finding, source, lines),
        help=_line(
            '<p class="help"><span class="label">help</span> {}</p>', sentence(finding.help or "")
        ),
        fixes=fixes,
        notes=Html().join(map(_note, notes)),
    )


def _short(finding: Finding, rules: Mapping[str, int] | None = None) -> Html:
    """Return a finding in a list; of a rule in the table of rules, with its place."""
    where = Html(' <span class="where">{}</span>').format(_where(finding, rules)) if rules else ""
    return Html('<li class="{0}"><span class="severity">{0}</span> {1}{2}</li>').format(
        finding.severity.value, sentence(finding.message), where
    )


def _where(finding: Finding, rules: Mapping[str, int]) -> Html:
    return Html('<a href="#r{}">{}</a> line {2.line}, column {2.column}').format(
        rules[finding.rule], name(finding.rule), finding.location
    )


def _changes(changes: Sequence[Change]) -> Html:
    count = len(changes)
    caption = "Changes"
    if count > _MOST_CHANGES:
        caption += f": the first {_MOST_CHANGES:,} of {count:,}"
    row = Html('<tr><th scope="row">{}</th><td>{}</td><td>{}</td><td>{}</td></tr>\n')
    rows = (
        row.format(
            each.field or "the manifest",
            each.kind,
            *("" if value is ABSENT else sentence(named(value)) for value in (each.old, each.new)),
        )
        for each in changes[:_MOST_CHANGES]
    )
    return _table("changes", caption, ("member", "change", "old", "new"), rows)


def _news(preview: Preview) -> Html:
    return Html(
        '<section class="news {}">\n<h2>Since <bdi>{}</bdi></h2>\n<p>{}</p>\n{}</section>\n'
    ).format(
        "due" if preview.consents else "same",
        preview.old_name,
        preview.verdict,
        _list("entries", map(_entry, preview.consents)),
    )


def _group(group: ValueList) -> Html:
    items = _list("cards", map(_card, group.cards)) + _list("entries", map(_entry, group.entries))
    return _section(group.heading, items if group.size else _note("None."))


def _card(card: Card) -> Html:
    return Html('<li class="card">\n<h3><bdi>{}</bdi></h3>\n{}{}</li>\n').format(
        card.title,
        _line('<p class="id"><bdi>{}</bdi></p>', card.subtitle),
        _facts(card.facts),
    )


def _facts(facts: Iterable[Fact]) -> Html:
    pair = Html("<div><dt>{0.title}</dt><dd><bdi>{0.value}</bdi>\n{1}</dd></div>")
    pairs = (pair.format(each, _line('<span class="kind">{}</span>', each.kind)) for each in facts)
    return _line('<dl class="facts">{}</dl>', Html().join(pairs))


def _entry(entry: ListedValue) -> Html:
    return Html(
        '<li><span class="meaning">{0.meaning}</span> <code>{0.value}</code>\n{1}{2}</li>\n'
    ).format(
        entry,
        _note(entry.purpose),
        _line('<p class="note unused">{}</p>', sentence(entry.warning)),
    )
