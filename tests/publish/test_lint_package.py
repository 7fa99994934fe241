"""`manifest lint site.zip`: a package is checked as `manifest deploy` does, before it is sent."""

from __future__ import annotations

import json
import os
import subprocess
import zipfile
from pathlib import Path

import pytest

from command import CLEAN, FINDINGS, MANIFEST, USAGE, environment
from hostile_zips import CLEAN as COMES_OUT_CLEAN
from hostile_zips import KINDS, archive
from in_process import manifest_here
from manifestkit.rendering import FORMATS
from manifests import SCHEMA
from rows import rows

_MANIFEST = SCHEMA["examples"][0]
_ENTRYPOINT = _MANIFEST["runtime"]["entrypoint"]


def packed(path: Path, *manifests: str, without: str = "", **members: object) -> Path:
    """A package of a site with manifests of these names."""
    with zipfile.ZipFile(path, "w") as file:
        for name in manifests or ("manifest.json",):
            file.writestr(name, json.dumps({**_MANIFEST, **members}))
        for name in {_ENTRYPOINT, "index.html"} - {without}:
            file.writestr(name, "<!doctype html>")
    return path


def lines(*arguments: str, cwd: Path) -> tuple[int, list[str]]:
    ended = manifest_here("lint", "--output-format", "concise", *arguments, cwd=cwd)
    return ended.code, ended.out.splitlines()


def test_a_package_is_linted_beside_other_files_with_one_exit_code(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps(_MANIFEST))
    packed(tmp_path / "site.ZIP")
    assert lines(".", "site.ZIP", cwd=tmp_path) == (CLEAN, [])
    packed(tmp_path / "site.ZIP", permissions=["host.nothing"])
    code, (line,) = lines(".", "site.ZIP", cwd=tmp_path)
    assert code == FINDINGS
    assert line.startswith("site.ZIP!/manifest.json:")
    assert " error unknown-permission " in line


@rows("options", [["--fix"], ["--diff"], ["--write-baseline", "known.json"]])
def test_what_changes_files_or_remembers_them_is_refused_for_a_package(
    tmp_path: Path, options: list[str]
) -> None:
    before = packed(tmp_path / "site.zip").read_bytes()
    outcome = manifest_here("lint", *options, "site.zip", cwd=tmp_path)
    assert (outcome.code, outcome.out) == (USAGE, "")
    assert "name the folder that it is made of" in outcome.err
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("site.zip", before)]


def test_what_the_manifest_names_is_looked_for_in_the_package(tmp_path: Path) -> None:
    (tmp_path / _ENTRYPOINT).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / _ENTRYPOINT).write_text("beside the package, not in it")
    packed(tmp_path / "site.zip", without=_ENTRYPOINT)
    code, (line,) = lines("site.zip", cwd=tmp_path)
    assert code == CLEAN
    assert " warning missing-file " in line
    assert lines("site.zip", "--fail-on", "warning", cwd=tmp_path)[0] == FINDINGS


@pytest.mark.parametrize("manifests", [(), ("a.manifest.json", "manifest.json")])
def test_a_package_has_one_manifest(tmp_path: Path, manifests: tuple[str, ...]) -> None:
    if manifests:
        packed(tmp_path / "site.zip", *manifests)
    else:
        with zipfile.ZipFile(tmp_path / "site.zip", "w") as file:
            file.writestr("index.html", "")
    code, (line,) = lines("site.zip", cwd=tmp_path)
    assert code == FINDINGS
    assert line.startswith("site.zip:1:1: error archive ")
    (tmp_path / "manifestkit.toml").write_text('[publish]\nmanifest = "a.manifest.json"\n')
    assert lines("site.zip", cwd=tmp_path)[0] == (CLEAN if manifests else FINDINGS)


@rows(
    "kind",
    [
        "parent folder",
        "encrypted",
        "link",
        "bidi",
        "second manifest",
        "overlap",
        "many small bombs",
    ],
)
def test_what_is_wrong_with_an_archive_is_a_finding_in_every_format(
    tmp_path: Path, kind: str
) -> None:
    make, told = KINDS[kind]
    assert told != COMES_OUT_CLEAN
    (tmp_path / "site.zip").write_bytes(make())
    outputs = [f"--output-format={form}=out.{form}" for form in FORMATS]
    ended = manifest_here("lint", "site.zip", *outputs, cwd=tmp_path)
    assert ended.code == FINDINGS, ended.err
    for form in FORMATS:
        assert "archive" in (tmp_path / f"out.{form}").read_text(), form
    found = json.loads((tmp_path / "out.json").read_text())["findings"]
    assert {each["rule"] for each in found} == {"archive"}
    assert any(told in f"{each['message']}; {each['help']}" for each in found)
    for each in found:
        assert each["path"].startswith("site.zip")
        assert (each["line"], each["column"]) == (1, 1)


def test_settings_accept_warnings_about_an_archive_and_no_errors(tmp_path: Path) -> None:
    (tmp_path / "bad.zip").write_bytes(KINDS["parent folder"][0]())
    (tmp_path / "odd.zip").write_bytes(archive([]))
    with zipfile.ZipFile(packed(tmp_path / "odd.zip"), "a") as file:
        file.writestr("con.txt", "")
    code, (line,) = lines("odd.zip", "--fail-on=warning", cwd=tmp_path)
    assert code == FINDINGS
    assert line.startswith("odd.zip!/con.txt:1:1: warning archive ")
    for option, shown in (
        ("--ignore=archive", []),
        ("--select=empty-text", []),
        ("--severity=archive=off", []),
        ("--severity=archive=info", [line.replace(" warning ", " info ")]),
    ):
        assert lines("bad.zip", option, cwd=tmp_path) == lines("bad.zip", cwd=tmp_path)
        assert lines("bad.zip", option, cwd=tmp_path)[0] == FINDINGS
        accepted = lines("odd.zip", "--fail-on=warning", option, cwd=tmp_path)
        assert accepted == (CLEAN, shown)
    (tmp_path / "manifestkit.toml").write_text('[[suppress]]\nrule = "archive"\nreason = "odd"\n')
    ended = manifest_here("lint", "odd.zip", cwd=tmp_path)
    assert ended.code == USAGE
    assert "`archive` cannot be suppressed" in ended.err


def test_a_file_that_is_no_package_is_told_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "text.zip").write_text("no zip")
    code, (line,) = lines("text.zip", cwd=tmp_path)
    assert code == FINDINGS
    assert line.startswith("text.zip:1:1: error archive cannot be unpacked")
    ended = manifest_here("lint", "gone.zip", "text.zip", cwd=tmp_path)
    assert ended.code == USAGE
    assert "gone.zip: no such file" in ended.err
    assert "text.zip:1:1" in ended.out


def test_a_folder_named_like_a_package_is_searched(tmp_path: Path) -> None:
    (tmp_path / "site.zip").mkdir()
    (tmp_path / "site.zip" / "manifest.json").write_text(json.dumps(_MANIFEST))
    assert lines("site.zip", cwd=tmp_path) == (CLEAN, [])


def test_no_finding_in_a_package_has_a_fix(tmp_path: Path) -> None:
    packed(tmp_path / "site.zip", permissions=["host.haptic"])
    ended = manifest_here("lint", "site.zip", "--output-format=json", cwd=tmp_path)
    assert [each["fixes"] for each in json.loads(ended.out)["findings"]] == [[]]


def test_an_excluded_package_is_skipped_by_hooks(tmp_path: Path) -> None:
    (tmp_path / "site.zip").write_text("no zip")
    (tmp_path / "manifestkit.toml").write_text('exclude = ["*.zip"]\n')
    assert lines("--force-exclude", "site.zip", cwd=tmp_path) == (CLEAN, [])


def test_the_verdict_is_that_of_a_deploy_by_the_same_settings(tmp_path: Path) -> None:
    packed(tmp_path / "site.zip")
    for setting in ("", "max-entries = 2", "max-size = 9", 'ignore = ["manifest.json"]'):
        (tmp_path / "manifestkit.toml").write_text(f"[publish]\n{setting}\n")
        deployed = manifest_here("deploy", "site.zip", "--dry-run", cwd=tmp_path)
        assert lines("site.zip", cwd=tmp_path)[0] == deployed.code, setting
        assert deployed.code == (FINDINGS if setting else CLEAN)


@rows(
    ("settings", "code"),
    [
        ("", CLEAN),
        ('fail-on = "warning"', FINDINGS),
        ('[publish]\nfail-on = "warning"', FINDINGS),
        ('[severity]\narchive = "error"', FINDINGS),
        ('fail-on = "warning"\n[severity]\narchive = "info"', CLEAN),
        ('fail-on = "warning"\nignore = ["archive"]', CLEAN),
    ],
)
def test_a_warning_about_an_archive_stops_a_deploy_where_it_fails_the_lint(
    tmp_path: Path, settings: str, code: int
) -> None:
    with zipfile.ZipFile(packed(tmp_path / "odd.zip"), "a") as file:
        file.writestr("con.txt", "")
    (tmp_path / "manifestkit.toml").write_text(settings)
    assert lines("odd.zip", cwd=tmp_path)[0] == code
    assert manifest_here("deploy", "odd.zip", "--dry-run", cwd=tmp_path).code == code


def test_a_package_is_linted_without_the_extra(tmp_path: Path) -> None:
    packed(tmp_path / "site.zip")
    absent = tmp_path / "absent"
    for name in ("httpx2", "platformdirs"):
        (absent / name).mkdir(parents=True)
        (absent / name / "__init__.py").write_text("raise ImportError('not installed')")
    done = subprocess.run(
        [*MANIFEST, "lint", "site.zip"],
        cwd=tmp_path,
        env=environment(PYTHONPATH=str(absent)) | {"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (CLEAN, ""), done.stderr


def test_a_package_with_a_manifest_of_another_format_is_not_skipped(tmp_path: Path) -> None:
    (tmp_path / "manifestkit.toml").write_text('[publish]\nmanifest = "manifest.json"\n', "utf-8")
    with zipfile.ZipFile(tmp_path / "site.zip", "w") as site:
        site.writestr("index.html", "<p>")
        site.writestr("manifest.json", '{"manifest_version": 3, "name": "x"}')
    for more in ([], ["--force-exclude"]):
        code, printed = lines("site.zip", *more, cwd=tmp_path)
        assert code == FINDINGS
        assert any("not-a-manifest" in each for each in printed)
