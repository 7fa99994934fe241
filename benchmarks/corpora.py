"""Manifests to measure with, made on the spot."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

_LARGE = """\
[limits]
bytes = 200000000
nodes = 20000000
"""
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


def yaml_manifest(n: int, times: int = 1) -> str:
    """Make a typical manifest, about 1.2 kB; `times` repeats its activities, each with its id."""
    activities = "".join(
        _ACTIVITY.format(n=f"{n}-{turn}", id=name, name=title, minutes=minutes)
        for turn in range(times)
        for name, title, minutes in _ACTIVITIES
    )
    return _HEAD.format(n=n) + activities + _TAIL


def faulty_yaml_manifest(n: int) -> str:
    """Return the same manifest with one fault."""
    return yaml_manifest(n).replace("duration_minutes: 5", "duration_minutes: five")


def json_manifest(n: int) -> str:
    """Return the same manifest in JSON."""
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


def faulty_manifest(n: int) -> str:
    """Return the same manifest in JSON with one fault, of a kind that its number picks."""
    manifest = json.loads(json_manifest(n))
    _FAULTS[n % len(_FAULTS)](manifest)
    return json.dumps(manifest, indent=2) + "\n"


_FAULTS: tuple[Callable[[Any], Any], ...] = (
    lambda manifest: manifest["runtime"].pop("entrypoint"),
    lambda manifest: manifest["activities"][1].update(duration_minutes="10"),
    lambda manifest: manifest["permissions"].append("host.camera"),
    lambda manifest: manifest["presentation"].update(icon="images/icon.png"),
    lambda manifest: manifest["provider"].update(version=2),
)


def many(folder: Path, suffix: str, text: Callable[[int], str], count: int) -> list[Path]:
    """So many manifests, `00000.manifest.json` and on."""
    return [_written(folder / f"{n:06}.manifest{suffix}", text(n)) for n in range(count)]


def large_yaml(folder: Path, kilobytes: int) -> list[Path]:
    """One manifest in YAML of about so many kilobytes."""
    activities = "".join(
        _ACTIVITY.format(n="{n}", id=name, name=title, minutes=minutes)
        for name, title, minutes in _ACTIVITIES
    )
    path = folder / "manifest.yaml"
    return [_repeated(path, yaml_manifest(0, times=0), _TAIL, activities, kilobytes)]


def large_json(folder: Path, kilobytes: int) -> list[Path]:
    """One manifest in JSON of about so many kilobytes, beside limits that allow it."""
    manifest = json.loads(json_manifest(0))
    activity = {**manifest["activities"][0], "id": "box-{n}"}
    last = '{\n      "id": "last"'
    manifest["activities"] = [{**activity, "id": "last"}]
    text = json.dumps(manifest, indent=2) + "\n"
    more = textwrap.indent(json.dumps(activity, indent=2), "    ").lstrip() + ",\n    "
    return [_repeated(folder / "manifest.json", text, last, more, kilobytes)]


def _repeated(path: Path, text: str, before: str, more: str, kilobytes: int) -> Path:
    """Write a text that is grown, piece by piece, by what stands before a part of it."""
    head, _, tail = text.partition(before)
    path.parent.mkdir(parents=True, exist_ok=True)
    _written(path.with_name("manifestkit.toml"), _LARGE)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(head)
        for n in range(kilobytes * 1000 // len(more) + 1):
            file.write(more.replace("{n}", str(n)))
        file.write(before + tail)
    return path


def _written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8", newline="\n")
    return path
