"""Run the conformance cases on validators with our schema, and on our linter; print who agrees.

    python tests/conformance/peers.py FOLDER [PAGE]

FOLDER is a virtual environment with check-jsonschema; `npm ci` in this folder installs the others.
With PAGE, the table there must be the one that is printed; the exit code is 1 where it is not.
"""

from __future__ import annotations

import importlib.metadata
import json
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
    yield f"sourcemeta jsonschema {version}", f"{NODE}/.bin/jsonschema validate {SCHEMA}"
    version = _version("ajv")
    options = f"--spec=draft2020 --strict=false -s {SCHEMA} -d"
    yield f"ajv {version}", f"{NODE}/.bin/ajv validate {options}"


def _version(package: str) -> str:
    about = json.loads((NODE / package / "package.json").read_text("utf-8"))
    return str(about["version"])


def table(python: Path) -> str:
    """The table of who agrees, in Markdown."""
    valid: dict[str, bool | None] = {}
    for file in sorted((ROOT / "conformance" / "cases").glob("*.json")):
        valid |= {case["id"]: case["valid"] for case in json.loads(file.read_text("ascii"))}
    lines = ["| validator | accepts | refuses | disagrees in |", "| --- | --- | --- | --- |"]
    for name, command in validators(python):
        run = [sys.executable, str(ROOT / "conformance" / "run.py"), "--json"]
        done = subprocess.run(
            [*run, "--validator", f"{command} {{file}}"], capture_output=True, check=False
        )
        agrees = {each["id"]: each["agrees"] for each in json.loads(done.stdout)["cases"]}
        cells = []
        for wanted in (True, False):
            here = [agrees[each] for each in valid if valid[each] is wanted]
            cells.append(f"{here.count(True)} of {len(here)}")
        wrong = [f"`{each}`" for each in valid if agrees[each] is False]
        lines.append(f"| {name} | {cells[0]} | {cells[1]} | {', '.join(wrong) or '-'} |")
    return "\n".join(lines)


def main() -> int:
    """Print the table, and return the exit code."""
    python, *pages = map(Path, sys.argv[1:])
    found = table(python)
    print(found)
    return int(any(found not in page.read_text("utf-8") for page in pages))


if __name__ == "__main__":
    sys.exit(main())
