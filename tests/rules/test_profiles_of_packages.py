"""`package:NAME`: a profile of an installed package."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

import manifestkit
from command import FINDINGS, USAGE, Outcome, manifest
from judging import with_activity, written
from manifestkit import Options

PHONES: dict[str, Any] = {
    "properties": {
        "activities": {
            "items": {"properties": {"surfaces": {"items": {"enum": ["phone", "watch"]}}}}
        }
    }
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A manifest that the profile rejects."""
    written(tmp_path / "tv.manifest.json", with_activity(surfaces=["tv"]))
    return tmp_path


def lint(*arguments: str, cwd: Path, **env: str) -> Outcome:
    return manifest("lint", "--output-format=concise", *arguments, cwd=cwd, env=env)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of installed packages: a real one, with a profile, whose code must never run."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("installed")
    (source / "calm_profiles" / "hosts").mkdir(parents=True)
    for part in ("calm_profiles", "calm_profiles/hosts"):
        (source / part / "__init__.py").write_text("raise SystemExit('the code of a package ran')")
    written(source / "calm_profiles" / "hosts" / "phones.json", PHONES)
    (source / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
        '[project]\nname = "calm-profiles"\nversion = "1.0"\n'
        '[project.entry-points."manifestkit.profiles"]\n'
        'phones = "calm_profiles.hosts:phones.json"\n'
        'lost = "calm_profiles:lost.json"\noutside = "calm_profiles:outside"\n'
        '[tool.setuptools]\npackages = ["calm_profiles", "calm_profiles.hosts"]\n'
        '[tool.setuptools.package-data]\n"*" = ["*.json"]\n'
    )
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", source],
        check=True,
        capture_output=True,
    )
    (wheel,) = (source / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        file.extractall(target)
    return target


def with_packages(*arguments: str, cwd: Path, installed: Path) -> Outcome:
    return lint(*arguments, cwd=cwd, PYTHONPATH=str(installed))


@pytest.mark.slow
def test_a_profile_of_an_installed_package_is_used_and_none_of_its_code_runs(
    folder: Path, installed: Path
) -> None:
    arguments = ("--profile=package:phones", "tv.manifest.json")
    ended = with_packages(*arguments, cwd=folder, installed=installed)
    assert ended.code == FINDINGS, ended.err
    assert "schema-enum" in ended.out
    (folder / "manifestkit.toml").write_text('profile = ["package:phones"]\n')
    ended = with_packages("tv.manifest.json", cwd=folder, installed=installed)
    assert "schema-enum" in ended.out


def test_the_library_takes_a_profile_of_an_installed_package(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(installed)
    tv = json.dumps(with_activity(surfaces=["tv"]))
    for profile in ("package:phones", manifestkit.load_profile("package:phones")):
        found = manifestkit.load(tv, profile=profile).result.findings
        assert [each.rule for each in found] == ["schema-enum"]
    options = Options(profiles=("package:phones",))  # type: ignore[arg-type] # checked at run time
    file = written(installed / "tv" / "manifest.json", tv)
    assert manifestkit.lint_paths(file, options).fails


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("phone", "no installed package has such a profile; did you mean `phones`?"),
        ("", "no installed package has such a profile"),
        ("lost", "the package calm-profiles has no file calm_profiles/lost.json"),
    ],
)
@pytest.mark.slow
def test_a_profile_that_no_package_has_is_told_with_its_place(
    folder: Path, installed: Path, name: str, told: str
) -> None:
    ended = with_packages(f"--profile=package:{name}", cwd=folder, installed=installed)
    assert (ended.code, ended.out) == (USAGE, "")
    assert f"`package:{name}`: {told}" in ended.err
    (folder / "manifestkit.toml").write_text(f'fail-on = "error"\nprofile = ["package:{name}"]\n')
    ended = with_packages(cwd=folder, installed=installed)
    assert ended.code == USAGE
    assert "manifestkit.toml: profile: `package:" in ended.err


@pytest.mark.slow
def test_the_profile_of_two_packages_is_refused(
    folder: Path, installed: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other" / "other_profiles-1.dist-info"
    other.mkdir(parents=True)
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: other-profiles\nVersion: 1\n")
    (other / "entry_points.txt").write_text("[manifestkit.profiles]\nphones = other:phones.json\n")
    path = os.pathsep.join(map(str, (installed, other.parent)))
    ended = lint("--profile=package:phones", cwd=folder, PYTHONPATH=path)
    assert ended.code == USAGE
    assert "several packages have it: calm-profiles, other-profiles" in ended.err
