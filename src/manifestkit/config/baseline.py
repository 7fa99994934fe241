"""Findings that were there when somebody drew the line."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from manifestkit.config.configuration import ALWAYS
from manifestkit.decode import decode
from manifestkit.files import nearby, read_bytes, reason_of, replacing, shown
from manifestkit.model.document import Document
from manifestkit.model.errors import ConfigurationError, UnreadableFileError
from manifestkit.model.finding import Finding
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.model.report import BY_BASELINE, STDIN, FileResult, Report
from manifestkit.rules.messages import message_and_help
from manifestkit.schema.packaged import packaged_schema

_VERSION = 1


class Entry(NamedTuple):
    """One finding of a baseline: its file counts from the baseline's folder."""

    path: str
    rule: str
    pointer: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Baseline:
    """The findings that are known and hidden.

    Attributes:
        document: the file, for telling places in it.
        folder: the folder that its paths count from.
        entries: each finding with the place of its entry, by path and fingerprint.
    """

    document: Document
    folder: Path
    entries: dict[tuple[str, str], int]

    def has(self, path: str, fingerprint: str) -> bool:
        """Whether a finding is known."""
        return (path, fingerprint) in self.entries

    def entry(self, index: int) -> Entry:
        """The entry at an index."""
        return Entry(**self.document.value["entries"][index])

    @property
    def all(self) -> list[Entry]:
        """Every entry."""
        return [self.entry(index) for index in self.entries.values()]


def read_baseline(path: Path) -> Baseline:
    """A baseline from its file.

    Raises:
        ConfigurationError: the file cannot be read, or is no baseline.
    """
    name = nearby(path)
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
    return Baseline(document, path.absolute().parent, entries)


def is_judged(result: FileResult) -> bool:
    """Whether a result has all findings of a manifest: only then can one be said to be fixed."""
    rules = {finding.rule for finding in result.findings}
    return not (result.is_cut or result.skipped or rules & {*ALWAYS, "not-a-manifest"})


def write_baseline(path: Path, report: Report) -> int:
    """Write what a report shows as a baseline, whole or not at all; how many findings that is.

    What another baseline hides is written too, so that one may be drawn anew over itself. What
    keeps a file from being judged is not: it cannot be hidden. Of such a file, the entries of the
    baseline that stood there are kept.

    Raises:
        ConfigurationError: the file cannot be written, or is there and is no baseline.
    """
    folder = path.absolute().parent
    not_judged = {_name(each.path, folder) for each in report.errors}
    not_judged |= {name_in_baseline(each, folder) for each in report.results if not is_judged(each)}
    before = read_baseline(path).all if path.exists() else []
    entries = [each for each in before if each.path in not_judged]
    entries += [
        Entry(
            name_in_baseline(result, folder),
            finding.rule,
            finding.identity.pointer if finding.identity else "",
            finding.identity.fingerprint if finding.identity else "",
        )
        for result in report.results
        if result.is_manifest
        for finding in (*result.findings, *_known(result))
        if finding.rule not in ALWAYS
    ]
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
            f"{shown(path)}: the baseline cannot be written: {reason_of(error)}"
        ) from None
    return len(entries)


def _known(result: FileResult) -> Iterator[Finding]:
    return (each.finding for each in result.suppressed if each.by == BY_BASELINE)


def name_in_baseline(result: FileResult, folder: Path) -> str:
    """How a baseline in a folder names what was judged."""
    return _name(result.path, folder)


def _name(path: str, folder: Path) -> str:
    return path if path == STDIN else Path(os.path.relpath(path, folder)).as_posix()
