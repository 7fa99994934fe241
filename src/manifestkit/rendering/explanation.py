"""Explanations of rules, fields and values, as text for a terminal and as Markdown for pages."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from difflib import ndiff
from itertools import chain, islice
from typing import Any, NamedTuple

from manifestkit.config.configuration import ALWAYS
from manifestkit.findings.words import excerpt, listed, named
from manifestkit.model.finding import Severity
from manifestkit.model.pointer import Path, format_pointer
from manifestkit.model.printable import printable
from manifestkit.rendering.escape import Style, opening, paragraph
from manifestkit.rules.catalogue import SITE, change_rules, named_rules, rule_ids
from manifestkit.rules.rule import LEVELS, Example, Rule
from manifestkit.schema.drafts import ANNOTATION, Dialect
from manifestkit.schema.model import Field, Schema

SUPPRESSING = "How to suppress it"
_CLAUSE = r"manifest format, section (\d+)(?:, (?!the\b)(?:allowed values of )?(\w+))?"
_HOLE = r"\{([A-Za-z_]\w*)(?:!s)?\}"
_KEYWORDS = Dialect.CURRENT.keywords | Dialect.OLD.keywords
_BELOW = {"allOf", "items", "properties", "$ref"}  # what these require is told where it applies
_SHORT = 90  # characters of such a keyword that are told nevertheless
_SHOWN = (_KEYWORDS | {ANNOTATION, "deprecated"}) - _BELOW
_CONDITIONS = {"if", "then", "else", "anyOf", "oneOf", "not"}
_CONDITIONS |= {each for each in _KEYWORDS if each.startswith("depend")}
_MADE = '"needed": ['  # in what is made of a table of needs, which is told itself
_ACCEPTED = timedelta(days=30)
_IGNORED_ONLY = frozenset({"unused-suppression", "expired-suppression", "archive"})


class Section(NamedTuple):
    """A part of an explanation."""

    heading: str  # empty for the part at the top
    text: str
    code: str | None = None  # the language of the text, if that is code
    url: str | None = None  # of the page that it leads to


class Explanation(NamedTuple):
    """Explanation of one thing."""

    title: str
    sections: tuple[Section, ...]

    def text(self, style: Style) -> Iterator[str]:
        """Yield an explanation for a terminal, whoever wrote it."""
        yield style.paint("strong", opening(self.title)) + "\n"
        for section in self.sections:
            yield "\n"
            if section.heading:
                yield style.paint("help", opening(section.heading)) + "\n"
            margin = "    " if section.code else "  " if section.heading else ""
            for line in section.text.splitlines():
                if section.code:
                    yield f"{margin}{style.writable(opening(line))}".rstrip() + "\n"
                else:
                    yield from paragraph(line, style, margin)
            if section.url:
                yield f"{margin}{opening(section.url)}\n"

    def markdown(self) -> Iterator[str]:
        """Yield an explanation as a page."""
        yield f"# {self.title}\n"
        for section in self.sections:
            yield "\n"
            if section.heading:
                yield f"## {section.heading}\n\n"
            if section.code:
                yield f"```{section.code}\n{section.text.rstrip()}\n```\n"
            elif section.url:
                yield f"[{section.text}]({section.url})\n"
            else:
                yield section.text + "\n"


def explain_rule(rule: Rule, told_as: str | None = None, here: Rule | None = None) -> Explanation:
    """Explain a rule, or one of the ids that its findings are reported as."""
    rule_id = told_as or rule.id
    severity = rule.severity.value if rule.severity else "off by default"
    if here and here.severity != rule.severity:
        severity += f" (here: {here.severity.value if here.severity else 'off'})"
    sections = (
        Section("", f"{rule.title}: {severity}."),
        Section("", "" if rule.description == rule.title else rule.description),
        Section("Based on", rule.clause, url=clause_page(rule.clause)),
        Section("", "The host's page:" if rule.url else "", url=rule.url),
        *_example("Bad", rule.bad),
        *_remedy(rule),
        *_suppressing(rule, rule_id),
    )
    return Explanation(rule_id, tuple(each for each in sections if each.text))


def explain_field(
    schema: Schema, path: Path, field: Field, profiles: Sequence[Schema] = ()
) -> Explanation:
    """Explain a field of a manifest, with what profiles require of it.

    Args:
        schema: what a manifest must be.
        path: where the field is.
        field: what the schema says about it.
        profiles: to show their requirements too.
    """
    presence = ""
    if path and isinstance(path[-1], str):
        presence = f", {_need(path, (schema, *profiles))}"
    item_path = (*path, 0)
    item = schema.field(item_path) or Field()
    clause = schema.clause(path) or ""
    allowed = (each for each in field.examples if all(_allows(one, path, each) for one in profiles))
    examples = tuple(islice(allowed, 1))
    if path and isinstance(path[-1], str):
        examples = tuple({path[-1]: each} for each in examples)
    sections = (
        Section("", field.description or ""),
        Section("Type", " or ".join(field.types) + presence if field.types else ""),
        Section("Members", "\n".join(_members(path, (schema, *profiles)))),
        Section("Allowed values", "\n".join(_values(field))),
        Section("Members of each item", "\n".join(_members(item_path, (schema, *profiles)))),
        Section("Allowed items", "\n".join(_values(item))),
        *chain.from_iterable(_requirements(schema, each, path) for each in profiles),
        Section("Based on", clause, url=clause_page(clause)),
        *(Section("Example", _json(each), "json") for each in examples),
    )
    pointer = _starred(path)
    title = f"{pointer} ({field.title})" if pointer and field.title else pointer or field.title
    return Explanation(title or "manifest", tuple(each for each in sections if each.text))


def explain_value(schema: Schema, value: str, profiles: Sequence[Schema] = ()) -> Explanation:
    """Explain a value of one or more lists, and name the profiles that do not list it."""
    sections, readings = [], dict[str, None]()
    for path, field in schema.lists:
        meanings = [meaning for each, meaning in field.values if each == value]
        if not meanings:
            continue
        readings[field.reading] = None
        is_item = isinstance(path[-1], int)
        holder = path[:-1] if is_item else path
        where = f"As a {(field.title or 'value').lower()}, in {_starred(holder)}"
        sections.append(Section(where, meanings[0] or field.description or ""))
        if consent := field.consents.get(value):
            sections.append(Section("What people agree to", consent))
        for each in profiles:
            own = [one for one, _ in (each.field(path) or Field()).values]
            if own and value not in own:
                sections.append(Section(f"Required by {each.name}", "- not this value"))
    sections += [Section("Note", each) for each in readings if each]
    return Explanation(value, tuple(sections))


def _example(heading: str, example: Example) -> Iterator[Section]:
    manifest = example.manifest
    if manifest == "":
        return
    if example.old is not None:
        yield Section("Before", _json(example.old), "json")
        heading = "After"
    yield Section(
        heading, manifest if isinstance(manifest, str) else _json(manifest), example.syntax
    )
    if example.profile is not None:
        yield Section("With the profile", _json(example.profile), "json")
    if example.suppress:
        yield Section("With the configuration", "\n".join(_toml(example.suppress)), "toml")


def _remedy(rule: Rule) -> Iterator[Section]:
    """Return the lines to change in the bad example, or the good one if it is another."""
    bad, good = rule.bad, rule.good
    is_change = bad.old is not None  # of which no line of the new manifest is wrong
    is_alike = isinstance(bad.manifest, Mapping) and good._replace(manifest=bad.manifest) == bad
    if not is_change and not is_alike:
        yield from _example("Good", good)
    yield Section("What to do", rule.help)
    if not is_change and is_alike:
        lines = ndiff(_json(bad.manifest).splitlines(), _json(good.manifest).splitlines())
        shown = (line.rstrip() for line in lines if not line.startswith("?"))
        yield Section("", "\n".join(shown), "diff")


def _toml(entries: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for entry in entries:
        yield "[[suppress]]"
        for name, value in entry.items():
            yield f"{name} = {value if name == 'expires' else json.dumps(value)}"


def _suppressing(rule: Rule, rule_id: str) -> Iterator[Section]:
    how = f"For one run, use `--ignore {rule_id}`. For a project, write in `manifestkit.toml`:"
    entry = {"rule": rule_id, "path": "legacy/**", "reason": "why this is acceptable"}
    if rule.bad.old is not None or rule_id in change_rules():  # each is accepted once
        contents = json.dumps(rule.schema.contents) if rule.schema else rule.description
        at = re.search(r'"field": \{"const": "(/[^"]+)"', contents)
        entry = {"rule": rule_id, **({"pointer": at[1]} if at else {}), "reason": entry["reason"]}
        entry["expires"] = str(date.today() + _ACCEPTED)  # noqa: DTZ011 - as it is read
    if "*" in entry.get("pointer", ""):
        how = how.replace("project, ", "project, name the accepted item in place of `*`, and ")
    written = "\n".join(_toml([entry]))
    if rule_id in ALWAYS:
        how, written = "This rule is always reported: it cannot be ignored or suppressed.", ""
    elif rule_id in _IGNORED_ONLY:
        written = f'ignore = ["{rule_id}"]'
    yield Section(SUPPRESSING, how)
    yield Section("", written, "toml")


def _members(path: Path, schemas: Sequence[Schema]) -> Iterator[str]:
    fields = [field for each in schemas if (field := each.field(path))]
    for name in dict.fromkeys(name for each in fields for name in each.members):
        described = [field for each in schemas if (field := each.field((*path, name)))]
        about = next((text for each in described if (text := each.description or each.title)), "")
        need = _need((*path, name), schemas)
        yield f"- `{name}` ({need})" + (f": {about}" if about else "")


def _need(path: Path, schemas: Iterable[Schema]) -> str:
    holders = (each.field(path[:-1]) for each in schemas)
    return "required" if any(path[-1] in each.required for each in holders if each) else "optional"


def _requirements(schema: Schema, profile: Schema, path: Path) -> Iterator[Section]:
    """Yield what a profile requires of a value, and of items of a list, beyond the schema."""

    def own(place: Path) -> list[dict[str, Any]]:
        known = schema.parts(place) if schema is not profile else []
        return [each for each in profile.parts(place) if each not in known]

    heading = f"Required by {profile.name}"
    for part in own(path[:-1]) if path else ():
        if path[-1] in part.get("required", ()):
            notes = {name: part[name] for name in (ANNOTATION,) if name in part}
            yield Section(heading, _json({"required": [path[-1]], **notes}), "json")
    for length in range(len(path)):
        names = [f'"{each}"' for each in path[length:] if isinstance(each, str)]
        of = f" of {_starred(path[:length])}" if length else ""
        for part in own(path[:length]):
            text = _json({name: part[name] for name in part if name in _CONDITIONS})
            if names and all(each in text for each in names) and _MADE not in text:
                yield Section(f"{heading}{of}", text, "json")
    for place, of in ((path, ""), ((*path, 0), ", of each item")):
        for part in own(place):
            if said := {name: part[name] for name in part if name in _SHOWN}:
                yield Section(f"{heading}{of}", _json(said), "json")


def _starred(path: Path) -> str:
    return format_pointer("*" if isinstance(token, int) else token for token in path)


def _allows(profile: Schema, path: Path, value: Any) -> bool:
    for token in reversed(path):
        value = [value] if isinstance(token, int) else {token: value}
    return not any(each.path[: len(path)] == path for each in profile.validator.errors(value))


def _values(field: Field) -> Iterator[str]:
    for value, about in field.values:
        yield f"- `{value}`" + (f": {about}" if about else "")
    if field.reading:
        yield from ("", field.reading)


def _json(value: Any) -> str:
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return "\n".join(map(printable, text.split("\n")))


def clause_place(clause: str) -> tuple[str, str | None] | None:
    """Return the section of the manifest document that a clause is of, and the part named.

    None for a clause that is not of the manifest document.
    """
    found = re.match(_CLAUSE, clause)
    return (found[1], found[2]) if found else None


def clause_page(clause: str) -> str | None:
    """Return the page about a clause; None for one that is not of the manifest document."""
    place = clause_place(clause)
    return f"{SITE}format/#{place[1] or f'section-{place[0]}'}" if place else None


def declared_rules(*schemas: Schema) -> Mapping[str, Rule]:
    """Return the rules that profiles and schemas declare, by what all their annotations say.

    The severity of each is the highest that a finding of it can have.
    """
    found: dict[str, list[Rule]] = {}
    severities: dict[str, set[Severity | None]] = {}
    for schema in schemas:
        for each in schema.validator.requirements():
            severities.setdefault(each.rule, set()).add(None if each.is_off else each.severity)
        for rule_id, places in named_rules(schema).items():
            has_table = any("needs" in each[ANNOTATION] for each in places.values())
            made = {"if", "not", ANNOTATION} if has_table else None  # of it
            found.setdefault(rule_id, []).extend(
                _declared(rule_id, each, schema.name, place)
                for place, each in places.items()
                if each.keys() != made
            )
    return {
        rule_id: _joined(each, severities.get(rule_id, {rule.severity for rule in each}))
        for rule_id, each in found.items()
        if rule_id not in rule_ids()
    }


def _joined(rules: Sequence[Rule], severities: Collection[Severity | None]) -> Rule:
    """Return the one rule that several places declare, with the highest of its severities."""

    def said(name: str, mark: str = "; ") -> str:
        return mark.join(filter(None, dict.fromkeys(getattr(each, name) for each in rules)))

    url, about = said("url", "\n").partition("\n")[0], said("description", "\n")
    worst = min(severities, key=[*LEVELS.values()].index)
    first = next((each for each in rules if each.severity == worst), rules[0])
    return first._replace(
        severity=worst, title=said("title"), description=about, help=said("help"), url=url
    )


def _declared(rule_id: str, schema: Mapping[str, Any], file: str, place: str) -> Rule:
    notes = schema[ANNOTATION]
    stated = {n: f"`{n}`: {excerpt(schema[n], 10**9)}" for n in schema if n in _KEYWORDS}
    needs = [*_listed_needs(notes)]
    short = (it for n, it in stated.items() if n not in _BELOW or len(it) <= _SHORT)
    own = "; ".join(short)
    if own and (member := _member_of(place)):
        own = f"{own}, of {named(member)}"
    own = "; ".join(filter(None, (own, *needs)))
    title = schema.get("title") if place != file else None  # which is the profile's own
    title = title or _without_placeholders(notes.get("message", ""))
    return Rule(
        id=rule_id,
        severity=LEVELS[notes.get("severity", "error")],
        title=title or own or "; ".join(stated.values()) or f"A requirement of {file}",
        description=schema.get("description")
        or "\n".join([f"From `{place}`:", *(f"- {each}" for each in (*stated.values(), *needs))]),
        clause=notes.get("clause", ""),
        help=_without_placeholders(notes.get("help", own if title else "")),
        bad=Example.of(notes.get("bad", {"old": {}} if "/properties/changes/" in place else {})),
        good=Example.of(notes.get("good", {})),
        url=notes.get("url", ""),
    )


def _member_of(place: str) -> str:
    """Return the pointer to the member that a part of a schema is about; empty if none is known."""
    names = re.findall(r"/(?:properties/([^/]+)|items(?=/|$))", place.rpartition("#")[2])
    return "" if "#/$defs/" in place else "".join(f"/{each or '*'}" for each in names)


def _without_placeholders(text: str) -> str:
    """Return a text of an annotation for no value in particular: `VALUE is not ours`."""
    return re.sub(_HOLE, lambda hole: hole[1].upper(), text)


def _listed_needs(notes: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each item in the table of needs of an annotation."""
    for pointer, needs in notes.get("needs", {}).items():
        for item, needed in needs.items():
            others = listed([named(each) for each in needed], "and")
            yield f"{named(item)} needs {others} in {named(pointer)}"
