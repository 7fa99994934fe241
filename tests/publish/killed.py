"""Deploys that are killed, and many at once: `python tests/publish/killed.py [MOMENTS [DEPLOYS]]`.

The sandbox is killed at so many moments of a deploy, and so is the client: a site is always
whole, old or new, and what was half received is gone after a restart. SIGINT, SIGTERM and the
deadline end a deploy within a second at each moment, with the code of its outcome. Then so many
deploys run at once: each has a version of its own, and an answer. It ends with 1 where something
is wrong.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))


from manifestkit.config.configuration import Publishing
from manifestkit.engine.options import Options
from manifestkit.publish.address import Address
from manifestkit.publish.client import Client
from manifestkit.publish.gate import Site
from manifestkit.publish.secrets import Authorization, Secret
from rehearsal import (
    DOMAIN,
    EMAIL,
    INTERRUPTED,
    NOT_SENT,
    PASSWORD,
    UNKNOWN,
    User,
    stub,
    with_account,
    zipped,
)
from test_transport import Progress, deploying

LARGE = 4_000_000
MOST_BUFFERED = 10_000_000
"""Bytes that have left the client, as far as it can know, before the service takes them."""


def stored(data: Path) -> Iterator[str]:
    """What is wrong with what a stopped sandbox has stored, once it has started again."""
    with sqlite3.connect(data / "sandbox.sqlite3") as database:
        versions = database.execute("select number, folder from version").fetchall()
    database.close()
    sites = data / "sandbox-sites"
    if {each.name for each in sites.iterdir()} != {name for _, name in versions}:
        yield f"leftovers or missing pages: {sorted(sites.iterdir())} for {versions}"
    for each in sites.iterdir():
        if {path.name for path in each.iterdir()} != {"manifest.json", "index.js", "large"}:
            yield f"{each.name} is half a site"
        if (each / "large").stat().st_size != LARGE:
            yield f"{each.name} has half a file"
    numbers = [number for number, _ in versions]
    if sorted(numbers) != list(range(1, len(numbers) + 1)):
        yield f"versions are missing: {numbers}"


def killed_sandboxes(folder: Path, moments: int, codes: Counter[int]) -> Iterator[str]:
    """What goes wrong where the sandbox is killed at each moment of a deploy, and starts again."""
    user = User(folder / "home", "", {"TMPDIR": str(folder / "home")})
    user.home.mkdir(parents=True)
    data = folder / "data"
    data.mkdir()
    seconds, accepted = 0.0, 0
    for moment in range(-1, moments):
        archive = zipped(folder / f"{moment}.zip", large=os.urandom(LARGE))
        with with_account(data) as (user.url, _, process):
            user.login()
            start = time.perf_counter()
            with deploying(user, archive, "--timeout=60") as deploy:
                if moment >= 0:
                    wait_until(start + seconds * share(moment, moments))
                    process.kill()
                deploy.communicate(timeout=120)
            seconds = seconds or time.perf_counter() - start  # of the first, which is left alone
        codes[deploy.returncode] += 1
        accepted += deploy.returncode == 0
        if deploy.returncode not in {0, 6, 7}:
            yield f"exit code {deploy.returncode} at moment {moment}"
        with with_account(data):
            pass  # it removes what was received in part
        yield from stored(data)
    if accepted > len(list((data / "sandbox-sites").iterdir())):
        yield f"{accepted} accepted, and some of them lost"


def killed_clients(folder: Path, moments: int, codes: Counter[int]) -> Iterator[str]:
    """What goes wrong where the client is killed at each moment of a deploy."""
    user = User(folder / "home", "", {"TMPDIR": str(folder / "home")})
    user.home.mkdir(parents=True)
    seconds = 0.0
    with with_account(folder / "data") as (user.url, _, _):
        user.login()
        for moment in range(-1, moments):
            archive = zipped(folder / f"{moment}.zip", large=os.urandom(LARGE))
            start = time.perf_counter()
            with deploying(user, archive, "--timeout=60") as deploy:
                if moment >= 0:
                    wait_until(start + seconds * share(moment, moments))
                    deploy.kill()
                deploy.communicate(timeout=120)
            seconds = seconds or time.perf_counter() - start
            codes[deploy.returncode] += 1
            left = [path.name for path in user.home.iterdir() if path.name != "config"]
            if left:
                yield f"the client left {left} at moment {moment}"
        deadline = time.perf_counter() + 60
        pages = folder / "data" / "sandbox-sites"
        while not all((each / "large").is_file() for each in pages.iterdir()):
            if time.perf_counter() > deadline:
                yield "the sandbox keeps what it received in part"
                break
    yield from stored(folder / "data")


def ended_deploys(folder: Path, moments: int, codes: Counter[int]) -> Iterator[str]:
    """What goes wrong where a signal or the deadline ends a deploy at each moment of it."""
    folder.mkdir()
    size = 6 * LARGE
    archive = zipped(folder / "s.zip", large=os.urandom(size))
    for moment in range(1, moments + 1):
        take = size * moment // moments if moment < moments else None
        for number in (signal.SIGINT, signal.SIGTERM, None):
            wanted = {NOT_SENT if number is None else INTERRUPTED}
            if take is None:
                wanted = {UNKNOWN}
            elif size - take < MOST_BUFFERED:
                wanted |= {UNKNOWN}
            for _ in range(3):  # the least is what no other process has slowed
                code, seconds = ended_deploy(folder, archive, take, number)
                codes[code] += 1
                if code not in wanted or seconds <= 1:
                    break
            if code not in wanted or seconds > 1:
                yield f"{number} after {take} bytes: code {code}, {seconds:.2f} s"


def ended_deploy(
    folder: Path, archive: Path, take: int | None, number: signal.Signals | None
) -> tuple[int, float]:
    """The exit code of a deploy that is ended, and how many seconds it takes to end."""
    progress = Progress(take)
    limit = 60 if number else 2
    with stub(progress) as service:
        user = User(folder / "home", service.url, {"MANIFESTKIT_TOKEN": "any"})
        with deploying(user, archive, f"--timeout={limit}") as deploy:
            assert progress.is_there.wait(30)
            start = time.monotonic() + (0 if number else limit)
            if number is not None:
                deploy.send_signal(number)
            deploy.communicate(timeout=60)
        seconds = time.monotonic() - start
        progress.go_on.set()
    return deploy.returncode, seconds


def share(moment: int, moments: int) -> float:
    """When to kill, as a share of a whole deploy: most of it is the start of Python."""
    return 0.5 + moment / moments


def wait_until(moment: float) -> None:
    """Wait, without losing the processor's time slice."""
    while time.perf_counter() < moment:
        pass


def deploy_at_once(folder: Path, count: int) -> Iterator[str]:
    """What goes wrong with so many deploys at once to one site."""
    archive = zipped(folder / "s.zip", large=os.urandom(LARGE))

    def deploy(address: Address) -> tuple[str, int]:
        with Site(archive, Publishing(), Options(isolated=True)).checked() as checked:
            assert checked.packed is not None
            client = Client(address, 300, 300)
            last = client.deploy(checked.packed, DOMAIN, by)[-1]
        return last.outcome.value, int((last.value or {}).get("version", 0))

    with with_account(folder / "many") as (url, _, _):
        address = Address.at(url, "base")
        _, token = Client(address, 60, 60).login(EMAIL, Secret(PASSWORD))
        by = Authorization(token)
        with ThreadPoolExecutor(count) as pool:
            ended = list(pool.map(deploy, [address] * count))
    outcomes = Counter(outcome for outcome, _ in ended)
    if outcomes != {"accepted": count}:
        yield f"{outcomes}"
    versions = sorted(version for _, version in ended)
    if versions != list(range(1, count + 1)):
        yield f"the versions are {versions}"
    yield from stored(folder / "many")


def main(moments: int = 20, deploys: int = 90) -> int:
    """Kill, and deploy at once; print what is wrong, 1 where something is."""
    found: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        for kill in (killed_sandboxes, killed_clients, ended_deploys):
            start = time.monotonic()
            codes: Counter[int] = Counter()
            found += kill(Path(name) / kill.__name__, moments, codes)
            seconds = time.monotonic() - start
            print(f"{kill.__name__}, {moments} moments, {seconds:.0f} s: exit codes {dict(codes)}")
        start = time.monotonic()
        found += deploy_at_once(Path(name), deploys)
        print(f"{deploys} deploys at once, {time.monotonic() - start:.0f} s")
    for problem in found:
        print(problem)
    print(f"{len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    # A shell lets what it starts in the background ignore interrupts, and so would each deploy.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main(*map(int, sys.argv[1:])))
