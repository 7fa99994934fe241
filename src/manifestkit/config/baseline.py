"""Findings that were there when somebody drew the line."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from manifestkit.config.configuration import ALWAYS
from manifestkit.decode import decode
from manifestkit.files import posix_name, read_bytes, reason_of, relative_name, replacing
from manifestkit.findings.fingerprints import identities, stable_pointer
from manifestkit.findings.grouping import exchangeable_lists, keyword_of
from manifestkit.findings.messages import message_and_help
from manifestkit.model.document import Document
from manifestkit.model.errors import ConfigurationError, UnreadableFileError
from manifestkit.model.finding import Identity
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.model.pointer import Path as Place
from manifestkit.model.report import BY_BASELINE, STDIN, FileResult, Report
from manifestkit.model.violation import Violation
from manifestkit.rules.catalogue import catalogue
from manifestkit.rules.checks import not_a_manifest
from manifestkit.schema.manifest import Manifest
from manifestkit.schema.packaged import packaged_schema

_VERSION = 2


class BaselineEntry(NamedTuple):
    """One violation of a baseline: its file counts from the baseline's folder."""

    path: str
    rule: str
    pointer: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Baseline:
    """The violations that are known and hidden.

    In a baseline of version 1 an entry stands for a finding, and for all that the finding covered.

    Attributes:
        document: the file, for telling places in it.
        folder: the folder that its paths count from.
        entries: the index of each entry, by path and fingerprint.
        paths: the files that it has entries for.
    """

    document: Document
    folder: Path
    entries: dict[tuple[str, str], int]
    paths: frozenset[str]

    @property
    def name(self) -> str:
        """The file, as it is named to the user."""
        return self.document.name

    def name_of(self, path: str) -> str:
        """Return how it names a file."""
        return name_in_baseline(path, self.folder)

    def accepting(
        self, path: str, violations: Sequence[Violation], manifest: Manifest
    ) -> list[str | None]:
        """Return for each violation of a file the fingerprint that accepts it; None for none.

        Args:
            path: the file.
            violations: the violations that count.
            manifest: the manifest.
        """
        name = self.name_of(path)
        if name not in self.paths:
            return [None] * len(violations)
        covering: list[list[Identity]] = [[] for _ in violations]
        if self.document.value["version"] == 1:
            covering = _covering_in_version_1(violations, manifest)
        return [
            next(
                (
                    each.fingerprint
                    for each in (violation.identity, *others)
                    if each and (name, each.fingerprint) in self.entries
                ),
                None,
            )
            for violation, others in zip(violations, covering, strict=True)
        ]

    def entry(self, index: int) -> BaselineEntry:
        """Return the entry at an index."""
        return BaselineEntry(**self.document.value["entries"][index])

    @property
    def all(self) -> list[BaselineEntry]:
        """Every entry."""
        return [self.entry(index) for index in self.entries.values()]


def read_baseline(path: Path) -> Baseline:
    """Return a baseline from its file.

    Raises:
        ConfigurationError: the file cannot be read, or is no baseline.
    """
    name = relative_name(path)
    try:
        decoded = decode(read_bytes(path, DEFAULT_LIMITS.bytes), name)
    except UnreadableFileError as error:
        raise ConfigurationError(
            f"baseline {name}: {error.reason}; create one with --write-baseline"
        ) from None
    document = decoded.document
    problems = [
        f"{each.path}:{each.location.line}:{each.location.column}: {each.message}"
        for each in decoded.findings
    ]
    if problems:
        raise ConfigurationError(*problems)
    for wrong in packaged_schema("baseline.schema.json").errors(document.value):
        place = document.locate(wrong.path)
        raise ConfigurationError(
            f"{name}:{place.line}:{place.column}: "
            f"this is not a baseline: {message_and_help(wrong)[0]}"
        )
    entries = {
        (entry["path"], entry["fingerprint"]): index
        for index, entry in enumerate(document.value["entries"])
    }
    paths = frozenset(file for file, _ in entries)
    return Baseline(document, path.absolute().parent, entries, paths)


def _covering_in_version_1(
    violations: Sequence[Violation], manifest: Manifest
) -> list[list[Identity]]:
    """Return the identities that version 1 of a baseline has for each violation."""
    foreign = not_a_manifest.find(catalogue()[not_a_manifest.ID], manifest)
    mistyped = {each.path: each for each in violations if keyword_of(each) == "type"}
    missing = {(each.path, each.member): each for each in violations if each.member is not None}
    first = {each.path[:-1]: each for each in reversed(violations) if keyword_of(each) == "enum"}
    swapped: dict[Place, tuple[str, Place]] = {}
    for pair in exchangeable_lists(manifest):
        for place in reversed([each for each in pair if each in first]):
            swapped.update(dict.fromkeys(pair, (first[place].rule, place)))

    def identity(rule: str, path: Place, member: str | None = None) -> Identity:
        return Identity(rule, stable_pointer(manifest, path), member or "", 0)

    covering: list[list[Identity]] = []
    for each, plain in zip(
        violations, identities(violations, manifest, is_plain=True), strict=True
    ):
        found = [plain, *([identity(not_a_manifest.ID, ())] if foreign else [])]
        if each.path in mistyped and each.member is None:
            found.append(identity(mistyped[each.path].rule, each.path))
        if each.cause in missing:
            found.append(identity(missing[each.cause].rule, *each.cause))
        if keyword_of(each) == "enum" and each.path[:-1] in swapped:
            found.append(identity(*swapped[each.path[:-1]]))
        covering.append(found)
    return covering


def is_judged(result: FileResult) -> bool:
    """Return whether a result has all findings of a manifest: else none is known to be fixed."""
    rules = {rule for rule, _ in result.rules}
    return not (result.cut_by or result.skipped or rules & {*ALWAYS, not_a_manifest.ID})


def write_baseline(path: Path, report: Report) -> int:
    """Write the violations of a report as a baseline, whole or not at all; how many those are.

    What another baseline hides is written too, so that one may be drawn anew over itself. What
    keeps a file from being judged is not: it cannot be hidden. Of such a file, the entries of the
    baseline that stood there are kept.

    Raises:
        ConfigurationError: the file cannot be written, or is there and is no baseline.
    """
    folder = path.absolute().parent
    not_judged = {name_in_baseline(each.path, folder) for each in report.errors}
    not_judged |= {
        name_in_baseline(each.path, folder) for each in report.results if not is_judged(each)
    }
    before = read_baseline(path).all if path.exists() else []
    entries = {each for each in before if each.path in not_judged}
    entries |= {
        BaselineEntry(
            name_in_baseline(result.path, folder),
            each.rule,
            each.identity.pointer,
            each.identity.fingerprint,
        )
        for result in report.results
        if result.is_manifest and result.tally
        for each in result.tally.violations
        if each.rule not in ALWAYS and each.by in (None, BY_BASELINE)
    }
    contents: dict[str, Any] = {
        "version": _VERSION,
        "entries": [entry._asdict() for entry in sorted(entries)],
    }
    try:
        with replacing(path) as file:
            json.dump(contents, file, indent=2)
            file.write("\n")
    except OSError as error:
        raise ConfigurationError(
            f"{posix_name(path)}: the baseline cannot be written: {reason_of(error)}"
        ) from None
    return len(entries)


def name_in_baseline(path: str, folder: Path) -> str:
    """Return how a baseline in a folder names a file."""
    return path if path == STDIN else Path(os.path.relpath(path, folder)).as_posix()
