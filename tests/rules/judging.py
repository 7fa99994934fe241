"""Manifests for the tests of rules, and what is said of them."""

from __future__ import annotations

import copy
import json
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import manifestkit
from command import EXAMPLES, REPOSITORY, Outcome
from in_process import manifest_here
from manifestkit import Finding, Options, Report

SCHEMAS = REPOSITORY / "schemas"
RULE_FILES = sorted((SCHEMAS / "rules").glob("*.schema.json"))
CHANGE_FILES = sorted((SCHEMAS / "changes").glob("*.schema.json"))
PROFILES = sorted((EXAMPLES / "profiles").glob("*.schema.json"))
NEEDS = EXAMPLES / "profiles" / "capabilities-need-permissions.schema.json"

SECTION_2: dict[str, Any] = json.loads(
    (SCHEMAS / "activity-provider-manifest.schema.json").read_text("utf-8")
)
BASE: dict[str, Any] = SECTION_2["examples"][0]

# A shared machine's speed is no property of the code.


def with_members(**members: Any) -> dict[str, Any]:
    """The base manifest with other members at its top."""
    return {**copy.deepcopy(BASE), **members}


def with_activity(**members: Any) -> dict[str, Any]:
    """The base manifest with further members in its one activity."""
    return with_members(activities=[{**BASE["activities"][0], **members}])


def as_text(manifest: Any) -> str:
    return manifest if isinstance(manifest, str) else json.dumps(manifest, indent=2)


def findings_of(manifest: Any, name: str = "manifest.json") -> tuple[Finding, ...]:
    """What is said of a manifest under default settings."""
    return manifestkit.lint(as_text(manifest), name=name).findings


def rules_of(manifest: Any) -> list[tuple[str, str]]:
    """The rule and pointer of each finding."""
    return [(each.rule, each.pointer) for each in findings_of(manifest)]


def written(path: Path, contents: Any) -> Path:
    """A file with a JSON value, or a text."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(as_text(contents), "utf-8")
    return path


def report_of(folder: Path, manifest: Any, options: Options | None = None) -> Report:
    """What is said of a manifest in a folder."""
    file = written(folder / "manifest.json", manifest)
    return manifestkit.lint_paths([file], options or Options(isolated=True))


def held_to(folder: Path, manifest: Any, *profiles: Any) -> tuple[Finding, ...]:
    """What is said of a manifest that is held to profiles."""
    files = [
        each if isinstance(each, Path) else written(folder / f"p{index}.schema.json", each)
        for index, each in enumerate(profiles)
    ]
    options = Options(profiles=tuple(files), isolated=True)
    return report_of(folder, manifest, options).findings


def by_schema(folder: Path, manifest: Any, schema: Any) -> tuple[Finding, ...]:
    """What is said of a manifest by another schema than the manifest document's."""
    file = written(folder / "own.schema.json", schema)
    return report_of(folder, manifest, Options(schema=file, isolated=True)).findings


# -- the command -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Linted(Outcome):
    """How a run of `lint` ended."""

    @property
    def findings(self) -> list[dict[str, Any]]:
        """The findings that `--output-format json` printed."""
        found: list[dict[str, Any]] = json.loads(self.out)["findings"]
        return found


def lint(*arguments: str | Path, cwd: Path) -> Linted:
    """Run `manifest lint` for its JSON form, in this process."""
    with chdir(cwd):
        outcome = manifest_here("lint", "--output-format=json", *map(str, arguments))
    return Linted(outcome.code, outcome.out, outcome.err)
