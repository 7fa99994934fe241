"""Descriptions of a value that is not one of those that are allowed."""

from __future__ import annotations

import re
from typing import Any

from manifestkit.findings.contents import refusing_words
from manifestkit.findings.fixes import remove_fix, replace_fix
from manifestkit.findings.messages import allowed_values, listed_values
from manifestkit.findings.words import excerpt, label, listed, look_alike, named, with_article
from manifestkit.model.finding import Description, Edit, Fix
from manifestkit.model.pointer import Path, format_pointer, parse_pointer
from manifestkit.schema.manifest import Manifest
from manifestkit.schema.model import Field
from manifestkit.schema.suggest import akin, resembles_listed, suggest
from manifestkit.schema.validation_error import ValidationError

_DENYING = frozenset("!-~\u00ac\u2010\u2011\u2012\u2013\u2014\u2212")
_MOST_LOOKED_AT, _MOST_SHOWN = 400, 20


def describe_value(
    manifest: Manifest, error: ValidationError, said: Description
) -> Description | None:
    """Describe a value that is not one of a list, or is one of those that are not allowed.

    None where the schema lists no values.
    """
    is_item = bool(error.path) and isinstance(error.path[-1], int)
    if error.keyword == "not":
        if listed_values(error.expected) is None:
            return None
        is_ours = is_item and "message" not in error.requirement.annotations
        return said._replace(fixes=(remove_fix(error.path),)) if is_ours else said
    allowed = allowed_values(error)
    if allowed is None:
        return None
    value = error.instance
    if not isinstance(value, str):
        return said
    field = manifest.schema.field(error.path) or Field()
    counterpart = manifest.schema.counterpart(field) or Field()
    compares = manifest.has_comparisons_left(len(allowed))
    texts, others = (
        tuple([each for each in values if isinstance(each, str)]) if compares else ()
        for values in (allowed, [each for each, _ in counterpart.values])
    )
    other = counterpart.title if value in others else None
    near = suggest(value, texts, others)
    if error.requirement.passes(manifest.schema.contents):  # a profile's title may be no noun
        said = said._replace(message=_not_of_list(error, other, near.values) or said.message)
    if near.values and "*" not in value:
        return _meant(error.path, value, near.values, said, is_sure=near.is_sure)
    if not is_item:
        return said
    place = label(parse_pointer(field.counterpart or "")[:-1])
    do = f"remove it, or {said.help}" if said.help else None
    if other or not compares:
        return said._replace(help=f"list it in {place} instead" if other else do)
    beside = manifest.document.value_at(error.path[:-1])[:_MOST_LOOKED_AT]
    is_among_good = not {each for each in beside if isinstance(each, str)}.isdisjoint(texts)
    is_known = any(each == value for each, _ in field.values)  # so a profile does not allow it
    likely = [] if is_known else akin(value, (*counterpart.values, *field.values))
    if likely:
        there = manifest.document.value_or_none(parse_pointer(field.counterpart or "")[:-1])
        do = f"remove it{_as_likely(likely, texts, there, place)}"
    said = said._replace(help=do)
    said = _odd_item(manifest, error, said, others, likely)
    return said if is_among_good else said._replace(fixes=())  # nothing would be left


def _as_likely(likely: list[str], texts: tuple[str, ...], there: Any, place: str) -> str:
    """Return what else to do with values that share its words, of this list or another one."""
    if own := [each for each in likely if each in texts]:
        return f", or use {listed(own, say=excerpt)}"
    if isinstance(there, list) and all(each in there for each in likely):
        return f": {place} has {listed(likely, 'and', excerpt)} already"
    return f", or list {listed(likely, say=excerpt)} in {place}"


def _odd_item(
    manifest: Manifest,
    error: ValidationError,
    said: Description,
    others: tuple[str, ...],
    likely: list[Any],
) -> Description:
    """Describe an item that no listed value is near to; some are likely if they share its words."""
    value = error.instance
    listed_here = tuple(each for each in error.expected if isinstance(each, str))
    is_odd = not (likely or resembles_listed(value, listed_here, others))
    do = said.help
    is_pattern = value.endswith("*")
    dotted = re.sub("[:/]", ".", value)
    prefix = dotted.rstrip("*") if is_pattern else dotted[: dotted.rfind(".") + 1] or f"{value}."
    alike = [each for each in listed_here if each.startswith(prefix)]
    if alike and not likely:
        do = f"remove it, or use {listed(alike[:_MOST_SHOWN], say=excerpt)}"
    if alike and is_pattern:
        do = f"a value is not a pattern: list each, {listed(alike, 'and', excerpt)}"
    if within := [each for each in listed_here if _has_word(value, each)]:
        within.sort(key=value.find)
        start = manifest.document.node(error.path[:-1]).span.start
        is_flow = manifest.document.text.startswith("[", start)
        shown = f"`{excerpt(within, _MOST_LOOKED_AT)[2:-2]}`"
        shown = shown if is_flow else listed(within, "and", named)
        each_own = ", each after its own `-`" if len(within) > 1 and not is_flow else ""
        do = f"write only {shown}{each_own}, or remove it"
    is_part = within or (alike and prefix == f"{value}.")
    fixes = (remove_fix(error.path),) if is_odd and not is_part else ()
    return said._replace(help=do, fixes=fixes)


def _has_word(text: str, word: str) -> bool:
    begin = text[:_MOST_LOOKED_AT]
    return word in begin and bool(re.search(rf"(?<![\w.-]){re.escape(word)}(?![\w-])", begin))


def _meant(
    path: Path, value: str, near: tuple[str, ...], said: Description, *, is_sure: bool
) -> Description:
    do = f"did you mean {listed(near, say=named)}?"
    answer, *others = near
    denied = refusing_words(value)
    is_denied = denied and any(denied - refusing_words(each) for each in near)
    if is_denied or value.lstrip()[:1] in _DENYING:
        return said._replace(help=do)
    if others:
        fixes = tuple(replace_fix(path, each, "unsafe") for each in near)
        return said._replace(help=do, fixes=fixes)
    if not value.isascii() and (why := look_alike(value, answer)):
        do += f" {why}"
    fix = replace_fix(path, answer, "safe" if is_sure else "unsafe")
    return Description(said.message, do, answer, (fix,))


def _not_of_list(error: ValidationError, other: str | None, answers: tuple[str, ...]) -> str | None:
    """Name a wrong value by the title of its list, or of the other that has it; None without."""
    title = error.requirement.schema.get("title")
    if not isinstance(title, str):
        return None
    own, value = title.lower(), named(error.instance)
    if not other:
        return f"{value} is not {with_article(own)}"
    if len(answers) == 1:
        return f"{value} is {with_article(other.lower())}; the {own} is {named(answers[0])}"
    return f"{value} is {with_article(other.lower())}, not {with_article(own)}"


def describe_swap(manifest: Manifest, path: Path, other: Path) -> Description:
    """Describe two lists that hold each other's values: what stands beside one stays there."""
    first, second, document = label(path), label(other), manifest.document
    operations = tuple(
        {"op": "replace", "path": format_pointer(to), "value": document.value_at(source)}
        for to, source in ((path, other), (other, path))
    )
    here, there = document.locate_key(path), document.locate_key(other)
    names = [document.text[each.span.start : each.span.end] for each in (here, there)]
    edits = (Edit(*here.span, names[1]), Edit(*there.span, names[0]))
    do = f"swap {first} and {second}"
    return Description(
        f"{first} lists {second[1:-1]}, and {second} {first[1:-1]}",
        do,
        fixes=(Fix(do, "unsafe", edits, operations),),
        location=here,
    )
