"""The conformance cases by the TypeScript types: `npm ci` in this folder first.

Each manifest that the format allows has the type; each that it does not has not, if types can say
what is wrong with it. They can not tell an integer from another number.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
CASES = HERE.parent.parent / "conformance" / "cases"
TSC = HERE / "node_modules" / ".bin" / "tsc"
_ERROR = re.compile(r"^(\S+)\.ts\(", re.MULTILINE)


def main() -> int:
    """Compile each case, print the differences, and return the exit code."""
    cases = [
        case
        for file in sorted(CASES.glob("*.json"))
        for case in json.loads(file.read_text("ascii"))
        if "manifest" in case and case["valid"] is not None
    ]
    with tempfile.TemporaryDirectory() as folder:
        refused = _refused(cases, Path(folder))
    wrong = [each["id"] for each in cases if (each["id"] in refused) is _has_the_type(each)]
    print(f"{len(cases)} cases; {len(cases) - len(wrong)} as the types say; {len(wrong)} otherwise")
    print("\n".join(wrong))
    return int(bool(wrong))


def _refused(cases: list[dict[str, Any]], folder: Path) -> set[str]:
    types = subprocess.run(
        [sys.executable, "-m", "manifestkit", "schema", "--types", "typescript"],
        cwd=folder,
        capture_output=True,
        check=True,
    )
    (folder / "types.ts").write_bytes(types.stdout)
    for case in cases:
        value = json.dumps(case["manifest"])
        head = 'import type { ActivityProviderManifest } from "./types";\n'
        text = f"{head}export const value: ActivityProviderManifest = {value};\n"
        (folder / f"{case['id']}.ts").write_text(text, "utf-8")
    options = {"strict": True, "noEmit": True, "types": [], "skipLibCheck": True}
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": options}))
    done = subprocess.run([TSC, "--pretty", "false"], cwd=folder, capture_output=True, check=False)
    output = done.stdout.decode()
    if "\ntypes.ts(" in f"\n{output}" or not output.endswith("\n"):
        raise SystemExit(output)
    return set(_ERROR.findall(output))


def _has_the_type(case: dict[str, Any]) -> bool:
    """Return whether a manifest has the type by what is wrong with it: at most fractions."""
    return all(_is_fraction(case["manifest"], each["pointer"]) for each in case["errors"])


def _is_fraction(value: Any, pointer: str) -> bool:
    """Return whether there is a number with a fraction where an integer belongs."""
    *around, member = pointer.split("/")[1:] or [""]
    if member != "duration_minutes":
        return False
    for token in around:
        value = value[int(token) if isinstance(value, list) else token]
    return isinstance(value[member], float)


if __name__ == "__main__":
    sys.exit(main())
