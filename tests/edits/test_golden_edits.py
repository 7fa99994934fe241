"""What a command makes of a file by hand: dropping `x.json` and `x.json.command` in adds a test.

The command goes without its file. `pytest --regenerate` writes `x.json.expected`; read it before
you commit it: is the difference one that a person would have made?
"""

from __future__ import annotations

import shlex
from pathlib import Path

from click.testing import CliRunner

from command import CLEAN, FINDINGS
from manifestkit.cli.main import app
from rows import rows

_GOLDEN = Path(__file__).with_name("golden")
_COMMANDS = sorted(_GOLDEN.glob("*.command"))


@rows("command", _COMMANDS, ids=lambda file: file.stem)
def test_a_command_edits_a_file_as_a_person_would(
    command: Path, tmp_path: Path, regenerate: bool
) -> None:
    file = tmp_path / f"x.manifest{Path(command.stem).suffix}"
    file.write_bytes(command.with_suffix("").read_bytes())
    arguments = shlex.split(command.read_text("utf-8"))
    outcome = CliRunner().invoke(app, [*arguments, str(file)], standalone_mode=False)
    assert outcome.exception is None
    assert outcome.return_value == CLEAN, outcome.output
    expected = command.with_suffix(".expected")
    if regenerate:
        expected.write_bytes(file.read_bytes())
    assert file.read_bytes() == expected.read_bytes()
    again = CliRunner().invoke(app, [*arguments, str(file)], standalone_mode=False)
    if arguments[0] != "remove":
        assert (again.return_value, "already" in again.output) == (CLEAN, True)
    elif not arguments[-1].endswith("/0"):
        assert (again.return_value, "there is no" in again.output) == (FINDINGS, True)
    if not arguments[-1].endswith("/0"):
        assert file.read_bytes() == expected.read_bytes()


def test_there_are_pairs_enough_and_each_is_whole() -> None:
    inputs = {command.stem for command in _COMMANDS}
    assert {file.stem for file in _GOLDEN.glob("*.expected")} == inputs
    assert len(inputs) >= 30
