"""Manifests to measure with, made on the spot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_HEAD = """\
# A provider of breathing exercises.
schema_version: "1.0"
provider:
  id: com.example.breathing-{n}
  name: Calm Breathing {n}
  version: 2.{n}.0
runtime:
  entrypoint: dist/index.js
  sdk_version: "1.4"
presentation:
  thumbnail: images/calm.png
activities:
"""
_ACTIVITY = """\
  - id: {id}-{n}
    name: {name}
    category: mindfulness
    duration_minutes: {minutes}  # with the introduction
    thumbnail: images/{id}.png
    surfaces:
      - daily_plan
      - explore
"""
_TAIL = """\
permissions:
  - profile.basic
  - host.haptics
capabilities:
  - activity.start
  - activity.complete
"""
_ACTIVITIES = (
    ("box", "Box breathing", 5),
    ("four", '"Four-seven-eight: to sleep"', 4),
    ("walk", "Walking breath, outdoors", 15),
    ("sigh", "Physiological sigh", 2),
)
_MEGABYTE = 1_000_000


def yaml_manifest(n: int, times: int = 1) -> str:
    """A typical manifest, about 1.2 kB; with `times`, its activities so often, each with its id."""
    activities = "".join(
        _ACTIVITY.format(n=f"{n}-{turn}", id=name, name=title, minutes=minutes)
        for turn in range(times)
        for name, title, minutes in _ACTIVITIES
    )
    return _HEAD.format(n=n) + activities + _TAIL


def json_manifest(n: int) -> str:
    """The same manifest in JSON."""
    activities: list[dict[str, Any]] = [
        {
            "id": f"{name}-{n}",
            "name": title.strip('"'),
            "category": "mindfulness",
            "duration_minutes": minutes,
            "thumbnail": f"images/{name}.png",
            "surfaces": ["daily_plan", "explore"],
        }
        for name, title, minutes in _ACTIVITIES
    ]
    manifest = {
        "schema_version": "1.0",
        "provider": {
            "id": f"com.example.breathing-{n}",
            "name": f"Calm Breathing {n}",
            "version": f"2.{n}.0",
        },
        "runtime": {"entrypoint": "dist/index.js", "sdk_version": "1.4"},
        "presentation": {"thumbnail": "images/calm.png"},
        "activities": activities,
        "permissions": ["profile.basic", "host.haptics"],
        "capabilities": ["activity.start", "activity.complete"],
    }
    return json.dumps(manifest, indent=2) + "\n"


def many_yaml(folder: Path, count: int) -> list[Path]:
    """So many typical manifests in YAML."""
    return [_written(folder / f"{n:05}.manifest.yaml", yaml_manifest(n)) for n in range(count)]


def many_json(folder: Path, count: int) -> list[Path]:
    """So many typical manifests in JSON."""
    return [_written(folder / f"{n:05}.manifest.json", json_manifest(n)) for n in range(count)]


def large_yaml(folder: Path, megabytes: int) -> list[Path]:
    """One manifest in YAML of at least so many megabytes."""
    one = len(yaml_manifest(0, times=2)) - len(yaml_manifest(0))
    return [_written(folder / "manifest.yaml", yaml_manifest(0, megabytes * _MEGABYTE // one + 1))]


def _written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8", newline="\n")
    return path
