"""Findings that were there when somebody drew the line."""

from __future__ import annotations

import json
import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from manifestkit.config.configuration import ALWAYS
from manifestkit.decode import decode
from manifestkit.files import read_bytes, relative_name, replacing
from manifestkit.findings.messages import message_and_help
from manifestkit.model.document import Document
from manifestkit.model.errors import ConfigurationError, UnreadableFileError, UnwritableFileError
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.model.report import STDIN, FileResult, Report
from manifestkit.model.violation import Violation
from manifestkit.rules.checks import not_a_manifest
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

    Attributes:
        document: the file, for telling places in it.
        folder: the folder that its paths count from.
        entries: the index of each entry, by path and fingerprint.
    """

    document: Document
    folder: Path
    entries: dict[tuple[str, str], int]

    @classmethod
    def read(cls, path: Path) -> Baseline:
        """Return a baseline from its file.

        Raises:
            ConfigurationError: the file cannot be read, or is no baseline.
        """
        name = relative_name(path)
        try:
            decoded = decode(read_bytes(path, DEFAULT_LIMITS.bytes), name)
        except UnreadableFileError as error:
            create = f"; create one with `manifest lint --write-baseline {shlex.quote(name)}`"
            do = create * (not os.path.lexists(path))
            raise ConfigurationError(f"baseline {name}: {error.reason}{do}") from None
        document = decoded.document
        again = "write a new one: `manifest lint --write-baseline new-baseline.json`"
        problems = [
            f"{each.path}:{each.location.line}:{each.location.column}: {each.message}; {again}"
            for each in decoded.findings
        ]
        if problems:
            raise ConfigurationError(*problems)
        for wrong in packaged_schema("baseline.schema.json").validator.errors(document.value):
            place = document.locate(wrong.path)
            why = message_and_help(wrong)[0].replace("the manifest ", "it ", 1)
            raise ConfigurationError(
                f"{name}:{place.line}:{place.column}: this is not a baseline: {why}; {again}"
            )
        entries = {
            (entry["path"], entry["fingerprint"]): index
            for index, entry in enumerate(document.value["entries"])
        }
        return cls(document, path.absolute().parent, entries)

    @classmethod
    def write(cls, path: Path, report: Report) -> tuple[int, int]:
        """Write the violations of a report as a baseline, whole or not at all.

        Return how many these are, and how many entries that were there are not among them.

        What keeps a file from being judged is not written: it cannot be hidden. What was known of
        such a file stays.

        Args:
            path: the baseline; one that is there is replaced.
            report: the results of the run, which uses no baseline.

        Raises:
            ConfigurationError: the file cannot be written, or is there and is no baseline.
        """
        known = Baseline.read(path) if path.exists() else None
        before = {known.entry(each) for each in known.entries.values()} if known else set()
        folder = path.absolute().parent
        judged = {_name_in_baseline(each.path, folder): cls.judges(each) for each in report.results}
        found = {
            _entry_of(_name_in_baseline(result.path, folder), each)
            for result in report.results
            if result.is_manifest and result.verdict
            for each in result.verdict.violations
            if each.rule not in ALWAYS
        }
        found |= {each for each in before if not judged.get(each.path, True)}
        contents = {"version": _VERSION, "entries": [each._asdict() for each in sorted(found)]}
        try:
            with replacing(path) as file:
                json.dump(contents, file, indent=2)
                file.write("\n")
        except UnwritableFileError as error:
            raise ConfigurationError(f"{error.path}: the baseline {error.reason}") from None
        left = {(each.path, each.fingerprint) for each in found}
        return len(found), len({(each.path, each.fingerprint) for each in before} - left)

    def name_of(self, path: str) -> str:
        """Return how it names a file."""
        return _name_in_baseline(path, self.folder)

    @staticmethod
    def judges(result: FileResult) -> bool:
        """Return whether a result has all findings: else none is known to be fixed."""
        rules = {rule for rule, _ in result.rule_severities}
        return not (result.is_cut or result.skipped or rules & {*ALWAYS, not_a_manifest.ID})

    def entry(self, index: int) -> BaselineEntry:
        """Return the entry at an index."""
        return BaselineEntry(**self.document.value["entries"][index])


def _entry_of(name: str, violation: Violation) -> BaselineEntry:
    identity = violation.identity
    assert identity is not None  # noqa: S101 - a run that writes a baseline asks for it
    return BaselineEntry(name, violation.rule, identity.pointer, identity.fingerprint)


def _name_in_baseline(path: str, folder: Path) -> str:
    """Return how a baseline in a folder names a file."""
    return path if path == STDIN else Path(os.path.relpath(path, folder)).as_posix()
