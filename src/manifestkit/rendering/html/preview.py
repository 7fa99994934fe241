"""A preview as a page of HTML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from markupsafe import Markup

from manifestkit.rendering.html import files, severity_counts
from manifestkit.rendering.html.page import Count, joined, page, part, sentence
from manifestkit.rendering.preview import Card, Fact, ListedValue, Preview, ValueList


def as_html(preview: Preview) -> Iterator[str]:
    """Yield the whole page."""
    counts = [Count(each.size, each.title.lower()) for each in preview.groups]
    counts += [each for each in severity_counts(preview.result.findings) if each.number]
    yield from page("manifest preview", preview.title, _lead(preview), counts, _content(preview))


def _lead(preview: Preview) -> Markup:
    subject = preview.subject
    named = [("", subject.subtitle)] if subject.subtitle else []
    facts = [(f"{each.title}: ", each.value) for each in subject.facts]
    return joined(part("lead", title=title, value=value) for title, value in (*named, *facts))


def _content(preview: Preview) -> Iterator[Markup]:
    if preview.compared is not None:
        yield part(
            "news",
            role="due" if preview.consents else "same",
            old=preview.old_name,
            verdict=preview.verdict,
            consents=_entries(preview.consents),
        )
    for group in preview.groups:
        yield part("section", heading=group.heading, content=_group(group))
    yield from (part("reading", reading=each) for each in preview.readings)
    if preview.details:
        yield part("section", heading="Details", content=_facts(preview.details))
    if preview.compared is not None and preview.compared.findings:
        changed = joined(
            part("change", severity=each.severity.value, message=sentence(each.message))
            for each in preview.compared.findings
        )
        yield part("section", heading="What changed", content=part("changes", items=changed))
    yield from files([preview.result])


def _group(group: ValueList) -> Markup:
    if group.cards:
        return part("cards", items=joined(map(_card, group.cards)))
    return _entries(group.entries) or part("nothing")


def _card(card: Card) -> Markup:
    return part(
        "card",
        name=card.title or "(no name)",
        identifier=card.subtitle or None,
        facts=_facts(card.facts),
    )


def _facts(facts: Iterable[Fact]) -> Markup | None:
    made = joined(
        part(
            "fact",
            title=each.title,
            value=each.value,
            kind=each.kind and part("kind", kind=each.kind),
        )
        for each in facts
    )
    return part("facts", items=made) if made else None


def _entries(entries: Iterable[ListedValue]) -> Markup | None:
    made = joined(
        part(
            "entry",
            meaning=each.meaning or "Not described by the schema.",
            value=each.value,
            role="unused" if each.is_unused else "used",
            note=sentence(each.note) if each.note else None,
        )
        for each in entries
    )
    return part("entries", items=made) if made else None
