"""`manifest new` at a terminal, and where there is none."""

from __future__ import annotations

import json
import os
import select
import subprocess
from pathlib import Path

import pytest

from command import CLEAN, MANIFEST, USAGE, Forked, environment
from manifestkit.cli.exit_codes import ExitCode
from report_cases import GOOD
from skips import posix
from test_new import ALL, findings, names_in


def test_off_a_terminal_nothing_is_waited_for(tmp_path: Path) -> None:
    """Standard input stays open and silent: who read from it would wait without end."""
    with subprocess.Popen(
        [*MANIFEST, "new"],
        cwd=tmp_path,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr
        told = process.stderr.read()
        assert process.wait(30) == USAGE
    names = ["--id", "--name", "--version", "--entrypoint", "--sdk-version", "--activity ID=NAME"]
    assert told.startswith(f"error: missing: {', '.join(names)}; answer with options")


def at_a_terminal(
    typed: str,
    *arguments: str,
    cwd: Path,
    then: tuple[bytes, bytes] | None = None,
    command: str = "new",
) -> tuple[int, str]:
    """Type at a new terminal when something is seen, and one thing more when another is.

    Returns:
        The exit code, and all that was seen.
    """
    import pty  # noqa: PLC0415 - not on Windows

    ours, theirs = pty.openpty()
    process = Forked(
        [command, *arguments],
        cwd,
        environment(NO_COLOR="1", TERM="xterm"),
        [Path(os.ttyname(theirs))] * 3,
        leads=True,  # Ctrl-C goes to whom the terminal belongs
    )
    seen = b""
    while ours in (ready := select.select([ours, process.sentinel], [], [], 60)[0]):
        piece = os.read(ours, 65536)
        if not seen:
            os.write(ours, typed.encode())
        seen += piece
        if then and then[0] in seen:
            os.write(ours, then[1])
            then = None
    assert ready, f"it still waits: {seen!r}"
    os.close(theirs)
    os.close(ours)
    return process.wait(30), seen.decode()


@posix
def test_at_a_terminal_answers_make_a_clean_manifest(tmp_path: Path) -> None:
    lines = ["com.acme.calm", "Calm", "v1", "dist/calm.js", ""]
    lines += ["box=Box breathing, box=Rest", "box=Box breathing, rest=Rest"]
    lines += ["host.haptic", "profile.basic, host.haptics", ""]
    code, seen = at_a_terminal("".join(f"{line}\n" for line in lines), cwd=tmp_path)
    seen = " ".join(seen.split())
    assert code == CLEAN, seen
    assert "note: /provider/version: `v1` is neither" in seen
    assert "ID=NAME, such as box-breathing=Box breathing" in seen
    assert "warning: " in seen
    assert '`"box"`' in seen
    assert "did you mean `host.haptics`?" in seen
    text = (tmp_path / "calm.activity-provider.json").read_text("utf-8")
    assert findings(text, "json") == ["version-form"]
    value = json.loads(text)
    assert value["provider"] == {"id": "com.acme.calm", "name": "Calm", "version": "v1"}
    assert value["runtime"]["sdk_version"] == "1.0"
    assert [each["id"] for each in value["activities"]] == ["box", "rest"]
    assert value["permissions"] == ["profile.basic", "host.haptics"]


@posix
def test_a_prompt_takes_an_answer_as_its_messages_write_it(tmp_path: Path) -> None:
    lines = ["com.acme.calm", "Calm", "1.0", "dist/calm.js", "1.0", "Evening walk"]
    lines += ["evening=Evening walk, dawn=Walk, at dawn", '{"id":"dawn","name":']
    lines += ['evening-walk="Evening walk", dawn="Walk, at dawn", b = Box ', "none", "none"]
    code, seen = at_a_terminal("".join(f"{line}\n" for line in lines), cwd=tmp_path)
    seen = " ".join(seen.split())
    assert code == CLEAN, seen
    assert 'write ID=NAME, such as `evening-walk="Evening walk"`, not' in seen
    assert 'put a name with a comma in quotes, `ID="One, two"`' in seen
    assert "such as `box-breathing=Box breathing`, not `{" in seen
    value = json.loads((tmp_path / "calm.activity-provider.json").read_text("utf-8"))
    assert {each["id"]: each["name"] for each in value["activities"]} == {
        "evening-walk": "Evening walk",
        "dawn": "Walk, at dawn",
        "b": "Box",
    }


@posix
def test_an_activity_without_a_name_is_asked_for_it(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps(GOOD))
    code, seen = at_a_terminal("Calm breathing\n", "activity", "calm", cwd=tmp_path, command="add")
    assert (code, "Name of calm: " in seen) == (CLEAN, True)
    added = json.loads((tmp_path / "manifest.json").read_text("utf-8"))["activities"][-1]
    assert added == {"id": "calm", "name": "Calm breathing"}


_ANSWERS = ["com.acme.calm", "Calm", "1.0", "dist/calm.js", "1.0"]
_NEEDS = {"/permissions": {"host.timer.start": ["host.timer"], "host.timer.cancel": ["host.timer"]}}


@posix
@pytest.mark.parametrize(
    ("profile", "lines", "code", "permissions"),
    [
        (
            {"required": ["mail"], "properties": {"mail": {"format": "email", "type": "string"}}},
            ["maybe", "box=Box", "none", "none", "calm", "calm@example.com"],
            CLEAN,
            [],
        ),
        (
            {"properties": {"activities": {"items": {"required": ["category"]}}}},
            ["box=Box=breathing", "none", "none"],
            CLEAN,
            [],
        ),
        (
            {"properties": {"capabilities": {"x-manifestkit": {"needs": _NEEDS}}}},
            ["box=Box", "none", "host.timer.start, host.timer.cancel", "y"],
            CLEAN,
            [],
        ),
        ({"minProperties": 9}, ["box=Box", "none", "none", "y"], CLEAN, []),
        ({"minProperties": 9}, ["box=Box", "none", "none", "n"], USAGE, None),
    ],
)
def test_no_answer_is_lost_to_what_a_profile_requires(
    profile: object, lines: list[str], code: int, permissions: object, tmp_path: Path
) -> None:
    (tmp_path / "host.json").write_text(json.dumps(profile))
    (tmp_path / "manifestkit.toml").write_text('profile = ["host.json"]')
    typed = "".join(f"{line}\n" for line in (*_ANSWERS, *lines))
    ended, seen = at_a_terminal(typed, "x.manifest.json", cwd=tmp_path)
    assert ended == code, seen
    assert (", not `maybe`" in seen) is ("maybe" in lines)
    if code == CLEAN:
        value = json.loads((tmp_path / "x.manifest.json").read_text("utf-8"))
        assert value["permissions"] == permissions


@posix
def test_with_all_given_nothing_is_asked_at_a_terminal(tmp_path: Path) -> None:
    code, seen = at_a_terminal("", "x.manifest.yaml", *ALL, cwd=tmp_path)
    assert (code, seen) == (
        CLEAN,
        "note: x.manifest.yaml is written; check it with `manifest lint x.manifest.yaml`\r\n",
    )


@posix
def test_a_file_in_the_way_is_told_before_the_next_question(tmp_path: Path) -> None:
    (tmp_path / "calm.activity-provider.json").write_text("mine")
    code, seen = at_a_terminal("com.acme.calm\n", cwd=tmp_path)
    assert code == USAGE
    assert "calm.activity-provider.json exists already" in seen
    assert "Provider name" not in seen


@posix
def test_an_interrupt_writes_nothing(tmp_path: Path) -> None:
    for key in (b"\x03", b"\x04"):
        # An interrupt between the prompt and the first wait for a key is seen with the next key.
        then = (b"version [1.0.0]: ", key + b"\n")
        code, seen = at_a_terminal("com.acme.calm\nCalm\n", cwd=tmp_path, then=then)
        assert code == ExitCode.INTERRUPTED, seen
    assert names_in(tmp_path) == []


@posix
def test_a_key_that_moves_the_cursor_moves_it(tmp_path: Path) -> None:
    arguments = [each for each in ALL if not each.startswith("--name")]
    left, home = "\x1b[D", "\x1b[H"
    typed = f"alm{home}C{left}{left}\n\n\n".encode()
    code, seen = at_a_terminal(
        "", "x.manifest.json", *arguments, cwd=tmp_path, then=(b"name [", typed)
    )
    assert code == CLEAN, seen
    value = json.loads((tmp_path / "x.manifest.json").read_text("utf-8"))
    assert value["provider"]["name"] == "Calm"


@posix
@pytest.mark.parametrize(
    "odd", ["Ca\u202elm", "Ca\u200blm", "Ca\x16\x01lm", "Ca\x16\x1b[1mlm"], ids=ascii
)
def test_what_nobody_sees_is_refused_at_once(tmp_path: Path, odd: str) -> None:
    arguments = [each for each in ALL if not each.startswith("--name")]
    typed = f"{odd}\nCalm\n\n\n".encode()
    code, seen = at_a_terminal(
        "", "x.manifest.json", *arguments, cwd=tmp_path, then=(b"name [", typed)
    )
    assert code == CLEAN, seen
    assert "warning: `provider.name` " in seen
    value = json.loads((tmp_path / "x.manifest.json").read_text("utf-8"))
    assert value["provider"]["name"] == "Calm"


@posix
def test_an_earlier_answer_comes_back_with_the_arrow_that_points_up(tmp_path: Path) -> None:
    arguments = [each for each in ALL if not each.startswith(("--name", "--version"))]
    up = "\x1b[A"
    typed = f"Calm\n{up}\n1.0.0\n\n\n".encode()
    code, seen = at_a_terminal(
        "", "x.manifest.json", *arguments, cwd=tmp_path, then=(b"name [", typed)
    )
    assert code in {CLEAN, ExitCode.INTERRUPTED}, seen
    assert "version [1.0.0]: Calm" in seen
