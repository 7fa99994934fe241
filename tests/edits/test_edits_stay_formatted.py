"""What `fmt` would leave as it is, it still leaves so after an edit."""

from __future__ import annotations

import json
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml
from hypothesis import assume, example, given
from hypothesis import strategies as st

from command import CLEAN
from in_process import manifest_here

_YAML = """\
schema_version: "1.0"
provider:
  id: com.example.a
  name: A
  version: "1.0.0"
runtime:
  entrypoint: dist/index.js
  sdk_version: "1.0"
activities:
  - id: a
    name: A
    category: breathing
    surfaces:
      - phone
      - watch
  - id: b
    name: B
  - id: c
    duration_minutes: 5 min
    name: C
    surfaces: phone
    thumbnail: null
permissions:
  - host.timer
  - HOST.TIMER
  - host.haptic
  - host.haptics
  - context.goals
capabilities: [host.timer.start]
presentation: { thumbnail: a.png }
x-own:
  - - 1
    - 2
  - y: 1
    z: 2
"""
_VALUES = ("[]", "{}", '["a"]', '{"k": 1}', '{"k": [1, {"l": 2}]}', "5", "text")
_PLACES = (
    *("provider", "provider.id", "provider.name", "runtime.sdk_version", "schema_version"),
    *("activities", "activities.a", "activities.b", "activities.c", "activities.d"),
    *("activities.a.id", "activities.a.surfaces", "activities.a.surfaces.phone"),
    *("activities.b.category", "activities.b.surfaces", "activities.a.surfaces.-"),
    *("activities.c.duration_minutes", "activities.c.thumbnail", "activities.a.thumbnail"),
    *("permissions", "permissions.host.timer", "permissions.context.goals", "permissions.-"),
    *("capabilities", "capabilities.host.timer.start", "capabilities.-"),
    *("presentation", "presentation.thumbnail", "x-own", "/x-own/0", "/x-own/0/0", "/x-own/-"),
    *("/x-own/1/y", "/x-own/1/z", "/x-own/1/x", "x-new", "provider.x-new", "/x-own/0/1"),
)
_WIDTH = 100
_SPACE = st.text("#\n", max_size=3)


@st.composite
def _texts(draw: st.DrawFn) -> str:
    lines = []
    for line in _YAML.splitlines():
        indent = len(line) - len(line.lstrip(" ")) if draw(st.booleans()) else 0
        space = draw(_SPACE) if draw(st.booleans()) else ""
        lines += [" " * indent + "# some" if each == "#" else "" for each in space]
        lines.append(f"{line} # behind" if draw(st.integers(0, 9)) == 0 else line)
    return "\n".join(lines) + "\n"


_JSON = st.builds(json.dumps, st.just(yaml.safe_load(_YAML)), indent=st.sampled_from([None, 2]))
_EDITS = st.one_of(
    st.tuples(st.just("remove"), st.sampled_from(_PLACES)),
    st.tuples(st.just("set"), st.sampled_from(_PLACES), st.sampled_from(_VALUES)),
    st.sampled_from(
        [
            ("add", "permission", "profile.basic", "context.signals", "context.health_summary"),
            ("add", "capability", "host.timer.start", "host.haptics.play", "activity.complete"),
            ("add", "activity", "d=D"),
            ("lint", "--fix"),
            ("lint", "--fix", "--unsafe-fixes"),
        ]
    ),
)


@example("a: 1\n\nprovider:\n  id: a\n\nx: 1\n", [("remove", "provider")])
@example("a: 1\n\nprovider:\n  id: a\n\n# Why\nx: 1\n", [("remove", "provider")])
@example("a: 1\n\nprovider:\n  id: a\n", [("remove", "provider")])
@example(_YAML.replace("  - id: a", "  # Its id.\n  - id: a"), [("remove", "activities.a")])
@given(_texts() | _JSON, st.lists(_EDITS, min_size=1, max_size=2))
def test_an_edit_leaves_a_formatted_file_formatted(text: str, edits: list[tuple[str, ...]]) -> None:
    """Unless a line of JSON gets too long: only what an edit is about changes (editing.md)."""
    name = "m.json" if text.startswith("{") else "m.yaml"
    with TemporaryDirectory() as folder, chdir(folder):
        file = Path(name)
        file.write_text(text)
        assume(manifest_here("fmt", name).code == CLEAN)
        for words in edits:
            force = ("--force",) if words[0] in ("add", "set", "remove") else ()
            manifest_here(*words, name, *force)
            is_wide = name == "m.json" and max(map(len, file.read_text().splitlines())) >= _WIDTH
            told = manifest_here("fmt", name, "--diff")
            assert is_wide or told.out == "", f"{words}: {told.out}"
