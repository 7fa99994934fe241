"""Deploys that are killed, and many at once: `python tests/publish/killed.py [MOMENTS [DEPLOYS]]`.

The sandbox is killed at so many moments of a deploy, and so is the client: a site is always
whole, old or new, and what was half received is gone after a restart. Then so many deploys run at
once: each has a version of its own, and an answer. It ends with 1 where something is wrong.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from command import MANIFEST as COMMAND
from command import environment
from manifestkit.engine import Options
from manifestkit.publish.address import parse_address
from manifestkit.publish.client import Authorization, Client
from manifestkit.publish.gate import check
from manifestkit.publish.redaction import Secret
from manifestkit.publish.retry import RetryPolicy
from rehearsal import DOMAIN, EMAIL, PASSWORD, Sandbox, User, sandbox, zipped

OWN = {"config", "state"}
LARGE = 4_000_000
TOKEN = "token-of-the-test"  # noqa: S105 - of the sandbox


@contextmanager
def served(data: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A sandbox in a process of its own, which may be killed meanwhile."""
    with subprocess.Popen(
        [*COMMAND, "sandbox", "--data", data, "--port=0", "--account", EMAIL],
        env=environment(MANIFESTKIT_SANDBOX_PASSWORD=PASSWORD, PYTHONUNBUFFERED="1"),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        port = re.search(r":(\d+),", process.stdout.readline())
        assert port is not None
        yield f"http://127.0.0.1:{port[1]}", process
        process.terminate()


def deploying(user: User, archive: Path) -> subprocess.Popen[bytes]:
    """A deploy in a process of its own."""
    return subprocess.Popen(
        [*COMMAND, "deploy", archive, "--domain", DOMAIN, "--max-wait=0"],
        env=environment(
            MANIFESTKIT_BASE_URL=user.url,
            XDG_CONFIG_HOME=str(user.home / "config"),
            XDG_STATE_HOME=str(user.home / "state"),
            TMPDIR=str(user.home),
        ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def stored(data: Path) -> Iterator[str]:
    """What is wrong with what a stopped sandbox has stored, once it has started again."""
    with sqlite3.connect(data / "sandbox.sqlite3") as database:
        versions = database.execute("select site, number, sha256 from version").fetchall()
    database.close()
    files = {each.name: each for each in (data / "archives").iterdir()}
    if set(files) != {f"{sha256}.zip" for _, _, sha256 in versions}:
        yield f"leftovers or missing archives: {sorted(files)} for {versions}"
    for name, path in files.items():
        if hashlib.sha256(path.read_bytes()).hexdigest() != name.removesuffix(".zip"):
            yield f"{name} is half an archive"
    numbers = [number for _, number, _ in versions]
    if sorted(numbers) != list(range(1, len(numbers) + 1)):
        yield f"versions are missing: {numbers}"


def killed_sandboxes(folder: Path, moments: int, codes: Counter[int]) -> Iterator[str]:
    """What goes wrong where the sandbox is killed at each moment of a deploy, and starts again."""
    user = User(folder / "home", "")
    user.home.mkdir(parents=True)
    seconds = 0.0
    sent = {}
    for moment in range(-1, moments):
        archive = zipped(folder / f"{moment}.zip", large=os.urandom(LARGE))
        with served(folder / "data") as (user.url, process):
            yield from stored(folder / "data")
            user.login()
            start = time.perf_counter()
            with deploying(user, archive) as deploy:
                if moment >= 0:
                    wait_until(start + seconds * share(moment, moments))
                    process.kill()
                deploy.communicate(timeout=120)
            seconds = seconds or time.perf_counter() - start  # of the first, which is left alone
        codes[deploy.returncode] += 1
        if deploy.returncode not in {0, 6, 7}:
            yield f"exit code {deploy.returncode} at moment {moment}"
        if deploy.returncode == 0:
            sent[user.receipts[-1]["archive"]["sha256"]] = moment
    with served(folder / "data"):
        yield from stored(folder / "data")
    kept = {each.stem for each in (folder / "data" / "archives").iterdir()}
    yield from (
        f"accepted at moment {moment}, and lost"
        for each, moment in sent.items()
        if each not in kept
    )
    if any(each["outcome"] == "in-progress" for each in user.receipts):
        yield "a deploy that ended has no outcome"


def killed_clients(folder: Path, moments: int, codes: Counter[int]) -> Iterator[str]:
    """What goes wrong where the client is killed at each moment of a deploy."""
    user = User(folder / "home", "")
    user.home.mkdir(parents=True)
    seconds = 0.0
    with served(folder / "data") as (user.url, _):
        user.login()
        for moment in range(-1, moments):
            archive = zipped(folder / f"{moment}.zip", large=os.urandom(LARGE))
            start = time.perf_counter()
            with deploying(user, archive) as deploy:
                if moment >= 0:
                    wait_until(start + seconds * share(moment, moments))
                    deploy.kill()
                deploy.communicate(timeout=120)
            seconds = seconds or time.perf_counter() - start
            codes[deploy.returncode] += 1
            left = [path.name for path in user.home.iterdir() if path.name not in OWN]
            if left:
                yield f"the client left {left} at moment {moment}"
        deadline = time.perf_counter() + 60
        while list((folder / "data" / "archives").glob("incoming-*")):
            if time.perf_counter() > deadline:
                yield "the sandbox keeps what it received in part"
                break
    yield from stored(folder / "data")


def share(moment: int, moments: int) -> float:
    """When to kill, as a share of a whole deploy: most of it is the start of Python."""
    return 0.5 + moment / moments


def wait_until(moment: float) -> None:
    """Wait, without losing the processor's time slice."""
    while time.perf_counter() < moment:
        pass


def deploy_at_once(folder: Path, count: int) -> Iterator[str]:
    """What goes wrong with so many deploys at once to one site."""
    archive = zipped(folder / "s.zip", **{"large.bin": os.urandom(100_000)})

    def deploy(running: Sandbox) -> str:
        policy = RetryPolicy(deadline=300)
        with (
            Client(parse_address(running.url, "base"), policy) as client,
            check(archive, Options(isolated=True)) as checked,
        ):
            assert checked.packed is not None
            ended = client.deploy(checked.packed, DOMAIN, Authorization(Secret(TOKEN)))
        return f"{ended.outcome.value} {json.dumps(ended.response and ended.response.value)}"

    with sandbox(folder / "many", token=TOKEN) as running:
        with ThreadPoolExecutor(count) as pool:
            ended = list(pool.map(deploy, [running] * count))
        page = running.page("/manifest.json")
    outcomes = Counter(each.partition(" ")[0] for each in ended)
    if outcomes != {"accepted": count}:
        yield f"{outcomes}"
    versions = sorted(json.loads(each.partition(" ")[2])["version"] for each in ended)
    if versions != list(range(1, count + 1)):
        yield f"the versions are {versions}"
    if page[0] != 200:
        yield f"the site is not served: {page}"
    yield from stored(folder / "many")


def main(moments: int = 20, deploys: int = 200) -> int:
    """Kill, and deploy at once; print what is wrong, 1 where something is."""
    found: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        for kill, count in ((killed_sandboxes, moments), (killed_clients, moments)):
            start = time.monotonic()
            codes: Counter[int] = Counter()
            found += kill(Path(name) / kill.__name__, count, codes)
            seconds = time.monotonic() - start
            print(f"{kill.__name__}, {count} moments, {seconds:.0f} s: exit codes {dict(codes)}")
        start = time.monotonic()
        found += deploy_at_once(Path(name), deploys)
        print(f"{deploys} deploys at once, {time.monotonic() - start:.0f} s")
    for problem in found:
        print(problem)
    print(f"{len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
