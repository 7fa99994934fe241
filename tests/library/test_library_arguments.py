"""What callers of the library hand over by mistake: it is understood, or refused in words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import manifestkit
from manifestkit import Options
from rows import rows
from samples import BROKEN

PROFILE = '{"properties": {"provider": {"title": "Provider", "maxProperties": 1}}}'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "manifest.json").write_bytes(BROKEN)
    (tmp_path / "host.json").write_text(PROFILE)
    return tmp_path


@rows("as_given", [str, Path, lambda path: f"{path}/"])
def test_one_path_is_a_list_of_one(folder: Path, as_given: Callable[[Path], Any]) -> None:
    report = manifestkit.lint_paths(as_given(folder / "app"))
    assert [each.rule for each in report.findings] == ["wrong-type"]
    assert report == manifestkit.lint_paths([folder / "app"])


def test_one_profile_is_a_list_of_one(folder: Path) -> None:
    one, several = (
        manifestkit.lint_paths([folder / "app"], Options(profiles=profiles))  # type: ignore[arg-type]
        for profiles in (str(folder / "host.json"), (folder / "host.json",))
    )
    assert one == several
    assert "schema-maxProperties" in {each.rule for each in one.findings}


@pytest.mark.parametrize("rules", ["wrong-type", ["wrong-type"], {"wrong-type"}])
def test_one_rule_is_a_list_of_one(folder: Path, rules: Any) -> None:
    assert manifestkit.lint_paths(folder / "app", Options(select=rules)).findings
    assert not manifestkit.lint_paths(folder / "app", Options(ignore=rules)).findings


@pytest.mark.parametrize(
    "name",
    ["profiles", "change_profiles", "select", "ignore", "severity", "turned_on", "limits"],
)
@pytest.mark.parametrize("settings", ["", 'ignore = ["wrong-type"]\n', 'select = ["wrong-type"]\n'])
def test_an_empty_option_leaves_it_to_the_configuration(
    folder: Path, name: str, settings: str
) -> None:
    (folder / "app" / "manifestkit.toml").write_text(settings)
    default = manifestkit.lint_paths(folder / "app")
    every: list[Any] = [(), [], set(), {}]
    for empty in every:
        if isinstance(empty, dict) is (name in {"severity", "limits"}):
            report = manifestkit.lint_paths(folder / "app", Options(**{name: empty}))
            assert report == default
    assert default.fails is not settings.startswith("ignore")


def test_a_path_may_be_text_in_every_option(folder: Path) -> None:
    (folder / "manifestkit.toml").write_text('ignore = ["wrong-type"]\n')
    (folder / "any.json").write_text("{}")
    for options in (
        Options(schema=str(folder / "any.json")),  # type: ignore[arg-type]
        Options(config=str(folder / "manifestkit.toml")),  # type: ignore[arg-type]
    ):
        assert not manifestkit.lint_paths([folder / "app"], options).findings


@pytest.mark.parametrize(
    ("name", "limit"), [("depth", -1), ("depth", 0), ("depth", 10**18), ("depth", "1"), ("byte", 1)]
)
def test_a_limit_that_would_be_none_is_refused(folder: Path, name: str, limit: Any) -> None:
    with pytest.raises(manifestkit.ConfigurationError, match=f"limits: {name}: not {limit!r}"):
        manifestkit.lint_paths(folder, Options(limits={name: limit}))
