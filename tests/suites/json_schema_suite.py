"""The JSON-Schema-Test-Suite through the public entry: a schema's file loaded, a text linted.

    python tests/suites/json_schema_suite.py [FOLDER]

FOLDER is the suite's own; without it the suite is taken out of the source archive of `jsonschema`,
which `pip` downloads by its digest. Every required test of drafts 2020-12 and 7 gets
the suite's verdict, or its schema is refused for a reason that stands in `DECLARED`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from manifestkit import SchemaError, Severity
from manifestkit.config.policy import Policy
from manifestkit.engine.lint import lint_text
from manifestkit.schema.loading.load import load_schema

ARCHIVE = "jsonschema-4.26.0"
_DIGEST = "0c26707e2efad8aa1bfc5b7ce170f3fccc2e4918ff85989ba9ffa9facb2be326"
_DRAFTS = {
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
    "draft7": "http://json-schema.org/draft-07/schema#",
}
_HOST = "http://localhost:1234/"
_OLD = "draft7"

DECLARED = {
    "a format needs jsonschema-rs": r"format `[a-z-]+` is not supported without jsonschema-rs",
    "a format is asserted here": r"format\.json .*only an annotation by default",
    "no keyword beside a `$ref` that ignores it": r"is ignored next to `\$ref`",
    "no keyword without the one that it belongs to": r"is ignored without `",
    "no least above the greatest": r"no value has `minContains` 3 and `maxContains` 1",
    "no `$defs` where it is `definitions`": r"`\$defs` is not a keyword of draft 7",
    "no dynamic reference": r"`\$dynamicRef` is not supported",
    "no reference to a metaschema": r"`https?://json-schema\.org/[^`]+` cannot be resolved",
    "no metaschema but those of the drafts": r"vocabulary\.json .*is not a supported draft",
}
"""What is judged or refused otherwise than the suite has it, and on purpose."""


class Outcome(NamedTuple):
    """What became of one test.

    Attributes:
        name: draft, file, schema and test.
        kind: ``as the suite``, ``wrong``, ``refused`` or ``crashed``.
        detail: what was said.
    """

    name: str
    kind: str
    detail: str = ""


def outcomes(suite: Path, draft: str, folder: Path) -> Iterator[Outcome]:
    """What becomes of every required test of a draft; files are written in a folder."""
    remotes = _remotes(suite / "remotes", draft)
    for file in sorted((suite / "tests" / draft).glob("*.json")):
        for case in json.loads(file.read_text("utf-8")):
            name = f"{draft} {file.name} {case['description']}"
            yield from _of_case(name, _with_remotes(case["schema"], draft, remotes), case, folder)


def _of_case(name: str, schema: Any, case: Any, folder: Path) -> Iterator[Outcome]:
    path = folder / "own.schema.json"
    path.write_text(json.dumps(schema), "utf-8")
    try:
        policy = Policy(own_schema=load_schema(path))
    except SchemaError as error:
        for test in case["tests"]:
            yield Outcome(f"{name}: {test['description']}", "refused", str(error))
        return
    for test in case["tests"]:
        about = f"{name}: {test['description']}"
        try:
            findings = lint_text(json.dumps(test["data"]), "value.json", policy=policy).findings
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
            yield Outcome(about, "crashed", repr(error))
            continue
        is_valid = not any(each.severity is Severity.ERROR for each in findings)
        kind = "as the suite" if is_valid == test["valid"] else "wrong"
        yield Outcome(about, kind, f"valid is {is_valid} here")


def _remotes(folder: Path, draft: str) -> dict[str, Any]:
    """What the suite has elsewhere, by its address."""
    found = {}
    for file in folder.rglob("*.json"):
        place = file.relative_to(folder).as_posix()
        if place.startswith(f"{draft}/") or not place.startswith("draft"):
            found[_HOST + place] = json.loads(file.read_text("utf-8"))
    return found


def _with_remotes(schema: Any, draft: str, remotes: dict[str, Any]) -> Any:
    """A schema with what it refers to elsewhere inside it: nothing is ever fetched."""
    if not isinstance(schema, dict):
        return schema
    schema = {"$schema": _DRAFTS[draft], **schema}
    if "localhost:1234" not in json.dumps(schema):
        return schema
    parts = {uri: _part(uri, remotes[uri], draft) for uri in _named(schema, remotes)}
    definitions = "definitions" if draft == _OLD else "$defs"
    return {**schema, definitions: {**schema.get(definitions, {}), **parts}}


def _named(schema: Any, remotes: dict[str, Any]) -> list[str]:
    """The addresses whose files a schema names, and those that these name."""
    found: list[str] = []
    texts = [json.dumps(schema)]
    for text in texts:
        for uri, contents in remotes.items():
            if uri not in found and uri.rpartition("/")[2] in text:
                found.append(uri)
                texts.append(json.dumps(contents))
    return found


def _part(uri: str, contents: Any, draft: str) -> Any:
    """A schema as a part of another one, to be found by its address."""
    if not isinstance(contents, dict):
        return contents
    own = contents.get("$id")
    if own in (None, uri):
        if draft == _OLD and "$ref" in contents:  # beside which nothing counts
            contents = {"allOf": [contents]}
        return {**contents, "$id": uri}
    # The outer one is what is retrieved from the address, the inner one what calls itself so.
    return {"$id": uri, "allOf": [contents]}


def fetched(folder: Path) -> Path:
    """The suite out of the archive of `jsonschema`, downloaded with `pip`."""
    pinned = folder / "pinned.txt"
    pinned.write_text(f"{ARCHIVE.replace('-', '==')} --hash=sha256:{_DIGEST}\n", "utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    # Of this package alone: an old pip would build all that is needed to build it, too.
    command += ["--no-binary", "jsonschema", "--require-hashes", "--dest", str(folder)]
    subprocess.run([*command, "--requirement", str(pinned)], check=True)
    with tarfile.open(folder / f"{ARCHIVE}.tar.gz") as archive:
        archive.extractall(folder)  # noqa: S202 - its bytes are pinned
    return folder / ARCHIVE / "json"


def declared(outcome: Outcome) -> str | None:
    """Why an outcome is as it is, where that is on purpose."""
    said = f"{outcome.name} {outcome.detail}"
    return next((why for why, pattern in DECLARED.items() if re.search(pattern, said)), None)


def main(given: list[str]) -> int:
    """Workspace the suite and print what became of it; 1 if anything is not as it should be."""
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        suite = Path(given[0]) if given else fetched(folder)
        for draft in _DRAFTS:
            counted: Counter[str] = Counter()
            for outcome in outcomes(suite, draft, folder):
                why = None if outcome.kind == "as the suite" else declared(outcome)
                counted[why or outcome.kind] += 1
                if outcome.kind != "as the suite" and why is None:
                    bad += 1
                    print(f"{outcome.kind}: {outcome.name}: {outcome.detail}")
            print(f"{draft}: " + ", ".join(f"{count:,} {what}" for what, count in counted.items()))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
