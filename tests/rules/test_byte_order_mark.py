"""`byte-order-mark`: JSON that begins with U+FEFF is told; the fix takes the mark away alone."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

import manifestkit
from judging import BASE, as_text
from manifests import VALID

MARK = "\ufeff"


@given(VALID)
def test_a_mark_is_one_more_finding_and_its_fix_changes_nothing_else(value: object) -> None:
    """RFC 8259, section 8.1: "Implementations MUST NOT add a byte order mark"."""
    text = json.dumps(value, indent=2)
    alone, found = (manifestkit.lint(each).findings for each in (text, MARK + text))
    (mark,) = [each for each in found if each.rule == "byte-order-mark"]
    assert (mark.pointer, mark.severity.value, mark.location.span) == ("", "warning", (0, 1))
    assert [each.rule for each in found if each is not mark] == [each.rule for each in alone]
    assert manifestkit.fix(MARK + text).data == manifestkit.fix(text).data


@pytest.mark.parametrize("text", [as_text(BASE), as_text(BASE).replace("Calm", MARK)])
def test_without_a_mark_at_the_start_it_is_not_found(text: str) -> None:
    assert "byte-order-mark" not in {each.rule for each in manifestkit.lint(text).findings}


def test_yaml_may_begin_with_a_mark() -> None:
    assert manifestkit.lint(MARK + as_text(BASE), "manifest.yaml").findings == ()


def test_a_mark_goes_with_another_fix() -> None:
    text = MARK + as_text({**BASE, "permissions": ["host.tiemr"]})
    after = manifestkit.fix(text)
    assert after.data.decode() == text.removeprefix(MARK).replace("tiemr", "timer")
    assert after.result.findings == ()
