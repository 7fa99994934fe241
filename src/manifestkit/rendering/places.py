"""Parts of reports that several formats share."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from manifestkit.files import absolute, posix_name, working_tree
from manifestkit.findings.words import counted
from manifestkit.model.errors import CrashedFileError
from manifestkit.model.finding import Finding, Identity, Severity
from manifestkit.model.location import Location
from manifestkit.model.report import STDIN, Report
from manifestkit.rules.catalogue import rule_page

_NOUNS = (("error", "errors"), ("warning", "warnings"), ("info", "info"))


def severities(numbers: Iterable[int]) -> list[str]:
    """Return the number of findings of each severity that there are, in words; the worst first."""
    counts = zip(numbers, _NOUNS, strict=True)
    return [counted(number, *nouns) for number, nouns in counts if number]


def verdict(report: Report) -> str:
    """Return what was found, in words."""
    summary = report.summary
    found = severities((summary.errors, summary.warnings, summary.info))
    if report.errors:
        found.append(f"{counted(len(report.errors), 'file')} not checked")
    if found:
        return ", ".join(found)
    if not report.is_comparison:
        return "no problems found"
    changed = any(each.changes for each in report.results)
    return "no changes to report" if changed else "nothing changed"


def from_root(path: str) -> str:
    """Return a file as seen from the root of the repository around the working folder.

    GitHub and GitLab match it with a changed file's name; an absolute name they cannot match.
    """
    with suppress(ValueError, OSError):  # it is elsewhere, or the working folder is gone
        if path != STDIN:
            return posix_name(absolute(path).relative_to(_root_of(os.getcwd())))  # noqa: PTH109
    return path


@lru_cache(maxsize=1)
def _root_of(folder: str) -> Path:
    return working_tree(Path(folder))


def fingerprint(finding: Finding) -> str:
    """Return the finding's own, or one for what has none: an entry of the configuration, say."""
    identity = finding.identity or Identity(finding.rule, finding.pointer, finding.message, 0)
    return identity.fingerprint


def untold(report: Report) -> Iterator[Finding]:
    """Yield a finding for each file without a result that none is about, to say why."""
    for each in report.untold:
        rule = "crash" if isinstance(each, CrashedFileError) else "unreadable-file"
        message = f"not checked: {each.reason}"
        yield Finding(each.path, rule, Severity.ERROR, message, "", Location())


def sentences(finding: Finding) -> list[str]:
    """Return what a finding says: its message, what to do, the profile it is by, and its page."""
    by = f"required by the profile {finding.profile}" if finding.profile else None
    url = finding.url
    page = f"see {url}" if url and url != rule_page(finding.rule) else None
    return [finding.message, *filter(None, (finding.help, by, page))]


class Mark(NamedTuple):
    """Characters of a file to mark, and what to say beside them."""

    location: Location
    message: str = ""
    is_own: bool = False  # whether they are those of the finding itself


def marks(finding: Finding) -> list[Mark]:
    """Return the place of a finding, and then the others in its file."""
    others = [
        Mark(each.location, each.message)
        for each in finding.related
        if each.path is None and each.location != finding.location
    ]
    return [Mark(finding.location, is_own=True), *others]


def notes(finding: Finding) -> Iterator[tuple[str, str]]:
    """Yield what follows the lines of a finding, each as a `note` or as `help`."""
    for message, _, location, path in finding.related:
        if path is not None:
            yield "note", f"{path}:{location.line}:{location.column} {message}"
    if finding.help:
        yield "help", finding.help
    if finding.profile:
        yield "note", f"required by the profile {finding.profile}"
    if finding.clause:
        yield "note", finding.clause
