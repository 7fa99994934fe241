"""Batches of manifests to batches of rows: the one function of a fleet, and its policy."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa

from manifestkit.config.policy import Policy
from manifestkit.decode import decode
from manifestkit.engine.lint import lint
from manifestkit.engine.options import Options
from manifestkit.engine.workspace import Workspace
from manifestkit.model.errors import ConfigurationError, CrashContext, CrashedFileError
from manifestkit.model.finding import Finding, Identity, Severity
from manifestkit.model.location import Location
from manifestkit.rules.catalogue import all_rules
from manifestkit.schema.model import Schema

_VERSION = 1
"""The version of the columns of results; new ones may be added without another version."""

_UNUSED = ("change_profiles", "baseline", "config", "force_exclude", "locked")
_FINDING = pa.struct(
    [
        *((name, pa.string()) for name in ("rule", "severity", "pointer", "stable_pointer")),
        ("fingerprint", pa.string()),
        ("line", pa.int32()),
        ("column", pa.int32()),
        ("message", pa.string()),
    ]
)
SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("uri", "sha256", "policy")),
        ("fails", pa.bool_()),
        ("errors", pa.int32()),
        ("warnings", pa.int32()),
        ("provider_id", pa.string()),
        ("version", pa.string()),
        ("findings", pa.list_(_FINDING)),
    ],
    metadata={b"manifestkit.fleet.columns": str(_VERSION).encode()},
)

REASON = "manifestkit.unreadable"
"""The column of batches that says why a row has no content, where that is known."""

_COLUMNS = ("uri", "content", "name", REASON)
_MOST_ROWS = 100  # in one batch: each may have megabytes, of content and of findings
_LONGEST_NAME = 1_000


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
    """

    def __init__(self, options: Options = Options()) -> None:  # noqa: B008 - a value
        given = options.normalized()
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
        "columns": _VERSION,
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
    resources = schema.sources.resources
    return [json.dumps(schema.contents), *sorted({json.dumps(each) for each in resources})]


def lint_batches(
    batches: Iterable[pa.RecordBatch], policy: FleetPolicy
) -> Iterator[pa.RecordBatch]:
    """Check every manifest of some batches; each of their rows is one row of what comes out.

    Nothing that a row holds raises: what cannot be read is a row with a finding that says so.

    Args:
        batches: with the columns `uri` and `content`, text or binary, and maybe `name`: the name
            of the file, whose suffix tells the syntax; without it, that is `uri`.
        policy: what to check by.

    Raises:
        ConfigurationError: a column is missing or of a wrong type.
    """
    for batch in batches:
        for column in _COLUMNS:
            count = batch.schema.names.count(column)
            if count > 1 or (not count and column in ("uri", "content")):
                raise ConfigurationError(f"there must be one column `{column}`, not {count}")
        for start in range(0, batch.num_rows, _MOST_ROWS):
            part = batch.slice(start, _MOST_ROWS)
            columns = (
                _bytes(part[name]) if name in part.schema.names else [None] * part.num_rows
                for name in _COLUMNS
            )
            rows = [_row(policy, *each) for each in zip(*columns, strict=True)]
            yield pa.RecordBatch.from_pylist(rows, SCHEMA)


def _bytes(column: pa.Array) -> list[bytes | None]:
    """Return the values of a column, also of text that is not the UTF-8 that it ought to be."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    try:
        values: list[bytes | None] = column.cast(pa.large_binary()).to_pylist()
    except pa.ArrowNotImplementedError:
        raise ConfigurationError(f"a column is {column.type}, not text or binary") from None
    return values


def _row(policy: FleetPolicy, *given: bytes | None) -> dict[str, Any]:
    """Check one manifest, and return its row; what is not in there is null."""
    uri, content, name, reason = given
    row = {"uri": _text(uri), "policy": policy.digest}
    if content is None or not uri:
        why = _text(reason) or ("no `content`" if content is None else "no `uri`")
        return row | _one_finding("unreadable-file", why)
    limits = policy.policy.limits
    if len(content) <= limits.bytes:
        row["sha256"] = sha256(content).hexdigest()
    file = (name or uri).decode(errors="backslashreplace")
    try:
        with CrashContext(file):
            decoded = decode(content, file, limits)
            schema = policy.policy.requirements(decoded.document).schema
            value, result = decoded.document.value, lint(decoded, policy.policy)
            names = {
                "provider_id": _value(value, schema.identifier),
                "version": _value(value, schema.version),
            }
            return row | names | _result(result.findings, fails=result.fails)
    except CrashedFileError as crash:
        return row | _one_finding("crash", crash.reason)


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode(errors="backslashreplace")


def _one_finding(rule: str, message: str) -> dict[str, Any]:
    """Return the columns of a manifest with one finding, about the whole of it."""
    identity = Identity(rule, "", "", 0)
    finding = Finding("", rule, Severity.ERROR, message, "", Location(), identity=identity)
    return _result([finding], fails=True)


def _result(findings: Sequence[Finding], *, fails: bool) -> dict[str, Any]:
    severities = [each.severity for each in findings]
    return {
        "fails": fails,
        "errors": severities.count(Severity.ERROR),
        "warnings": severities.count(Severity.WARNING),
        "findings": list(map(_values, findings)),
    }


def _value(value: Any, path: tuple[str | int, ...] | None) -> str | None:
    """Return the text at a path, as far as a name goes; None where there is none."""
    for token in path or ():
        value = value.get(token) if value.__class__ is dict else None
    return _utf8(value[:_LONGEST_NAME]) if path and value.__class__ is str else None


def _values(finding: Finding) -> dict[str, Any]:
    identity, location = finding.identity, finding.location
    return {
        "rule": finding.rule,
        "severity": finding.severity.value,
        "pointer": _utf8(finding.pointer),
        "stable_pointer": identity and _utf8(identity.pointer),
        "fingerprint": identity and identity.fingerprint,
        "line": location.line,
        "column": location.column,
        "message": _utf8(finding.message),
    }


def _utf8(text: str) -> str:
    """Return a text without the lone surrogates that JSON can write, and UTF-8 cannot."""
    return text.encode(errors="backslashreplace").decode()
