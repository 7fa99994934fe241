"""Options of a run."""

import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from manifestkit.model.errors import ConfigurationError
from manifestkit.model.finding import Severity
from manifestkit.model.limits import Limits
from manifestkit.schema.model import Schema

_BEYOND = 10**18
_PATH = "a path"
_SCHEMA = "a path or a Schema"
_RULE = "the id of a rule"


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
        isolated: ignore configuration files and ``.gitignore`` files.
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

    def checked(self, **names: str) -> "Options":
        """Return the same, each option of its type; a single path or rule becomes a tuple of one.

        Args:
            names: what the caller calls an option, where that is another name.

        Raises:
            TypeError: an option has a wrong type; the text names it.
            ConfigurationError: a limit is none.
        """
        may_be_none = {name for name, value in self._field_defaults.items() if value is None}
        return Options._make(
            None
            if value is None and name in may_be_none
            else _CHECKS[name](names.get(name, name), value)
            for name, value in self._asdict().items()
        )


def expected(name: str, value: Any, kind: type | tuple[type, ...], wanted: str) -> Any:
    """Return the value of an argument, which must be of a type.

    Raises:
        TypeError: it is of another type.
    """
    if isinstance(value, kind):
        return value
    raise TypeError(f"{name}: {wanted}, not {type(value).__name__}")


def as_path(name: str, value: Any, wanted: str = _PATH) -> Path:
    """Return a path."""
    text = os.fspath(expected(name, value, (str, os.PathLike), wanted))
    return Path(expected(name, text, str, wanted))


def _several(one: Callable[[str, Any], Any], wanted: str) -> Callable[[str, Any], Any]:
    """Return a reader of one value or several, which returns a tuple."""

    def read(name: str, value: Any) -> tuple[Any, ...]:
        if isinstance(value, str | os.PathLike | Schema):
            return (one(name, value),)
        kind = () if isinstance(value, bytes | Mapping) else Iterable
        return tuple(one(name, each) for each in expected(name, value, kind, wanted))

    return read


def _schema(name: str, value: Any) -> Path | Schema:
    """Return a schema, or the path of its file."""
    return value if isinstance(value, Schema) else as_path(name, value, _SCHEMA)


def _severities(name: str, value: Any) -> Any:
    for rule, each in expected(name, value, Mapping, "a mapping").items():
        expected(f"{name} of {rule}", each, (Severity, type(None)), "a Severity or None")
    return value


def _limits(name: str, value: Any) -> Any:
    for limit, each in expected(name, value, Mapping, "a mapping").items():
        if limit not in Limits._fields or type(each) is not int or not 0 < each < _BEYOND:
            known = ", ".join(Limits._fields)
            raise ConfigurationError(
                f"{name}: {limit}: not {each!r}: {known} are integers from 1 to {_BEYOND - 1:,}"
            )
    return value


as_paths = _several(as_path, f"{_PATH} or several")
_rules = _several(partial(expected, kind=str, wanted=_RULE), f"{_RULE} or several")
_profiles = _several(_schema, f"{_SCHEMA}, or several")
_bool = partial(expected, kind=bool, wanted="a bool")

_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "schema": _schema,
    "profiles": _profiles,
    "change_profiles": as_paths,
    "select": _rules,
    "ignore": _rules,
    "severity": _severities,
    "fail_on": partial(expected, kind=Severity, wanted="a Severity"),
    "baseline": as_path,
    "config": as_path,
    "isolated": _bool,
    "force_exclude": _bool,
    "turned_on": _rules,
    "limits": _limits,
    "locked": _bool,
}
