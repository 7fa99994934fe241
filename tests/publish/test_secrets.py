"""No secret is shown or kept readable, whatever a service does with it; and where it may go."""

from __future__ import annotations

import html
import json
import subprocess
import time
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from pathlib import Path
from textwrap import wrap
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from command import MANIFEST as COMMAND
from command import environment
from manifestkit.model.errors import ConfigurationError
from manifestkit.publish.address import Address
from manifestkit.publish.secrets import KnownSecrets, Secret
from rehearsal import AUTHENTICATION, REJECTED, Sandbox, User, http, stub, zipped
from rows import rows

WITHHELD = "[not shown: it holds a secret]"
CANARIES = {
    "token": 'tok/en+kü %&=?#"<ã>\\',
    "password": "pass wörd%2F+&'\"\\;",
    "site token": "site#tok=en/%41 é",
}
LAYERS: dict[str, Callable[[str], str]] = {
    "percent": lambda text: quote(text, safe=""),
    "form": quote_plus,
    "every byte": lambda text: "".join(f"%{each:02x}" for each in text.encode()),
    "JSON": lambda text: json.dumps(text)[1:-1],
    "JSON, every letter": lambda text: "".join(
        f"\\u{ord(each):04x}" if ord(each) < 0x10000 else each for each in text
    ),
    "HTML": html.escape,
    "HTML, every letter": lambda text: "".join(f"&#{ord(each)};" for each in text),
    "base64": lambda text: b64encode(text.encode()).decode(),
    "base64 for addresses": lambda text: urlsafe_b64encode(text.encode()).decode().rstrip("="),
    "base64 in lines": lambda text: "\r\n ".join(wrap(b64encode(text.encode()).decode(), 10)),
    "base64 with joiners": lambda text: "\u200d".join(b64encode(text.encode()).decode()),
}
PLACES = ["code", "message", "details", "error", "text", "location", "name"]


def known(*secrets: str) -> KnownSecrets:
    made = KnownSecrets()
    made.add(*map(Secret, secrets))
    return made


@given(
    st.sampled_from(list(CANARIES.values())),
    st.lists(st.sampled_from(list(LAYERS)), max_size=5),
    st.text("ab c&%\\=", max_size=5),
)
def test_a_secret_is_found_in_any_five_layers(secret: str, layers: list[str], beside: str) -> None:
    text = secret
    for each in layers:
        text = LAYERS[each](text)
    assert known(secret).are_in(f"{beside}{text} {beside}")
    assert known(secret).shown(f"it is {text}") == WITHHELD


@rows("between", ["\u200b", "\xad", "\u2060", "\n", "\t ", "\x00", "\ufeff"])
def test_a_secret_is_found_with_what_is_not_seen_in_it(between: str) -> None:
    for secret in CANARIES.values():
        assert known(secret).are_in(f"it is {between.join(secret)}.")
        assert known(secret).are_in(f"it is {between.join(b64encode(secret.encode()).decode())}.")
    assert not known("a b c d e f").are_in(f"abc{between}def")


@rows("text", ["the password is wrong", "tok/en", "", "%%%\\u00", "a" * 3000])
def test_a_text_without_a_secret_is_shown(text: str) -> None:
    assert not known(*CANARIES.values()).are_in(text)
    assert known("wrong", "is").shown("the password is wrong") == "the password is wrong"


@rows("unit", ["%41", "&#65;", "\\u0041", "QUJD", "\\", "a b "])
def test_the_time_to_search_grows_with_the_text(unit: str) -> None:
    def seconds(count: int) -> float:
        start = time.process_time()
        known("canary-of-mine").are_in(unit * count)
        return time.process_time() - start

    assert seconds(60_000) < 20 * max(seconds(15_000), 0.01)


def every_place(secret: str) -> dict[str, bytes]:
    """Responses with a secret in each place where a service may put it."""
    error = {"code": "x", "message": "y", "details": {}}
    return {
        "code": http(400, {"success": False, "error": {**error, "code": secret}}),
        "message": http(400, {"error": {**error, "message": secret}}),
        "details": http(422, {"error": {**error, "details": {"a": [{secret: secret}]}}}),
        "error": http(200, {"success": False, "error": secret}),
        "text": http(500, f"trouble with {secret}".encode()),
        "location": http(
            302, Location=f"https://{quote(secret, safe='')}.example/?{quote(secret)}"
        ),
        "name": http(200, {"name": secret, "token": CANARIES["token"]}),
    }


@pytest.mark.parametrize(
    "layer", [None, *(pytest.param(each, marks=pytest.mark.slow) for each in LAYERS)]
)
def test_no_place_and_no_layer_shows_a_secret(
    tmp_path: Path, layer: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    """Each secret in each place and in each layer; in one layer, each place has one of them."""
    caplog.set_level(1)
    shown = []
    archive = zipped(tmp_path / "site.zip")
    env = {
        "MANIFESTKIT_TOKEN": CANARIES["token"],
        "MANIFESTKIT_SITE_TOKEN": CANARIES["site token"],
    }
    turn = list(LAYERS).index(layer) if layer else 0
    for number, (what, secret) in enumerate(CANARIES.items()):
        text = LAYERS[layer](secret) if layer else secret
        for at, (place, response) in enumerate(every_place(text).items(), turn):
            if layer and at % len(CANARIES) != number:
                continue
            with stub(response) as service:
                user = User(tmp_path / place, service.url, {} if what == "password" else env)
                if what == "password":
                    runs = [user.login(password=secret)]
                else:
                    runs = [user.deploy(archive, *more) for more in ((), ("--json",))]
                if what == "token":
                    runs += [user("sites"), user("sites", "--json")]
                shown += [f"{each.out}{each.err}" for each in runs]
                if place not in {"name", "error", "location"}:
                    assert WITHHELD in shown[-1]
    everything = "\n".join([*shown, caplog.text])
    for secret in CANARIES.values():
        for form in (secret, *(encode(secret) for encode in LAYERS.values())):
            assert form not in everything


@pytest.mark.parametrize(
    "body",
    [
        '{"token": "%s", "name":',
        '{"token": "%s", "token": "x"}',
        '{"token": "%s", "exp": NaN}',
        "%s",
        '{"success": false, "token": "%s", "error": {"message": "your token is %s"}}',
        '{"token": "%s\\nb", "error": "%s"}',
        '{"token": {"value": "%s"}, "error": {"code": "x", "details": {"token": "%s"}}}',
    ],
)
def test_a_new_token_is_not_shown_where_its_response_is_refused(tmp_path: Path, body: str) -> None:
    text = body.replace("%s", CANARIES["token"]).encode()
    with stub(http(200, text, **{"Content-Type": "application/json"})) as service:
        user = User(tmp_path / "home", service.url)
        for more in ((), ("--json",)):
            ended = user.login(*more)
            assert ended.code != 0
            assert CANARIES["token"] not in f"{ended.out}{ended.err}"


def test_a_list_of_sites_passes_on_what_holds_no_secret(tmp_path: Path) -> None:
    secret = CANARIES["token"]
    with stub(http(200, ["a.example", {"x": [secret]}, {secret: 1}])) as service:
        user = User(tmp_path / "home", service.url, {"MANIFESTKIT_TOKEN": secret})
        assert user("sites", "--json").json["sites"] == ["a.example", WITHHELD, WITHHELD]


def test_a_token_that_is_not_sent_is_not_shown_either(tmp_path: Path) -> None:
    """The service knows it from another request."""
    names = {"MANIFESTKIT_TOKEN": CANARIES["token"], "MANIFESTKIT_SITE_TOKEN": "of-a-site-of-mine"}
    for secret in names.values():
        with stub(http(400, {"error": {"message": f"not {secret}"}})) as service:
            user = User(tmp_path / "home", service.url, names)
            for ended in (user.login(), user("sites"), user("sites", "--json")):
                assert WITHHELD in ended.err
                assert secret not in ended.out + ended.err


def test_a_short_password_hides_no_word(tmp_path: Path) -> None:
    error = {"code": "x", "message": "the password is wrong"}
    with stub(http(401, {"error": error})) as service:
        ended = User(tmp_path / "home", service.url).login(password="wrong")
    assert (ended.code, "the password is wrong" in ended.err) == (AUTHENTICATION, True)


def test_a_secret_is_not_shown_by_printing_it() -> None:
    secret = Secret(CANARIES["token"])
    assert CANARIES["token"] not in f"{secret} {secret!r} {[secret]}"


def test_the_log_of_a_crash_holds_no_secret(tmp_path: Path) -> None:
    """Whatever raises: here the HTTP library, with all that it was asked in its text."""
    code = (
        "import os, httpx2\n"
        "def fail(*given, **named): raise LookupError(os.environ['MANIFESTKIT_TOKEN'], given)\n"
        "httpx2.Client.stream = fail\n"
        "from manifestkit.cli.main import main; main()"
    )
    done = subprocess.run(
        [COMMAND[0], "-c", code, "sites", "--base-url", "http://127.0.0.1:9"],
        env=environment(MANIFESTKIT_TOKEN="geheim-token", TMPDIR=str(tmp_path)),
        capture_output=True,
        text=True,
        check=False,
    )
    (log,) = tmp_path.glob("manifestkit-*.log")
    told = log.read_text("utf-8")
    assert done.returncode == 70
    assert "geheim" not in told + done.stdout + done.stderr
    assert "LookupError" in told


# -- where secrets may go ----------------------------------------------------------------------


@rows(
    ("base", "told"),
    [
        ("http://api.example.org", "use https://api.example.org"),
        ("http://127.0.0.1.example.org", "use https://"),
        ("http://localhost.example.org", "use https://"),
        ("http://[2001:db8::1]", "use https://"),
        ("http://0.0.0.0:80", "container; use http://127.0.0.1$"),
        ("ftp://api.example.org", "must begin with https:// or http://"),
        ("api.example.org", "write `https://api.example.org`"),
        ("localhost:8080/x", "write `http://localhost:8080/x`"),
        ("[::1]:8080", "write `http://"),
        ("me:geheim@api.example.org", "must begin with"),
        ("https://", "has no host"),
        ("https://a:99999", "must have a port from 1 to 65535"),
        ("https://a:pwgeheim", "must have a port from"),
        ("https://a:0", "must have a port from"),
        ("https://[::1", "has a wrong host"),
        ("https://a b", "must have no blank"),
        ("https://me:geheim@[::1", "must have no user"),
        ("https://user:geheim@api.example.org", "must have no user"),
        ("https://me:ge#heim@a.example", "must have no user"),
        ("https://api.example.org/?token=geheim", "must end before the `\\?` or `#`"),
        ("https://api.example.org/#x", "must end before the"),
        ("https://example.org/api", "use --base-url https://example.org --api-form alt"),
        ("https://example.org/x/api/", "use --base-url https://example.org/x --api-form alt"),
    ],
)
def test_an_address_that_secrets_must_not_go_to_is_refused(base: str, told: str) -> None:
    for form in ("base", "alt"):
        with pytest.raises(ConfigurationError, match=told) as raised:
            Address.at(base, form)
        assert "heim" not in str(raised.value)


@rows(
    ("base", "origin"),
    [
        ("https://API.example.org:443/", "https://api.example.org"),
        ("https://api.example.org:8443/x/", "https://api.example.org:8443"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("http://127.8.9.1", "http://127.8.9.1"),
        ("http://[::1]:80", "http://[::1]"),
        ("http://localhost:8080", "http://localhost:8080"),
    ],
)
def test_one_origin_has_one_spelling(base: str, origin: str) -> None:
    assert Address.at(base, "base").origin == origin


def test_a_proxy_is_not_asked_about_this_machine(
    tmp_path: Path, running: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    assert User(tmp_path / "home", running.url).login().code == 0


def test_a_redirect_takes_no_secret_with_it(tmp_path: Path) -> None:
    with stub(http(200, [])) as elsewhere, stub(http(307, Location=elsewhere.url)) as service:
        user = User(tmp_path / "home", service.url, {"MANIFESTKIT_TOKEN": "t"})
        assert user("sites").code == REJECTED
        assert user.login().code == REJECTED
    assert elsewhere.requests == []
