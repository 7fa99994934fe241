"""Whatever a text is: the verdict in the table, and no command that loses a byte of it.

`texts.tsv` says what each is and what is due; `pytest --regenerate` writes it anew: read the
difference before you commit it. The heavy texts are compared by `each_alone.py`, each in a process
of its own.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from command import CLEAN, FINDINGS, USAGE
from in_process import manifest_here
from readers import UNSEEN, forged_commands
from verdicts import Verdict, heavy, light, table, texts, verdict, write_table

pytestmark = pytest.mark.slow

_LINT = ("lint", "--isolated", "--output-format=json")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with all texts that take no time."""
    monkeypatch.chdir(tmp_path)
    for name, _, data in light():
        (tmp_path / name).write_bytes(data)
    return tmp_path


def test_the_corpus_is_as_large_as_it_claims() -> None:
    assert len(light()) >= 300
    assert len(heavy()) >= 50
    assert table().keys() == {name for name, _, _ in texts()}


def test_each_text_gets_its_verdict(folder: Path, regenerate: bool) -> None:
    del folder
    found = {name: verdict(manifest_here(*_LINT, name)) for name, _, _ in light()}
    if regenerate:
        write_table(found | _verdicts_on_heavy_texts())
    due = table()
    assert found == {name: due[name] for name in found}
    assert all(each.rule for each in found.values() if each.code == str(FINDINGS))


def _verdicts_on_heavy_texts() -> dict[str, Verdict]:
    """As `each_alone.py` asks: with suppressions."""
    found = {}
    for name, _, data in heavy():
        Path(name).write_bytes(data)
        found[name] = verdict(manifest_here("lint", "--output-format=json", name))
    return found


def test_standard_input_gets_the_verdict_of_a_file(folder: Path) -> None:
    del folder
    due = table()
    for name, what, data in light()[::3]:
        outcome = manifest_here(*_LINT, "-", f"--stdin-filename={name}", stdin=data)
        assert verdict(outcome) == due[name], what


def test_what_is_shown_of_all_texts_is_harmless_and_bounded(folder: Path) -> None:
    del folder
    names = [name for name, _, _ in light()]
    for form in ("full", "concise"):
        outcome = manifest_here("lint", "--isolated", f"--output-format={form}", *names)
        assert not UNSEEN.search(outcome.out)
        assert forged_commands(outcome.out) == []
        assert len(outcome.out) < 2_000 * len(names)


def test_what_a_hook_runs_gives_the_verdict_or_skips_what_is_foreign(folder: Path) -> None:
    del folder
    due = table()
    for name, what, _ in light()[::3]:
        outcome = manifest_here("lint", "--force-exclude", "--output-format=json", name)
        assert verdict(outcome) in {due[name], ("0", "0", "", "", "")}, what


@pytest.mark.parametrize(
    "arguments",
    [
        ("fmt",),
        ("lint", "--isolated", "--fix", "--unsafe-fixes"),
        ("add", "permission", "host.timer"),
        ("set", "/provider/version", "2.0.0"),
        ("remove", "/provider"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_refused_change_leaves_every_byte(arguments: tuple[str, ...], folder: Path) -> None:
    due = table()
    for name, what, data in light():
        outcome = manifest_here(*arguments, name)
        assert outcome.code in {CLEAN, FINDINGS, USAGE}, what
        left = (folder / name).read_bytes()
        if outcome.code != CLEAN and arguments[0] != "lint":
            assert left == data, what
        if left != data:
            again = manifest_here(*_LINT, name)
            found = verdict(again)
            was_good = due[name].code == str(CLEAN) and arguments[0] != "remove"
            assert not was_good or found.code == str(CLEAN), what


@pytest.mark.parametrize("syntax", ["json", "yaml"])
def test_a_text_is_converted_to_the_same_value_or_told_why_not(syntax: str, folder: Path) -> None:
    due = table()
    for name, what, data in light():
        made = folder / f"made-{name}.{syntax}"
        outcome = manifest_here("convert", name, "--output", made.name)
        assert outcome.code in {CLEAN, FINDINGS}, what
        assert made.exists() == (outcome.code == CLEAN), what
        assert not UNSEEN.search(outcome.err), what
        assert forged_commands(outcome.err) == [], what
        assert (folder / name).read_bytes() == data, what
        if made.exists():
            found = verdict(manifest_here(*_LINT, made.name))
            assert found.code == due[name].code, what


def test_answers_of_any_content_make_a_manifest_or_none(folder: Path) -> None:
    for name, what, _ in light()[::2]:
        target = folder / f"made-{name}"
        outcome = manifest_here("new", target.name, "--yes", "--from", name)
        assert outcome.code in {CLEAN, USAGE}, what
        assert target.exists() == (outcome.code == CLEAN), what
        if target.exists():
            assert verdict(manifest_here(*_LINT, target.name)).code == str(CLEAN), what
