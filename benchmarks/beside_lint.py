"""The commands that change or compare many manifests, beside linting the same ones."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from contextlib import chdir
from pathlib import Path

import corpora
from page import Table
from timing import BAD, GOOD, compared

_MANIFESTS = 1_000


def commands_beside_lint(program: str, rounds: int) -> list[Table]:
    """Measure `fmt --check`, `lint --fix` and `diff --base`; the ratio is to `lint`."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpora.many(folder / "valid", ".json", corpora.json_manifest, _MANIFESTS)
        corpora.many(folder / "faulty", ".json", corpora.faulty_manifest, _MANIFESTS)
        repository = folder / "changed"
        _changed(repository)
        work = folder / "work"
        lint = [program, "lint", "--isolated"]

        def renew() -> None:
            shutil.rmtree(work, ignore_errors=True)
            shutil.copytree(folder / "faulty", work)

        def beside(where: Path, name: str, *command: str) -> dict[str, list[str]]:
            return {"lint": [*lint, str(where)], name: [*command, str(where)]}

        subprocess.run([program, "fmt", "--quiet", str(folder / "valid")], check=True)
        formatted = beside(folder / "valid", "fmt --check", program, "fmt", "--check")
        fixed = beside(work, "lint --fix", *lint, "--fix")
        changed = beside(repository, "diff --base", program, "diff", "--base", "HEAD")
        with chdir(repository):  # whose revision `diff` asks for
            changes = compared(changed, rounds, GOOD)
        return [
            Table("1,000 formatted manifests", compared(formatted, rounds)),
            Table("1,000 manifests, one fault in each", compared(fixed, rounds, BAD, renew)),
            Table("1,000 changed manifests", changes),
        ]


def _changed(repository: Path) -> None:
    """Make a repository whose manifests have all changed since its commit."""
    files = corpora.many(repository, ".json", corpora.json_manifest, _MANIFESTS)
    git = shutil.which("git") or "git"
    for command in ("init -q", "add .", "-c user.name=a -c user.email=a@b commit -qm a"):
        subprocess.run([git, *command.split()], cwd=repository, check=True)
    for file in files:
        text = file.read_text("utf-8").replace('"name": "', '"name": "The ', 1)
        file.write_text(text, "utf-8", newline="\n")
