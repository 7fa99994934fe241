"""What a program does with the library: judge, fix, format, render, each in one call."""

from __future__ import annotations

import json
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import manifestkit
from command import CLEAN, FINDINGS, manifest
from manifestkit.rendering import FORMATS
from rows import rows
from samples import BROKEN, VALID

PROFILE = '{"properties": {"provider": {"title": "Provider", "maxProperties": 1}}}'
ANYTHING = '{"title": "Anything"}'
CONFIGURATION = 'ignore = ["wrong-type"]\n'
TEXT = st.text() | st.text(st.characters() | st.characters(categories=["Cs"]))
SLIP = VALID.replace(b'"version"', b'"versoin"')


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "host.json").write_text(PROFILE)
    (tmp_path / "anything.json").write_text(ANYTHING)
    (tmp_path / "manifestkit.toml").write_text(CONFIGURATION)
    return tmp_path


def rules(result: manifestkit.FileResult) -> set[str]:
    return {each.rule for each in result.findings}


@rows("as_given", [str, Path, manifestkit.load_profile])
@rows("as_many", [lambda one: one, lambda one: [one], lambda one: (one,)])
def test_a_profile_is_a_path_or_loaded_one_or_several(
    folder: Path, as_given: Callable[[Path], Any], as_many: Callable[[Any], Any]
) -> None:
    profile = as_many(as_given(folder / "host.json"))
    assert rules(manifestkit.lint(VALID, profile=profile)) == {"schema-maxProperties"}


def test_a_profile_that_would_require_nothing_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "host.json"
    path.write_text('{"required": ["permisions"]}')
    (tmp_path / "manifest.json").write_bytes(VALID)
    for use in (
        lambda: manifestkit.load_profile(path),
        lambda: manifestkit.lint(VALID, profile=path),
        lambda: manifestkit.load(VALID, profile=path),
        lambda: manifestkit.lint_paths(tmp_path, manifestkit.Options(profiles=(path,))),
    ):
        with pytest.raises(manifestkit.SchemaError, match="did you mean `permissions`"):
            use()


@rows("as_given", [str, Path, manifestkit.load_schema])
def test_a_schema_takes_the_place_of_the_manifest_document(
    folder: Path, as_given: Callable[[Path], Any]
) -> None:
    schema = as_given(folder / "anything.json")
    assert "wrong-type" in rules(manifestkit.lint(BROKEN))
    assert not manifestkit.lint(BROKEN, schema=schema).findings


def test_a_profile_may_extend_a_schema_of_your_own(folder: Path) -> None:
    own = folder / "own.json"
    own.write_text('{"$id": "urn:example:own", "title": "Own", "required": ["colour"]}')
    (folder / "host.json").write_text('{"title": "Host", "$ref": "urn:example:own"}')
    schema = manifestkit.load_schema(own)
    profile = manifestkit.load_profile(folder / "host.json", schema=schema)
    (finding,) = manifestkit.lint("{}", schema=schema, profile=profile).findings
    assert finding.property == "colour"


@pytest.mark.parametrize("as_given", [str, Path])
def test_a_configuration_holds_when_it_is_named_and_only_then(
    folder: Path, as_given: Callable[[Path], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    config = as_given(folder / "manifestkit.toml")
    assert "wrong-type" in rules(manifestkit.lint(BROKEN, "manifest.json"))
    assert not manifestkit.lint(BROKEN, "manifest.json", config=config).findings


def test_a_configuration_may_speak_of_the_rules_of_a_profile_that_was_loaded(folder: Path) -> None:
    notes = {"rule": "few-members", "message": "too many members"}
    profile = {"title": "Host", "properties": {"provider": {"maxProperties": 1}}}
    profile["properties"]["provider"]["x-manifestkit"] = notes  # type: ignore[index]
    (folder / "host.json").write_text(json.dumps(profile))
    config = folder / "manifestkit.toml"
    config.write_text('[severity]\nfew-members = "info"\n')
    loaded = manifestkit.load_profile(folder / "host.json")
    (finding,) = manifestkit.lint(VALID, profile=loaded, config=config).findings
    assert (finding.rule, finding.severity) == ("few-members", manifestkit.Severity.INFO)


def test_suppressions_of_a_configuration_hold_by_the_name(folder: Path) -> None:
    config = folder / "manifestkit.toml"
    config.write_text('[[suppress]]\nrule = "wrong-type"\npath = "old/*"\nreason = "it stays"\n')
    for name, shown in (("old/manifest.json", 0), ("new/manifest.json", 1)):
        result = manifestkit.lint(BROKEN, folder / name, config=config)
        assert (len(result.findings), len(result.suppressed)) == (shown, 1 - shown)


def test_many_files_are_held_to_a_profile_that_was_loaded(folder: Path) -> None:
    for number in range(3):
        (folder / f"{number}.manifest.json").write_bytes(VALID)
    loaded = manifestkit.load_profile(folder / "host.json")
    by_path = manifestkit.lint_paths(folder, manifestkit.Options(profiles=(folder / "host.json",)))
    assert manifestkit.lint_paths(folder, manifestkit.Options(profiles=(loaded,))) == by_path
    assert len(by_path.findings) == 3


def test_a_loaded_profile_can_be_sent_to_another_process(folder: Path) -> None:
    loaded = manifestkit.load_profile(folder / "host.json")
    again = pickle.loads(pickle.dumps(loaded))  # noqa: S301 - our own bytes
    assert rules(manifestkit.lint(VALID, profile=again)) == {"schema-maxProperties"}


@pytest.mark.parametrize("as_given", [bytes, bytes.decode])
def test_safe_fixes_are_applied_as_by_the_command(
    folder: Path, as_given: Callable[[bytes], Any]
) -> None:
    (folder / "manifest.json").write_bytes(SLIP)
    fixed = manifestkit.fix(as_given(SLIP), "manifest.json")
    assert fixed.data == VALID
    assert [each.suggestion for each in fixed.fixed] == ["version"]
    assert not fixed.result.findings
    done = manifest("lint", "--fix", "--isolated", "manifest.json", cwd=folder)
    assert done.code == CLEAN
    assert (folder / "manifest.json").read_bytes() == fixed.data


def test_unsafe_fixes_are_applied_when_they_are_asked_for(folder: Path) -> None:
    extra = b'"presentation": {"colour": "red"}, '
    text = VALID.replace(b'"provider"', extra + b'"provider"', 1)
    assert manifestkit.fix(text).data == text
    assert b"colour" not in manifestkit.fix(text, unsafe=True).data
    assert folder


def test_what_is_fixed_follows_profile_and_configuration(folder: Path) -> None:
    config = folder / "manifestkit.toml"
    config.write_text('ignore = ["misspelt-field", "missing-field"]\n')
    assert manifestkit.fix(SLIP, config=config).data == SLIP
    assert manifestkit.fix(SLIP, schema=folder / "anything.json").data == SLIP


def test_a_manifest_is_formatted_as_by_the_command(folder: Path) -> None:
    crooked = json.dumps(dict(reversed(json.loads(VALID).items()))).encode()
    formatted = manifestkit.format(crooked, "manifest.json")
    assert json.loads(formatted) == json.loads(VALID)
    assert manifestkit.format(formatted.decode()) == formatted
    (folder / "manifest.json").write_bytes(crooked)
    assert manifest("fmt", "manifest.json", cwd=folder).code == CLEAN
    assert (folder / "manifest.json").read_bytes() == formatted


def test_members_are_ordered_by_the_schema_that_is_given(folder: Path) -> None:
    own = '{"title": "Own", "properties": {"b": {"title": "B"}, "a": {"title": "A"}}}'
    (folder / "own.json").write_text(own)
    (folder / "manifestkit.toml").write_text('schema = "own.json"\n')
    assert manifestkit.format('{"a": 1, "b": 2}', schema=folder / "own.json").split()[1] == b'"b":'
    by_configuration = manifestkit.format('{"a": 1, "b": 2}', config=folder / "manifestkit.toml")
    assert by_configuration.split()[1] == b'"b":'


@pytest.mark.parametrize("text", ["{", '{"a": 1, "a": 2}'])
def test_what_cannot_be_formatted_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(manifestkit.EditRefusedError, match=r"line 1, column \d"):
        manifestkit.format(text)


NAMES = ["manifest.json", "manifest.yaml", "<stdin>"]


def untimed(text: str) -> str:
    return re.sub(r"timestamp=\"[^\"]*\"", "", text)


@pytest.mark.parametrize("form", FORMATS)
def test_a_format_that_names_clean_files_does_so_in_the_command(folder: Path, form: str) -> None:
    (folder / "manifest.json").write_bytes(VALID)
    names_it = "manifest.json" in manifestkit.render(manifestkit.lint(VALID, "manifest.json"), form)
    printed = manifest("lint", "--isolated", "--output-format", form, cwd=folder).out
    assert ("manifest.json" in printed) == names_it


@pytest.mark.parametrize("form", FORMATS)
def test_a_report_is_rendered_as_by_the_command(folder: Path, form: str) -> None:
    (folder / "manifest.json").write_bytes(BROKEN)
    result = manifestkit.lint(BROKEN, "manifest.json")
    printed = manifest(
        *("lint", "--isolated", "--output-format", form, "manifest.json"), cwd=folder
    )
    assert printed.code == FINDINGS
    for each in (result, manifestkit.Report.of([result])):
        rendered = manifestkit.render(each, form)
        assert untimed(rendered) == untimed(printed.out.replace("\r\n", "\n"))


def test_colours_and_width_are_the_callers_choice() -> None:
    result = manifestkit.lint(BROKEN)
    assert "\x1b[" not in manifestkit.render(result)
    assert "\x1b[" in manifestkit.render(result, color=True)
    narrow = manifestkit.render(manifestkit.lint('{"a": "' + "b" * 300), width=40)
    assert max(len(line) for line in narrow.splitlines() if " | " in line) <= 40


def test_the_json_form_is_there_as_a_dictionary() -> None:
    result = manifestkit.lint(BROKEN, "manifest.json")
    said = manifestkit.to_dict(result)
    assert said == json.loads(manifestkit.render(result, "json"))
    assert said["findings"][0]["rule"] == "wrong-type"
    assert said["summary"]["errors"] == 1


def test_the_version_is_that_of_the_distribution() -> None:
    assert manifestkit.__version__ == version("manifestkit")


def test_a_name_that_is_not_there_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="no attribute 'lnt'"):
        _ = manifestkit.lnt  # type: ignore[attr-defined]  # a type checker sees it


@pytest.mark.slow
def test_no_module_takes_the_place_of_a_function(tmp_path: Path) -> None:
    code = (
        "import manifestkit, pkgutil, importlib\n"
        "for each in pkgutil.walk_packages(manifestkit.__path__, 'manifestkit.'):\n"
        "    if not each.name.endswith('__main__'):\n"
        "        importlib.import_module(each.name)\n"
        "for name in manifestkit.__all__:\n"
        "    print(name, type(getattr(manifestkit, name)).__name__)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "fix function" in done.stdout
    assert " module" not in done.stdout


RESULT = manifestkit.lint(VALID)


@rows("call", [manifestkit.lint, manifestkit.fix, manifestkit.format])
@rows("source", [Path("a.json"), None, bytearray(VALID), {"a": 1}], ids=repr)
def test_what_is_no_content_is_refused_in_words(call: Callable[..., Any], source: Any) -> None:
    with pytest.raises(TypeError, match=r"^source: the text or bytes of a manifest, not "):
        call(source)


def test_an_unknown_output_format_is_refused() -> None:
    with pytest.raises(ValueError, match=r"format: 'sarrif' is not one of full, concise, "):
        manifestkit.render(RESULT, "sarrif")


@pytest.mark.parametrize("call", [manifestkit.lint, manifestkit.fix, manifestkit.format])
def test_a_file_that_cannot_be_used_is_an_error_of_ours(
    call: Callable[..., Any], folder: Path
) -> None:
    with pytest.raises(manifestkit.SchemaError, match=r"gone\.json: no such file"):
        call(VALID, schema=folder / "gone.json")
    with pytest.raises(manifestkit.ConfigurationError, match=r"gone\.toml"):
        call(VALID, config=folder / "gone.toml")


@pytest.mark.parametrize("text", ["\ud800", '{"a": "\udfff"}'], ids=ascii)
def test_text_that_no_file_can_hold_gets_a_verdict(text: str) -> None:
    assert manifestkit.lint(text).findings
    assert manifestkit.fix(text).result.findings


@pytest.mark.parametrize("name", ["m.json", "m.yaml"])
def test_text_that_no_file_can_hold_is_not_formatted(name: str) -> None:
    for text in ('{"a": 1,\n "b": "\udfff"}\n', '{\n  "a": 1,\n  "b": "\udfff"\n}\n', "\ud800"):
        with pytest.raises(manifestkit.EditRefusedError, match=r"surrogate|U\+D[8F]"):
            manifestkit.format(text, name)


@given(TEXT | st.binary() | st.sampled_from([VALID, BROKEN, SLIP]), st.sampled_from(NAMES))
def test_whatever_is_given_gets_a_verdict_and_only_format_refuses(
    source: bytes | str, name: str
) -> None:
    result = manifestkit.lint(source, name)
    assert manifestkit.to_dict(result)["summary"]["files"] == 1
    fixed = manifestkit.fix(source, name, unsafe=True)
    assert len(fixed.result.findings) <= len(result.findings)
    assert manifestkit.fix(fixed.data, name, unsafe=True).data == fixed.data
    with suppress(manifestkit.EditRefusedError):
        formatted = manifestkit.format(source, name)
        formatted.decode()
        assert manifestkit.format(formatted, name) == formatted
