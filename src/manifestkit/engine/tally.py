"""The findings of a manifest by rule, severity and pointer alone: no messages, places or fixes.

Where that takes more than a look at the broken keywords, because a member is misspelt, say, or the
text cannot be read, the findings are made in full and cut down.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from manifestkit.decode import Decoded
from manifestkit.engine.lint import Linter
from manifestkit.model.document import Document
from manifestkit.model.finding import Severity
from manifestkit.model.pointer import Path, format_pointer
from manifestkit.rules.checks import not_a_manifest
from manifestkit.rules.conformance import is_off, rule_of, severity_of
from manifestkit.rules.rule import Manifest
from manifestkit.rules.slips import swapped_with
from manifestkit.schema.model import Schema
from manifestkit.schema.outline import Keyword

_SMALL = 20_000  # characters
_MOST_COPIES = 30  # of a text in what is said of one error in it, as JSON in ASCII


class Tallied(NamedTuple):
    """What a finding is about."""

    rule: str
    severity: Severity
    pointer: str


class _Told(NamedTuple):
    """What is told where a keyword is broken.

    Attributes:
        rule: the rule.
        severity: its severity; None where it does not count.
        is_error: whether it is an error where no option says otherwise.
    """

    rule: str
    severity: Severity | None
    is_error: bool


class _NotPlainError(Exception):
    """A look does not show all findings."""


class Tally:
    """Tallies manifests by one linter."""

    def __init__(self, linter: Linter) -> None:
        self._linter = linter
        rules = {rule.id: rule for rule in linter.rules}
        self._foreign = rules.get(not_a_manifest.ID)
        self._known: dict[tuple[Keyword, Schema], _Told | None] = {}

    def of(self, decoded: Decoded) -> list[Tallied]:
        """The findings of a manifest, ordered by pointer and rule.

        Raises:
            SchemaError: a schema or a profile cannot be judged by.
        """
        try:
            found = self._at_a_look(decoded)
        except Exception:  # noqa: BLE001 - the findings in full tell what it is
            findings = self._linter.judge(decoded, with_edits=False).findings
            found = [Tallied(each.rule, each.severity, each.pointer) for each in findings]
        return sorted(found, key=lambda each: (each.pointer, each.rule))

    def _at_a_look(self, decoded: Decoded) -> list[Tallied]:
        """The findings, where a look at the broken keywords shows them all."""
        document, linter = decoded.document, self._linter
        if decoded.findings or not _is_plain(document, uses_comments=linter.uses_comments):
            raise _NotPlainError
        requirements = linter.requirements(document)
        manifest = Manifest(document, requirements.schema)
        broken = [
            each for each in linter.at_once(requirements) if not each.is_valid(document.value)
        ]
        if any(next(check(rule, manifest), None) for rule, check in linter.checks):
            raise _NotPlainError
        if any(each not in requirements.profiles for each in broken):
            if self._foreign and not_a_manifest.find(self._foreign, manifest):
                raise _NotPlainError
            broken = [requirements.schema, *requirements.profiles]
            broken += [rule.schema for rule in linter.rules if rule.schema]
        found: dict[tuple[str, Path, str | None], _Told] = {}
        for schema in broken:
            is_rule = schema is not requirements.schema and schema not in requirements.profiles
            for told, path, member in self._told(manifest, schema, is_rule=is_rule):
                key = (told.rule, path, member)
                if key in found:  # which of them is told depends on their places in the text
                    raise _NotPlainError
                found[key] = told
        size = len(found) * (len(document.text) + len(document.name)) * _MOST_COPIES
        if len(found) > linter.limits.findings or size > linter.limits.text:
            raise _NotPlainError
        mistyped = {path for rule, path, _ in found if rule == "wrong-type"}
        return [
            Tallied(rule, told.severity, format_pointer(path))
            for (rule, path, _), told in found.items()
            if told.severity is not None and (told.is_error or path not in mistyped)
        ]

    def _told(
        self, manifest: Manifest, schema: Schema, *, is_rule: bool
    ) -> Iterator[tuple[_Told, Path, str | None]]:
        """What is told where a manifest breaks a schema, with the path and the missing member."""
        document = manifest.document
        broken = schema.validator.outline.of(document.value)
        if broken is None:
            raise _NotPlainError
        mistyped = {each.path for each in broken if each.keyword.name == "type"}
        for keyword, path, member in broken:
            if member is not None and manifest.renames(path, document.value_at(path)):
                raise _NotPlainError
            if keyword.name == "enum" and swapped_with(manifest, path[:-1]):
                raise _NotPlainError
            told = self._of_keyword(keyword, schema, manifest.schema, is_rule=is_rule)
            if told and (keyword.name == "type" or path not in mistyped or member is not None):
                yield told, path, member

    def _of_keyword(
        self, keyword: Keyword, schema: Schema, manifest_schema: Schema, *, is_rule: bool
    ) -> _Told | None:
        """What is told wherever a keyword is broken; None for nothing."""
        key = (keyword, manifest_schema)
        if key not in self._known:
            annotations = keyword.error.annotations()
            passes = schema is not manifest_schema and keyword.error.passes(
                manifest_schema.contents
            )
            rule, selection = rule_of(keyword.name, annotations), self._linter.selection
            is_hosts_off = not is_rule and is_off(annotations)
            if passes or (is_hosts_off and not selection.turns_on(rule)):
                self._known[key] = None
            else:
                severity = severity_of(annotations)
                is_profiles = not is_rule and schema is not manifest_schema
                counted = selection.severity_of(rule, severity, is_profiles=is_profiles)
                self._known[key] = _Told(rule, counted, severity is Severity.ERROR)
        return self._known[key]


def _is_plain(document: Document, *, uses_comments: bool) -> bool:
    """Whether a manifest is small, has no comment that counts, and no member with an empty name."""
    if len(document.text) > _SMALL:
        return False
    if document.syntax == "json":
        return '""' not in document.text
    return not uses_comments and all(map(all, _names(document.value)))


def _names(value: Any) -> Iterator[Iterable[str]]:
    """The names of the members of each object in a value."""
    todo = [value]
    for each in todo:
        if isinstance(each, dict):
            yield each
            todo.extend(each.values())
        elif isinstance(each, list):
            todo.extend(each)
