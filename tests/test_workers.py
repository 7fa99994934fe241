"""Many files on every processor: the same report, and an end whatever happens (engine/workers)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from report_cases import GOOD

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

LINT = (sys.executable, "-m", "manifestkit", "lint", "--isolated")
MANY = 1_500


@pytest.fixture(scope="module")
def strangers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """So many manifests that they take a while: good ones, faulty ones, and some unreadable."""
    folder = tmp_path_factory.mktemp("strangers")
    for number in range(MANY):
        manifest = {**GOOD, "x-note": f"{number} é😀"}
        if number % 3 == 0:
            manifest["permissions"] = ["host.camera"]
        file = folder / f"{number:04}.manifest.json"
        file.write_text(json.dumps(manifest, indent=2), "utf-8")
    (folder / "gone.manifest.json").symlink_to("nowhere")
    return folder


def running(folder: Path) -> subprocess.Popen[bytes]:
    """A run over a folder, in a process group of its own."""
    return subprocess.Popen(
        [*LINT, "--output-format", "json", "."],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def workers(run: subprocess.Popen[bytes]) -> Iterator[int]:
    """The worker processes of a run, awaited; none when it ended without."""
    children = Path(f"/proc/{run.pid}/task/{run.pid}/children")
    while run.poll() is None:
        if started := children.read_text().split():
            yield from map(int, started)
            return


def is_there(process: int) -> bool:
    status = Path(f"/proc/{process}/stat")
    return status.exists() and status.read_text().split()[2] != "Z"


@pytest.fixture(scope="module")
def alone(strangers: Path) -> tuple[int, bytes, bytes]:
    """What a run says that has one processor."""
    one = min(os.sched_getaffinity(0))
    done = subprocess.run(
        [*LINT, "--output-format", "json", "."],
        cwd=strangers,
        capture_output=True,
        check=False,
        preexec_fn=lambda: os.sched_setaffinity(0, {one}),
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(autouse=True)
def _two_processors() -> None:
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("needs two processors")


def test_the_report_is_the_same_on_one_processor_and_on_all(
    strangers: Path, alone: tuple[int, bytes, bytes]
) -> None:
    run = running(strangers)
    assert list(workers(run))
    out, said = run.communicate()
    assert (run.returncode, out, said) == alone
    assert len(json.loads(out)["findings"]) == MANY // 3
    assert b"gone.manifest.json: no such file" in said


def test_a_worker_that_is_killed_leaves_nothing_out(
    strangers: Path, alone: tuple[int, bytes, bytes]
) -> None:
    run = running(strangers)
    for worker in workers(run):
        os.kill(worker, signal.SIGKILL)
    out, said = run.communicate()
    assert (run.returncode, out, said) == alone


def test_an_interrupt_ends_all_processes_without_a_word(strangers: Path) -> None:
    run = running(strangers)
    started = list(workers(run))
    assert started
    os.killpg(run.pid, signal.SIGINT)
    out, said = run.communicate()
    assert (run.returncode, out, said.strip()) == (130, b"", b"")
    assert not any(map(is_there, started))


def test_workers_end_when_their_run_is_killed(strangers: Path) -> None:
    run = running(strangers)
    started = list(workers(run))
    assert started
    run.kill()
    run.communicate()
    while any(map(is_there, started)):
        pass  # a worker ends when it has judged its portion; one that stays would hang this test


def test_a_profile_that_cannot_be_judged_by_is_told_as_without_workers(
    strangers: Path, tmp_path: Path
) -> None:
    profile = tmp_path / "loop.schema.json"
    profile.write_text(json.dumps({"$ref": "#"}))
    done = subprocess.run(
        [*LINT, "--profile", str(profile), "."], cwd=strangers, capture_output=True, check=False
    )
    assert done.returncode == 2
    assert b"loop.schema.json:1:1: this schema leads back to itself" in done.stderr
