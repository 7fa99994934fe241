"""Options apply to a manifest whichever way it is given: by name, in a folder, on standard input.

The same holds for the YAML form of a manifest, and for any order of profiles.
"""

from __future__ import annotations

import json
import tempfile
from contextlib import chdir
from pathlib import Path
from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from command import CLEAN, FINDINGS
from in_process import manifest_here
from judging import SECTION_2, with_activity, with_members

_MANIFESTS: list[Any] = [
    with_members(),
    with_members(schema_version=1),
    with_members(permissions=["host.timer", "host.timer", "host.tmer"]),
    with_activity(duration_minutes="5 m", thumbnail=None),
    with_members(presentation={"colour": "red"}, provider={"id": "a", "version": "1"}),
    [],
]
_PROFILES = {
    "one.json": {"required": ["contact"]},
    "two.json": {
        "properties": {"permissions": {"maxItems": 1}},
        "x-manifestkit": {"rule": "few-permissions", "severity": "warning"},
    },
}
_SCHEMA = {**SECTION_2, "required": ["provider"]}
_SUPPRESSIONS = """
[[suppress]]
rule = "wrong-type"
path = "*.*"
pointer = "/schema_version"
reason = "the old form"
"""
_OPTIONS = (
    ("--schema", "own.schema.json"),
    ("--profile", "one.json"),
    ("--profile", "two.json"),
    ("--ignore", "missing-field"),
    ("--severity", "wrong-type=warning"),
    ("--fail-on", "warning"),
    ("--config", "strict.toml"),
    ("--exit-zero",),
    ("--isolated",),
    ("--force-exclude",),
    ("--severity", "missing-file=error"),
    ("--severity", "version-mismatch=error"),
)


def _result(*arguments: str, stdin: bytes = b"") -> tuple[int, list[tuple[str, str, str]]]:
    outcome = manifest_here("lint", "--output-format=json", *arguments, stdin=stdin)
    found = json.loads(outcome.out)["findings"]
    return outcome.code, sorted((each["rule"], each["severity"], each["pointer"]) for each in found)


@given(
    manifest=st.sampled_from(_MANIFESTS),
    options=st.lists(st.sampled_from(_OPTIONS), unique=True, max_size=5),
    data=st.data(),
)
def test_options_apply_to_each_way_of_giving_a_manifest(
    manifest: Any, options: list[tuple[str, ...]], data: st.DataObject
) -> None:
    given_options = [word for each in options for word in each]
    shuffled = data.draw(st.permutations(options))
    other_order = [word for each in shuffled for word in each]
    text = json.dumps(manifest, indent=2)
    with tempfile.TemporaryDirectory() as name, chdir(name):
        Path("strict.toml").write_text('ignore = ["version-form"]\n', "utf-8")
        Path("manifestkit.toml").write_text(_SUPPRESSIONS, "utf-8")
        Path("own.schema.json").write_text(json.dumps(_SCHEMA), "utf-8")
        for file, profile in _PROFILES.items():
            Path(file).write_text(json.dumps(profile), "utf-8")
        Path("package.json").write_text('{"name": "x", "version": "99.0.0"}', "utf-8")
        Path("a").mkdir()
        Path("a", "manifest.json").write_text(text, "utf-8")
        Path("b").mkdir()
        Path("b", "manifest.yaml").write_text(yaml.safe_dump(manifest), "utf-8")
        expected = _result("a/manifest.json", *given_options)
        assert _result("a", *given_options) == expected
        assert _result("a/manifest.json", *other_order) == expected
        assert _result("b/manifest.yaml", *given_options) == expected
        assert _result("b", *other_order) == expected
        stdin = ("-", "--stdin-filename", "a/manifest.json", *given_options)
        assert _result(*stdin, stdin=text.encode()) == expected


def test_files_beside_a_text_are_looked_for_where_its_name_says(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "manifest.json").write_text(json.dumps(_MANIFESTS[0]), "utf-8")
    (tmp_path / "package.json").write_text('{"name": "x", "version": "99.0.0"}', "utf-8")
    rules = ("--select", "version-mismatch", "--select", "missing-file", "--fail-on", "warning")
    text = (tmp_path / "a" / "manifest.json").read_bytes()
    with chdir(tmp_path):
        expected = _result("a/manifest.json", *rules)
        assert expected[0] == FINDINGS
        named = ("-", "--stdin-filename", "a/manifest.json")
        assert _result(*named, *rules, stdin=text) == expected
        assert _result("-", *rules, stdin=text) == (CLEAN, [])
