"""The mistakes that the playground starts from are corrected by clicks: each error has a fix."""

from __future__ import annotations

import pytest

import build_site
import manifestkit
from command import GOLDEN


@pytest.mark.parametrize("file", build_site.EXAMPLES.values(), ids=build_site.EXAMPLES)
def test_a_mistake_of_the_playground_is_corrected_by_its_fixes(file: str) -> None:
    text = (GOLDEN / file).read_bytes()
    assert manifestkit.lint(text, "manifest.json").fails
    assert not manifestkit.fix(text, "manifest.json", unsafe=True).result.fails
