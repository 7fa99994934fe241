"""Build the documentation site with the playground and the schemas: `python tools/build_site.py`.

The page runs the wheel of this commit. Pyodide and the wheels that it needs stay where they are,
on a CDN: the page names each with its integrity hash. It needs the extra `docs` and `npm`.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from subprocess import PIPE
from typing import Any

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "site" / "playground"
MODULES = ROOT / "tools" / "playground" / "node_modules"
CORE = (
    *("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm"),
    *("python_stdlib.zip", "pyodide-lock.json"),
)
PACKAGES = (
    *("attrs", "click", "jsonschema", "jsonschema-specifications", "markupsafe", "referencing"),
    *("pyyaml", "rpds-py", "ruamel-yaml", "wcwidth"),
)
_GOLDEN = ROOT / "tests" / "golden"
_CLEAN = ROOT / "examples" / "valid" / "breathing.activity-provider.json"
EXAMPLES = {
    "A comma too many": "broken/trailing-comma.manifest.json",
    "A comma is missing": "broken/missing-comma.manifest.json",
    "A colon is missing": "broken/missing-colon.manifest.json",
    "Single quotes": "broken/single-quotes.manifest.json",
    "Typographic quotes": "broken/typographic-quotes.manifest.json",
    "A tab in a string": "broken/raw-tab-in-string.manifest.json",
    "A comment": "broken/line-comment.manifest.json",
    "A name without quotes": "broken/unquoted-key.manifest.json",
    "True instead of true": "broken/python-literal.manifest.json",
    "A misspelt permission": "broken/unknown-permission-typo.manifest.json",
    "A permission as a capability": "broken/unknown-capability-is-permission.manifest.json",
    "Two lists swapped": "swapped-lists.json",
    "A misspelt member": "broken/unknown-member-typo-in-presentation.manifest.json",
    "A number in quotes": "broken/wrong-type-duration-string.manifest.json",
    "A version without quotes": "broken/wrong-type-schema-version.manifest.json",
    "Text instead of a list": "broken/wrong-type-capabilities.manifest.json",
}
"""The most common mistakes, by the files that show them."""


def _run(*command: str | Path, **more: Any) -> None:
    subprocess.run(command, check=True, cwd=ROOT, **more)


def _integrity(digest: bytes) -> str:
    return f"sha256-{base64.b64encode(digest).decode()}"


def _runtime(base: str) -> dict[str, Any]:
    """Return what the worker loads: Pyodide, what manifestkit depends on, and manifestkit."""
    pyodide = MODULES / "pyodide"
    lock = json.loads((pyodide / "pyodide-lock.json").read_text("utf-8"))
    core = [
        {
            "name": name,
            "url": base + name,
            "integrity": _integrity(sha256((pyodide / name).read_bytes()).digest()),
        }
        for name in CORE
    ]
    packages = (lock["packages"][name] for name in PACKAGES)
    wheels = [
        {
            "url": base + each["file_name"],
            "integrity": _integrity(bytes.fromhex(each["sha256"])),
        }
        for each in packages
    ]
    (own,) = PAGE.glob("*.whl")
    wheels.append({"url": own.name, "integrity": _integrity(sha256(own.read_bytes()).digest())})
    return {"base": base, "core": core, "wheels": wheels}


def build_playground() -> None:
    """Build the page in the site, which is there."""
    version = json.loads((MODULES / "pyodide" / "package.json").read_text("utf-8"))["version"]
    base = f"https://cdn.jsdelivr.net/pyodide/v{version}/full/"
    for old in PAGE.glob("*.whl"):
        old.unlink()
    build = (sys.executable, "-m", "build", "--wheel", "--no-isolation")
    _run(*build, "--outdir", PAGE, stdout=subprocess.DEVNULL)
    (PAGE / "runtime.json").write_text(json.dumps(_runtime(base), indent=1), "utf-8")
    files = {
        "A clean manifest": _CLEAN,
        **{title: _GOLDEN / each for title, each in EXAMPLES.items()},
    }
    examples = [
        {"title": title, "syntax": "json", "text": file.read_bytes().decode("utf-8")}
        for title, file in files.items()
    ]
    (PAGE / "examples.json").write_text(json.dumps(examples), "utf-8")
    page = (ROOT / "docs" / "playground" / "index.html").read_text("utf-8")
    (PAGE / "index.html").write_text(page.replace("RUNTIME", base), "utf-8")
    _run(
        *(MODULES / ".bin" / "esbuild", ROOT / "docs" / "playground" / "page.js", "--bundle"),
        *("--minify", "--format=esm", "--target=es2022", "--log-level=warning"),
        f"--outfile={PAGE / 'page.js'}",
        env={**os.environ, "NODE_PATH": str(MODULES)},
    )


def publish_schemas() -> None:
    """Put the schema, in both drafts, where its comment says that it is."""
    folder = ROOT / "site" / "schemas"
    folder.mkdir(exist_ok=True)
    for draft, suffix in (("2020-12", "schema"), ("7", "draft-07.schema")):
        file = folder / f"activity-provider-manifest.{suffix}.json"
        command = (sys.executable, "-m", "manifestkit", "schema", "--draft", draft)
        file.write_bytes(subprocess.run(command, cwd=folder, check=True, stdout=PIPE).stdout)


if __name__ == "__main__":
    _run("npm", "ci", "--silent", "--prefix", ROOT / "tools" / "playground")
    _run("zensical", "build", "--strict", "--clean")
    build_playground()
    publish_schemas()
