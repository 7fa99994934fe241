"""What all tests share."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

# A shared machine's speed is no property of the code: no deadline. In CI the same examples are
# tried every time, so that a red build is red again; elsewhere each run tries new ones.
settings.register_profile("local", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", parent=settings.get_profile("local"), derandomize=True)
settings.register_profile("thorough", parent=settings.get_profile("local"), max_examples=5_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if "CI" in os.environ else "local"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--regenerate",
        action="store_true",
        help="write the expected files anew; read the difference before you commit it",
    )


@pytest.fixture(scope="session")
def regenerate(request: pytest.FixtureRequest) -> bool:
    """Whether the expected outputs are to be written, and not compared."""
    return bool(request.config.getoption("--regenerate"))
