"""Mistakes that neighbouring formats teach: fixed, or shown in full, and no value is lost."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import manifestkit
from mistakes import MISTAKES, SLIPS
from rows import rows

FILE = Path(__file__).with_name("mistakes.txt")
_WRITTEN_OTHERWISE = {
    "icons of a browser extension",
    "manifest_version 3",
    "a path with backslashes",
    "lists in strings, as another program wrote them",
    "an object in a string",
    "a duration in seconds",
    "minutes by letter",
    "seconds by letter",
    "lengths with a unit",
    "scopes",
    "access to permissions",
    "a duration by ISO 8601",
    "hours and minutes",
    "an hour and a half",
    "minutes in words",
    "permissions with other separators",
    "permissions in capitals",
    "a capability that is called",
    "a getter among permissions",
    "permissions with reasons",
    "a manifest in a string",
    "a name in two languages",
    "a name in other languages",
    "a name for each locale",
    "a permission with its access",
    "an SDK of another platform",
    "activities by id, with a unit",
    "an icon of a web app",
    "thousands in a string",
    "a clock",
    "a timeout",
    "an object of JavaScript",
    "a dict of Python",
    "names without quotes",
    "names in typographic quotes",
    "a name from a page with soft hyphens",
    "a comma after the last item",
}
"""Mistakes whose fix writes a value in another way, or leaves out what no manifest says."""


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a configuration that also reports members that nobody reads."""
    file = tmp_path_factory.mktemp("strict") / "manifestkit.toml"
    file.write_text('[severity]\nignored-member = "warning"\n')
    return file


@rows("name", MISTAKES)
def test_a_mistake_is_fixed_or_shown_in_full(name: str, strict: Path) -> None:
    text, meant, shown = MISTAKES[name]
    after = manifestkit.fix(text, unsafe=True, config=strict).data.decode()
    if meant is not None:
        assert json.loads(after) == meant
    else:
        helps = [each.help or "" for each in manifestkit.lint(text, config=strict).findings]
        assert any(all(part in each for part in shown) for each in helps)
        assert after == text


@rows("name", MISTAKES)
def test_what_is_no_manifest_is_told_in_a_line(name: str) -> None:
    for each in manifestkit.lint(MISTAKES[name].text).findings:
        is_long = len(f"{each.path}:1:1: error {each.rule} {each.message}; {each.help}") > 320
        assert not (each.rule == "not-a-manifest" and is_long)


@rows("name", [name for name, each in MISTAKES.items() if each.meant])
def test_no_value_is_lost(name: str, strict: Path) -> None:
    text, meant, _ = MISTAKES[name]
    if name in _WRITTEN_OTHERWISE:
        return
    kept = "\n".join(sorted(map(str, leaves(meant))))
    fixed = json.loads(manifestkit.fix(text, unsafe=True, config=strict).data)
    assert "\n".join(sorted(map(str, leaves(fixed)))) == kept
    written = [part for each in leaves(json.loads(text)) for part in re.split(", ", str(each))]
    assert [each for each in written if each not in kept] == []


def leaves(value: Any) -> Iterator[Any]:
    """Yield the texts and numbers of a value."""
    for each in value.values() if isinstance(value, dict) else value:
        if isinstance(each, dict | list):
            yield from leaves(each)
        elif isinstance(each, str | int) and not isinstance(each, bool):
            yield each


@rows("name", MISTAKES)
def test_what_is_fixed_safely_needs_no_other_value(name: str) -> None:
    text, meant, _ = MISTAKES[name]
    after = manifestkit.fix(text).data.decode()
    if after != text and not manifestkit.lint(after).findings:
        assert json.loads(after) == meant


def described() -> str:
    """Return the findings of every mistake as text."""
    lines: list[str] = []
    results = {name: manifestkit.lint(each.text) for name, each in MISTAKES.items()}
    for name, slip in SLIPS.items():
        results[name] = manifestkit.lint(slip.text.replace(slip.meant, slip.written), slip.file)
    for name, result in results.items():
        lines.append(f"{name}\n")
        for each in result.findings:
            lines.append(f"  {each.severity}[{each.rule}] {each.pointer}\n    {each.message}\n")
            lines.append(f"    help: {each.help}\n")
            lines += (f"    fix: {fix.message} ({fix.safety})\n" for fix in each.fixes)
    return "".join(lines)


@rows("name", SLIPS)
def test_a_slip_is_fixed_or_left(name: str) -> None:
    meant, written, fixed, text = slip = SLIPS[name]
    assert text.count(meant) == 1
    assert manifestkit.lint(text.replace(meant, written), slip.file).crash is None
    after = manifestkit.fix(text.replace(meant, written), slip.file).data.decode()
    assert after == text.replace(meant, written if fixed is None else fixed)


def test_every_mistake_is_told_as_it_was_read(regenerate: bool) -> None:
    if regenerate:
        FILE.write_text(described(), "utf-8", newline="\n")
    assert described() == FILE.read_text("utf-8")
