"""What callers of the library hand over by mistake: it is understood, or refused in words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import manifestkit
from manifestkit import Limits, Options, Severity
from samples import BROKEN, VALID

PROFILE = '{"properties": {"provider": {"title": "Provider", "maxProperties": 1}}}'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "manifest.json").write_bytes(BROKEN)
    (tmp_path / "host.json").write_text(PROFILE)
    return tmp_path


@pytest.mark.parametrize("as_given", [str, Path, lambda path: f"{path}/"])
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


BAD_PATHS: list[Any] = [None, 1, b"app", [None], [b"app"], [["app"]], {"app": 1}.values()]


@pytest.mark.parametrize("paths", BAD_PATHS, ids=repr)
def test_what_is_no_path_is_refused_in_words(paths: Any) -> None:
    with pytest.raises(TypeError, match=r"^paths: .*, not (NoneType|int|bytes|list)$"):
        manifestkit.lint_paths(paths)


BAD_OPTIONS: list[tuple[dict[str, Any], str]] = [
    ({"schema": 1}, "schema: a path or a Schema, not int"),
    ({"schema": {"type": "object"}}, "schema: a path or a Schema, not dict"),
    ({"profiles": [1]}, "profiles: a path or a Schema, not int"),
    ({"profiles": None}, "profiles: a path or a Schema, or several, not NoneType"),
    ({"select": 1}, "select: the id of a rule or several, not int"),
    ({"ignore": [b"wrong-type"]}, "ignore: the id of a rule, not bytes"),
    ({"severity": "error"}, "severity: a mapping, not str"),
    ({"severity": {"wrong-type": "error"}}, "severity of wrong-type: a Severity or None, not str"),
    ({"fail_on": "warning"}, "fail_on: a Severity, not str"),
    ({"baseline": 1}, "baseline: a path, not int"),
    ({"config": 1}, "config: a path, not int"),
    ({"isolated": "no"}, "isolated: a bool, not str"),
    ({"force_exclude": None}, "force_exclude: a bool, not NoneType"),
    ({"turned_on": 1}, "turned_on: the id of a rule or several, not int"),
    ({"limits": Limits()}, "limits: a mapping, not Limits"),
]


@pytest.mark.parametrize(
    ("name", "limit"), [("depth", -1), ("depth", 0), ("depth", 10**18), ("depth", "1"), ("byte", 1)]
)
def test_a_limit_that_would_be_none_is_refused(folder: Path, name: str, limit: Any) -> None:
    with pytest.raises(manifestkit.ConfigurationError, match=f"limits: {name}: not {limit!r}"):
        manifestkit.lint_paths(folder, Options(limits={name: limit}))


@pytest.mark.parametrize(("given", "said"), BAD_OPTIONS, ids=str)
def test_what_no_option_can_be_is_refused_in_words(
    folder: Path, given: dict[str, Any], said: str
) -> None:
    with pytest.raises(TypeError) as refused:
        manifestkit.lint_paths([folder], Options(**given))
    assert str(refused.value).startswith(said)


def test_options_are_options(folder: Path) -> None:
    with pytest.raises(TypeError, match=r"^options: Options, not dict$"):
        manifestkit.lint_paths([folder], {"isolated": True})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", [None, b"manifest.json", 1])
def test_a_name_is_text(name: Any) -> None:
    with pytest.raises(TypeError, match=r"^name: text or a path, not "):
        manifestkit.lint(VALID, name)


def test_a_name_may_be_a_path() -> None:
    assert manifestkit.lint(BROKEN, Path("a/b.json")).findings[0].path == "a/b.json"


def test_a_severity_and_none_are_taken(folder: Path) -> None:
    options = Options(severity={"wrong-type": Severity.INFO}, fail_on=None, limits={"depth": 9})
    assert not manifestkit.lint_paths(folder / "app", options).fails


@pytest.mark.parametrize("path", ["a\0b", "\ud800"], ids=ascii)
def test_a_path_that_no_file_can_have_is_told_as_any_other(path: str) -> None:
    report = manifestkit.lint_paths([path])
    assert report.unreadable or not report.results
