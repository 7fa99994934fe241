"""The programs that are measured, each with the command that lints a folder."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

SCHEMA = str(Path(__file__).parent.parent / "schemas" / "activity-provider-manifest.schema.json")


@dataclass(frozen=True)
class Peer:
    """A program.

    Attributes:
        name: what the tables call it.
        program: what its command is called.
        arguments: what comes after the program for a folder of valid manifests.
        findings: the same for findings, as JSON unless the name says how.
        reads_yaml: whether it takes YAML.
        most: the most files that it is given; an argument list has an end.
    """

    name: str
    program: str
    arguments: Callable[[Path], list[str]] | None
    findings: Callable[[Path], list[str]] | None = None
    reads_yaml: bool = False
    most: int = 1_000_000


def _files(folder: Path) -> list[str]:
    return sorted(str(each) for each in folder.iterdir() if each.suffix != ".toml")


OURS = Peer(
    "manifest",
    "manifest",
    lambda folder: ["lint", "--quiet", str(folder)],
    lambda folder: ["lint", "--isolated", "--quiet", "--output-format", "json", str(folder)],
    reads_yaml=True,
)
CONCISE = Peer(
    "manifest, concise",
    "manifest",
    None,
    lambda folder: ["lint", "--isolated", "--quiet", "--output-format", "concise", str(folder)],
    reads_yaml=True,
)
EARLIER = replace(OURS, name="manifest, earlier", program="manifest-earlier")
EARLIER_CONCISE = replace(CONCISE, name="manifest, earlier, concise", program="manifest-earlier")
SOURCEMETA = Peer(
    "sourcemeta jsonschema",
    "jsonschema",
    lambda folder: ["validate", SCHEMA, str(folder), "--extension", ".json"],
    lambda folder: [
        "validate", SCHEMA, str(folder), "--extension", ".json", "--json", "--continue",
    ],
)  # fmt: skip
SOURCEMETA_FAST = Peer(
    "sourcemeta jsonschema --fast",
    "jsonschema",
    lambda folder: ["validate", "--fast", SCHEMA, str(folder), "--extension", ".json"],
)
AJV = Peer(
    "ajv",
    "ajv",
    lambda folder: [
        "validate", "--spec=draft2020", "--strict=false", "-c", "ajv-formats",
        "-s", SCHEMA, "-d", f"{folder}/*.json",
    ],
    lambda folder: [
        "validate", "--spec=draft2020", "--strict=false", "-c", "ajv-formats", "--all-errors",
        "--errors=json", "-s", SCHEMA, "-d", f"{folder}/*.json",
    ],
    most=10_000,
)  # fmt: skip
CHECK_JSONSCHEMA = Peer(
    "check-jsonschema",
    "check-jsonschema",
    lambda folder: ["--quiet", "--schemafile", SCHEMA, *_files(folder)],
    lambda folder: ["--output-format", "json", "--schemafile", SCHEMA, *_files(folder)],
    reads_yaml=True,
    most=10_000,
)
PEERS = (
    OURS, CONCISE, EARLIER, EARLIER_CONCISE, SOURCEMETA, SOURCEMETA_FAST, AJV, CHECK_JSONSCHEMA,
)  # fmt: skip


@dataclass(frozen=True)
class Programs:
    """Where the programs are.

    Attributes:
        given: paths by the program's name; for others the search path is looked through.
    """

    given: Mapping[str, str] = field(default_factory=dict)

    def path(self, peer: Peer) -> str | None:
        """Return the program of a peer; None when it is not there."""
        return self.given.get(peer.program) or shutil.which(peer.program)

    def there(self) -> list[Peer]:
        """Return the peers that are there, ours first."""
        return [peer for peer in PEERS if self.path(peer)]
