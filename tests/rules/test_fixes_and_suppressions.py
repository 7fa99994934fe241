"""A fix changes which findings are shown only by its own: no suppression comes to mean another."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import manifestkit
from judging import BASE
from manifestkit import FileResult

ITEMS = ["host.timer", "host.tiemr", "host.haptics", "camera", "context.goals", "host.haptic"]
PROFILE = {"properties": {"permissions": {"maxItems": 2, "items": {"pattern": "^host"}}}}
RULES = ["duplicate-item", "unknown-permission", "misspelt-field", "schema-pattern", "wrong-type"]
PLACES = ["/permissions/*", "/activities/0/*", "/permissions/host.timer", "/permissions/camera"]
PLACES += [f"/permissions/{index}" for index in range(5)] + ["/activities/0/catgory"]

_manifests = st.builds(
    lambda items, members: {
        **BASE,
        "permissions": items,
        "activities": [{"id": "box", "name": "Box", **members}],
    },
    st.lists(st.sampled_from(ITEMS), max_size=5),
    st.sampled_from([{}, {"catgory": "x"}, {"duration_minuts": 5}, {"name": 5}, {"category": 5}]),
)
_entries = st.lists(
    st.tuples(st.sampled_from(RULES), st.none() | st.sampled_from(PLACES)), max_size=3
)


def settings_file(folder: Path, entries: list[tuple[str, str | None]]) -> Path:
    file = folder / "manifestkit.toml"
    text = 'profile = ["host.schema.json"]\n'
    for rule, pointer in entries:
        where = f'pointer = "{pointer}"\n' if pointer else ""
        text += f'[[suppress]]\nrule = "{rule}"\n{where}reason = "so it is"\n'
    file.write_text(text)
    (folder / "host.schema.json").write_text(json.dumps(PROFILE))
    return file


def with_baseline(config: Path, text: str, chosen: list[int]) -> None:
    """Let the settings name a baseline, with some of what is found."""
    found = manifestkit.lint(text, "manifest.json", config=config).findings
    path = os.path.relpath("manifest.json", config.parent)
    entries = [
        {
            "path": path,
            "rule": each.rule,
            "pointer": each.identity.pointer,
            "fingerprint": each.identity.fingerprint,
        }
        for index, each in enumerate(found)
        if index in chosen and each.identity
    ]
    known = {"version": 2, "entries": entries}
    (config.parent / "known.json").write_text(json.dumps(known))
    config.write_text(f'baseline = "known.json"\n{config.read_text()}')


def about(result: FileResult, value: Any) -> tuple[Counter[str], Counter[str]]:
    """What is shown and what is suppressed: each finding with the value that it is about."""

    def told(finding: Any) -> str:
        here = value
        for token in finding.pointer.split("/")[1:]:
            here = here[int(token)] if isinstance(here, list) else here[token]
        return f"{finding.rule} {finding.pointer if isinstance(here, list | dict) else here}"

    shown = Counter(map(told, result.findings))
    return shown, Counter(told(each.finding) for each in result.suppressed)


@given(_manifests, _entries, st.lists(st.integers(0, 5), max_size=3), st.booleans())
def test_a_fix_changes_no_other_finding(
    tmp_path_factory: pytest.TempPathFactory,
    value: dict[str, Any],
    entries: list[tuple[str, str | None]],
    known: list[int],
    unsafe: bool,
) -> None:
    """ "With settings and baseline, too, a fix changes no other finding, or is not applied"."""
    config = settings_file(tmp_path_factory.mktemp("settings"), entries)
    text = json.dumps(value)
    with_baseline(config, text, known)
    before = manifestkit.lint(text, "manifest.json", config=config)
    done = manifestkit.fix(text, "manifest.json", unsafe=unsafe, config=config)
    shown, suppressed = about(before, value)
    shown_now, suppressed_now = about(done.result, json.loads(done.data))
    assert shown_now <= shown
    assert suppressed_now <= suppressed


def test_a_suppression_by_index_holds_back_the_fix_that_would_shift_it(tmp_path: Path) -> None:
    items = ["host.timer", "host.timer", "camera", "tracking"]
    text = json.dumps({**BASE, "permissions": items})
    for pointer, expected in (("/permissions/2", items), ("/permissions/camera", items[1:])):
        config = settings_file(tmp_path, [("unknown-permission", pointer)])
        after = manifestkit.fix(text, "manifest.json", config=config)
        assert json.loads(after.data)["permissions"] == expected
        left = [each.pointer for each in after.result.findings if each.rule == "unknown-permission"]
        assert [f"/permissions/{expected.index('tracking')}"] == left


def test_a_fix_that_would_make_a_suppressed_duplicate_is_not_applied(tmp_path: Path) -> None:
    """A slip of a value that the list has may be meant as another one."""
    items = ["host.timer", "host.tiemr"]
    text = json.dumps({**BASE, "permissions": items})
    alone = manifestkit.fix(text, "manifest.json", config=settings_file(tmp_path, []))
    assert json.loads(alone.data)["permissions"] == items[:1]
    config = settings_file(tmp_path, [("duplicate-item", None)])
    after = manifestkit.fix(text, "manifest.json", config=config)
    assert json.loads(after.data)["permissions"] == items
    (refused,) = after.refused
    assert refused.reason == "it would cause another finding, `duplicate-item`"


def test_a_duplicate_of_a_corrected_value_is_another_finding(tmp_path: Path) -> None:
    items = ["host.timer", "host.timer", "host.tiemr", "host.tiemr", "host.timer"]
    text = json.dumps({**BASE, "permissions": items})
    config = settings_file(tmp_path, [("duplicate-item", "/permissions/4")])
    after = manifestkit.fix(text, "manifest.json", config=config)
    assert json.loads(after.data)["permissions"] == items
