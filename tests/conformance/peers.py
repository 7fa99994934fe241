"""Run the conformance cases on validators with our schema, and on our linter; print what they say.

    python tests/conformance/peers.py FOLDER [PAGE]

FOLDER is a virtual environment with check-jsonschema; `npm ci` in this folder installs the others.
With PAGE, the tables there must be those that are printed; the exit code is 1 where they are not.
"""

from __future__ import annotations

import importlib.metadata
import json
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
SCHEMA = ROOT / "schemas" / "activity-provider-manifest.schema.json"
NODE = HERE / "node_modules"
_CRASHED = 126  # from there on, a shell says how it could not run a program, or how that ended
_AT_MOST = 300  # seconds


def validators(python: Path) -> Iterator[tuple[str, list[str | Path]]]:
    """Each validator with its version, and what prints an exit code for each path of its input."""
    again = HERE / "again.py"
    ours: list[str | Path] = [sys.executable, again, "manifest", "lint", "--isolated"]
    yield f"manifestkit {importlib.metadata.version('manifestkit')}", ours
    theirs: str | Path = python / "bin" / "python"
    peer = "check-jsonschema"
    code = f"import importlib.metadata; print(importlib.metadata.version({peer!r}))"
    asked = subprocess.run([theirs, "-c", code], capture_output=True, text=True, check=True)
    yield f"{peer} {asked.stdout.strip()}", [theirs, again, peer, "--schemafile", SCHEMA]
    built = NODE / "@sourcemeta" / "jsonschema" / "build" / "github-releases"
    program = built / f"jsonschema-{sys.platform}-{platform.machine()}"  # else by way of node
    command = program if program.exists() else NODE / ".bin" / "jsonschema"
    each_path = 'while read -r path; do "$0" validate "$1" "$path" >&2; echo $?; done'
    version = _version("@sourcemeta/jsonschema")
    yield f"sourcemeta jsonschema {version}", ["sh", "-c", each_path, command, SCHEMA]
    yield f"ajv {_version('ajv')}", ["node", HERE / "ajv.js", SCHEMA]


def _version(package: str) -> str:
    about = json.loads((NODE / package / "package.json").read_text("utf-8"))
    return str(about["version"])


def verdicts(command: list[str | Path], files: list[Path]) -> list[bool | None]:
    """Return what a validator says of each file, with None where it crashes."""
    paths = "".join(f"{each}\n" for each in files).encode()
    done = subprocess.run(command, input=paths, capture_output=True, timeout=_AT_MOST, check=True)
    codes = [int(line) for line in done.stdout.split()]
    return [code == 0 if 0 <= code < _CRASHED else None for code in codes]


def tables(python: Path) -> Iterator[str]:
    """Yield the table of who agrees, and that of what is left open, in Markdown."""
    every = [
        case
        for file in sorted((ROOT / "conformance" / "cases").glob("*.json"))
        for case in json.loads(file.read_text("ascii"))
    ]
    lines = ["| validator | accepts | refuses | disagrees in |", "| --- | --- | --- | --- |"]
    accepts: dict[str, dict[str, bool | None]] = {}
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{case['id']}.manifest.json" for case in every]
        for case, file in zip(every, files, strict=True):
            text = case["text"] if "text" in case else json.dumps(case["manifest"], indent=2)
            file.write_text(text, "utf-8")
        ids = [case["id"] for case in every]
        for name, command in validators(python):
            accepts[name] = dict(zip(ids, verdicts(command, files), strict=True))
    for name, said in accepts.items():
        cells = []
        for wanted in (True, False):
            here = [said[case["id"]] for case in every if case["valid"] is wanted]
            cells.append(f"{here.count(wanted)} of {len(here)}")
        wrong = [
            f"`{case['id']}`"
            for case in every
            if case["valid"] is not None and said[case["id"]] is not case["valid"]
        ]
        lines.append(f"| {name} | {cells[0]} | {cells[1]} | {', '.join(wrong) or '-'} |")
    yield "\n".join(lines)
    lines = ["| case | refused by |", "| --- | --- |"]
    for case in every:
        if case["valid"] is None:
            answers = {name.rpartition(" ")[0]: said[case["id"]] for name, said in accepts.items()}
            refuse = [f"{name} (it crashes)" for name, answer in answers.items() if answer is None]
            refuse += [name for name, answer in answers.items() if answer is False]
            lines.append(f"| `{case['id']}` | {', '.join(refuse) or '-'} |")
    yield "\n".join(lines)


def main() -> int:
    """Print the tables, and return the exit code."""
    python, *pages = map(Path, sys.argv[1:])
    found = list(tables(python))
    print("\n\n".join(found))
    return int(any(each not in page.read_text("utf-8") for page in pages for each in found))


if __name__ == "__main__":
    sys.exit(main())
