"""Commands without a FILE change the one manifest of the folder, whatever stands beside it."""

from __future__ import annotations

from pathlib import Path

from command import CLEAN, USAGE
from in_process import manifest_here
from rows import rows
from samples import VALID

WEB_APP = b'{"name": "Calm", "start_url": "/", "icons": []}'
CHANGES = [
    ("set", "/provider/version", "2.0.0"),
    ("add", "permission", "host.timer"),
    ("remove", "/permissions", "--force"),
]


@rows("change", CHANGES, ids=lambda change: change[0])
def test_a_manifest_of_another_format_is_none_to_choose_from(
    tmp_path: Path, change: tuple[str, ...]
) -> None:
    own, other = tmp_path / "box.activity-provider.json", tmp_path / "manifest.json"
    own.write_bytes(VALID)
    other.write_bytes(WEB_APP)
    outcome = manifest_here(*change, cwd=tmp_path)
    assert outcome.code == CLEAN, outcome.err
    assert other.read_bytes() == WEB_APP


def test_manifests_of_other_formats_only_are_no_manifest(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_bytes(WEB_APP)
    outcome = manifest_here("set", "/provider/version", "2.0.0", cwd=tmp_path)
    assert outcome.code == USAGE
    assert "no manifest in this folder" in outcome.err


def test_preview_shows_the_only_manifest_but_the_one_to_compare_with(tmp_path: Path) -> None:
    assert "no manifest in this folder; give a FILE" in manifest_here("preview", cwd=tmp_path).err
    (tmp_path / "box.activity-provider.json").write_bytes(VALID)
    (tmp_path / "manifest.json").write_bytes(WEB_APP)
    expected = manifest_here("preview", "box.activity-provider.json", cwd=tmp_path)
    assert manifest_here("preview", cwd=tmp_path) == expected
    assert expected.code == CLEAN
    (tmp_path / "old.manifest.json").write_bytes(VALID)
    outcome = manifest_here("preview", cwd=tmp_path)
    assert outcome.code == USAGE
    assert "several manifests in this folder (box.activity-provider.json, old." in outcome.err
    assert manifest_here("preview", "--against", "old.manifest.json", cwd=tmp_path).code == CLEAN


def test_convert_takes_the_only_manifest(tmp_path: Path) -> None:
    (tmp_path / "box.activity-provider.json").write_bytes(VALID)
    expected = manifest_here("convert", "box.activity-provider.json", "--to=yaml", cwd=tmp_path)
    assert manifest_here("convert", "--to", "yaml", cwd=tmp_path) == expected
    assert expected.code == CLEAN


def test_fmt_leaves_them_alone(tmp_path: Path) -> None:
    (tmp_path / "box.activity-provider.json").write_bytes(VALID)
    (tmp_path / "manifest.json").write_bytes(WEB_APP)
    assert manifest_here("fmt", cwd=tmp_path).code == CLEAN
    assert (tmp_path / "manifest.json").read_bytes() == WEB_APP
