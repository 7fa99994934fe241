"""Findings that were there when somebody drew the line."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from manifestkit.config.configuration import ALWAYS
from manifestkit.decode import decode
from manifestkit.files import read_bytes, relative_name, replacing
from manifestkit.findings.messages import message_and_help
from manifestkit.model.document import Document
from manifestkit.model.errors import ConfigurationError, UnreadableFileError, UnwritableFileError
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.model.report import STDIN, FileSummary, Report
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


class WrittenBaseline(NamedTuple):
    """The entries of a baseline that was written.

    Attributes:
        entries: all of them.
        new: those that the file that it replaces does not have; none where there was no file.
        kept: those of the file that it replaces which this run could not judge.
        gone: the paths of entries that were dropped as no such file exists any more.
    """

    entries: frozenset[BaselineEntry]
    new: frozenset[BaselineEntry] = frozenset()
    kept: frozenset[BaselineEntry] = frozenset()
    gone: frozenset[str] = frozenset()


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
        for wrong in packaged_schema("baseline.schema.json").validator.errors(document.value):
            place = document.locate(wrong.path)
            why = message_and_help(wrong)[0].replace("the manifest ", "it ", 1)
            advice = "; create it again with --write-baseline" if wrong.path == ("version",) else ""
            raise ConfigurationError(
                f"{name}:{place.line}:{place.column}: this is not a baseline: {why}{advice}"
            )
        entries = {
            (entry["path"], entry["fingerprint"]): index
            for index, entry in enumerate(document.value["entries"])
        }
        return cls(document, path.absolute().parent, entries)

    @staticmethod
    def write(path: Path, report: Report, counts: Callable[[str, str], bool]) -> WrittenBaseline:
        """Write the violations of a report as a baseline, whole or not at all.

        What keeps a file from being judged is not written: it cannot be hidden. Of the baseline
        that it replaces, the entries stay that the run could not judge: those of other files, and
        of rules that were off.

        Args:
            path: the baseline.
            report: the results of the run, which uses no baseline.
            counts: returns whether a rule, the second argument, counts in a file, the first.

        Raises:
            ConfigurationError: the file cannot be written, or is there and is no baseline.
        """
        folder = path.absolute().parent
        judged = {
            _name_in_baseline(each.path, folder): each.path
            for each in report.results
            if Baseline.judges(each.summary)
        }
        found = frozenset(
            _entry_of(_name_in_baseline(result.path, folder), each)
            for result in report.results
            if result.is_manifest and result.verdict
            for each in result.verdict.violations
            if each.rule not in ALWAYS
        )
        written = WrittenBaseline(found)
        if path.exists() and not _is_of_other_version(path):
            before = Baseline.read(path)
            known = frozenset(map(before.entry, before.entries.values()))
            not_judged = {
                each
                for each in known
                if each.path not in judged or not counts(judged[each.path], each.rule)
            }
            gone = frozenset(
                name for name in {each.path for each in not_judged} if _is_gone(folder, name)
            )
            kept = frozenset(each for each in not_judged if each.path not in gone) - found
            written = WrittenBaseline(found | kept, found - known, kept, gone)
        contents: dict[str, Any] = {
            "version": _VERSION,
            "entries": [entry._asdict() for entry in sorted(written.entries)],
        }
        try:
            with replacing(path) as file:
                json.dump(contents, file, indent=2)
                file.write("\n")
        except UnwritableFileError as error:
            raise ConfigurationError(f"{error.path}: the baseline {error.reason}") from None
        return written

    @property
    def name(self) -> str:
        """The file, as it is named to the user."""
        return self.document.name

    def name_of(self, path: str) -> str:
        """Return how it names a file."""
        return _name_in_baseline(path, self.folder)

    @staticmethod
    def judges(summary: FileSummary) -> bool:
        """Return whether a result has all findings: else none is known to be fixed."""
        rules = {rule for rule, _ in summary.rules}
        return not (summary.is_cut or summary.is_skipped or rules & {*ALWAYS, not_a_manifest.ID})

    def entry(self, index: int) -> BaselineEntry:
        """Return the entry at an index."""
        return BaselineEntry(**self.document.value["entries"][index])


def _is_of_other_version(path: Path) -> bool:
    with suppress(UnreadableFileError):
        value = decode(read_bytes(path, DEFAULT_LIMITS.bytes), path.name).document.value
        if isinstance(value, dict) and value.keys() == {"version", "entries"}:
            return type(value["version"]) is int and value["version"] != _VERSION
    return False


def _entry_of(name: str, violation: Violation) -> BaselineEntry:
    identity = violation.identity
    assert identity is not None  # noqa: S101 - a run that writes a baseline asks for it
    return BaselineEntry(name, violation.rule, identity.pointer, identity.fingerprint)


def _is_gone(folder: Path, name: str) -> bool:
    """Return whether a file that a baseline names does not exist, as far as that can be known."""
    if name == STDIN:
        return False
    try:
        (folder / name).stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return True
    except OSError:
        return False
    return False


def _name_in_baseline(path: str, folder: Path) -> str:
    """Return how a baseline in a folder names a file."""
    return path if path == STDIN else Path(os.path.relpath(path, folder)).as_posix()
