"""Batches of manifests to batches of rows: the one function of a fleet."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from hashlib import sha256
from heapq import heappush, heappushpop
from itertools import accumulate, chain
from typing import Any

import pyarrow as pa

from manifestkit.decode import Decoded, decode
from manifestkit.engine import Detail, Options, crash_context, lint
from manifestkit.fleet.places import encodable
from manifestkit.fleet.policy import COLUMNS, FleetPolicy
from manifestkit.model.errors import ConfigurationError, CrashedFileError
from manifestkit.model.finding import Finding, Severity

VERSION_KEY = b"manifestkit.fleet.columns"

_FINDING = pa.struct(
    [
        *((name, pa.string()) for name in ("rule", "severity", "pointer", "stable_pointer")),
        ("fingerprint", pa.string()),
        ("line", pa.int32()),
        ("column", pa.int32()),
        ("message", pa.string()),
    ]
)
_FINDING_TYPES = [each.type for each in _FINDING]
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
    metadata={VERSION_KEY: str(COLUMNS).encode()},
)

REASON = "manifestkit.unreadable"
"""The column of batches that says why a row has no content, where that is known."""

_COLUMNS = ("uri", "content", "name", REASON)

UNREADABLE = "unreadable"
"""Stands for the rule in the finding of a row without content."""

CRASH = "crash"
"""Likewise, where this library fails: a bug of ours."""

_ERROR, _WARNING = Severity.ERROR.value, Severity.WARNING.value
_SLOWEST = 3
_MOST_ROWS = 10_000
_MOST_CHARACTERS = 4_000_000  # of the findings in one batch
_LONGEST_NAME = 1_000
_UNNAMED = "manifest.json"


class Slowest:
    """The rows that took the longest, with the seconds of each."""

    def __init__(self) -> None:
        self._rows: list[tuple[float, str]] = []

    def note(self, seconds: float, uri: str) -> None:
        """Keep a row, if it is one of them."""
        (heappush if len(self._rows) < _SLOWEST else heappushpop)(self._rows, (seconds, uri))

    def rows(self) -> list[tuple[float, str]]:
        """Return the slowest first."""
        return sorted(self._rows, reverse=True)


def lint_batches(
    batches: Iterable[pa.RecordBatch], policy: FleetPolicy, slowest: Slowest | None = None
) -> Iterator[pa.RecordBatch]:
    """Check every manifest of some batches; each of their rows is one row of what comes out.

    Nothing that a row holds raises: what cannot be read is a row with a finding that says so.

    Args:
        batches: with the columns `uri` and `content`, text or binary, and maybe `name`: the name
            of the file, whose suffix tells the syntax; without it, that is `uri`.
        policy: what to check by.
        slowest: is told how long each row took.

    Raises:
        ConfigurationError: a column is missing or of a wrong type, or the schema or a profile
            cannot be used.
        TypeError: an argument has a wrong type; the text names it.
    """
    if not isinstance(policy, FleetPolicy):
        hint = "; FleetPolicy(options) is one" if isinstance(policy, Options) else ""
        raise TypeError(f"policy: a FleetPolicy, not {type(policy).__name__}{hint}")
    if isinstance(batches, str | bytes | pa.Table | pa.RecordBatch) or not isinstance(
        batches, Iterable
    ):
        raise _not_a_batch(batches)
    return _linted(batches, policy, slowest or Slowest())


def _linted(
    batches: Iterable[pa.RecordBatch], policy: FleetPolicy, slowest: Slowest
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        if not isinstance(batch, pa.RecordBatch):
            raise _not_a_batch(batch)
        rows = _Rows(policy)
        for row in zip(*_columns(batch), strict=True):
            began = time.perf_counter()
            uri = rows.add(*row)
            slowest.note(time.perf_counter() - began, uri or "")
            if rows.is_full:
                yield rows.batch()
                rows = _Rows(policy)
        if rows:
            yield rows.batch()


def _not_a_batch(given: object) -> TypeError:
    hint = ""
    if isinstance(given, pa.Table):
        hint = "; its to_batches() gives them"
    elif isinstance(given, pa.RecordBatch):
        hint = "; [batch] is a list of one"
    return TypeError(f"batches: record batches, not {type(given).__name__}{hint}")


def check_columns(schema: pa.Schema, where: str = "") -> None:
    """Refuse rows that are not of manifests.

    Raises:
        ConfigurationError: a column is missing, of a wrong type, or there more than once.
    """
    for name in _COLUMNS:
        count = schema.names.count(name)
        if count > 1:
            raise ConfigurationError(f"{where}{count} columns have the name `{name}`")
        if count < 1 and name in ("uri", "content"):
            there = ", ".join(schema.names) or "none"
            raise ConfigurationError(f"{where}a column `{name}` is missing; there is: {there}")
        kind = schema.field(name).type if count else pa.string()
        if not any(is_kind(_plain(kind)) for is_kind in _TEXTS):
            raise ConfigurationError(f"{where}the column `{name}` is {kind}, not text or binary")


def _plain(kind: pa.DataType) -> pa.DataType:
    """Return the type of values, without how they are stored and what they mean."""
    if isinstance(kind, pa.BaseExtensionType):
        return _plain(kind.storage_type)
    return _plain(kind.value_type) if pa.types.is_dictionary(kind) else kind


_TEXTS = (
    *(pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view),
    *(pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view, pa.types.is_null),
)


def _columns(batch: pa.RecordBatch) -> list[list[bytes | None]]:
    check_columns(batch.schema)
    names = set(batch.schema.names)
    return [
        _bytes(batch.column(name)) if name in names else [None] * batch.num_rows
        for name in _COLUMNS
    ]


def _bytes(column: pa.Array) -> list[bytes | None]:
    """Return the values of a column, also of text that is not the UTF-8 that it ought to be."""
    if isinstance(column, pa.ExtensionArray):
        return _bytes(column.storage)
    if pa.types.is_dictionary(column.type):  # whose values may be many and long, and few at once
        texts = _bytes(column.dictionary)
        return [None if each is None else texts[each] for each in column.indices.to_pylist()]
    values: list[bytes | None] = column.cast(pa.large_binary()).to_pylist()
    return values


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode(errors="backslashreplace")


class _Rows:
    """The rows of one batch, each with the values of its columns."""

    def __init__(self, policy: FleetPolicy) -> None:
        self._policy = policy
        self._rows: list[tuple[Any, ...]] = []
        self._characters = 0

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def is_full(self) -> bool:
        return len(self) >= _MOST_ROWS or self._characters >= _MOST_CHARACTERS

    def add(
        self, uri: bytes | None, content: bytes | None, name: bytes | None, reason: bytes | None
    ) -> str | None:
        """Check one manifest, and return its URI."""
        named = _text(uri)
        digest = None
        if content is None:
            verdict = _only(UNREADABLE, _text(reason) or "there is no content")
        else:
            if len(content) <= self._policy.policy.limits.bytes:
                digest = sha256(content).hexdigest()
            verdict = _verdict(content, _text(name) or named or _UNNAMED, self._policy)
        self._rows.append((named, digest, self._policy.digest, *verdict))
        self._characters += len(named or "") + sum(
            len(each) for finding in verdict[-1] for each in finding if each.__class__ is str
        )
        return named

    def batch(self) -> pa.RecordBatch:
        *columns, findings = zip(*self._rows, strict=True)
        arrays = [_array(*each) for each in zip(columns, SCHEMA.types, strict=False)]
        offsets = [0, *accumulate(map(len, findings))]
        values = list(zip(*chain.from_iterable(findings), strict=True)) or [()] * len(_FINDING)
        parts = [_array(*each) for each in zip(values, _FINDING_TYPES, strict=True)]
        structs = pa.StructArray.from_arrays(parts, fields=list(_FINDING))
        arrays.append(pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), structs))
        return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def _array(values: Any, kind: pa.DataType) -> pa.Array:
    try:
        return pa.array(values, kind)
    except UnicodeEncodeError:
        return pa.array([value and encodable(value) for value in values], kind)


def _verdict(content: bytes, name: str, policy: FleetPolicy) -> tuple[Any, ...]:
    """Return the values of the columns from `fails` on."""
    try:
        with crash_context(name):
            return _judged(decode(content, name, policy.policy.limits), policy)
    except CrashedFileError as crash:
        return _only(CRASH, crash.reason)


def _only(rule: str, message: str) -> tuple[Any, ...]:
    """Return the verdict on a manifest with one finding, about the whole of it."""
    finding = (rule, _ERROR, "", "", sha256(rule.encode()).hexdigest()[:32], 1, 1, message)
    return True, 1, 0, None, None, (finding,)


def _judged(decoded: Decoded, policy: FleetPolicy) -> tuple[Any, ...]:
    value = decoded.document.value
    schema = policy.policy.requirements(decoded.document).schema
    provider, release = _value(value, schema.identifier), _value(value, schema.version)
    result = lint(decoded, policy.policy, detail=Detail.IDENTITIES)
    findings = list(map(_told, result.findings))
    severities = [finding[1] for finding in findings]
    errors, warnings = severities.count(_ERROR), severities.count(_WARNING)
    return result.fails, errors, warnings, provider, release, findings


def _told(finding: Finding) -> tuple[Any, ...]:
    identity, location = finding.identity, finding.location
    return (
        finding.rule,
        finding.severity.value,
        finding.pointer,
        identity and identity.pointer,
        identity and identity.fingerprint,
        location.line,
        location.column,
        finding.message,
    )


def _value(value: Any, path: tuple[str | int, ...] | None) -> str | None:
    """Return the text at a path, as far as a name goes; None where there is none."""
    for token in path or ():
        value = value.get(token) if value.__class__ is dict else None
    return value[:_LONGEST_NAME] if path and value.__class__ is str else None
