"""What fuzzing has found, and what it begins with, holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from targets import TARGETS

CORPUS = Path(__file__).parent / "corpus"


@pytest.mark.parametrize("target", TARGETS)
def test_every_case_of_the_corpus_holds(target: str) -> None:
    cases = sorted((CORPUS / target).iterdir())
    assert cases
    for case in cases:
        try:
            TARGETS[target](case.read_bytes())
        except Exception as error:
            raise AssertionError(case.name) from error
