"""A run over many manifests: the work on each, and what is said of it on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

from manifestkit.cli.console import progress, show, style_for
from manifestkit.engine.discovery import Search, Target
from manifestkit.engine.many import attempt
from manifestkit.engine.pool import map_in_order
from manifestkit.files import is_folder, posix_name, relative_name
from manifestkit.findings.words import counted, listed
from manifestkit.model.errors import FileProblem
from manifestkit.model.finding import Finding
from manifestkit.model.report import Report
from manifestkit.rendering import FORMATS
from manifestkit.rendering.escape import as_typed, visible
from manifestkit.rendering.places import severities
from manifestkit.schema.packaged import packaged_formats

R = TypeVar("R")


@contextmanager
def outcomes(
    work: Callable[[Target], R], files: Iterable[Target]
) -> Iterator[Iterator[tuple[Target, R | FileProblem | None]]]:
    """Yield each file with the result of the work, or why there is none; processes do the work."""
    with progress(files) as left, closing(map_in_order(partial(attempt, work), left)) as results:
        yield results


def left_out(
    found: Search, report: Report | None = None, *, quiet: bool = False, is_told: bool = False
) -> Iterator[str]:
    """Yield what a report skipped, and, if not `quiet`, where there is no manifest or may be more.

    That there is none at all is not said twice, where it `is_told`.
    """
    if report is not None:
        skipped = {each.path: each.skipped for each in report.results if each.skipped}
        for name, why in (_excluded(found) | skipped).items():
            yield f"{name}: skipped, it is {why}"
        if found.unlike:
            yield f"not checked, as they are not named like manifests: {found.unlike}"
    if quiet:
        return
    yield from found.doubts
    if not is_told:
        yield from (f"{folder}: no manifest in this folder" for folder in found.empty)


def _excluded(found: Search) -> dict[str, str]:
    return {name: f"excluded by {relative_name(by)}" for name, by in sorted(found.excluded)}


def show_findings(report: Report) -> None:
    """Write the findings of a report to standard error, as people read them."""
    style, form = style_for(sys.stderr), "full" if sys.stderr.isatty() else "concise"
    show("".join(FORMATS[form](report, style)), sys.stderr, color=style.color)


def summary(
    report: Report,
    fixed: int | None = None,
    refused: Sequence[Finding] = (),
    *,
    is_done: bool = True,
    schema: Path | None = None,
) -> str:
    """Return the counts of a run, and how many findings can be fixed, in one line.

    Those that `--fix` refused to fix cannot. Unless it is done, only a difference was shown. A
    schema in place of the built-in one is named. It is empty where nothing was checked.
    """
    counts = report.summary
    if not counts.files:
        return ""
    found = severities((counts.errors, counts.warnings, counts.info))
    suppressed = f", {counts.suppressed} suppressed" if counts.suppressed else ""
    skipped = f", {counts.skipped} skipped" if counts.skipped else ""
    verdict = ", ".join(found) or "no problems found"
    against = f" against {visible(posix_name(schema))}" if schema else ""
    checked = f"{counted(counts.files, 'file')} checked{against}{skipped}"
    was_fixed = fixed is not None and is_done
    rest = _fixable(report, refused, counts_others=was_fixed) if found else ""
    if was_fixed:
        checked += f", {fixed:,} fixed"
        verdict += " left" if found else ""
    elif fixed:
        left = f"; remaining: {verdict}" if found else ""
        verdict = f"{counted(fixed, 'fix', 'fixes')} available{left}"
    unread = (rule for each in report.results if each.is_unread for rule, _ in each.rule_severities)
    is_unread = not {"syntax-error", "yaml-unsupported"}.isdisjoint(unread)
    more = "; more may be found once the syntax is correct" if is_unread else ""
    return f"{checked}: {verdict}{suppressed}{rest}{more}"


def _fixable(report: Report, refused: Sequence[Finding], *, counts_others: bool) -> str:
    """Return the number of findings that `--fix` can fix, to end a sentence; empty for none.

    Those that only the author of a manifest can fix are counted too if that is asked for.
    """
    fixable = [each for each in report.results if each.can_be_fixed]
    fixes = [each.only_fix() for one in fixable for each in one.findings]
    offered = [each.safety == "safe" for each in fixes if each and each.edits]
    paths = {each.path for each in fixable} if refused else set()
    left = [each.only_fix() for each in refused if each.path in paths]
    left_out = [each.safety == "safe" for each in left if each and each.edits]
    counts = report.summary
    safe = offered.count(True) - left_out.count(True)
    unsafe = offered.count(False) - left_out.count(False)
    told = (each for one in report.results for each in one.findings if not each.fixes)
    others = sum(each.rule == "not-a-manifest" for each in told)
    by_hand = counts.errors + counts.warnings + counts.info - safe - unsafe - others
    parts = [f"{safe:,} fixable with --fix"] if safe else []
    if unsafe:
        parts.append(f"{unsafe:,} {'more' if safe else 'fixable'} with --fix --unsafe-fixes")
    if counts_others and by_hand:
        parts.append(f"{by_hand:,} to correct by hand")
    return f"; {', '.join(parts)}" if parts else ""


def nothing_to_check(found: Search, foreign: dict[str, str]) -> str:
    """Return why no manifest was judged, from the files of another kind and what each is."""
    whole = {name: f"{name} is {why}" for name, why in (foreign | _excluded(found)).items()}
    folders = sorted(why for name, why in whole.items() if is_folder(Path(name)))
    files = {name: why for name, why in whole.items() if why not in folders}
    if files:
        advice = f"to check it anyway, name it: `manifest lint {as_typed(next(iter(files)))}`"
        why = listed([*files.values()], "and", say=visible)
        return f"no manifest to check: {why}; {advice}"
    patterns = (each for row in packaged_formats().rows for each in row.patterns)
    names = listed([each for each in patterns if each.endswith(".json")])
    others = f", only {found.unlike}" if found.unlike else ""
    others += f"; {listed(folders, 'and', say=visible)}" if folders else ""
    advice = f"give a file, or - for standard input, or name it {names} (or .yaml, .yml)"
    where = f" in {listed(found.empty, say=visible)}" if found.empty not in ([], ["."]) else ""
    return f"no manifest found{where}{others}; {advice}; `manifest new` writes one"
