"""Logging in, listing sites and deploying, over real sockets against the real sandbox."""

from __future__ import annotations

import hashlib
import json
import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import jsonschema
import pytest

from command import REPOSITORY
from manifestkit.cli.main import app
from manifestkit.engine import Options
from manifestkit.publish.client import Authorization, Client
from manifestkit.publish.gate import ManifestChoice, check
from manifestkit.publish.redaction import Secret
from rehearsal import (
    ACCEPTED,
    AUTHENTICATION,
    DOMAIN,
    EMAIL,
    MANIFEST,
    NOT_SENT,
    PASSWORD,
    REFUSED,
    UNKNOWN,
    USAGE,
    Sandbox,
    User,
    relay,
    sandbox,
    site,
    zip_bytes,
    zipped,
)

RECEIPT_SCHEMA = json.loads((REPOSITORY / "schemas/deploy-receipt.schema.json").read_text("utf-8"))
FORMS = ("base", "alt")

posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX file modes")


def is_a_receipt(value: Any) -> bool:
    jsonschema.Draft202012Validator(RECEIPT_SCHEMA).validate(value)
    return True


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
    assert [each["outcome"] for each in user.receipts] == ["accepted", "accepted"]
    assert all(map(is_a_receipt, user.receipts))
    sent = user.receipts[0]["archive"]
    assert sent["sha256"] in running.archives
    assert sent["entries"] == 3
    assert user.receipts[0]["service"]["api_form"] == form
    assert user.receipts[0]["account"] == EMAIL


def test_nothing_is_lost_when_the_sandbox_starts_again(tmp_path: Path) -> None:
    with sandbox(tmp_path / "data") as first:
        user = User(tmp_path / "home", first.url)
        assert user.login().code == ACCEPTED
        assert user.deploy(site(tmp_path / "dist")).code == ACCEPTED
    with sandbox(tmp_path / "data", port=first.port) as second:
        assert second.page() == (200, b"<h1>calm</h1>")
        assert user("sites").out == f"{DOMAIN}\n"  # by the token of before
        assert user.deploy(site(tmp_path / "dist")).code == ACCEPTED
        assert second.versions == 2


def test_a_broken_manifest_is_told_with_its_place_and_no_byte_is_sent(
    tmp_path: Path, running: Sandbox, user: User
) -> None:
    broken = MANIFEST.replace(b'"1.0"', b"1", 1)
    archive = zipped(tmp_path / "site.zip", manifest=broken)
    with relay(running.port) as wire:
        there = {"MANIFESTKIT_TOKEN": "any", "MANIFESTKIT_BASE_URL": wire.url}
        ended = user.deploy(archive, env=there)
        told = user.deploy(archive, "--json", env=there)
    assert ended.code == told.code == REFUSED
    (line,) = ended.out.splitlines()
    assert line.startswith(f"{archive}!/manifest.json:2:21: error wrong-type `schema_version` ")
    assert "nothing was sent" in ended.err
    assert wire.requests == []
    assert running.archives == []
    (finding,) = told.json["findings"]
    assert (finding["rule"], finding["line"], finding["column"]) == ("wrong-type", 2, 21)
    assert (told.json["outcome"], told.json["ending"]) == ("not-sent", "refused")
    assert is_a_receipt(told.json)
    assert user.receipts == []


@pytest.mark.parametrize(
    "configuration",
    [
        'ignore = ["wrong-type"]',
        '[severity]\nwrong-type = "info"',
        'select = ["empty-text"]',
        '[[suppress]]\nrule = "wrong-type"\nreason = "we know"',
    ],
)
def test_what_breaks_section_2_cannot_be_configured_away(
    tmp_path: Path, configuration: str
) -> None:
    broken = MANIFEST.replace(b'"1.0"', b"1", 1)
    file = tmp_path / "manifestkit.toml"
    file.write_text(configuration)
    options = Options(config=file)
    with check(zipped(tmp_path / "site.zip", manifest=broken), options) as checked:
        assert not checked.passes
        assert [each.rule for each in checked.report.findings] == ["wrong-type"]


@pytest.mark.parametrize(
    "configuration",
    [
        'ignore = ["one-only"]',
        '[severity]\none-only = "off"',
        'select = ["empty-text"]',
        '[[suppress]]\nrule = "one-only"\nreason = "we know"',
    ],
)
def test_what_breaks_a_profile_cannot_be_configured_away(
    tmp_path: Path, configuration: str
) -> None:
    profile = tmp_path / "host.schema.json"
    notes = {"rule": "one-only", "message": "too much"}
    profile.write_text(json.dumps({"maxProperties": 1, "x-manifestkit": notes}))
    file = tmp_path / "manifestkit.toml"
    for given in ("", f'profile = ["{profile.name}"]\n'):
        file.write_text(given + configuration)
        options = Options(config=file, profiles=() if given else (profile,))
        with check(zipped(tmp_path / "site.zip", manifest=MANIFEST), options) as checked:
            assert not checked.passes
            assert "one-only" in [each.rule for each in checked.report.findings]


def test_what_a_project_requires_beyond_it_counts_here_too(tmp_path: Path) -> None:
    file = tmp_path / "manifestkit.toml"
    file.write_text('fail-on = "warning"\n')
    archive = tmp_path / "site.zip"
    archive.write_bytes(zip_bytes({"manifest.json": MANIFEST}))
    with check(archive, Options(config=file)) as checked:
        assert [each.rule for each in checked.report.findings] == ["missing-file"]
        assert not checked.passes
    with check(archive, Options(isolated=True)) as checked:
        assert [each.severity.value for each in checked.report.findings] == ["warning"]
        assert checked.passes
    file.write_text('fail-on = "warning"\nignore = ["missing-file"]\n')
    with check(archive, Options(config=file)) as checked:
        assert checked.passes


def test_no_configuration_comes_out_of_what_is_deployed(tmp_path: Path, user: User) -> None:
    settings = b'profile = ["gone.schema.json"]\n'
    folder = site(tmp_path / "dist", **{"manifestkit.toml": settings})
    assert user.deploy(folder).code == ACCEPTED


def test_a_file_beside_the_manifest_is_looked_for_in_the_archive(tmp_path: Path) -> None:
    nested = {"app/manifest.json": MANIFEST, "app/index.js": b"//"}
    archive = tmp_path / "site.zip"
    archive.write_bytes(zip_bytes(nested))
    with check(archive, Options(), choice=ManifestChoice("app/manifest.json")) as checked:
        assert checked.passes
        assert checked.report.findings == ()


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["index.html"], "no manifest at the root"),
        (["app/manifest.json"], "name it with --manifest app/manifest.json"),
        (["manifest.json", "a.manifest.yaml"], "the archive has several manifests"),
    ],
)
def test_which_manifest_is_meant_must_be_clear(
    tmp_path: Path, user: User, names: list[str], told: str
) -> None:
    archive = tmp_path / "site.zip"
    archive.write_bytes(zip_bytes(dict.fromkeys(names, MANIFEST)))
    ended = user.deploy(archive)
    assert ended.code == REFUSED
    assert told in ended.err


WEB_APP = b'{"name": "Calm", "start_url": "/", "icons": []}'


@pytest.mark.parametrize("make", [site, zipped], ids=["folder", "archive"])
def test_a_web_apps_manifest_beside_ours_is_none_to_choose_from(
    tmp_path: Path, user: User, make: Callable[..., Path]
) -> None:
    source = make(tmp_path / "dist", WEB_APP, **{"box.activity-provider.json": MANIFEST})
    ended = user.deploy(source, "--json")
    assert ended.code == ACCEPTED, ended.err
    assert ended.json["manifest"]["name"] == "box.activity-provider.json"


def test_a_web_apps_manifest_alone_is_no_manifest_of_ours(tmp_path: Path, user: User) -> None:
    archive = tmp_path / "site.zip"
    archive.write_bytes(zip_bytes({"manifest.json": WEB_APP, "app/manifest.json": MANIFEST}))
    ended = user.deploy(archive)
    assert ended.code == REFUSED
    assert "no manifest at the root of the archive: `manifest.json` is a web app man" in ended.err
    assert "name it with --manifest app/manifest.json" in ended.err


def test_a_manifest_that_is_named_is_judged_whatever_it_is(tmp_path: Path, user: User) -> None:
    archive = tmp_path / "site.zip"
    archive.write_bytes(zip_bytes({"manifest.json": WEB_APP}))
    ended = user.deploy(archive, "--manifest", "manifest.json")
    assert ended.code == REFUSED
    assert "not-a-manifest" in ended.out


def test_a_broken_manifest_of_ours_is_one_to_choose_from(tmp_path: Path, user: User) -> None:
    archive = tmp_path / "site.zip"
    broken = b'{"start_url": "/", "runtime": {}}'
    archive.write_bytes(zip_bytes({"manifest.json": broken, "a.manifest.json": MANIFEST}))
    ended = user.deploy(archive)
    assert ended.code == REFUSED
    assert "the archive has several manifests: `a.manifest.json`, `manifest.json`" in ended.err


def test_a_file_swapped_after_the_check_is_not_what_is_sent(
    tmp_path: Path, running: Sandbox
) -> None:
    archive = zipped(tmp_path / "site.zip")
    with Client(running.address()) as client, check(archive, Options()) as checked:
        assert checked.packed is not None
        token = client.login(EMAIL, Secret(PASSWORD)).token
        zipped(archive, index=b"another")
        sent = client.deploy(checked.packed, DOMAIN, Authorization(token))
    assert sent.outcome.summary == "accepted"
    assert running.archives == [checked.packed.sha256]


def test_every_deploy_deploys(tmp_path: Path, running: Sandbox, user: User) -> None:
    """Nothing here knows what the service has: it may have been changed from elsewhere."""
    for number in (1, 2, 3):
        assert user.deploy(site(tmp_path / "dist")).out.startswith("accepted: ")
        assert running.versions == number


@pytest.mark.parametrize("make", [site, zipped], ids=["folder", "archive"])
def test_a_site_without_a_manifest_is_deployed_if_one_says_so(
    tmp_path: Path, user: User, make: Callable[..., Path]
) -> None:
    source = make(tmp_path / "dist", b"{}")
    if source.is_dir():
        (source / "manifest.json").unlink()
        refused = user.deploy(source)
        assert (refused.code, "has none with --no-manifest" in refused.err) == (REFUSED, True)
    assert user.deploy(source, "--no-manifest").code == ACCEPTED
    (receipt,) = user.receipts
    assert receipt["manifest"] is None
    assert is_a_receipt(receipt)
    assert user.deploy(source, "--no-manifest", "--manifest", "a.json").code == USAGE


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
    assert (refused.code, "missing-file" in refused.out) == (REFUSED, True)
    (tmp_path / "app.json").write_text("{}")
    assert user.deploy(dist, *own).code == REFUSED
    assert user.deploy(dist, "--manifest-file", tmp_path / "gone").code == USAGE


def test_a_yaml_manifest_passes_with_a_warning(tmp_path: Path, user: User) -> None:
    dist = site(tmp_path / "dist")
    (dist / "manifest.json").rename(dist / "manifest.yaml")
    ended = user.deploy(dist)
    assert (ended.code, "[manifest-not-json]" in ended.err) == (ACCEPTED, True)


@posix
def test_the_archive_that_was_sent_can_be_kept(
    tmp_path: Path, running: Sandbox, user: User
) -> None:
    dist, kept = site(tmp_path / "dist"), tmp_path / "sent.zip"
    assert user.deploy(dist, "--output", kept).code == ACCEPTED
    assert running.archives == [hashlib.sha256(kept.read_bytes()).hexdigest()]
    assert user.deploy(kept, "--output", kept).code == USAGE
    assert user.deploy(dist, "--output", dist / "sent.zip").code == USAGE
    (dist / "manifest.json").write_text("{}")
    assert user.deploy(dist, "--output", tmp_path / "none.zip").code == REFUSED
    assert user.deploy(dist, "--no-manifest", "--output", tmp_path / "no" / "a.zip").code == USAGE
    assert not (tmp_path / "none.zip").exists()


def test_a_dry_run_does_all_but_send(tmp_path: Path, user: User) -> None:
    nobody = User(tmp_path / "nobody", "")
    ended = nobody.deploy(site(tmp_path / "dist"), "--dry-run", "--json")
    assert ended.code == ACCEPTED
    assert (ended.json["outcome"], ended.json["dry_run"]) == ("not-sent", True)
    assert ended.json["gate"]["verdict"] == "passed"
    assert is_a_receipt(ended.json)
    assert nobody.receipts == []
    assert nobody("deploy", tmp_path / "dist", "--dry-run").code == ACCEPTED  # without a domain
    assert user("sites").out == ""


def test_the_receipt_is_there_before_the_first_byte_and_nothing_goes_without_it(
    tmp_path: Path, running: Sandbox, user: User
) -> None:
    (tmp_path / "a-file").write_text("")
    with relay(running.port) as wire:
        ended = user.deploy(
            zipped(tmp_path / "site.zip"),
            *("--base-url", wire.url, "--receipt", tmp_path / "a-file" / "receipt.json"),
            env={"MANIFESTKIT_TOKEN": "any"},
        )
    assert ended.code == NOT_SENT
    assert "the receipt cannot be written" in ended.err
    assert wire.requests == []


def test_the_record_says_in_progress_while_bytes_are_sent(tmp_path: Path, user: User) -> None:
    receipt = tmp_path / "receipt.json"
    seen: list[str] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def take_one() -> None:
        connection, _ = listener.accept()
        listener.close()  # another attempt is refused
        body = connection.recv(1)
        seen.append(json.loads(receipt.read_text("utf-8"))["outcome"])
        while not body.endswith(b"--\r\n"):
            body += connection.recv(65536)
        connection.close()

    thread = threading.Thread(target=take_one, daemon=True)
    thread.start()
    port = listener.getsockname()[1]
    ended = user.deploy(
        zipped(tmp_path / "site.zip"),
        *("--base-url", f"http://127.0.0.1:{port}", "--receipt", receipt),
        env={"MANIFESTKIT_TOKEN": "any"},
    )
    thread.join(30)
    assert seen == ["in-progress"]
    assert ended.code == UNKNOWN
    assert json.loads(receipt.read_text("utf-8"))["outcome"] == "unknown"


def test_a_wrong_password_stores_nothing(tmp_path: Path, running: Sandbox) -> None:
    user = User(tmp_path / "home", running.url)
    ended = user.login(password="no")
    assert ended.code == AUTHENTICATION
    assert "invalid_login, the e-mail address or the password is wrong" in ended.err
    assert user("sites").code == AUTHENTICATION
    assert not list(user.home.rglob("credentials.json"))


def test_logout_forgets_the_token_and_says_what_it_cannot_do(user: User) -> None:
    ended = user("logout")
    assert ended.code == ACCEPTED
    assert "cannot revoke a token" in ended.err
    assert user("sites").code == AUTHENTICATION
    assert user("logout").code == ACCEPTED


def test_off_a_terminal_nothing_is_asked(tmp_path: Path, running: Sandbox) -> None:
    user = User(tmp_path / "home", running.url)
    assert user("login", "--email", EMAIL).code == USAGE
    assert user("login", "--password-stdin", stdin="x\n").code == USAGE
    assert user("login", "--email", EMAIL, "--json").json["exit_code"] == USAGE


@pytest.mark.parametrize("domain", ["https://a.example", "a b", "", "a/b", "a\nb", "u@h"])
def test_a_domain_is_a_host_name(tmp_path: Path, user: User, domain: str) -> None:
    assert user("deploy", zipped(tmp_path / "s.zip"), "--domain", domain).code == USAGE


def test_a_site_without_a_file_is_never_meant(tmp_path: Path, running: Sandbox, user: User) -> None:
    dist = tmp_path / "dist"
    dist.mkdir()
    (dist / ".env").write_text("left out")
    for source in (dist, zipped(tmp_path / "s.zip")):
        if source != dist:
            source.write_bytes(zip_bytes({}))
        address = f"http://{DOMAIN}:{running.port}/"
        ended = user.deploy(source, "--no-manifest", "--verify", address)
        assert (ended.code, "it has no file to publish" in ended.err) == (REFUSED, True)
    assert running.versions == 0


@pytest.mark.parametrize("what", ["--token-file", "--site-token-file", "--receipt", "--output"])
def test_no_file_of_the_user_is_published_with_the_site(
    tmp_path: Path, running: Sandbox, user: User, what: str
) -> None:
    dist = site(tmp_path / "dist")
    own = dist / "ci" / "own"
    own.parent.mkdir()
    if what.endswith("token-file"):
        own.write_text("sesame-open")
        own.chmod(0o600)
    ended = user.deploy(dist, what, own)
    assert (ended.code, f"{what}: {own} is inside {dist}" in ended.err) == (USAGE, True)
    assert running.versions == 0
    (dist / ".manifestignore").write_text("ci/")
    user.deploy(dist, what, own)
    assert not any(name.startswith("ci") for each in user.receipts for name in packed(user, dist))


def packed(user: User, dist: Path) -> list[str]:
    return [each["name"] for each in user("deploy", dist, "--list", "--json").json["packed"]]


@pytest.mark.parametrize("kind", ["STATE", "CONFIG"])
def test_no_receipt_and_no_credentials_are_published(
    tmp_path: Path, running: Sandbox, user: User, kind: str
) -> None:
    dist = site(tmp_path / "dist")
    env = {f"XDG_{kind}_HOME": str(dist / "own")}
    token = {"MANIFESTKIT_TOKEN": "sesame-open"}
    ended = user.deploy(dist, "--include", "credentials.json", env={**env, **token})
    assert (ended.code, f" is inside {dist}" in ended.err) == (USAGE, True)
    assert running.versions == 0


@posix
@pytest.mark.parametrize(
    "made", ["pipe", "device", "text", "PK", "token", "link to a text", "receipt"]
)
def test_an_archive_is_written_to_nothing_but_an_archive(
    tmp_path: Path, user: User, made: str
) -> None:
    dist, output, text = site(tmp_path / "dist"), tmp_path / "output", tmp_path / "text"
    text.write_text("{}")
    options: list[str | Path] = ["--output", output]
    match made:
        case "pipe":
            os.mkfifo(output)
        case "device":
            terminal = os.openpty()[1]  # a device that nobody else has, nor can be replaced
            output.symlink_to(os.ttyname(terminal))
        case "text":
            output.write_text("{}")
        case "PK":
            output.write_text("PK, notes of mine")
        case "token":
            output.write_bytes(b"PK\3\4")
            output.chmod(0o600)
            options += ["--site-token-file", output]
        case "link to a text":
            output.symlink_to(text)
        case "receipt":
            options += ["--receipt", output]

    def there() -> tuple[int, ...]:
        if not os.path.lexists(output):
            return ()
        found = output.stat()
        return found.st_mode, found.st_ino, found.st_size, found.st_mtime_ns

    before = there()
    assert user.deploy(dist, *options).code == USAGE
    assert there() == before
    assert not user.receipts
    assert user.deploy(dist, "--output", tmp_path / "new.zip").code == ACCEPTED
    assert user.deploy(dist, "--output", tmp_path / "new.zip").code == ACCEPTED


@posix
@pytest.mark.parametrize(
    ("made", "code", "told"),
    [
        ("folder", REFUSED, "it has no file"),
        ("pipe", USAGE, "is a pipe"),
        ("nothing", USAGE, "no such file"),
        ("empty file", REFUSED, "cannot be unpacked"),
        ("text", REFUSED, "cannot be unpacked"),
        ("cut off", REFUSED, "cannot be unpacked"),
    ],
)
def test_what_is_no_archive_is_told(
    tmp_path: Path, user: User, made: str, code: int, told: str
) -> None:
    path = tmp_path / "site.zip"
    match made:
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "empty file":
            path.write_bytes(b"")
        case "text":
            path.write_text("no zip")
        case "cut off":
            path.write_bytes(zipped(path).read_bytes()[:-9])
    ended = user.deploy(path)
    assert (ended.code, told in ended.err) == (code, True), ended.err
    assert ended.err.startswith("error: ")
    assert "`-`" not in ended.err  # standard input, which deploy does not read


def test_sites_of_every_shape_are_read(tmp_path: Path) -> None:
    for shape in ("strings", "objects", "wrapped"):
        with sandbox(tmp_path / "data", shape=shape) as running:
            user = User(tmp_path / shape, running.url)
            user.login()
            assert user.deploy(zipped(tmp_path / "site.zip")).code == ACCEPTED
            assert user("sites").out == f"{DOMAIN}\n"
            (listed,) = user("sites", "--json").json["sites"]
            assert listed == DOMAIN or listed["url"].startswith(f"http://{DOMAIN}:")


def test_no_option_takes_a_secret_as_an_argument() -> None:
    context = click.Context(app)
    for name in ("login", "logout", "sites", "whoami", "deploy", "deploys", "sandbox"):
        command = app.get_command(context, name)
        assert command is not None
        for option in command.params:
            if {"token", "password", "secret"} & set(str(option.name).split("_")):
                assert isinstance(option, click.Option)
                assert option.is_flag or isinstance(option.type, click.Path | click.Choice)
