"""The linters once, and the tests on every Python; `.ci/run` does more, without nox."""

import nox

nox.options.sessions = ["checks", "tests"]


@nox.session(python=["3.11", "3.12", "3.13", "3.14"])
def tests(session: nox.Session) -> None:
    """Run the tests on every supported Python."""
    session.install("-e", ".[test]")
    session.run("pytest", *session.posargs)


@nox.session
def checks(session: nox.Session) -> None:
    """Run the linters, the type checker and the import contract."""
    session.install("-e", ".[dev]")
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("mypy")
    session.run("lint-imports")
