"""A tally says of a manifest what its findings in full say: each rule, severity and pointer."""

from __future__ import annotations

import pytest

from tallied import broken, run


@pytest.mark.parametrize("seed", [0, 5])
def test_a_tally_of_mutants_is_that_of_their_findings(seed: int) -> None:
    faulty, differences = run(250, seed)
    assert differences == []
    assert faulty > 120


def test_a_tally_of_the_broken_examples_is_that_of_their_findings() -> None:
    assert broken() == []
