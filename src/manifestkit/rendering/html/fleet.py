"""Pages about the results of a fleet, and about what a change means for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from markupsafe import Markup

from manifestkit.findings.messages import counted
from manifestkit.model.fleet import FleetSummary, Impact
from manifestkit.rendering.escape import Style
from manifestkit.rendering.html.page import Count, bar, link, name, page, part, table, text
from manifestkit.rules.catalogue import rule_page

_MOST_ROWS = 1_000


def impact_page(impact: Impact, _: Style) -> Iterator[str]:
    """Return what newly fails and newly passes, by rule and by provider."""
    verdict = (
        f"{impact.newly_failing:,} newly failing" if impact.newly_failing else "Nothing newly fails"
    )
    lead = f"{counted(impact.manifests, 'manifest')} compared."
    if impact.before == impact.after:
        lead += " Both were checked with the same profile and options."
    counts = [
        Count(impact.newly_failing, "newly failing", "error" if impact.newly_failing else ""),
        Count(impact.newly_passing, "newly passing", "good" if impact.newly_passing else ""),
        *(
            Count(number, noun)
            for number, noun in (
                (impact.added, "added"),
                (impact.added_failing, "added and failing"),
                (impact.removed, "removed"),
                (impact.edited, "edited"),
            )
            if number
        ),
    ]
    yield from page("manifest fleet impact", verdict, lead, counts, _impact(impact))


def _impact(impact: Impact) -> Iterator[Markup]:
    most = max((each.newly_failing for each in impact.rules), default=0)
    yield from _listed(
        "Rules",
        ("rule", "newly failing", "share", "new in", "gone from", "for example"),
        [
            (
                _rule(each.rule),
                each.newly_failing,
                bar(each.newly_failing, most, "error") if each.newly_failing else "",
                each.new,
                each.gone,
                _named(each.example),
            )
            for each in impact.rules[:_MOST_ROWS]
        ],
        len(impact.rules),
    )
    yield from _listed(
        "Providers",
        ("provider", "newly failing", "newly passing"),
        [
            (
                part(
                    "provider",
                    name=_named(each.provider),
                    rules=_rules({"new: ": each.new, "gone: ": each.gone}),
                ),
                each.newly_failing,
                each.newly_passing,
            )
            for each in impact.providers[:_MOST_ROWS]
        ],
        len(impact.providers),
    )


def summary_page(summary: FleetSummary, _: Style) -> Iterator[str]:
    """Return the number that fail, and the findings of each rule."""
    verdict = f"{summary.failing:,} fail" if summary.failing else "All pass"
    counts = [
        Count(summary.manifests, "manifest" if summary.manifests == 1 else "manifests"),
        Count(summary.failing, "failing", "error" if summary.failing else ""),
        Count(summary.errors, "error" if summary.errors == 1 else "errors"),
        Count(summary.warnings, "warning" if summary.warnings == 1 else "warnings"),
    ]
    lead = f"{counted(summary.manifests, 'manifest')} checked."
    yield from page("manifest fleet summary", verdict, lead, counts, _summary(summary))


def _summary(summary: FleetSummary) -> Iterator[Markup]:
    most = max((each.manifests for each in summary.rules), default=0)
    yield from _listed(
        "Rules",
        ("rule", "manifests", "share", "findings", "for example"),
        [
            (
                _rule(each.rule),
                each.manifests,
                bar(each.manifests, most, "error"),
                each.findings,
                _named(each.example),
            )
            for each in summary.rules[:_MOST_ROWS]
        ],
        len(summary.rules),
    )
    yield from _listed(
        "Providers",
        ("provider", "failing manifests"),
        [(_named(each.provider), each.manifests) for each in summary.providers[:_MOST_ROWS]],
        len(summary.providers),
    )


def _listed(
    caption: str, headings: Sequence[str], rows: Sequence[Sequence[object]], count: int
) -> Iterator[Markup]:
    """Yield a table of the first rows; nothing for none."""
    if rows:
        yield table(caption, headings, rows)
    if count > len(rows):
        yield part("beyond", number=f"{count - len(rows):,}")


def _rules(lists: Mapping[str, Sequence[str]]) -> Markup:
    """Names of rules behind what is said of them, with a comma between them."""
    said = (
        text(what) + Markup(", ").join(map(_rule, rules)) for what, rules in lists.items() if rules
    )
    return Markup("; ").join(said)


def _rule(rule: str) -> Markup:
    return link(rule_page(rule), name(rule))


def _named(given: str | None) -> object:
    return "(none)" if given is None else name(given)
