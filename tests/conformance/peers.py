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
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
SCHEMA = ROOT / "schemas" / "activity-provider-manifest.schema.json"
NODE = HERE / "node_modules"


def validators(python: Path) -> Iterator[tuple[str, str]]:
    """Each validator with its version, and its command."""
    ours = Path(sys.executable).with_name("manifest")
    yield f"manifestkit {importlib.metadata.version('manifestkit')}", f"{ours} lint --isolated"
    listed = [str(python / "bin" / "python"), "-m", "pip", "list", "--format=json"]
    packages = json.loads(subprocess.run(listed, capture_output=True, check=True).stdout)
    versions = {each["name"]: each["version"] for each in packages}
    peer = "check-jsonschema"
    yield f"{peer} {versions[peer]}", f"{python}/bin/{peer} --schemafile {SCHEMA}"
    version = _version("@sourcemeta/jsonschema")
    built = NODE / "@sourcemeta" / "jsonschema" / "build" / "github-releases"
    program = built / f"jsonschema-{sys.platform}-{platform.machine()}"  # else by way of node
    command = program if program.exists() else NODE / ".bin" / "jsonschema"
    yield f"sourcemeta jsonschema {version}", f"{command} validate {SCHEMA}"
    version = _version("ajv")
    options = f"--spec=draft2020 --strict=false -s {SCHEMA} -d"
    yield f"ajv {version}", f"{NODE}/.bin/ajv validate {options}"


def _version(package: str) -> str:
    about = json.loads((NODE / package / "package.json").read_text("utf-8"))
    return str(about["version"])


def tables(python: Path) -> Iterator[str]:
    """Yield the table of who agrees, and that of what is left open, in Markdown."""
    every = [
        case
        for file in sorted((ROOT / "conformance" / "cases").glob("*.json"))
        for case in json.loads(file.read_text("ascii"))
    ]
    lines = ["| validator | accepts | refuses | disagrees in |", "| --- | --- | --- | --- |"]
    verdicts: dict[str, dict[str, bool | None]] = {}
    for name, command in validators(python):
        run = [sys.executable, str(ROOT / "conformance" / "run.py"), "--json"]
        done = subprocess.run(
            [*run, "--validator", f"{command} {{file}}"], capture_output=True, check=False
        )
        rows = json.loads(done.stdout)["cases"]
        verdicts[name] = {each["id"]: each["accepts"] for each in rows}
        agrees = {each["id"]: each["agrees"] for each in rows}
        cells = []
        for wanted in (True, False):
            here = [agrees[case["id"]] for case in every if case["valid"] is wanted]
            cells.append(f"{here.count(True)} of {len(here)}")
        wrong = [f"`{each}`" for each, right in agrees.items() if right is False]
        lines.append(f"| {name} | {cells[0]} | {cells[1]} | {', '.join(wrong) or '-'} |")
    yield "\n".join(lines)
    words = {True: "accepts", False: "refuses", None: "-"}
    rows = [["case", *(name.rpartition(" ")[0] for name in verdicts)]]
    for case in every:
        if case["valid"] is None:
            rows.append(
                [f"`{case['id']}`", *(words[each[case["id"]]] for each in verdicts.values())]
            )
    rows.insert(1, ["---"] * len(rows[0]))
    yield "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main() -> int:
    """Print the tables, and return the exit code."""
    python, *pages = map(Path, sys.argv[1:])
    found = list(tables(python))
    print("\n\n".join(found))
    return int(any(each not in page.read_text("utf-8") for page in pages for each in found))


if __name__ == "__main__":
    sys.exit(main())
