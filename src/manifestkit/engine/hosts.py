"""One run for several hosts: what each says of the manifests, in one report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from manifestkit.config.policy import Policy
from manifestkit.engine.beside import finding_of, result_beside
from manifestkit.files import relative_name
from manifestkit.findings.messages import counted
from manifestkit.model.finding import Finding, Severity
from manifestkit.model.report import FileResult, Report

_RULE = "host-verdict"
_SHOWN = 5


class HostReport(NamedTuple):
    """The report of one host: the file of its profile, what it found, and by which policy."""

    profile: Path
    report: Report
    policy: Policy


def joined_hosts(hosts: Mapping[str, HostReport]) -> Report:
    """Return one report: each finding once, with the hosts that have it, and a verdict for each.

    Args:
        hosts: the reports of the same files, by the host's name.
    """
    reports = {name: each.report for name, each in hosts.items()}
    first, *_ = reports.values()
    files: dict[str, dict[str, FileResult]] = {}
    for name, report in reports.items():
        for result in report.results:
            files.setdefault(result.path, {})[name] = result
    results = [_joined(found, len(hosts)) for found in files.values()]
    manifests = sum(each.is_manifest for each in first.results) + first.clean
    every = list(reports.values())
    return Report.of(
        (*results, *(_verdict(name, each) for name, each in hosts.items())),
        {error.path: error for each in every for error in each.unreadable}.values(),
        max(0, manifests - sum(each.is_manifest for each in results)),
        {error.path: error for each in every for error in each.crashed}.values(),
    )


def _joined(found: Mapping[str, FileResult], hosts: int) -> FileResult:
    """Return the results of one file as one; a host of which there is none finds it clean."""
    saying: dict[object, tuple[Finding, list[str], dict[str | None, None]]] = {}
    for name, result in found.items():
        for each in result.findings:
            _, names, profiles = saying.setdefault(_key(each), (each, [], {}))
            names.append(name)
            profiles[each.profile] = None
    findings = [
        _of_hosts(first, names, profiles) if len(names) < hosts or len(profiles) > 1 else first
        for first, names, profiles in saying.values()
    ]
    results = list(found.values())
    suppressed = {_key(each.finding): each for result in results for each in result.suppressed}
    return results[0]._replace(
        findings=tuple(sorted(findings, key=lambda each: (each.location.span, each.rule))),
        suppressed=tuple(suppressed.values()),
        text=next((each.text for each in results if each.text is not None), None),
        fails=any(each.fails for each in results),
        cut_by=next((each.cut_by for each in results if each.cut_by), None),
    )


def _key(finding: Finding) -> object:
    """Return what two hosts must agree in for one finding to be shown of both."""
    place = finding.pointer, finding.property, finding.location
    texts = finding.message, finding.help, finding.url, finding.clause
    fixes = [(each.message, each.safety, repr(each.patch)) for each in finding.fixes]
    return finding.rule, finding.severity, place, texts, tuple(fixes)


def _of_hosts(finding: Finding, names: Iterable[str], profiles: Iterable[str | None]) -> Finding:
    hosts = ", ".join(names)
    identity = finding.identity
    if identity:  # what two hosts say of one place are two findings
        identity = identity._replace(member=f"{identity.member}@{hosts}")
    return finding._replace(
        message=f"{hosts}: {finding.message}",
        profile=", ".join(filter(None, profiles)) or None,
        identity=identity,
    )


def _verdict(name: str, host: HostReport) -> FileResult:
    rejected = [each.path for each in host.report.results if each.fails]
    files = counted(host.report.summary.files, "manifest")
    message = f"host `{name}` accepts {files}"
    if rejected:
        others = [f"{len(rejected) - _SHOWN:,} more"] if len(rejected) > _SHOWN else []
        which = ", ".join([*rejected[:_SHOWN], *others])
        message = f"host `{name}` rejects {len(rejected):,} of {files}: {which}"
    severity = Severity.ERROR if rejected else Severity.INFO
    file = relative_name(host.profile)
    finding = finding_of(_RULE, host.policy, file, message, severity=severity)
    result = result_beside(file, filter(None, [finding]), None, host.policy)
    return result._replace(fails=bool(rejected))
