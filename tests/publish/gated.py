"""The recipe for gated deploys, as it runs: `python tests/publish/gated.py`.

The action of `docs/tutorials/publishing.md` is installed by pip and run step by step, as the runner
does, with a sandbox as the service. It ends with 1 where something is wrong; it needs the package
index.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import yaml

from action import ACTION, STEPS, run_step
from command import REPOSITORY
from rehearsal import DOMAIN, MANIFEST, Sandbox, User, sandbox, site

PAGE = (REPOSITORY / "docs" / "tutorials" / "publishing.md").read_text("utf-8")
BROKEN = MANIFEST.replace(b'"1.0"', b"1", 1)


def inputs(running: Sandbox, token: str) -> dict[str, str]:
    """The inputs of the recipe, for the sandbox."""
    found = re.search(r"^```yaml\n( +- uses: manifestkit/.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None
    (step,) = yaml.safe_load(found[1])
    given: dict[str, str] = step["with"]
    assert given.keys() <= ACTION["inputs"].keys()
    text = json.dumps(given).replace("https://api.example.org", running.url)
    text = text.replace("calm.example.org", DOMAIN).replace(
        "${{ secrets.MANIFESTKIT_TOKEN }}", token
    )
    return {name.replace("-", "_"): value for name, value in json.loads(text).items()}


def ran(folder: Path, **given: str) -> tuple[list[tuple[str, int]], str]:
    """How far the action came: its steps with their exit codes; and what it printed."""
    codes, said = [], ""
    for step in ("lint", "deploy"):
        if step == "deploy" and not given.get("deploy"):
            assert STEPS[step]["if"] == "inputs.deploy != ''"
            continue
        done: subprocess.CompletedProcess[str] = run_step(step, folder, env=None, **given)
        codes.append((step, done.returncode))
        said += done.stdout + done.stderr
        if done.returncode:
            break
    return codes, said


def problems(folder: Path) -> Iterator[str]:
    """What does not go as the page says."""
    with sandbox(folder / "data") as running:
        user = User(folder / "home", running.url)
        user.login()
        token = json.loads(next(user.logins.iterdir()).read_text())["token"]
        given = inputs(running, token)
        installed = run_step("install", folder, deploy="dist")
        if installed.returncode:
            yield f"it cannot be installed: {installed.stderr}"
            return
        passed = [("lint", 0), ("deploy", 0)]
        steps = (
            ("a broken manifest", BROKEN, given, [("lint", 1)]),
            ("a pull request", MANIFEST, {**given, "deploy": ""}, [("lint", 0)]),
            ("the first deploy", MANIFEST, given, passed),
            ("the same again", MANIFEST, given, passed),
            ("a wrong token", MANIFEST, {**given, "token": "stale"}, [("lint", 0), ("deploy", 3)]),
            ("no token", MANIFEST, {**given, "token": ""}, [("lint", 0), ("deploy", 3)]),
        )
        for name, manifest, values, expected in steps:
            site(folder / "dist", manifest)
            codes, said = ran(folder, **values)
            if codes != expected:
                yield f"{name}: {codes} instead of {expected}: {said}"
            if token in said:
                yield f"{name}: the token is shown"
        lines = [*["POST '/v2/cli/deploy' 200"] * 2, "POST '/v2/cli/deploy' 401"]
        if running.deploys != lines:
            yield f"the service got {running.deploys}"
        receipt = folder / "manifestkit-receipt.json"
        if f"receipt={receipt}\n" not in (folder / "output").read_text():
            yield "no receipt among the outputs"
        if json.loads(receipt.read_text())["error"]["kind"] != "authentication":
            yield f"not the receipt of the last deploy: {receipt.read_text()}"


def main() -> int:
    """Run it; print what is wrong, 1 where something is."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        found = list(problems(Path(name)))
    for problem in found:
        print(problem)
    print(f"gated deploys by the action: {len(found)} problems, {time.monotonic() - start:.0f} s")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
