"""Many files on every processor: the same report, and an end whatever happens (engine/pool.py)."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from command import environment
from report_cases import GOOD

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux only"),
]

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


# Work is given out at once, two files a portion, however fast the machine. Each worker tells that
# it has begun, and waits until it may go on. One that opens the file named is killed, as a system
# that is out of memory does it.
_HELD = """
import os, runpy, signal, sys
from manifestkit.engine import pool as workers

told, gate = map(int, sys.argv[1:3])
deadly, run = sys.argv[3], os.getpid()
del sys.argv[1:4]


def strike(event, arguments):
    if event == "open" and deadly and str(arguments[0]).endswith(deadly) and os.getpid() != run:
        os.kill(os.getpid(), signal.SIGKILL)


sys.addaudithook(strike)
workers._ALONE = 0
os.register_at_fork(
    after_in_child=lambda: (os.write(told, f"{os.getpid()}\\n".encode()), os.read(gate, 1))
)
runpy.run_module("manifestkit", run_name="__main__", alter_sys=True)
"""


class Crew:
    """A run over a folder, in a process group of its own, whose workers are held at their start."""

    def __init__(self, folder: Path, outputs: Path, deadly: str = "") -> None:
        told, begun = os.pipe()
        hold, self._gate = os.pipe()
        arguments = (str(begun), str(hold), deadly, *LINT[3:], "--output-format", "json", ".")
        self._out, self._said = outputs / "out", outputs / "said"
        with self._out.open("wb") as out, self._said.open("wb") as said:
            self.run = subprocess.Popen(
                [sys.executable, "-c", _HELD, *arguments],
                cwd=folder,
                stdout=out,
                stderr=said,
                start_new_session=True,
                pass_fds=(begun, hold),
            )
        os.close(begun)
        os.close(hold)
        self._told = os.fdopen(told, "rb")

    def first(self, count: int) -> list[int]:
        """The first workers, awaited."""
        told = [self._told.readline() for _ in range(count)]
        assert all(told), "the run ended without workers"
        return list(map(int, told))

    def let_go(self) -> None:
        """Let the workers work."""
        os.close(self._gate)

    def ended(self) -> tuple[int, bytes, bytes]:
        """The exit code of the run and what it said."""
        code = self.run.wait(timeout=60)
        return code, self._out.read_bytes(), self._said.read_bytes()

    def has_gone(self) -> bool:
        """Whether the run and all its workers end: until then one of them could tell something."""
        with self._told:
            while select.select([self._told], [], [], 60)[0]:
                if not self._told.read1():
                    return True
        return False


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
    strangers: Path, tmp_path: Path, alone: tuple[int, bytes, bytes]
) -> None:
    crew = Crew(strangers, tmp_path)
    assert len(set(crew.first(2))) == 2
    crew.let_go()
    code, out, said = crew.ended()
    assert (code, out, said) == alone
    assert len(json.loads(out)["findings"]) == MANY // 3
    assert b"gone.manifest.json: no such file" in said
    assert crew.has_gone()


@pytest.mark.parametrize(
    "arguments",
    [
        ("fmt", "--check"),
        ("fmt", "--diff"),
        ("fmt",),
        ("lint", "--fix", "--unsafe-fixes"),
        ("lint", "--diff", "--unsafe-fixes"),
        ("diff", "--base", "HEAD"),
    ],
    ids=" ".join,
)
def test_files_are_edited_and_compared_alike_on_one_processor_and_on_two(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    """Of three hundred, a third is changed, a third not formatted, and one cannot be read."""
    seen = []
    for count in (1, 2):
        folder = tmp_path / str(count)
        folder.mkdir()
        for number in range(300):
            text = json.dumps({**GOOD, "x-note": number}, indent=2) + "\n"
            (folder / f"{number:03}.manifest.json").write_text(text)
        git = ("git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-C", str(folder))
        for command in (("init", "-q"), ("add", "."), ("commit", "-qm", "first")):
            subprocess.run([*git, *command], check=True)
        for number in range(300):
            file = folder / f"{number:03}.manifest.json"
            if number % 3 == 0:
                file.write_text(file.read_text().replace('"permissions"', '"permisions"'))
            elif number % 3 == 1:
                file.write_text(file.read_text().replace("\n  ", "\n    "))
        (folder / "150.manifest.json").write_bytes(b"{\xff")
        processors = {*sorted(os.sched_getaffinity(0))[:count]}
        done = subprocess.run(
            [sys.executable, "-m", "manifestkit", *arguments],
            cwd=folder,
            env=environment(),
            capture_output=True,
            check=False,
            preexec_fn=lambda: os.sched_setaffinity(0, processors),  # noqa: B023 - used at once
        )
        contents = {each.name: each.read_bytes() for each in folder.glob("*.json")}
        seen.append((done.returncode, done.stdout, done.stderr, contents))
    assert seen[0] == seen[1]
    assert seen[0][0] in {1, 2}
    assert seen[0][2]


def test_a_worker_that_is_killed_leaves_nothing_out(
    strangers: Path, tmp_path: Path, alone: tuple[int, bytes, bytes]
) -> None:
    crew = Crew(strangers, tmp_path)
    for worker in crew.first(2):
        os.kill(worker, signal.SIGKILL)
    crew.let_go()
    assert crew.ended() == alone
    assert crew.has_gone()


# Without shared memory there are none: AWS Lambda has no /dev/shm, and it may be read-only.
_NO_SEMAPHORES = """
import errno, runpy
from multiprocessing import synchronize

def refuse(*arguments, **options):
    raise OSError(errno.ENOSYS, "Function not implemented")

synchronize.SemLock.__init__ = refuse
runpy.run_module("manifestkit", run_name="__main__", alter_sys=True)
"""


def test_where_there_are_no_semaphores_the_run_goes_on_without_workers(
    strangers: Path, alone: tuple[int, bytes, bytes]
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _NO_SEMAPHORES, *LINT[3:], "--output-format", "json", "."],
        cwd=strangers,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == alone


def test_a_file_that_kills_its_workers_is_named_and_takes_no_other(
    strangers: Path, tmp_path: Path, alone: tuple[int, bytes, bytes]
) -> None:
    deadly = strangers / "0700.manifest.json"
    crew = Crew(strangers, tmp_path, deadly.name)
    crew.first(2)
    crew.let_go()
    code, out, said = crew.ended()
    assert code == 70
    report, whole = json.loads(out), json.loads(alone[1])
    assert report["findings"] == [each for each in whole["findings"] if each["path"] != deadly.name]
    assert report["summary"]["files"] == MANY - 1
    crashed, gone = sorted(report["errors"], key=lambda each: "gone" in each["path"])
    assert crashed["path"] == deadly.name
    log = Path(re.search(r"the log (\S+),", crashed["message"])[1])  # type: ignore[index]
    assert deadly.name in log.read_text("utf-8")
    log.unlink()
    assert gone["path"] == "gone.manifest.json"
    assert f"{deadly.name}: the process that checked it was killed".encode() in said
    assert crew.has_gone()


def test_an_interrupt_ends_all_processes_without_a_word(strangers: Path, tmp_path: Path) -> None:
    crew = Crew(strangers, tmp_path)
    crew.first(2)
    os.killpg(crew.run.pid, signal.SIGINT)
    code, out, said = crew.ended()
    assert (code, out, said.strip()) == (130, b"", b"")
    assert crew.has_gone()
    crew.let_go()


def test_workers_end_when_their_run_is_killed(strangers: Path, tmp_path: Path) -> None:
    crew = Crew(strangers, tmp_path)
    crew.first(2)
    crew.run.kill()
    assert crew.ended() == (-signal.SIGKILL, b"", b"")
    crew.let_go()
    assert crew.has_gone()


def test_a_profile_that_cannot_be_judged_by_is_told_as_without_workers(
    strangers: Path, tmp_path: Path
) -> None:
    profile = tmp_path / "loop.schema.json"
    profile.write_text(json.dumps({"$ref": "#"}))
    done = subprocess.run(
        [*LINT, "--profile", str(profile), "."], cwd=strangers, capture_output=True, check=False
    )
    assert done.returncode == 2
    assert b"loop.schema.json:1:1: this schema refers to itself" in done.stderr
