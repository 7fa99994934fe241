"""The policy of a fleet, the same in every process."""

from __future__ import annotations

import json
import pickle
from functools import cached_property, lru_cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from manifestkit.engine import Options, Policy, Workspace
from manifestkit.engine.options import expected as _typed
from manifestkit.model.errors import ConfigurationError
from manifestkit.rules.catalogue import all_rules, change_rules
from manifestkit.rules.checks import missing_file
from manifestkit.schema.model import Schema

COLUMNS = 1
"""The version of the columns of results; new ones may be added without another version."""

_UNUSED = ("change_profiles", "baseline", "config", "force_exclude", "locked")


class FleetPolicy:
    """Policy of a fleet, the same in every process.

    Profiles and schemas are read by their paths wherever the policy is used; that they say the
    same there, and that the toolkit is of the same version, is checked.

    Args:
        options: the schema, the profiles, the rules that count and the limits. Configuration
            files do not count; other options are errors.
        expected: the digest that it must have, which is checked when it is used; None for any.

    Attributes:
        options: the options, with absolute paths.
        digest: tells it from policies that may find something else.

    Raises:
        ConfigurationError: an option, a schema, a profile or a rule cannot be used.
        TypeError: an argument has a wrong type; the text names it.
    """

    def __init__(
        self,
        options: Options = Options(),  # noqa: B008 - a value
        *,
        expected: str | None = None,
    ) -> None:
        given = _typed("options", options, Options, "an Options").checked()
        if unused := next((name for name in _UNUSED if getattr(given, name)), None):
            raise ConfigurationError(f"{unused}: a fleet does not use it")
        self._named = given._replace(isolated=True)
        own = given.schema and _absolute(given.schema)
        profiles = tuple(map(_absolute, given.profiles))
        self.options = self._named._replace(schema=own, profiles=profiles)
        self._expected = expected
        self.digest = expected or _digest(self.policy, self.options)

    def __reduce__(self) -> Any:
        """For another process: the options, from which it reads the rest itself."""
        return _read_again, (pickle.dumps(self.options), self.digest)

    @cached_property
    def policy(self) -> Policy:
        """The policy of the engine."""
        policy = Workspace(self._named).policy("")
        _check_rules(self._named)
        if self._expected not in (None, _digest(policy, self.options)):
            raise ConfigurationError(
                "the schema, a profile or the version of manifestkit is another one in this "
                "process than where the run was started"
            )
        return policy


def _check_rules(options: Options) -> None:
    """Refuse to turn on rules that look at more than a manifest: they would find nothing."""
    raised = (rule for rule, severity in options.severity.items() if severity)
    for each in (*(options.select or ()), *raised, *options.turned_on):
        if each == missing_file.ID:
            why = (
                "needs the files next to the manifest, which a fleet does not have; "
                "use `manifest lint`"
            )
        elif each in change_rules():
            why = "is about what changes between two manifests; use `manifest diff`"
        else:
            continue
        raise ConfigurationError(f"`{each}` {why}")


def _digest(policy: Policy, options: Options) -> str:
    contents = {
        "columns": COLUMNS,
        "manifestkit": version("manifestkit"),
        "rules": [each.schema and each.schema.contents for each in all_rules().values()],
        "schemas": [_contents(schema) for _, schema in policy.schemas],
        "profiles": [_contents(profile) for profile in policy.profiles],
        "select": options.select and sorted(options.select),
        "ignore": sorted(options.ignore),
        "severity": {rule: each and each.value for rule, each in options.severity.items()},
        "fail_on": policy.fail_on.value,
        "limits": policy.limits,
    }
    return sha256(json.dumps(contents, sort_keys=True).encode()).hexdigest()[:32]


def _absolute(given: Path | Schema) -> Path | Schema:
    return given.absolute() if isinstance(given, Path) else given


def _contents(schema: Schema) -> list[str]:
    """Return the contents of a schema and of all it refers to, without the places of files."""
    resources = (schema.sources.resources or {}).values()
    return [json.dumps(schema.contents), *sorted({json.dumps(each) for each in resources})]


@lru_cache(maxsize=8)
def _read_again(options: bytes, digest: str) -> FleetPolicy:
    own: Options = pickle.loads(options)  # noqa: S301 - of our own process
    return FleetPolicy(own, expected=digest)
