"""`manifest lint --host`: a verdict for each of several hosts; and profiles of packages."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import manifestkit
from command import CLEAN, FINDINGS, USAGE, Outcome, manifest
from in_process import manifest_here
from judging import with_activity, with_members, written
from manifestkit import Options
from manifestkit.fleet import FleetPolicy, lint_batches
from manifestkit.rendering import FORMATS

PHONES: dict[str, Any] = {
    "properties": {
        "activities": {
            "items": {"properties": {"surfaces": {"items": {"enum": ["phone", "watch"]}}}}
        }
    }
}
SUPPORT: dict[str, Any] = {
    "required": ["support_email"],
    "x-manifestkit": {"rule": "has-support", "help": "add it"},
}
HOSTS = ("--host=phones=phones.json", "--host=helpful=helpful.json")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Manifests that no, one and each host rejects, and the profiles of two hosts."""
    written(tmp_path / "phones.json", PHONES)
    written(tmp_path / "helpful.json", SUPPORT)
    written(tmp_path / "good.manifest.json", with_members(support_email="a@example.org"))
    written(tmp_path / "tv.manifest.json", {**with_activity(surfaces=["tv"]), "support_email": "a"})
    written(tmp_path / "bad.manifest.json", with_members(permissions=["host.nothing"]))
    return tmp_path


def lint(*arguments: str, cwd: Path, **env: str) -> Outcome:
    return manifest("lint", "--output-format=concise", *arguments, cwd=cwd, env=env)


def lines(outcome: Outcome) -> list[str]:
    """What is said, without the help."""
    return [line.partition(";")[0] for line in outcome.out.splitlines()]


def test_settings_that_come_with_a_manifest_are_named(folder: Path) -> None:
    (folder / "theirs").mkdir()
    written(folder / "manifestkit.toml", 'severity = { "version-form" = "off" }')
    written(folder / "theirs" / "manifest.json", with_members(support_email="a"))
    told = "note: theirs/manifestkit.toml applies here; for manifests from strangers, use "
    assert " applies here" not in lint(*HOSTS, "theirs", cwd=folder).err
    for settings in ('ignore = ["has-support"]', 'exclude = ["*"]'):
        written(folder / "theirs" / "manifestkit.toml", settings)
        assert told in lint(*HOSTS, "theirs", cwd=folder).err
    for option in ("--isolated", "--config=manifestkit.toml"):
        assert " applies here" not in lint(*HOSTS, option, "theirs", cwd=folder).err


def test_each_host_has_a_verdict_and_what_only_some_require_names_them(folder: Path) -> None:
    ended = lint(*HOSTS, cwd=folder)
    assert ended.code == FINDINGS
    assert [line.split(": ", 1)[1] for line in lines(ended)] == [
        "error has-support helpful: the manifest has no `support_email`",
        "error unknown-permission `host.nothing` is not a permission",
        "error host-verdict host `helpful` rejects 1 of 3 manifests: bad.manifest.json",
        (
            "error host-verdict host `phones` rejects 2 of 3 manifests: bad.manifest.json, "
            "tv.manifest.json"
        ),
        (
            'error schema-enum phones: `activities[0].surfaces[0]` is the string `"tv"`, '
            "not one of the allowed values"
        ),
    ]


def test_the_exit_code_is_0_only_where_every_host_accepts_every_manifest(folder: Path) -> None:
    for files, code in ((["good"], CLEAN), (["tv"], FINDINGS), (["good", "tv"], FINDINGS)):
        names = [f"{each}.manifest.json" for each in files]
        assert lint(*names, *HOSTS, cwd=folder).code == code
    ended = lint("good.manifest.json", *HOSTS, "--fail-on=info", cwd=folder)
    assert (ended.code, len(lines(ended))) == (CLEAN, 2)
    ended = lint("gone.manifest.json", "good.manifest.json", *HOSTS, cwd=folder)
    assert ended.code == USAGE
    assert ended.err.count("gone.manifest.json: no such file") == 1


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_has_the_verdict_of_each_host(folder: Path, form: str) -> None:
    ended = manifest("lint", *HOSTS, "tv.manifest.json", f"--output-format={form}", cwd=folder)
    assert ended.code == FINDINGS
    shown = ended.out.replace("<code>", "`").replace("</code>", "`")
    assert "host `phones` rejects 1 of 1 manifest: tv.manifest.json" in shown
    assert "host `helpful` accepts 1 manifest" in shown


@given(
    st.lists(st.sampled_from(["tv", "phone", "watch"]), max_size=3),
    st.lists(st.sampled_from(["host.timer", "host.nothing"]), max_size=2),
    st.booleans(),
)
def test_a_verdict_is_that_of_the_host_alone(
    surfaces: list[str], permissions: list[str], has_support: bool
) -> None:

    with tempfile.TemporaryDirectory() as name:
        given_here = {**with_activity(surfaces=surfaces), "permissions": permissions}
        given_here |= {"support_email": "a@example.org"} if has_support else {}
        file = written(Path(name) / "manifest.json", given_here)
        profiles = {"phones": PHONES, "helpful": SUPPORT}
        files = {
            host: written(Path(name) / f"{host}.json", each) for host, each in profiles.items()
        }
        hosts = [f"--host={host}={each}" for host, each in files.items()]
        ended = manifest_here("lint", str(file), *hosts, "--output-format=json", "--isolated")
        findings = json.loads(ended.out)["findings"]
        for host, profile in files.items():
            alone = manifestkit.lint_paths(file, Options(profiles=(profile,), isolated=True))
            (verdict,) = [each for each in findings if f"host `{host}`" in each["message"]]
            assert (verdict["severity"] == "error") == alone.fails
            said = {(each.rule, each.pointer) for each in alone.findings}
            for each in findings:
                names = each["message"].partition(": ")[0].split(", ")
                if each["rule"] != "host-verdict" and (host in names or not {*names} & {*files}):
                    said.discard((each["rule"], each["pointer"]))
            assert not said


QUIET: dict[str, Any] = {
    "properties": {
        "permissions": {
            "maxItems": 0,
            "x-manifestkit": {"rule": "quiet-permissions", "message": "too many"},
        }
    }
}
_STRANGERS_LINES = [
    "schema_version: '1.0'",
    "provider: {id: com.example.box, name: Box, version: 1.0.0}",
    "runtime: {entrypoint: dist/index.js, sdk_version: '1.4'}",
    "activities: [{id: box, name: Box, duration_minutes: 0}]",
    "permissions: [host.timer, host.nothing]",
    "capabilities: []",
]


@given(
    st.lists(
        st.sampled_from(
            [
                "",
                "  # manifest: ignore[quiet-permissions] our users like it",
                "  # manifest: ignore[unknown-permission, quiet-permissions] granted",
                "  # manifest: ignore[wrong-type] no reason at all",
                "  # manifest: ignore[non-positive-duration]",
                "\n# manifest: ignore[unknown-permission] granted",
            ]
        ),
        min_size=len(_STRANGERS_LINES),
        max_size=len(_STRANGERS_LINES),
    )
)
def test_a_comment_of_a_stranger_changes_no_verdict_of_a_host(comments: list[str]) -> None:
    plain = "\n".join(_STRANGERS_LINES)
    commented = "\n".join(map("".join, zip(_STRANGERS_LINES, comments, strict=True)))
    with tempfile.TemporaryDirectory() as name:
        profile = written(Path(name) / "quiet.json", QUIET)
        file = Path(name) / "manifest.yaml"
        said = []
        for text in (plain, commented):
            file.write_text(text)
            arguments = ("lint", str(file), f"--host=q={profile}", "--output-format=json")
            by_host = manifest_here(*arguments, "--fail-on=warning")
            findings = json.loads(by_host.out)["findings"]
            loaded = manifestkit.load(text, file, profile=profile).result
            rows = pa.RecordBatch.from_pydict({"uri": [str(file)], "content": [text]})
            (batch,) = lint_batches([rows], FleetPolicy(Options(profiles=(profile,))))
            (row,) = batch.to_pylist()
            rules = [
                [(each["rule"], each["pointer"]) for each in findings],
                [(each.rule, each.pointer) for each in loaded.findings],
                [(each["rule"], each["pointer"]) for each in row["findings"]],
            ]
            said.append((by_host.code, loaded.fails, row["fails"], rules))
    assert said[0] == said[1]
    assert said[1][:3] == (FINDINGS, True, True)


def test_settings_may_name_the_rule_of_any_host(folder: Path) -> None:
    rule = "has-support"
    for option in (f"--severity={rule}=warning", f"--ignore={rule}", f"--select={rule}"):
        assert lint("good.manifest.json", *HOSTS, option, cwd=folder).code == CLEAN
        shown = lint("bad.manifest.json", *HOSTS, option, cwd=folder).out
        assert (f"{rule} helpful: " in shown) == ("--ignore" not in option)
    (folder / "manifestkit.toml").write_text(
        f'ignore = ["{rule}"]\nprofile = ["own.json"]\n[severity]\nown-rule = "off"\n'
        f'[[suppress]]\nrule = "{rule}"\nreason = "why"\n'
    )
    written(folder / "own.json", {"maxProperties": 99, "x-manifestkit": {"rule": "own-rule"}})
    ended = lint("bad.manifest.json", *HOSTS, cwd=folder)
    assert (ended.code, rule in ended.out, "error: " in ended.err) == (FINDINGS, False, False)
    ended = lint("good.manifest.json", *HOSTS, "--ignore=has-suport", cwd=folder)
    assert ended.code == USAGE
    assert "did you mean" in ended.err


def test_what_two_hosts_say_is_one_finding_only_if_they_say_the_same_to_do(folder: Path) -> None:
    for name, most, advice in (("q", 60, "at most 60"), ("z", 30, "at most 30"), ("y", 60, None)):
        notes = {"rule": "long", "message": "{value} is too long", "help": advice or "at most 60"}
        minutes = {"maximum": most, "x-manifestkit": notes}
        items = {"properties": {"duration_minutes": minutes}}
        written(folder / f"{name}.json", {"properties": {"activities": {"items": items}}})
    written(folder / "long.manifest.json", with_activity(duration_minutes=90))
    hosts = [f"--host={name}={name}.json" for name in ("q", "z")]
    said = lint("long.manifest.json", *hosts, cwd=folder).out
    assert "error long q: `90` is too long; at most 60" in said
    assert "error long z: `90` is too long; at most 30" in said
    hosts = [f"--host={name}={name}.json" for name in ("q", "y")]
    ended = manifest("lint", "long.manifest.json", *hosts, "--output-format=json", cwd=folder)
    (found,) = [each for each in json.loads(ended.out)["findings"] if each["rule"] == "long"]
    assert (found["message"], found["profile"]) == ("q, y: `90` is too long", "q.json, y.json")


@pytest.mark.parametrize(
    "arguments",
    [
        ("--host", "phones"),
        ("--host", "=phones.json"),
        ("--host", "a=phones.json", "--host", "a=helpful.json"),
        (*HOSTS, "--fix"),
        (*HOSTS, "--write-baseline=known.json"),
        (*HOSTS, "-"),
        ("--host", "a=gone.json"),
    ],
)
def test_what_cannot_be_a_host_or_go_with_one_is_refused(
    folder: Path, arguments: tuple[str, ...]
) -> None:
    ended = lint(*arguments, cwd=folder)
    assert (ended.code, ended.out) == (USAGE, "")
    assert "error: " in ended.err


# -- profiles of packages ----------------------------------------------------------------------


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
    for option in ("--profile=package:phones", "--host=a=package:phones"):
        ended = with_packages(option, "tv.manifest.json", cwd=folder, installed=installed)
        assert ended.code == FINDINGS, ended.err
        assert "schema-enum" in ended.out
    (folder / "manifestkit.toml").write_text('profile = ["package:phones"]\n')
    ended = with_packages("tv.manifest.json", cwd=folder, installed=installed)
    assert "schema-enum" in ended.out
    ended = with_packages("--show-settings", cwd=folder, installed=installed)
    assert "calm_profiles/hosts/phones.json" in ended.out


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
    assert "manifestkit.toml:2:1: `package:" in ended.err


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
