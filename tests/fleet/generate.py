"""Manifests of a fleet, the same for a number: JSON and YAML, one in ten faulty, some hostile.

python tests/fleet/generate.py FOLDER 1000000 [json|yaml|all]
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

_PER_FILE = 100_000
_PER_GROUP = 10_000
_CATEGORIES = ("mindfulness", "focus", "sleep", "movement", "relaxation", "learning")
_SURFACES = ("phone", "daily_plan", "watch", "tablet", "explore")
_PERMISSIONS = ("profile.basic", "host.haptics", "host.timer", "context.goals")


class Made(NamedTuple):
    """A manifest as a host holds it."""

    uri: str
    content: bytes | None


def manifest(number: int) -> dict[str, Any]:
    """A clean manifest."""
    activities = [
        {
            "id": f"activity-{number}-{index}",
            "name": f"Activity {index} of {number}",
            "category": _CATEGORIES[(number + index) % len(_CATEGORIES)],
            "duration_minutes": 1 + (number + index) % 30,
            "surfaces": [_SURFACES[(number + index) % len(_SURFACES)]],
        }
        for index in range(1 + number % 3)
    ]
    return {
        "schema_version": "1.0",
        "provider": {
            "id": f"com.example.p{number % 50_000}",
            "name": f"Provider {number}",
            "version": f"1.{number % 40}.0",
        },
        "runtime": {"entrypoint": "dist/index.js", "sdk_version": f"1.{number % 6}"},
        "activities": activities,
        "permissions": list(_PERMISSIONS[: number % 5]),
        "capabilities": ["activity.start", "activity.complete"],
    }


_FAULTS: tuple[Callable[[Any], Any], ...] = (
    lambda manifest: manifest["runtime"].pop("entrypoint"),
    lambda manifest: manifest["activities"][0].update(duration_minutes="10"),
    lambda manifest: manifest["permissions"].append("host.camera"),
    lambda manifest: manifest["provider"].update(versoin="1"),
    lambda manifest: manifest["provider"].update(version=2),
    lambda manifest: manifest.pop("capabilities"),
    lambda manifest: manifest["activities"].append(dict(manifest["activities"][0])),
)
_HOSTILE: tuple[bytes | None, ...] = (
    None,
    b"",
    b"\xff\xfe{",
    b"[" * 5_000,
    b'{"provider": {"id": "\\ud800"}}',
    b'{"a": ' + b"9" * 3_000 + b"}",
    b'{"x": 1, "x": 2}',
    '{"provider": {"id": "\u202e\x07"}}'.encode(),
    json.dumps({"activities": [{}] * 60}).encode(),
    b"<<<<<<< ours\n{}\n=======\n{}\n>>>>>>> theirs\n",
)


def yaml_text(value: Any, indent: str = "") -> str:
    """A value as a YAML block."""
    lines = []
    items = value.items() if isinstance(value, dict) else [(None, each) for each in value]
    for name, each in items:
        head = f"{indent}-" if name is None else f"{indent}{name}:"
        if isinstance(each, dict | list) and each:
            lines.append(f"{head}\n{yaml_text(each, indent + '  ')}")
        else:
            lines.append(f"{head} {json.dumps(each)}\n")
    return "".join(lines)


def made(number: int, syntax: str = "all") -> Made:
    """The manifest of a number: one in five is YAML, one in ten faulty, one in 200 hostile."""
    is_yaml = syntax == "yaml" or (syntax == "all" and number % 5 == 3)
    uri = f"fleet/{number:09}.manifest.{'yaml' if is_yaml else 'json'}"
    if number % 200 == 199:
        return Made(uri, _HOSTILE[number // 200 % len(_HOSTILE)])
    value = manifest(number)
    if number % 10 == 6:
        _FAULTS[number // 10 % len(_FAULTS)](value)
    text = yaml_text(value) if is_yaml else json.dumps(value)
    return Made(uri, text.encode())


def many(count: int, syntax: str = "all", start: int = 0) -> Iterator[Made]:
    """So many of them."""
    return (made(number, syntax) for number in range(start, start + count))


def write(
    folder: Path, count: int, syntax: str = "all", group: int = _PER_GROUP, first: int = 0
) -> Path:
    """Parquet files with so many manifests."""
    folder.mkdir(parents=True, exist_ok=True)
    schema = pa.schema([("uri", pa.string()), ("content", pa.binary())])
    for index, start in enumerate(range(first, first + count, _PER_FILE)):
        with pq.ParquetWriter(folder / f"part-{index:04}.parquet", schema) as writer:
            end = min(start + _PER_FILE, first + count)
            for begin in range(start, end, group):
                rows = list(many(min(group, end - begin), syntax, begin))
                table = pa.table([list(each) for each in zip(*rows, strict=True)], schema=schema)
                writer.write_table(table)
    return folder


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]), (sys.argv[3:] or ["all"])[0])
