"""A scalar that readers take differently is made one of both only where the format wants that."""

from __future__ import annotations

from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

import manifestkit

GOOD = """\
schema_version: "1.0"
provider: {id: com.example.box, name: Box, version: "1.0.0"}
runtime: {entrypoint: a.js, sdk_version: "1.0"}
activities: [{id: box, name: Box}]
capabilities: []
"""
ODD = st.sampled_from(["yes", "no", "off", "y", "Y", "1:30", "2026-11-20", "-.5", "1e3"])
NUMBERS = st.from_regex(r"[-+]?0?[0-9]{1,3}(_[0-9]{1,3})?|0o[0-7]{1,3}|0x[0-9a-f]", fullmatch=True)
PLACES = ["x-mode: {}", "x-all: [a, {}]", "x-all: {{b: {}}}", "permissions:\n  host.timer: {}"]


def seen(text: str) -> tuple[Any, Any]:
    """Return what a reader of YAML 1.1 and one of YAML 1.2 see; of an error, that it is one."""
    try:
        old = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError):
        old = "an error"
    return old, YAML(typ="safe", pure=True).load(text)


@settings(max_examples=10 * settings().max_examples)
@given(st.sampled_from(PLACES), ODD | NUMBERS)
def test_a_safe_fix_changes_for_no_reader_what_no_schema_types(place: str, scalar: str) -> None:
    text = GOOD + place.format(scalar) + "\n"
    after = manifestkit.fix(text, "m.yaml").data.decode()
    assert seen(after) == seen(text)
    ambiguous = [each for each in manifestkit.lint(text, "m.yaml").findings if "-amb" in each.rule]
    assert all(each.fixes[0].safety == "unsafe" for each in ambiguous)


def test_where_the_format_wants_text_or_a_number_the_fix_is_safe() -> None:
    text = GOOD.replace("name: Box", "name: no", 1).replace("Box}", "Box, duration_minutes: 08}")
    after = manifestkit.fix(text, "m.yaml").data.decode()
    assert after == text.replace(": no", ': "no"').replace("08", "8")
