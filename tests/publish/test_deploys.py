"""Logging in, listing sites and deploying, over real sockets against the real sandbox."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from command import manifest
from manifestkit.cli.main import app
from manifestkit.config.configuration import Publishing
from manifestkit.engine.options import Options
from manifestkit.publish.gate import Checked, Site
from rehearsal import (
    ACCEPTED,
    AUTHENTICATION,
    DOMAIN,
    EMAIL,
    MANIFEST,
    NOT_SENT,
    REFUSED,
    REJECTED,
    UNKNOWN,
    USAGE,
    Sandbox,
    User,
    http,
    sandbox,
    site,
    stub,
    zip_bytes,
    zipped,
)
from rows import rows
from skips import posix

FORMS = ("base", "alt")
BROKEN = MANIFEST.replace(b'"1.0"', b"1", 1)
each_source = pytest.mark.parametrize("make", [site, zipped], ids=["folder", "archive"])


def check(source: Path, options: Options, manifest: str | None = None) -> Checked:
    with Site(source, Publishing(), options, manifest).checked() as checked:
        return checked


@pytest.mark.parametrize("form", FORMS)
def test_what_is_deployed_is_served_and_listed(tmp_path: Path, running: Sandbox, form: str) -> None:
    user = User(tmp_path / "home", running.url, {"MANIFESTKIT_API_FORM": form})
    assert user.login().out.startswith(f"logged in to {running.url} as {EMAIL} (me); ")
    archive = zipped(tmp_path / "site.zip", **{"index.html": b"<h1>first</h1>"})
    first = user.deploy(archive)
    assert (first.code, running.page()) == (ACCEPTED, (200, b"<h1>first</h1>"))
    second = user.deploy(site(tmp_path / "dist"), "--json")
    assert (second.code, running.page()) == (ACCEPTED, (200, b"<h1>calm</h1>"))
    assert running.page("/manifest.json") == (200, MANIFEST)
    assert user("sites").out == f"{DOMAIN}\n"
    told = second.json
    assert (told["outcome"], told["domain"], told["base_url"]) == ("accepted", DOMAIN, running.url)
    assert (told["archive"]["files"], told["exit_code"]) == (3, 0)
    assert [each["status"] for each in told["attempts"]] == [200]


def test_nothing_is_lost_when_the_sandbox_starts_again(tmp_path: Path) -> None:
    for number in (1, 2):
        with sandbox(tmp_path / "data") as running:
            user = User(tmp_path / f"home{number}", running.url)
            assert user.login().code == ACCEPTED
            assert user("sites").out == (f"{DOMAIN}\n" if number == 2 else "")
            assert user.deploy(site(tmp_path / "dist")).code == ACCEPTED
            assert running.page() == (200, b"<h1>calm</h1>")
    assert running.rows("select count(*) from version") == [(2,)]


def test_a_broken_manifest_is_told_with_its_place_and_no_byte_is_sent(tmp_path: Path) -> None:
    archive = zipped(tmp_path / "site.zip", manifest=BROKEN)
    with stub(http(200)) as service:
        user = User(tmp_path / "home", service.url, {"MANIFESTKIT_TOKEN": "any"})
        ended, told = user.deploy(archive), user.deploy(archive, "--json")
    assert ended.code == told.code == REFUSED
    line, *_ = ended.err.splitlines()
    assert ended.out == ""
    assert line.startswith(f"{archive}!/manifest.json:2:21: error wrong-type `schema_version` ")
    assert "nothing was sent" in ended.err
    assert service.requests == []
    (finding,) = told.json["findings"]
    assert (finding["rule"], finding["line"], finding["column"]) == ("wrong-type", 2, 21)
    assert (told.json["outcome"], told.json["exit_code"]) == ("refused", REFUSED)


WAYS = [
    'ignore = ["{}"]',
    '[severity]\n{} = "info"',
    'select = ["empty-text"]',
    '[[suppress]]\nrule = "{}"\nreason = "we know"',
]


@rows("way", WAYS)
def test_what_breaks_section_2_cannot_be_configured_away(tmp_path: Path, way: str) -> None:
    file = tmp_path / "manifestkit.toml"
    file.write_text(way.format("wrong-type"))
    checked = check(zipped(tmp_path / "site.zip", manifest=BROKEN), Options(config=file))
    assert not checked.passes
    assert [each.rule for each in checked.report.findings] == ["wrong-type"]


@rows("way", WAYS)
def test_what_breaks_a_profile_cannot_be_configured_away(tmp_path: Path, way: str) -> None:
    profile = tmp_path / "host.schema.json"
    notes = {"rule": "one-only", "message": "too much"}
    profile.write_text(json.dumps({"maxProperties": 1, "x-manifestkit": notes}))
    file = tmp_path / "manifestkit.toml"
    for text in ("", f'profile = ["{profile.name}"]\n'):
        file.write_text(text + way.format("one-only"))
        options = Options(config=file, profiles=() if text else (profile,))
        checked = check(zipped(tmp_path / "site.zip"), options)
        assert not checked.passes
        assert "one-only" in [each.rule for each in checked.report.findings]


def test_what_a_project_requires_beyond_it_counts_here_too(tmp_path: Path) -> None:
    file = tmp_path / "manifestkit.toml"
    file.write_text('fail-on = "warning"\n')
    archive = tmp_path / "site.zip"
    archive.write_bytes(zip_bytes({"manifest.json": MANIFEST}))
    checked = check(archive, Options(config=file))
    assert [each.rule for each in checked.report.findings] == ["missing-file"]
    assert not checked.passes
    assert check(archive, Options(isolated=True)).passes
    file.write_text('fail-on = "warning"\nignore = ["missing-file"]\n')
    assert check(archive, Options(config=file)).passes


def test_a_file_beside_the_manifest_is_looked_for_in_the_archive(tmp_path: Path) -> None:
    archive = tmp_path / "site.zip"
    archive.write_bytes(zip_bytes({"app/manifest.json": MANIFEST, "app/index.js": b"//"}))
    checked = check(archive, Options(), "app/manifest.json")
    assert (checked.passes, checked.report.findings) == (True, ())


@rows("asked", ["dist\\index.js", "./dist/app/main.js", "./gone.js"])
def test_a_file_that_is_missing_is_told(tmp_path: Path, asked: str) -> None:
    manifest = json.loads(MANIFEST)
    manifest["runtime"]["entrypoint"] = asked
    dist = site(tmp_path / "dist", json.dumps(manifest).encode(), **{"app/main.js": b""})
    (finding,) = check(dist, Options(isolated=True)).report.findings
    assert finding.rule == "missing-file"
    assert finding.clause is not None
    assert "an entry point" in finding.clause


WEB_APP = b'{"name": "Calm", "start_url": "/", "icons": []}'


@pytest.mark.parametrize(
    ("files", "told"),
    [
        (
            {"index.html": b"", "app/manifest.json": MANIFEST, "app/a/manifest.json": WEB_APP},
            "`app/manifest.json` is below it: if `app/` is the whole site, zip its contents; if",
        ),
        (
            {"index.html": b"", "app/manifest.json": WEB_APP},
            "no manifest at the root of the archive; name it with --manifest, or",
        ),
        ({"dist.zip": b""}, "its only file is `dist.zip`: if that is the site, deploy it instead"),
        ({"manifest.json": MANIFEST, "a.manifest.yaml": MANIFEST}, "has several manifests"),
        (
            {"manifest.json": b'{"start_url": "/", "runtime": {}}', "a.manifest.json": MANIFEST},
            "has several manifests: `a.manifest.json`, `manifest.json`",
        ),
        ({"manifest.json": WEB_APP}, "/manifest.json` is a web app manifest"),
    ],
)
def test_which_manifest_is_meant_must_be_clear(
    tmp_path: Path, user: User, files: dict[str, bytes], told: str
) -> None:
    archive = tmp_path / "site.zip"
    archive.write_bytes(zip_bytes(files))
    ended = user.deploy(archive)
    assert (ended.code, told in ended.err) == (REFUSED, True), ended.err


def test_a_folder_without_a_manifest_is_told_how_to_create_it_before_a_login(
    tmp_path: Path, user: User
) -> None:
    dist = site(tmp_path / "dist")
    (dist / "manifest.json").unlink()
    ended = User(tmp_path / "stranger", user.url).deploy(dist)
    assert ended.code == REFUSED
    told = ended.err.splitlines()[0]
    assert (
        f"no manifest at the root of `{dist}`; create one with "
        f"`manifest new {dist} --yes --entrypoint index.js`" in told
    )
    assert told.endswith("with --no-manifest"), told
    assert user("new", dist, "--yes", "--entrypoint", "index.js").code == ACCEPTED
    assert user.deploy(dist, "--dry-run", "--fail-on", "warning").code == ACCEPTED
    assert "--list does not check the manifest" in user.deploy(dist, "--list").err


@each_source
def test_a_web_apps_manifest_beside_ours_is_none_to_choose_from(
    tmp_path: Path, user: User, make: Callable[..., Path]
) -> None:
    source = make(tmp_path / "dist", WEB_APP, **{"box.activity-provider.json": MANIFEST})
    ended = user.deploy(source, "--json")
    assert ended.json["manifest"]["name"] == "box.activity-provider.json"
    named = user.deploy(source, "--manifest", "manifest.json")  # then it is judged
    assert (named.code, "not-a-manifest" in named.err) == (REFUSED, True)


@each_source
def test_a_site_without_a_manifest_is_deployed_if_one_says_so(
    tmp_path: Path, user: User, make: Callable[..., Path]
) -> None:
    source = make(tmp_path / "dist", b"{}")
    assert user.deploy(source).code == REFUSED
    ended = user.deploy(source, "--no-manifest", "--json")
    assert (ended.code, ended.json["manifest"]) == (ACCEPTED, None)
    assert user.deploy(source, "--no-manifest", "--manifest", "a.json").code == USAGE


@each_source
def test_a_site_with_a_manifest_is_not_deployed_as_one_without(
    tmp_path: Path, user: User, make: Callable[..., Path]
) -> None:
    for number, text in enumerate((MANIFEST, BROKEN, b'{"provider": {')):
        told = user.deploy(make(tmp_path / f"site-{number}", text), "--no-manifest")
        assert (told.code, "`manifest.json` is a manifest" in told.err) == (REFUSED, True)


def test_a_manifest_outside_the_archive_is_linted_and_looks_into_it(
    tmp_path: Path, running: Sandbox, user: User
) -> None:
    dist = site(tmp_path / "dist")
    (dist / "manifest.json").rename(tmp_path / "app.json")
    own = ("--manifest-file", tmp_path / "app.json")
    assert user.deploy(dist, *own, "--fail-on=warning").code == ACCEPTED
    assert running.page("/manifest.json")[0] == 404
    (dist / "index.js").unlink()
    refused = user.deploy(dist, *own, "--fail-on=warning")
    assert (refused.code, "missing-file" in refused.err) == (REFUSED, True)
    assert "stop the deploy because of --fail-on, or `fail-on` in" in refused.err
    assert user.deploy(dist, "--manifest-file", tmp_path / "gone").code == USAGE


def test_a_manifest_in_yaml_is_told_where_it_stands(tmp_path: Path, user: User) -> None:
    dist = site(tmp_path / "dist")
    inside, outside = dist / "manifest.yaml", tmp_path / "manifest.yaml"
    (dist / "manifest.json").rename(inside)
    ended = user.deploy(dist, "--dry-run")
    assert f"{inside.as_posix()}:1:1: warning archive `manifest.yaml` is not JSON" in ended.err
    inside.rename(outside)
    for each in (outside, os.path.relpath(outside)):
        ended = user.deploy(dist, "--dry-run", "--manifest-file", each)
        assert f"{Path(each).as_posix()}:1:1: warning archive `" in ended.err


NAMES = (
    "manifest.json", "Manifest.JSON", "manifest.yaml", "a.manifest.json", "b.activity-provider.yml",
    "manifest.json.", "manifest.json ", "app/manifest.json", "app/c.manifest.json", "main.json",
)  # fmt: skip
READ = re.compile(
    r"(manifest|[^/]+\.manifest|[^/]+\.activity-provider)\.(json|ya?ml)", re.IGNORECASE
)
FAULTY = (
    BROKEN, BROKEN[:-9], BROKEN.decode().encode("utf-16"), b"\xef\xbb\xbf" + BROKEN,
    BROKEN.replace(b"{", b'{"start_url": "/",', 1),
)  # fmt: skip
CHOICES: tuple[dict[str, Any], ...] = (
    {},
    {"no_manifest": True},
    {"manifest_file": "good.json"},
    *({"manifest": x} for x in NAMES),
)


@given(
    st.dictionaries(
        st.sampled_from(NAMES), st.sampled_from((MANIFEST, WEB_APP, *FAULTY)), max_size=4
    ),
    st.sampled_from(CHOICES),
    st.lists(st.sampled_from(("*.json", "!/manifest.json", "app/", "*.y*")), max_size=2),
    st.booleans(),
)
@settings(max_examples=150)
def test_whatever_a_host_reads_as_the_manifest_is_sent_only_if_it_is_right(
    tmp_path_factory: pytest.TempPathFactory,
    files: dict[str, bytes],
    way: dict[str, Any],
    ignore: list[str],
    many: bool,
) -> None:
    folder = tmp_path_factory.mktemp("gate")
    (folder / "good.json").write_bytes(MANIFEST)
    more = {f"{number}.manifest.json": WEB_APP for number in range(10 * many)}
    (folder / "site.zip").write_bytes(zip_bytes({"index.js": b"", **more, **files}))
    if "manifest_file" in way:
        way = {"manifest_file": folder / "good.json"}
    publish = Publishing(ignore=tuple(ignore))
    with Site(folder / "site.zip", publish, Options(isolated=True), **way).checked() as checked:
        sent = {name for name, _ in checked.listing.files} if checked.passes else set[str]()
    read = {name for name in files if READ.fullmatch(name.rstrip(". "))}
    assert not {name for name in sent & read if files[name] in FAULTY}


def test_a_manifest_at_the_root_is_checked_beside_the_one_that_is_named(
    tmp_path: Path, user: User
) -> None:
    own = tmp_path / "app.json"
    own.write_bytes(MANIFEST)
    dist = site(tmp_path / "dist", BROKEN, **{"app/manifest.json": MANIFEST})
    for named in (("--manifest-file", own), ("--manifest", "app/manifest.json")):
        ended = user.deploy(dist, *named)
        assert (ended.code, "dist/manifest.json:2:21: error wrong-type" in ended.err) == (1, True)
    itself = user.deploy(dist, "--manifest-file", dist / "manifest.json", "--json").json
    assert len(itself["findings"]) == 1
    for harmless in (b'{"a.js": "b.js"}', WEB_APP, MANIFEST):
        (dist / "manifest.json").write_bytes(harmless)
        assert user.deploy(dist, "--manifest-file", own).code == ACCEPTED


def test_a_manifest_that_a_pattern_leaves_out_is_named_with_it(tmp_path: Path, user: User) -> None:
    dist = site(tmp_path / "dist", **{".manifestignore": b"*.json\n"})
    ended = user.deploy(dist)
    told = f"`manifest.json` is left out by `*.json`, of {dist}/.manifestignore:1; name it in"
    assert (ended.code, told in ended.err) == (REFUSED, True), ended.err
    (tmp_path / "manifestkit.toml").write_text('[publish]\ninclude = ["manifest.json"]\n')
    assert user.deploy(dist, "--config", tmp_path / "manifestkit.toml").code == ACCEPTED


def test_a_file_that_a_pattern_leaves_out_is_not_called_missing(tmp_path: Path, user: User) -> None:
    config = tmp_path / "manifestkit.toml"
    for entry, ignore, by in (
        ("app.js", "app.js", "`app.js` is left out by `app.js`, of {}/.manifestignore:1;"),
        (".build/app.js", "", "`.build/` is left out by `.*/`, of the defaults;"),
        ("./drafts/a/b.js", "/drafts/", "`drafts/` is left out by `/drafts/`, of {}/.manifest"),
    ):
        value = json.loads(MANIFEST)
        value["runtime"]["entrypoint"] = entry
        files = {entry.removeprefix("./"): b"//", ".manifestignore": ignore.encode()}
        dist = site(tmp_path / "dist", json.dumps(value).encode(), **files)
        config.write_text("")
        strictly = "--fail-on", "warning", "--dry-run", "--config", str(config)
        ended = user.deploy(dist, *strictly)
        assert (ended.code, by.format(dist) in ended.err) == (REFUSED, True), ended.err
        (name,) = re.findall("; name `([^`]*)` in `include` under", ended.err)
        config.write_text(f'[publish]\ninclude = ["{name}"]\n')
        assert user.deploy(dist, *strictly).code == ACCEPTED
        shutil.rmtree(dist)


def test_a_manifest_that_is_named_and_left_out_is_told_so(tmp_path: Path, user: User) -> None:
    dist = site(tmp_path / "dist", **{".config/m.json": MANIFEST})
    ended = user.deploy(dist, "--dry-run", "--manifest", ".config/m.json")
    assert "`.config/m.json` is left out by `.*/`, of the defaults; name it in" in ended.err


def test_our_configuration_is_no_part_of_a_site(
    tmp_path: Path, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(site(tmp_path / "dist", **{"manifestkit.toml": b""}))
    assert "; add `--config manifestkit.toml` if" in user.deploy(Path(), "--dry-run").err
    ended = user.deploy(Path(), "--dry-run", "--config", "manifestkit.toml")
    assert "note: left out by default: manifestkit.toml; see --list" in ended.err
    assert ended.code == ACCEPTED


def test_a_pattern_that_matches_nothing_is_told(tmp_path: Path, user: User) -> None:
    dist = site(tmp_path / "dist", **{"drafts/a.html": b"", ".nojekyll": b""})
    config = tmp_path / "manifestkit.toml"
    config.write_text(
        '[publish]\nignore = ["dist/drafts/", "drafts/"]\n'
        'include = ["dist/.nojekyll", ".nojekyll"]\n'
    )
    for option in ("--list", "--dry-run", "--json"):
        ended = user.deploy(dist, "--config", config, option)
        told = re.findall("note: `(.*)` under .* names `(.*)`, but .* no such file", ended.err)
        assert sorted(told) == [("ignore", "dist/drafts/"), ("include", "dist/.nojekyll")]


def test_what_settings_accept_for_lint_is_told_where_a_deploy_refuses_it(
    tmp_path: Path, user: User
) -> None:
    dist, config = site(tmp_path / "dist", BROKEN), tmp_path / "manifestkit.toml"
    told = "accepts these findings for lint, not a deploy"
    assert told not in user.deploy(dist).err
    assert user("lint", dist, "--write-baseline", tmp_path / "base.json").code == ACCEPTED
    for text in ('baseline = "base.json"', '[[suppress]]\nrule = "wrong-type"\nreason = "old"'):
        config.write_text(text)
        assert user("lint", dist, "--config", config).code == ACCEPTED
        ended = user.deploy(dist, "--config", config)
        assert (ended.code, told in ended.err) == (REFUSED, True), ended.err


def test_an_archive_of_what_a_folder_may_hold_is_refused_with_the_reason(
    tmp_path: Path, user: User
) -> None:
    old = re.sub(rb'("version": )"[^"]*"', rb'\1"2"', MANIFEST)
    dist, config = site(tmp_path / "dist", old), tmp_path / "manifestkit.toml"
    rules = '[severity]\nversion-form = "warning"\n'
    options = ("--config", config, "--fail-on", "warning")
    config.write_text(rules)
    assert user("lint", dist, "--write-baseline", tmp_path / "base.json").code == ACCEPTED
    entry = '[[suppress]]\nrule = "version-form"\nreason = "old"\n'
    for text in (f'baseline = "base.json"\n{rules}', f'{rules}{entry}path = "dist/**"\n'):
        config.write_text(text)
        kept = tmp_path / f"{len(text)}.zip"
        assert user.deploy(dist, *options, "--output", kept).code == ACCEPTED
        again = user.deploy(kept, *options)
        assert (again.code, "unpack it in place of their folder" in again.err) == (REFUSED, True)
        back = user.deploy(kept, *options[:2], "--fail-on", "error")
        assert (back.code, "in an archive" in back.err) == (ACCEPTED, False)
    config.write_text(rules)
    assert "in an archive" not in user.deploy(kept, *options).err


def test_of_a_manifest_that_is_not_sent_no_digest_is_told(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_bytes(MANIFEST + b"\n")
    with stub(http(500)) as service:
        user = User(tmp_path / "home", service.url, {"MANIFESTKIT_TOKEN": "any"})
        inside = user.deploy(site(tmp_path / "dist"))
        outside = user.deploy(tmp_path / "dist", "--manifest-file", tmp_path / "manifest.json")
    assert inside.code == outside.code == UNKNOWN
    assert "manifest.json in it" in inside.err
    assert "manifest.json in it" not in outside.err


def test_a_yaml_manifest_passes_with_a_warning(tmp_path: Path, user: User) -> None:
    dist = site(tmp_path / "dist")
    (dist / "manifest.json").rename(dist / "manifest.yaml")
    ended = user.deploy(dist)
    line = f"manifest convert {dist}/manifest.yaml --output {dist}/manifest.json"
    told = f"names a JSON object; write it as JSON with `{line}`, and remove the YAML\n"
    assert (ended.code, told in ended.err) == (ACCEPTED, True)
    printed = set(re.findall(r"(?:warning|error|info) ([a-z-]+)|\[([a-z-]+)\]", ended.err))
    for rule in filter(None, chain.from_iterable(printed)):
        assert manifest("explain", rule, cwd=tmp_path).code == 0
        (tmp_path / "manifestkit.toml").write_text(f'ignore = ["{rule}"]\n')
        assert manifest("lint", dist, cwd=tmp_path).code == 0
        (tmp_path / "manifestkit.toml").write_text(f'severity = {{ {rule} = "info" }}\n')
        assert manifest("lint", dist, cwd=tmp_path).code == 0
    (tmp_path / "manifestkit.toml").unlink()
    assert (
        manifest(
            "convert", dist / "manifest.yaml", "--output", dist / "manifest.json", cwd=tmp_path
        ).code
        == 0
    )
    told = "has several manifests: `manifest.json`, `manifest.yaml`; remove all but one, or choose"
    assert told in user.deploy(dist).err
    (dist / "manifest.yaml").unlink()
    ended = user.deploy(dist)
    assert (ended.code, "not JSON" in ended.err) == (ACCEPTED, False)


def test_what_was_checked_is_sent_and_kept(tmp_path: Path, running: Sandbox, user: User) -> None:
    dist, kept = site(tmp_path / "dist"), tmp_path / "sent.zip"
    sent = user.deploy(dist, "--output", kept, "--json").json["archive"]
    assert sent["sha256"] == hashlib.sha256(kept.read_bytes()).hexdigest()
    assert sent == {**user.deploy(kept, "--json").json["archive"], "source": str(dist)}
    before = kept.read_bytes()
    assert user.deploy(dist, "--output", kept).code == ACCEPTED
    (dist / "index.html").write_text("of another version")
    again = user.deploy(dist, "--output", kept)
    assert (again.code, "exists already" in again.err) == (USAGE, True)
    assert kept.read_bytes() == before
    assert user.deploy(dist, "--output", tmp_path / "no" / "a.zip").code == USAGE
    (dist / "manifest.json").write_text("{}")
    assert user.deploy(dist, "--output", tmp_path / "none.zip").code == REFUSED
    assert not (tmp_path / "none.zip").exists()
    assert len(running.deploys) == 3  # what is wrong with a file is told before anything is sent


@rows(
    ("reply", "code", "is_kept"),
    [
        (http(200), ACCEPTED, True),
        (http(422), REJECTED, False),
        (http(401), AUTHENTICATION, False),
        (http(500), UNKNOWN, True),
        (None, NOT_SENT, False),
    ],
)
def test_an_archive_is_kept_only_if_it_may_have_been_published(
    tmp_path: Path, reply: bytes | None, code: int, is_kept: bool
) -> None:
    kept = tmp_path / "kept.zip"
    with stub(reply or b"") as service:
        url = service.url if reply else "http://127.0.0.1:1"
        user = User(tmp_path / "home", url, {"MANIFESTKIT_TOKEN": "of-somebody"})
        for _ in range(2):  # a second try ends as the first one
            ended = user.deploy(site(tmp_path / "dist"), "--output", kept, "--timeout", "1")
            assert (ended.code, kept.exists()) == (code, is_kept)


def test_an_archive_that_was_there_is_not_taken_away(tmp_path: Path) -> None:
    dist, kept = site(tmp_path / "dist"), tmp_path / "kept.zip"
    user = User(tmp_path / "home", "http://127.0.0.1:1", {"MANIFESTKIT_TOKEN": "of-somebody"})
    assert user.deploy(dist, "--output", kept, "--dry-run").code == ACCEPTED
    assert user.deploy(dist, "--output", kept, "--timeout", "1").code == NOT_SENT
    assert kept.exists()


def test_an_archive_is_not_kept_where_the_next_deploy_would_publish_it(tmp_path: Path) -> None:
    user, dist = User(tmp_path / "home", ""), site(tmp_path / "dist")
    for output in (
        dist / "v1.zip",
        dist / "assets" / "v1.zip",
        tmp_path / "x" / ".." / "dist" / "v",
    ):
        ended = user("deploy", dist, "--dry-run", "--output", output)
        assert (ended.code, "name a file elsewhere" in ended.err) == (USAGE, True)
        assert not output.exists()


def test_patterns_of_today_are_told_where_they_change_an_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    user, archive = User(tmp_path / "home", ""), zipped(tmp_path / "v1.zip", **{"a.map": b""})
    assert "left out" not in user("deploy", archive, "--dry-run").err
    Path("manifestkit.toml").write_text('[publish]\nignore = ["*.map"]\n')
    assert "left out of the archive: a.map; see" in user("deploy", archive, "--dry-run").err


@rows(
    ("exclude", "told"),
    [
        (
            ["*.map", "local.js"],
            "(`exclude` is for lint only): a.map, local.js; to leave them out, add",
        ),
        (["dist/a.map", "*.md"], "is for lint only): a.map; to"),
        (["dist/"], ""),
        (["*.md"], ""),
    ],
)
def test_what_lint_excludes_and_a_deploy_packs_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exclude: list[str], told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    site(Path("dist"), **{"a.map": b"", "local.js": b""})
    Path("manifestkit.toml").write_text(f"exclude = {json.dumps(exclude)}\n")
    said = User(tmp_path / "home", "")("deploy", "dist", "--dry-run").err
    assert told in said
    assert ("for lint only" in said) == bool(told)


@pytest.mark.parametrize("option", [(), ("--manifest", "manifest.json")])
def test_an_archive_of_a_folder_is_told_as_that(
    tmp_path: Path, user: User, option: tuple[str, ...]
) -> None:
    archive = tmp_path / "wrapped.zip"
    files = {"manifest.json": MANIFEST, "index.js": b"", ".manifestignore": b"*.map", "a.map": b""}
    archive.write_bytes(zip_bytes({f"dist/{name}": data for name, data in files.items()}))
    ended = user.deploy(archive, *option)
    assert (ended.code, "everything is inside `dist/`" in ended.err) == (REFUSED, True)
    assert "--manifest" not in ended.err
    named = user.deploy(archive, "--manifest", "dist/manifest.json", "--dry-run")
    assert "left out of the archive: dist/.manifestignore" in named.err


def test_json_for_a_file_leaves_the_error_on_the_terminal(tmp_path: Path, user: User) -> None:
    refused = user.deploy(zipped(tmp_path / "s.zip", manifest=BROKEN), "--json")
    assert "s.zip!/manifest.json:2:21: error wrong-type" in refused.err
    assert "nothing was sent" in refused.err
    stranger = User(tmp_path / "stranger", user.url).deploy(zipped(tmp_path / "t.zip"), "--json")
    assert "not logged in" in stranger.err
    usage = user.deploy(tmp_path / "s.zip", "--json", "--no-such")
    assert [(each.json["outcome"], each.json["reason"][:10]) for each in (stranger, usage)] == [
        ("authentication", "not logged"), ("usage", "there is n"),
    ]  # fmt: skip
    sent = user.deploy(zipped(tmp_path / "ok.zip"), "--json").err.splitlines()
    assert sent[0].startswith("note: sending ")
    assert all(each.startswith("note: ") for each in sent)


def test_with_json_every_note_is_on_standard_error(tmp_path: Path) -> None:
    """A pipeline keeps the receipt, and a person reads the log."""
    dist = site(tmp_path / "dist", **{".nojekyll": b""})
    (dist / "index.js").unlink()
    with stub(http(500)) as service:
        user = User(tmp_path / "home", service.url, {"MANIFESTKIT_TOKEN": "any"})
        told = [
            [user.deploy(dist, *more, *form).err for form in ((), ("--json",))]
            for more in ((), ("--fail-on", "warning"), ("--list",), ("--dry-run",))
        ]
    notes = [[set(re.findall("note: (?!sen[dt]).*", err)) for err in each] for each in told]
    assert [plain for plain, _ in notes] == [as_json for _, as_json in notes]
    assert all("look at the site before you deploy again" in err for err in told[0])
    assert all("because of --fail-on" in err for err in told[1])
    assert all("left out by default: .nojekyll" in err for err in told[3])


def test_a_missing_entry_point_is_told_with_what_would_stop_it(tmp_path: Path, user: User) -> None:
    dist = site(tmp_path / "dist")
    (dist / "index.js").unlink()
    ended = user.deploy(dist)
    assert (ended.code, "with --fail-on warning, they do" in ended.err) == (ACCEPTED, True)
    advised = site(
        tmp_path / "advised", json.dumps({**json.loads(MANIFEST), "schema_version": "1"}).encode()
    )
    ended = user.deploy(advised, "--fail-on=warning")
    assert (ended.code, "with --fail-on info, they do" in ended.err) == (ACCEPTED, True)


def test_a_dry_run_tells_where_the_deploy_would_go(tmp_path: Path) -> None:
    nobody = User(tmp_path / "nobody", "")
    where = "--domain", DOMAIN, "--base-url", "https://api.example.org"
    dist, told = site(tmp_path / "dist"), f" for {DOMAIN} at https://api.example.org\n"
    ended = nobody("deploy", dist, "--dry-run", *where)
    assert (ended.code, ended.out.endswith(told)) == (ACCEPTED, True), ended
    receipt = nobody("deploy", dist, "--dry-run", "--json", *where).json
    assert (receipt["base_url"], receipt["domain"]) == ("https://api.example.org", DOMAIN)


def test_a_dry_run_does_all_but_send(tmp_path: Path) -> None:
    nobody = User(tmp_path / "nobody", "")
    ended = nobody("deploy", site(tmp_path / "dist"), "--dry-run", "--json")
    assert (ended.code, ended.json["outcome"], ended.json["attempts"]) == (0, "dry-run", [])
    assert nobody("deploy", tmp_path / "dist", "--dry-run").out.startswith("dry run, nothing was s")
    for wrong in (["--domain", "https://a.example"], ["--base-url", "http://a.example"]):
        assert nobody("deploy", tmp_path / "dist", "--dry-run", *wrong).code == USAGE


@posix
def test_an_archive_that_cannot_be_kept_whole_is_not_kept(tmp_path: Path) -> None:
    archive, kept = zipped(tmp_path / "s.zip", noise=os.urandom(300_000)), tmp_path / "kept.zip"
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "def fill_disk(event, arguments):\n"
        "    if event == 'open' and str(arguments[0]).count('kept.zip'):\n"
        "        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "sys.addaudithook(fill_disk)\n"
        "from manifestkit.__main__ import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "deploy", archive, "--dry-run", "--output", kept],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, kept.exists()) == (USAGE, False)
    assert "kept.zip: cannot be written: file too large" in done.stderr


@posix
@pytest.mark.parametrize(
    ("meanwhile", "code", "content"),
    [
        ("os.kill(os.getpid(), signal.SIGKILL)", -9, None),
        ("open('kept.zip', 'w').write('of another')", USAGE, "of another"),
    ],
)
def test_an_archive_is_kept_whole_and_in_no_others_place(
    tmp_path: Path, meanwhile: str, code: int, content: str | None
) -> None:
    archive, kept = zipped(tmp_path / "s.zip", noise=os.urandom(600_000)), tmp_path / "kept.zip"
    script = (
        "import os, signal; from manifestkit.publish.archive import Packed\n"
        "chunks = Packed.chunks\n"
        "def interrupted(packed):\n"
        f"    for each in chunks(packed): yield each; {meanwhile}\n"
        "Packed.chunks = interrupted\n"
        "from manifestkit.__main__ import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "deploy", archive, "--dry-run", "--output", kept],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, kept.read_text() if kept.exists() else None) == (code, content)


def test_a_list_writes_no_archive(tmp_path: Path) -> None:
    nobody, kept = User(tmp_path / "nobody", ""), tmp_path / "kept.zip"
    ended = nobody("deploy", site(tmp_path / "dist"), "--list", "--output", kept)
    assert (ended.code, "use --dry-run with --output" in ended.err) == (USAGE, True)
    assert nobody("deploy", tmp_path / "dist", "--dry-run", "--output", kept).code == ACCEPTED
    assert kept.exists()


def test_a_wrong_password_stores_nothing(tmp_path: Path, running: Sandbox) -> None:
    user = User(tmp_path / "home", running.url)
    ended = user.login(password="no")
    assert ended.code == AUTHENTICATION
    assert "invalid_login, the e-mail address or the password is wrong" in ended.err
    assert user("sites").code == AUTHENTICATION
    assert list(user.logins.iterdir()) == []


def test_logout_forgets_the_token_and_says_what_it_cannot_do(user: User) -> None:
    ended = user("logout")
    assert (ended.code, "cannot revoke a token" in ended.err) == (ACCEPTED, True)
    assert user("sites").code == AUTHENTICATION
    assert user("logout").code == ACCEPTED


def test_an_empty_token_is_told_as_that(tmp_path: Path, running: Sandbox) -> None:
    """A pipeline gives one for a secret that is not there."""
    nobody = User(tmp_path / "nobody", running.url, {"MANIFESTKIT_TOKEN": ""})
    ended = nobody.deploy(site(tmp_path / "dist"))
    assert (ended.code, "or set MANIFESTKIT_TOKEN, which is empty" in ended.err) == (3, True)
    in_ci = User(nobody.home, running.url, {"MANIFESTKIT_TOKEN": "", "CI": "true"})
    said = in_ci.deploy(tmp_path / "dist").err
    assert "MANIFESTKIT_TOKEN is empty: the secret has another name, or is withheld" in said
    assert "manifest login" not in said


def test_a_login_in_place_of_an_empty_token_is_told(tmp_path: Path, user: User) -> None:
    empty = User(user.home, user.url, {"MANIFESTKIT_TOKEN": ""})
    told = "note: MANIFESTKIT_TOKEN is empty: the login of `manifest login` counts"
    dist = site(tmp_path / "dist")
    assert [told in each.deploy(dist).err for each in (empty, user)] == [True, False]


def test_a_manifest_beside_the_folder_is_offered_for_it(tmp_path: Path, user: User) -> None:
    dist = site(tmp_path / "dist")
    (dist / "manifest.json").rename(tmp_path / "manifest.json")
    ended = user.deploy(dist)
    option = ("--manifest-file", (tmp_path / "manifest.json").as_posix())
    assert f"`{option[1]}` is outside it: to publish it too, copy it into `{dist}`" in ended.err
    assert f"only to check it, add {' '.join(option)}" in ended.err
    assert "--no-manifest" not in ended.err
    (dist / "manifest.json").write_text('{"index.html": {"file": "assets/index.js"}}')
    told = user.deploy(dist).err
    assert f"`{dist}/manifest.json` is a build tool's asset list" in told
    assert f"to publish it too, copy it to `{dist}/x.manifest.json`; only to check it" in told
    (dist / "manifest.json").unlink()
    unpublished = "manifest.json is checked, but not published: it is not in the site"
    assert unpublished in user.deploy(dist, *option).err
    shutil.copy(option[1], dist)
    assert unpublished not in user.deploy(dist, *option).err


@posix
@pytest.mark.parametrize("closed", [".", "beside"])
def test_a_folder_near_the_site_that_cannot_be_listed_stops_nothing(
    tmp_path: Path, held_back: tuple[str, ...], closed: str
) -> None:
    site(tmp_path / "dist")
    (tmp_path / "dist" / "manifest.json").unlink()
    (tmp_path / "beside").mkdir()
    (tmp_path / closed).chmod(0o311)
    ended = manifest("deploy", "dist", "--dry-run", cwd=tmp_path, by=held_back)
    (tmp_path / closed).chmod(0o755)
    assert (ended.code, "no manifest at the root of `dist`; create" in ended.err) == (REFUSED, True)


def test_a_login_to_another_address_is_named(tmp_path: Path, user: User) -> None:
    secure = user.url.replace("http://", "https://")
    ended = user.deploy(site(tmp_path / "dist"), "--base-url", secure)
    assert f"not logged in to {secure}, only to {user.url}: run" in ended.err


def test_the_largest_file_of_a_site_that_is_too_large_is_named(tmp_path: Path) -> None:
    dist = site(tmp_path / "dist", **{"a.mp4": b"-" * 90, "b.mp4": b"-" * 9_000})
    listing = Site(dist, Publishing(max_size=8_000), Options()).listed()
    (problem,) = listing.problems
    assert str(problem).endswith("to the site; its largest file is `b.mp4`")


def test_off_a_terminal_nothing_is_asked(tmp_path: Path, running: Sandbox) -> None:
    user = User(tmp_path / "home", running.url)
    assert user("login", "--email", EMAIL).code == USAGE
    assert user("login", "--password-stdin", stdin="x\n").code == USAGE
    assert user("login", "--email", EMAIL, "--json").json["exit_code"] == USAGE


@pytest.mark.parametrize(
    "domain",
    ["https://a.example", "a b", "", "a/b", "a\nb", "u@h", "a..b", "-a.b", "*.a", "[::1]", "a:80"],
)
def test_a_domain_is_a_host_name(tmp_path: Path, user: User, domain: str) -> None:
    assert user("deploy", zipped(tmp_path / "s.zip"), "--domain", domain).code == USAGE


@posix
@pytest.mark.parametrize(
    ("made", "code", "told"),
    [
        ("folder", REFUSED, "it has no file to publish; build the site first"),
        ("only a key", REFUSED, "it has no file to publish; see `manifest deploy --list`"),
        ("empty zip", REFUSED, "it has no file to publish"),
        ("pipe", USAGE, "is a pipe"),
        ("nothing", USAGE, "no such file or folder"),
        ("text", REFUSED, "cannot be unpacked"),
        ("cut off", REFUSED, "cannot be unpacked"),
    ],
)
def test_what_is_no_site_is_told(
    tmp_path: Path, user: User, made: str, code: int, told: str
) -> None:
    path = tmp_path / "site.zip"
    match made:
        case "folder":
            path.mkdir()
        case "only a key":
            path.mkdir()
            (path / "tls.key").write_text("x")
        case "empty zip":
            path.write_bytes(zip_bytes({}))
        case "pipe":
            os.mkfifo(path)
        case "text":
            path.write_text("no zip")
        case "cut off":
            path.write_bytes(zipped(path).read_bytes()[:-9])
    ended = user.deploy(path, "--no-manifest")
    assert (ended.code, told in ended.err) == (code, True), ended.err


@pytest.mark.parametrize(
    ("sites", "shown"),
    [
        (["a.example"], "a.example\n"),
        ([{"domain": "a.example", "x": 1}], "a.example\n"),
        ({"sites": [{"url": "https://a.example"}]}, "https://a.example\n"),
        ([1, ["a"], {"x": None}], '1\n["a"]\n{"x": null}\n'),
        ([], ""),
    ],
)
def test_sites_of_every_shape_are_read(tmp_path: Path, sites: object, shown: str) -> None:
    with stub(http(200, sites)) as service:
        user = User(tmp_path / "home", service.url, {"MANIFESTKIT_TOKEN": "t"})
        assert user("sites").out == shown
        listed = sites["sites"] if isinstance(sites, dict) else sites
        assert user("sites", "--json").json["sites"] == listed


@rows("body", [{"a": 1}, "text", 3, b"<html>", b"[1", b""])
def test_what_is_no_list_of_sites_is_an_error(tmp_path: Path, body: object) -> None:
    with stub(http(200, body)) as service:
        ended = User(tmp_path / "home", service.url, {"MANIFESTKIT_TOKEN": "t"})("sites")
    assert ended.code == 4


def test_no_option_takes_a_secret_as_an_argument() -> None:
    context = click.Context(app, **app.context_settings)
    for name in ("login", "logout", "sites", "deploy", "sandbox"):
        command = app.get_command(context, name)
        assert command is not None
        for option in command.params:
            if {"token", "password", "secret"} & set(str(option.name).split("_")):
                assert isinstance(option, click.Option)
                assert option.is_flag


def test_deploy_has_these_options() -> None:
    context = click.Context(app, **app.context_settings)
    command = app.get_command(context, "deploy")
    assert command is not None
    options = [each.opts[-1] for each in command.get_params(context) if each.name != "source"]
    assert " ".join(options) == (
        "--domain --manifest --manifest-file --no-manifest --dry-run --list --output --profile "
        "--fail-on --config --base-url --api-form --timeout --json --help"
    )
