"""`manifest preview`: a manifest as a person sees it who has to decide about it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from wcwidth import wcswidth

from command import CLEAN, EXAMPLES, USAGE, Outcome, modules_after
from in_process import manifest_here
from injections import INJECTIONS
from manifestkit.schema.packaged import base_schema
from readers import UNSEEN, Page, forged_commands, read_html
from report_cases import GOOD
from rows import rows
from terminal import on_a_terminal

_PROFILE = EXAMPLES / "profiles" / "capabilities-need-permissions.schema.json"
_COMPLETE = EXAMPLES / "valid" / "complete-wellbeing.activity-provider.json"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _previewed(manifest: Any, *options: str) -> str:
    """The text of a preview, which is on the page too."""
    Path("manifest.json").write_text(json.dumps(manifest, indent=2), "utf-8")
    outcome = manifest_here("preview", "manifest.json", *options)
    assert outcome.code == CLEAN, outcome.err
    return outcome.out


def _page(manifest: Any, *options: str) -> Page:
    _previewed(manifest, *options, "--output=preview.html")
    return read_html(Path("preview.html").read_text("utf-8"))


def _both(manifest: Any, *options: str) -> tuple[str, str]:
    return _previewed(manifest, *options), _page(manifest, *options).text


def test_it_shows_the_provider_its_activities_and_what_people_agree_to() -> None:
    manifest = json.loads(_COMPLETE.read_bytes())
    for shown in _both(manifest):
        for activity in manifest["activities"]:
            assert activity["name"] in shown
            assert activity["id"] in shown
        for each in ("Complete Wellbeing", "com.example.complete-wellbeing", "3.2.1"):
            assert each in shown
        for each in ("Read your goals.", "Duration in minutes", "Surfaces", "dist/index.js"):
            assert each in shown


def test_a_member_that_a_profile_adds_is_told_from_those_of_the_format() -> None:
    profile = {"properties": {"contact": {"title": "Whom we write to"}}}
    Path("host.json").write_text(json.dumps(profile), "utf-8")
    for shown in _both({**GOOD, "contact": "a@example.com"}, "--profile=host.json"):
        assert "contact (not in the manifest format)" in shown


def test_a_page_can_be_printed_and_an_older_manifest_piped(tmp_path: Path) -> None:
    old = json.dumps(GOOD).encode()
    (tmp_path / "manifest.json").write_bytes(json.dumps(GOOD | {"permissions": []}).encode())
    (tmp_path / "old.json").write_bytes(old)
    compared = manifest_here("preview", "manifest.json", "--against=old.json", cwd=tmp_path)
    piped = manifest_here("preview", "manifest.json", "--against=-", cwd=tmp_path, stdin=old)
    assert piped.out == compared.out.replace("old.json", "<stdin>")
    page = manifest_here("preview", "-", "-o", "-", cwd=tmp_path, stdin=old)
    assert page.out.startswith("<!DOCTYPE html>")
    assert [each.name for each in tmp_path.iterdir() if each.name == "-"] == []
    assert "only one" in manifest_here("preview", "-", "--against=-", cwd=tmp_path, stdin=old).err


def test_each_permission_of_the_format_has_a_sentence() -> None:
    field = base_schema().field(("permissions", 0))
    assert field is not None
    assert [*field.consents] == [value for value, _ in field.values]
    outcome = manifest_here("explain", "host.timer")
    assert "What people agree to\n  Use the timer of this app.\n" in outcome.out


def _with_camera() -> None:
    """A copy of the schema with one more permission."""
    schema = json.loads(json.dumps(base_schema().contents))
    permission = schema["$defs"]["permission"]
    permission["enum"].append("host.camera")
    permission["markdownEnumDescriptions"].append("Use the camera.")
    permission["x-manifestkit"]["consent"]["host.camera"] = "Take pictures of you."
    Path("camera.schema.json").write_text(json.dumps(schema), "utf-8")


def test_a_permission_that_a_copy_of_the_schema_adds_has_its_sentence() -> None:
    _with_camera()
    manifest = GOOD | {"permissions": ["host.camera"]}
    for shown in _both(manifest, "--schema=camera.schema.json"):
        assert "Take pictures of you." in shown
        assert "unknown-permission" not in shown
    for shown in _both(manifest):
        assert "Take pictures of you." not in shown
        assert "unknown-permission" in shown


def test_so_has_one_of_another_format() -> None:
    _with_camera()
    row = '[[format]]\nid = "own"\nfiles = ["manifest.json"]\nschema = "camera.schema.json"\n'
    Path("manifestkit.toml").write_text(row, "utf-8")
    for shown in _both(GOOD | {"permissions": ["host.camera"]}):
        assert "Take pictures of you." in shown


def test_a_schema_of_others_is_named_and_not_read_if_isolated() -> None:
    _with_camera()
    Path("camera.schema.json").rename("a\u202eb.json")
    Path("manifestkit.toml").write_text('schema = "a\u202eb.json"', "utf-8")
    manifest = GOOD | {"permissions": ["host.camera"]}
    for shown in _both(manifest):
        assert "are those of the schema a\\u202eb.json" in shown
        assert shown.index("a\\u202eb.json") < shown.index("Take pictures of you.")
    for shown in _both(manifest, "--isolated"):
        assert "built-in" not in shown
        assert "Take pictures of you." not in shown
        assert "unknown-permission" in shown


def test_suppressed_findings_are_counted() -> None:
    Path("old.json").write_text(json.dumps(GOOD), "utf-8")
    rules = ("unknown-permission", "permission-added")
    entries = (f'[[suppress]]\nrule = "{rule}"\nreason = "ours"\n' for rule in rules)
    Path("manifestkit.toml").write_text("".join(entries), "utf-8")
    manifest = GOOD | {"permissions": ["host.camera"]}
    for shown in _both(manifest):
        assert "1 finding suppressed, by unknown-permission." in shown
    for shown in _both(manifest, "--against=old.json"):
        assert "2 findings suppressed, by unknown-permission and permission-added." in shown
    for shown in _both(manifest, "--against=old.json", "--isolated"):
        assert "suppressed" not in shown


@rows("command", ["lint", "diff", "preview"])
def test_what_a_host_runs_on_manifests_of_strangers_can_be_isolated(command: str) -> None:
    """`manifest fleet` reads no configuration at all."""
    text = json.dumps(GOOD | {"permissions": ["host.camera"]})
    Path("manifest.json").write_text(text, "utf-8")
    Path("manifestkit.toml").write_text("broken", "utf-8")
    files = ["manifest.json"] * (2 if command == "diff" else 1)
    assert manifest_here(command, *files).code == USAGE
    assert manifest_here(command, *files, "--isolated").code != USAGE


def test_a_revision_is_compared_by_the_command_that_is_told(tmp_path: Path) -> None:
    (tmp_path / "my x.manifest.yaml").write_text("provider: {}\n")
    told = manifest_here("preview", "my x.manifest.yaml", "--against=HEAD", cwd=tmp_path).err
    shown = "git show 'HEAD:./my x.manifest.yaml' | manifest preview 'my x.manifest.yaml'"
    assert f"`{shown} --against -`, or run `manifest diff --base HEAD 'my x" in told


def test_against_an_older_manifest_it_shows_what_people_have_not_agreed_to() -> None:
    Path("old.json").write_text(json.dumps(GOOD | {"permissions": ["host.haptics"]}), "utf-8")
    manifest = GOOD | {"permissions": ["host.haptics", "context.goals"]}
    for shown in _both(manifest, "--against=old.json"):
        news = shown[shown.index("Since old.json") : shown.index("What people agree to")]
        assert "People have to agree again" in news
        assert "Read your goals." in news
        assert "Use the haptics" not in news
        assert "asks for a new permission, context.goals" in shown.replace("`", "")
        agreed, _, changed = shown.partition("What changed")
        assert "Read your goals." in agreed
        assert "asks for a new permission" in changed
        assert "asks for a new permission" not in agreed
    for shown in _both(GOOD, "--against=old.json"):
        assert "People need not agree again." in shown
    assert "What changed" in _page(GOOD, "--against=old.json").text
    assert "What changed" not in _page(GOOD, "--against=manifest.json").text


def test_another_provider_needs_a_new_consent_for_everything() -> None:
    Path("old.json").write_text(json.dumps(GOOD | {"permissions": ["host.haptics"]}), "utf-8")
    other = GOOD | {"permissions": ["host.haptics"], "provider": GOOD["provider"] | {"id": "x.y"}}
    for shown in _both(other, "--against=old.json"):
        assert "People have to agree again, because the provider id changed." in shown
        news = shown[shown.index("Since old.json") : shown.index("What people agree to")]
        assert "Use the haptics of this app." in news


def test_only_a_table_of_a_profile_says_that_a_permission_is_not_needed() -> None:
    manifest = GOOD | {
        "permissions": ["host.timer", "host.haptics", "context.health_summary"],
        "capabilities": ["host.haptic"],
    }
    for shown in _both(manifest):
        assert "needs it" not in shown
    for shown in _both(manifest, f"--profile={_PROFILE}"):
        unused = f"nothing in /capabilities needs it, according to {_PROFILE}"
        assert " ".join(shown.replace("`", "").split()).count(unused) == 1
        assert shown.index("host.timer") < shown.index("nothing in") < shown.index("host.haptics")
        assert "for host.haptic" in shown


@rows(
    ("text", "kind"),
    [
        ("images/a.png", "path"),
        ("c:\\a.png", "path"),
        ("https://example.com/a.png", "URL"),
        ("//example.com/a.png", "URL"),
        ("javascript:alert(1)", "URL"),
        ("data:image/png;base64,iVBORw0KGgo=", "data"),
        ("DATA:image/svg+xml,<svg/>", "data"),
    ],
)
def test_a_picture_is_never_loaded(text: str, kind: str) -> None:
    manifest = GOOD | {"presentation": {"thumbnail": text}}
    assert f"{text} ({kind})" in " ".join(_previewed(manifest).split())
    page = _page(manifest)
    assert f"{text} {kind}" in " ".join(page.text.split())
    assert text not in page.targets
    assert not [each for each in page.count if each.startswith("img")]


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_it_fits_a_terminal(columns: int) -> None:
    manifest = json.loads(_COMPLETE.read_bytes())
    manifest["provider"]["name"] = "坐禅の時間 " * 20
    manifest["activities"][0]["name"] = "e\u0301" * 100 + "\u202e"
    Path("manifest.json").write_text(json.dumps(manifest), "utf-8")
    seen = on_a_terminal("manifest preview manifest.json", Path(), columns=columns)
    lines = seen[: seen.index("\nDetails")].splitlines()
    assert max(map(wcswidth, lines)) <= columns
    assert max(map(wcswidth, lines)) > columns * 0.7
    assert "\\u202e" in seen


_HOSTILE: dict[str, Callable[[str], Any]] = {
    "where it belongs": lambda text: {
        **GOOD,
        "provider": {"id": text, "name": text, "version": text, text: text},
        "runtime": {text: text},
        "presentation": {"thumbnail": text},
        "activities": [{"id": text, "name": text, "surfaces": [text], text: text}],
        "permissions": [text],
        "capabilities": [text, {text: text}],
        text: text,
    },
    "where it does not": lambda text: (
        GOOD
        | {"provider": text, "activities": text, "permissions": text, "capabilities": {text: text}}
    ),
    "alone": lambda text: [text],
}


@pytest.mark.slow
@pytest.mark.parametrize("what", _HOSTILE)
def test_no_text_of_a_manifest_acts_on_who_looks_at_it(what: str) -> None:
    Path("old.json").write_text(json.dumps(GOOD), "utf-8")
    for text in INJECTIONS.values():
        manifest = _HOSTILE[what](text)
        shown, _ = _both(manifest, "--against=old.json")
        assert not UNSEEN.search(shown)
        assert forged_commands(shown) == []
        written = Path("preview.html").read_text("utf-8")
        assert not UNSEEN.search(written)
        assert forged_commands(written) == []


def test_of_many_things_the_first_are_shown() -> None:
    activities = [{"id": f"a{number}", "name": f"Name {number}"} for number in range(3_000)]
    for shown in _both(GOOD | {"activities": activities}):
        assert "Activities: 500 of 3,000" in shown
        assert "Name 499" in shown
        assert "Name 500" not in shown


def test_standard_input_is_shown_too() -> None:
    as_yaml = b'provider: {id: a.b, name: From a pipe, version: "1.0"}'
    outcome = manifest_here("preview", "-", "--stdin-filename=m.yaml", stdin=as_yaml)
    assert outcome.out.startswith("From a pipe\na.b\nProvider version: 1.0\n")


def _refused(*arguments: str) -> Outcome:
    outcome = manifest_here("preview", *arguments)
    assert (outcome.code, outcome.out) == (USAGE, "")
    return outcome


def test_what_cannot_be_shown_is_said_in_a_line() -> None:
    Path("manifest.json").write_text(json.dumps(GOOD), "utf-8")
    Path("broken.json").write_text("{", "utf-8")
    assert "broken.json: cannot be read" in _refused("broken.json").err
    assert "broken.json: cannot be read" in _refused("manifest.json", "--against=broken.json").err
    assert "gone.json: no such file" in _refused("gone.json").err
    for text in (b"", b"{", b"\xff"):
        outcome = manifest_here("preview", "-", stdin=text)
        assert (outcome.code, outcome.out) == (USAGE, "")
        assert "<stdin>: cannot be read" in outcome.err
        piped = manifest_here("preview", "manifest.json", "--against=-", stdin=text)
        assert (piped.code, piped.out) == (USAGE, "")
        assert piped.err.startswith("error: <stdin>: cannot be read")
    assert "is an input" in _refused("manifest.json", "--output=manifest.json").err
    assert "is an input" in _refused("manifest.json", "--against=b.json", "--output=b.json").err
    for to in ("--output=gone/x.html", "-o gone/x.html"):
        told = _refused("manifest.json", *to.split()).err
        assert told.endswith("the folder `gone` does not exist; create it first\n")
    assert json.loads(Path("manifest.json").read_bytes()) == GOOD


def test_only_a_page_imports_what_escapes_it(tmp_path: Path) -> None:
    Path("manifest.json").write_text(json.dumps(GOOD), "utf-8")
    code = (
        "from manifestkit.cli.main import app; "
        "app.main(['preview', 'manifest.json'], standalone_mode=False)"
    )
    assert "markupsafe" not in modules_after(code, tmp_path)


def test_whose_meanings_they_are_is_said_once(tmp_path: Path) -> None:
    said = "The format gives only the names; what they mean is manifestkit's reading."
    (tmp_path / "m.json").write_text(_COMPLETE.read_text())
    for arguments in (["preview", "m.json"], ["explain", "host.timer"], ["explain", "permissions"]):
        shown = " ".join(manifest_here(*arguments, cwd=tmp_path).out.split())
        assert shown.count(said) == 1
    assert (
        manifest_here("preview", "m.json", "-o", "-", cwd=tmp_path).out.count("reading.</p>") == 1
    )
