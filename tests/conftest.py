"""What all tests share."""

from __future__ import annotations

import gc
import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

import rows

if TYPE_CHECKING:
    from rehearsal import Sandbox, User

# A shared machine's speed is no property of the code: no deadline. A person who waits tries a few
# examples of each property, and CI many: the same each time, so that a red build is red again.
settings.register_profile(
    "few",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=10,
    derandomize=True,
)
settings.register_profile("ci", parent=settings.get_profile("few"), max_examples=30)
settings.register_profile(
    "thorough", parent=settings.get_profile("few"), max_examples=5_000, derandomize=False
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "few"))

os.environ["XDG_CONFIG_HOME"] = os.devnull  # where nobody is logged in to a service

# A shell lets what it starts in the background ignore interrupts, and `nohup` a closed terminal. So
# would every command that is tried here: a process inherits what is ignored, but no handler.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda *_: None)

# Without bytecode each of the thousands of processes that are started here compiles all sources.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ.pop("GITHUB_STEP_SUMMARY", None)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--regenerate",
        action="store_true",
        help="write all expected files anew; read the difference before you commit it",
    )
    parser.addoption(
        "--row", default="", help="of each table, try only the rows whose names contain this"
    )


def pytest_configure(config: pytest.Config) -> None:
    rows.chosen = config.getoption("--row")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Write all files, and from one process: several tests share a table."""
    if config.getoption("--regenerate"):
        config.option.numprocesses = 0
        config.option.markexpr = ""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run only tests that have something to write, if that was asked for."""
    if config.getoption("--regenerate"):
        writing = [item for item in items if "regenerate" in getattr(item, "fixturenames", ())]
        config.hook.pytest_deselected(items=[item for item in items if item not in writing])
        items[:] = writing


def pytest_collection_finish() -> None:
    """Let no later collection of garbage go through all that collecting tests has made."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def regenerate(request: pytest.FixtureRequest) -> bool:
    """Whether the expected files are to be written before they are compared."""
    return bool(request.config.getoption("--regenerate"))


@pytest.fixture(scope="session", autouse=True)
def _elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Run in an empty folder: the settings of this repository are for no test, and long to read."""
    with chdir(tmp_path_factory.mktemp("elsewhere")):
        yield


@pytest.fixture(scope="session")
def stand_in() -> Iterator[Path]:
    """A program that is the command, for shells."""
    from stand_in import serving  # noqa: PLC0415 - for the tests of recipes only

    with serving() as program:
        yield program


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Sandbox]:
    """A sandbox to deploy to."""
    from rehearsal import sandbox  # noqa: PLC0415 - for the tests in tests/publish only

    with sandbox(tmp_path / "sandbox") as started:
        yield started


@pytest.fixture
def user(tmp_path: Path, running: Sandbox) -> User:
    """Somebody who is logged in to it."""
    from rehearsal import User  # noqa: PLC0415 - likewise

    someone = User(tmp_path / "home", running.url)
    assert someone.login().code == 0
    return someone


@pytest.fixture
def held_back() -> tuple[str, ...]:
    """What to run a command by so that permissions hold, which root passes over."""
    if os.geteuid() != 0:
        return ()
    if shutil.which("setpriv") is None:
        pytest.skip("permissions do not hold root back, and there is no setpriv")
    return ("setpriv", "--bounding-set=-dac_override,-dac_read_search")
