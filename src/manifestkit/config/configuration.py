"""What is configured for the files of a folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from manifestkit.config.exclude import Ignore
from manifestkit.model.finding import Severity

if TYPE_CHECKING:
    from manifestkit.config.suppression import Suppression
    from manifestkit.schema.formats import Format

OWN_FILE = "manifestkit.toml"
SHARED_FILE = "pyproject.toml"


class Configuration(NamedTuple):
    """What is configured for the files of a folder.

    Attributes:
        source: the file that says so; None where there is none.
        text: the content of that file.
        exclude: the files to leave out.
        schema: a schema in place of the manifest document's; None for that.
        profiles: a host's own demands.
        formats: manifests of other formats than ours, with schemas of their own.
        select: the only rules that count; None for all that are on by default.
        ignore: rules that do not count.
        severity: what rules have in place of their own severity; None turns a rule off.
        fail_on: the least severity that fails the run.
        baseline: a file of findings that are known and not shown.
        suppressions: findings to live with.
        limits: how much one manifest may demand of its reader, by the names of the limits.
    """

    source: Path | None = None
    text: str = ""
    exclude: Ignore | None = None
    schema: Path | None = None
    profiles: tuple[Path, ...] = ()
    formats: tuple[Format, ...] = ()
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Severity | None] = {}
    fail_on: Severity = Severity.ERROR
    baseline: Path | None = None
    suppressions: tuple[Suppression, ...] = ()
    limits: Mapping[str, int] = {}


NOTHING_CONFIGURED = Configuration()
