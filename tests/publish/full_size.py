"""Publishing at full size: what takes too long for the tests, measured, each against its bound.

`python tests/publish/full_size.py` prints a table; it ends with 1 when a bound is broken.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from command import MANIFEST as COMMAND
from command import environment
from hostile_zips import CLEAN, KINDS, archive, bomb, overlapping
from rehearsal import DOMAIN, EMAIL, MANIFEST, PASSWORD, User, with_account

LARGE = 400
MOST_RSS = 60
MOST_HOSTILE_RSS = 128


@dataclass
class Run:
    """A process that is done; its `rss` is in MB, and never less than that of this script."""

    code: int
    seconds: float
    rss: float


def run(*command: str | Path, **env: str) -> Run:
    """Run a process and measure it, children of its own left out."""
    start = time.monotonic()
    with subprocess.Popen(
        command,
        env=environment(**env),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return Run(process.returncode, time.monotonic() - start, usage.ru_maxrss / 1024)


def large(path: Path) -> Path:
    """An archive that does not get smaller."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("manifest.json", MANIFEST)
        file.writestr("index.js", "//")
        with file.open("large.bin", "w") as member:
            for _ in range(LARGE):
                member.write(os.urandom(1_000_000))
    return path


def deploy_large(folder: Path) -> bool:
    """400 MB go through, as an archive and as a folder, with little memory on both sides."""
    path = large(folder / "large.zip")
    with zipfile.ZipFile(path) as file:
        file.extractall(folder / "dist")
    with with_account(folder / "data") as (url, _, service):
        home = User(folder / "home", url).variables
        subprocess.run(  # not in this process, which would grow
            [*COMMAND, "login", "--email", EMAIL, "--password-stdin"],
            input=PASSWORD.encode(),
            env=environment(**home),
            check=True,
        )
        runs = [
            run(*COMMAND, "deploy", source, "--domain", DOMAIN, **home)
            for source in (path, folder / "dist")
        ]
        status = Path(f"/proc/{service.pid}/status").read_text()
    peak = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert peak is not None
    service_rss = int(peak[1]) / 1024
    for name, each in zip(("archive", "folder"), runs, strict=True):
        print(
            f"deploy of {LARGE} MB, {name}: code {each.code}, {each.seconds:.1f} s, client "
            f"{each.rss:.1f} MB"
        )
    print(f"sandbox meanwhile: {service_rss:.1f} MB (bound on each side: {MOST_RSS} MB)")
    return service_rss < MOST_RSS and all(each.code == 0 and each.rss < MOST_RSS for each in runs)


def look_at_hostile(folder: Path) -> bool:
    """Each hostile archive, and larger ones of the kinds that grow: refused with little memory."""
    made = {name: make() for name, (make, _) in KINDS.items()}
    made["bomb of 4 GB"] = archive([bomb(4_000_000_000)])
    made["lying bomb of 4 GB"] = archive([replace(bomb(4_000_000_000), size=4_000_000)])
    made["overlapping bomb"] = overlapping()
    slowest: list[tuple[float, float, str]] = []
    worst = 0.0
    for name, data in made.items():
        path = folder / "hostile.zip"
        path.write_bytes(data)
        done = run(
            *COMMAND,
            "deploy",
            path,
            "--domain",
            DOMAIN,
            "--dry-run",
            "--no-manifest",
        )
        slowest.append((done.seconds, done.rss, f"{name}: code {done.code}"))
        worst = max(worst, done.rss)
        if name in KINDS and (done.code == 1) != (KINDS[name][1] != CLEAN):
            print(f"code {done.code}: {name}")
            return False
    slowest.sort(reverse=True)
    for seconds, rss, name in slowest[:5]:
        print(f"{seconds:.2f} s, {rss:.1f} MB: {name}")
    print(
        f"{len(made)} hostile archives, the slowest first, start-up included; most memory "
        f"{worst:.1f} MB (bound: {MOST_HOSTILE_RSS} MB)"
    )
    return worst < MOST_HOSTILE_RSS


def main() -> int:
    """Run all; the exit code."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        done = [deploy_large(folder), look_at_hostile(folder)]
    return 0 if all(done) else 1


if __name__ == "__main__":
    sys.exit(main())
