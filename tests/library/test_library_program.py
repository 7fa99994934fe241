"""The program that the documentation shows runs; `mypy` checks its types with all others."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

from command import EXAMPLES, environment
from samples import VALID

PROGRAM = EXAMPLES / "program" / "intake.py"


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(PROGRAM), *arguments],
        cwd=cwd,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_program_fixes_reports_and_fails(tmp_path: Path) -> None:
    (tmp_path / "sent").mkdir()
    (tmp_path / "sent" / "good.json").write_bytes(VALID)
    (tmp_path / "sent" / "slip.json").write_bytes(VALID.replace(b'"version"', b'"versoin"'))
    (tmp_path / "sent" / "sdk.json").write_bytes(VALID.replace(b'"1.4"', b'"2.0"'))
    shutil.copy(EXAMPLES / "profiles" / "host-catalogue.schema.json", tmp_path / "host.json")

    done = run("sent", "host.json", cwd=tmp_path)

    assert done.returncode == 1, done.stderr
    assert f"{Path('sent', 'slip.json')}: 1 fixed" in done.stdout
    assert "sdk.json:10: error: " in done.stdout
    assert "3 checked, 1 errors" in done.stdout
    assert (tmp_path / "sent" / "slip.json").read_bytes() == VALID
    (log,) = json.loads((tmp_path / "report.sarif").read_text("utf-8"))["runs"]
    assert [each["ruleId"] for each in log["results"]] == ["host-sdk-version"]


def test_the_program_follows_no_link(tmp_path: Path) -> None:
    slip = VALID.replace(b'"version"', b'"versoin"')
    (tmp_path / "sent").mkdir()
    (tmp_path / "secret.json").write_bytes(slip)
    (tmp_path / "sent" / "link.json").symlink_to("../secret.json")
    shutil.copy(EXAMPLES / "profiles" / "host-catalogue.schema.json", tmp_path / "host.json")
    done = run("sent", "host.json", cwd=tmp_path)
    told = (
        f"{Path('sent', 'link.json')}: not checked: no regular file that is named as JSON or YAML"
    )
    assert (done.returncode, done.stdout) == (1, f"{told}\n0 checked, 0 errors\n")
    assert (tmp_path / "secret.json").read_bytes() == slip


def test_the_program_checks_all_that_is_sent_or_fails(tmp_path: Path) -> None:
    faulty = EXAMPLES / "broken" / "missing.manifest.yaml"
    shutil.copy(EXAMPLES / "profiles" / "host-catalogue.schema.json", tmp_path / "host.json")
    for name, told in (
        ("a.yaml", "1 checked, 3 errors"),
        ("deep/er/b.YML", "1 checked, 3 errors"),
        ("c.txt", "0 checked, 0 errors"),
        ("deep/manifest", "0 checked, 0 errors"),
    ):
        file = tmp_path / "sent" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(faulty, file)
        done = run("sent", "host.json", cwd=tmp_path)
        assert (done.returncode, done.stdout.splitlines()[-1]) == (1, told), done.stderr
        assert Path("sent", name).as_posix() in done.stdout.replace("\\", "/")
        shutil.rmtree(tmp_path / "sent")


def test_the_program_refuses_a_profile_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "host.json").write_bytes(VALID)
    done = run(".", "host.json", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("host.json:1:1: ")
