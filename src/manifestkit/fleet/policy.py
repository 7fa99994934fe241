"""The policy of a fleet, the same in every process."""

from __future__ import annotations

import json
import pickle
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from manifestkit.config.policy import Policy
from manifestkit.engine.options import Options
from manifestkit.engine.workspace import Workspace
from manifestkit.model.errors import ConfigurationError
from manifestkit.rules.catalogue import all_rules
from manifestkit.schema.model import Schema

COLUMNS = 1
"""The version of the columns of results; new ones may be added without another version."""

_UNUSED = ("change_profiles", "baseline", "config", "force_exclude", "locked")


class FleetPolicy:
    """Policy of a fleet, the same in every process.

    It can be pickled. Profiles and schemas are read by their paths wherever the policy is used;
    that they say the same there, and that the toolkit is of the same version, is checked.

    Args:
        options: the schema, the profiles, the rules that count and the limits. Configuration
            files do not count; other options are errors.

    Attributes:
        options: the options, with absolute paths.
        policy: the policy of the engine.
        digest: tells it from policies that may find something else.

    Raises:
        ConfigurationError: an option, a schema or a profile cannot be used.
        TypeError: an option has a wrong type; the text names it.
    """

    def __init__(self, options: Options = Options()) -> None:  # noqa: B008 - a value
        given = options.checked()
        if unused := next((name for name in _UNUSED if getattr(given, name)), None):
            raise ConfigurationError(f"{unused}: a fleet does not use it")
        named = given._replace(isolated=True)
        own = given.schema and _absolute(given.schema)
        self.options = named._replace(schema=own, profiles=tuple(map(_absolute, given.profiles)))
        self.policy = Workspace(named).policy("")  # whose errors name files as they were given
        self.digest = _digest(self.policy, self.options)

    def __reduce__(self) -> Any:
        return _unpickled, (pickle.dumps(self.options), self.digest)


def _unpickled(options: bytes, digest: str) -> FleetPolicy:
    policy = FleetPolicy(pickle.loads(options))  # noqa: S301 - of our own process
    if policy.digest != digest:
        raise ConfigurationError(
            "the schema, a profile or the version of manifestkit is another one in this process "
            "than where the run was started"
        )
    return policy


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
