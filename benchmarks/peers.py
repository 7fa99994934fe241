"""The programs that are measured, each with the command that lints files."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

SCHEMA = Path(__file__).parent.parent / "schemas" / "activity-provider-manifest.schema.json"


@dataclass(frozen=True)
class Peer:
    """A program.

    Attributes:
        name: what its command is called.
        arguments: what comes after the program for these files.
    """

    name: str
    arguments: Callable[[Sequence[Path]], list[str]]

    def command(self, program: str, files: Sequence[Path]) -> list[str]:
        """The whole command for files."""
        return [program, *self.arguments(files)]


OURS = Peer("manifest", lambda files: ["lint", "--isolated", "--quiet", *map(str, files)])
CHECK_JSONSCHEMA = Peer(
    "check-jsonschema",
    lambda files: ["--quiet", "--schemafile", str(SCHEMA), *map(str, files)],
)
PEERS = (OURS, CHECK_JSONSCHEMA)


def programs(given: dict[str, str]) -> dict[Peer, str]:
    """The peers that are there, ours first, with the path of each.

    Args:
        given: paths by name; for others the search path is looked through.
    """
    found = {peer: given.get(peer.name) or shutil.which(peer.name) for peer in PEERS}
    return {peer: path for peer, path in found.items() if path}
