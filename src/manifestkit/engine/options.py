"""Options of a run."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from manifestkit.model.errors import ConfigurationError
from manifestkit.model.finding import Severity
from manifestkit.model.limits import Limits
from manifestkit.schema.model import Schema

_BEYOND = 10**18


class Options(NamedTuple):
    """Options of a run; None or an empty one leaves it to the configuration.

    Attributes:
        schema: a JSON Schema that replaces section 2 of the manifest document.
        profiles: profiles of hosts.
        change_profiles: profiles for changes between two manifests.
        select: the only rules to report.
        ignore: rules not to report, in addition to the configured ones.
        severity: severities of rules, which override the configured ones; None turns a rule off.
        fail_on: the lowest severity that fails the run.
        baseline: a file of known findings to suppress.
        config: the configuration file for every manifest, instead of the nearest one.
        isolated: use no ``.gitignore``, no configuration file but that of `config`, and no link
            that leads out of the working folder.
        force_exclude: skip excluded files and other formats' manifests even if given by name.
        turned_on: rules to report that are off by default, unless the configuration turns them off.
        limits: limits on one manifest, by name.
        locked: report violations of section 2 and of the profiles as errors, whatever the
            configuration says.

    Example:
        >>> host = manifestkit.load_profile("host.schema.json")
        >>> options = manifestkit.Options(profiles=(host,), ignore=("version-form",))
        >>> manifestkit.lint_paths("manifest.json", options).fails
        False
    """

    schema: Path | Schema | None = None
    profiles: tuple[Path | Schema, ...] = ()
    change_profiles: tuple[Path, ...] = ()
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Severity | None] = {}
    fail_on: Severity | None = None
    baseline: Path | None = None
    config: Path | None = None
    isolated: bool = False
    force_exclude: bool = False
    turned_on: tuple[str, ...] = ()
    limits: Mapping[str, int] = {}
    locked: bool = False

    def normalized(self) -> "Options":
        """Return the same, each path a Path; a single path or rule becomes a tuple of one.

        Raises:
            ConfigurationError: a limit is none.
        """
        for limit, each in self.limits.items():
            if limit not in Limits._fields or type(each) is not int or not 0 < each < _BEYOND:
                known = ", ".join(Limits._fields)
                raise ConfigurationError(
                    f"limits: {limit}: not {each!r}: {known} are integers from 1 to {_BEYOND - 1:,}"
                )
        return self._replace(
            schema=_read_later(self.schema),
            profiles=tuple(map(_read_later, _as_tuple(self.profiles))),
            change_profiles=tuple(map(Path, _as_tuple(self.change_profiles))),
            select=None if self.select is None else _as_tuple(self.select),
            ignore=_as_tuple(self.ignore),
            baseline=self.baseline and Path(self.baseline),
            config=self.config and Path(self.config),
            turned_on=_as_tuple(self.turned_on),
        )


def _as_tuple(given: Any) -> tuple[Any, ...]:
    """Return several paths, schemas or rules; a single one is a tuple of one."""
    return (given,) if isinstance(given, str | os.PathLike | Schema) else tuple(given)


def _read_later(given: Any) -> Any:
    """Return a schema, or the path of one; None for none."""
    return given if given is None or isinstance(given, Schema) else Path(given)
