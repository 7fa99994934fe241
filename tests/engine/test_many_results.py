"""More results than memory keeps: they come out as they would one at a time (engine/many.py)."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import pytest

import manifestkit
from command import environment
from manifestkit import Options, Report
from manifestkit.rendering import FORMATS
from manifestkit.rendering.escape import Style
from report_cases import GOOD

MANY = 10_500  # of which 10,000 are kept as they are
pytestmark = pytest.mark.slow
LINT = (sys.executable, "-m", "manifestkit", "lint", "--isolated", "--output-format")


@pytest.fixture(scope="module")
def strangers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """So many manifests with a fault each."""
    folder = tmp_path_factory.mktemp("strangers")
    for number in range(MANY):
        manifest = {**GOOD, "permissions": [f"host.camera{number}"]}
        (folder / f"{number:04}.manifest.json").write_text(json.dumps(manifest, indent=1), "utf-8")
    return folder


@pytest.fixture(scope="module")
def report(strangers: Path) -> Report:
    """The report of all of them."""
    with chdir(strangers):
        return manifestkit.lint_paths(Path(), Options(isolated=True))


def test_the_report_of_many_is_the_reports_of_each(
    strangers: Path, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(strangers)
    assert report.summary.errors == MANY == report.rules.total()
    assert [each.path for each in report.results] == [each.path for each in report.findings]
    for index in (*range(0, MANY, 97), *range(9_990, 10_010)):
        alone = manifestkit.lint_paths(report.results[index].path, Options(isolated=True))
        assert report.results[index] == alone.results[0]
        assert report.findings[index] == alone.findings[0]


def test_the_command_shows_the_findings_of_each(strangers: Path, report: Report) -> None:
    done = subprocess.run(
        [*LINT, "json", "."],
        cwd=strangers,
        capture_output=True,
        check=False,
        env=environment(),
    )
    assert done.returncode == 1
    assert done.stdout.decode() == "".join(FORMATS["json"](report, Style()))


_PEAK = """
import re, sys
from pathlib import Path
from manifestkit.cli.main import main
try:
    main()
finally:
    print(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1], file=sys.stderr)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="there, a process does not tell its peak")
def test_a_file_more_takes_less_than_its_finding(strangers: Path, tmp_path: Path) -> None:
    text = (strangers / "0000.manifest.json").read_bytes()
    for number in range(2 * MANY):
        (tmp_path / f"{number}.manifest.json").write_bytes(text)

    def peak(folder: Path) -> int:
        command = [sys.executable, "-c", _PEAK, *LINT[3:], "sarif", "."]
        done = subprocess.run(
            command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False
        )
        return int(done.stderr.split()[-1])  # KB

    assert peak(tmp_path) - peak(strangers) < MANY
