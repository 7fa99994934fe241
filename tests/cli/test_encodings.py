"""Output in an encoding that has not every character: escaped where people read, else UTF-8."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

import manifestkit
from command import CLEAN, MANIFEST, environment
from manifestkit.rendering import FORMATS
from manifestkit.rendering.escape import Style
from rows import rows
from samples import VALID

ENCODINGS = ("ascii", "latin-1", "cp1252", "cp437", "shift_jis", "utf-8")
WRONG = '"nonsense"'


def run(
    *arguments: str, cwd: Path, encoding: str, **env: str
) -> subprocess.CompletedProcess[bytes]:
    """Run `manifest` with output in an encoding."""
    return subprocess.run(
        [*MANIFEST, *arguments],
        cwd=cwd,
        env=environment(PYTHONUTF8="0", PYTHONIOENCODING=encoding, **env),
        capture_output=True,
        timeout=60,
        check=False,
    )


def line(before: str, after: str = "") -> str:
    name, rest = (json.dumps(each, ensure_ascii=False) for each in (before, after))
    return f'{{"before": {name}, "permissions": [{WRONG}], "after": {rest}}}'


def above_the_marks(out: str) -> str:
    """What stands above the marks of the wrong permission, by the columns of a terminal."""
    block = next(each for each in out.split("\n\n") if "unknown-permission" in each)
    shown, marks = block.split("\n")[3:5]
    start = len(marks) - len(marks[4:].lstrip(" "))
    starts = [wcswidth(shown[:at]) for at in range(len(shown) + 1)]
    return shown[starts.index(start) : starts.index(start + marks.count("^"))]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_marks_stand_below_the_value_in_every_encoding(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "m.json").write_text(line("坐禅の時間 — é ½ ﾊﾝ" * 2, "ñ坐" * 60), "utf-8")
    done = run("lint", "m.json", "--output-format=full", cwd=tmp_path, encoding=encoding)
    assert above_the_marks(done.stdout.decode(encoding)) == WRONG


def test_marks_stand_below_the_value_where_the_locale_is_c(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(line("坐禅の時間" * 4), "utf-8")
    c = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
    done = run("lint", "m.json", "--output-format=full", cwd=tmp_path, encoding="", **c)
    assert above_the_marks(done.stdout.decode("ascii")) == WRONG


_texts = st.text(st.sampled_from("ab é½ßñ坐禅の—…ﾊ\u0301\U0001f6b6\t#vso[]"), max_size=60)


@given(_texts, _texts, st.sampled_from(ENCODINGS), st.integers(40, 140))
def test_marks_stand_below_the_value_in_any_line(
    before: str, after: str, encoding: str, width: int
) -> None:
    report = manifestkit.Report((manifestkit.lint(line(before, after), "m.json"),))
    out = "".join(FORMATS["full"](report, Style(width=width, encoding=encoding)))
    assert out.encode(encoding).decode(encoding) == out
    assert above_the_marks(out) == WRONG


@rows("parts", [("##", "[x]"), ("#", "#vso[x]"), ("##v", "so[x]"), ("a", "##[x]")])
def test_marks_stand_below_what_is_defused_with_its_neighbours(parts: tuple[str, str]) -> None:
    text = f"a: {parts[0]}"
    report = manifestkit.Report((manifestkit.lint(line(text).replace(WRONG, f'"{parts[1]}"')),))
    out = "".join(FORMATS["full"](report, Style()))
    assert "##[" not in out
    assert above_the_marks(out) in (f'"{parts[1]}"', f'"{parts[1]}"'.replace("##[", "#\\x23["))


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
@pytest.mark.parametrize("form", ["github", "markdown", "json"])
@pytest.mark.slow
def test_what_a_machine_reads_is_utf_8(tmp_path: Path, encoding: str, form: str) -> None:
    (tmp_path / "m.json").write_text(line("x").replace("nonsense", "né坐"), "utf-8")
    done, wanted = (
        run("lint", "m.json", f"--output-format={form}", cwd=tmp_path, encoding=each)
        for each in (encoding, "utf-8")
    )
    assert done.stdout == wanted.stdout


@pytest.mark.parametrize("encoding", ["shift_jis"])
@pytest.mark.parametrize(
    "arguments",
    [
        ("new", "--yes", "--name=né坐", "--dry-run"),
        ("new", "--yes", "--name=né坐", "--dry-run", "--format=yaml"),
        ("new", "m.json", "--fill", "--yes", "--dry-run"),
        ("schema",),
        ("fmt", "--diff", "m.json"),
        ("lint", "--diff", "m.json"),
    ],
    ids=" ".join,
)
@pytest.mark.slow
def test_a_document_or_a_diff_is_utf_8(
    tmp_path: Path, encoding: str, arguments: tuple[str, ...]
) -> None:
    value = {**json.loads(VALID), "name": "né坐"}
    value["permissions"] = ["host.timer", "host.timer"]
    del value["capabilities"]
    (tmp_path / "m.json").write_text(json.dumps(value, ensure_ascii=False), "utf-8")
    done = run(*arguments, cwd=tmp_path, encoding=encoding)
    assert done.stdout == run(*arguments, cwd=tmp_path, encoding="utf-8").stdout
    assert ("né坐" in done.stdout.decode()) == (arguments != ("schema",))


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_what_people_read_is_escaped_and_not_in_another_encoding(
    tmp_path: Path, encoding: str
) -> None:
    schema = {"required": ["a"], "properties": {"a": {"description": "Grün — 坐"}}}
    (tmp_path / "own.json").write_text(json.dumps(schema))
    (tmp_path / "manifestkit.toml").write_text('schema = "own.json"\n')
    explained = run("explain", "/a", cwd=tmp_path, encoding=encoding)
    assert explained.returncode == CLEAN
    assert "n \\u2014 \\u5750" in explained.stdout.decode(encoding)
    told = run("lint", "坐.json", cwd=tmp_path, encoding=encoding)
    assert told.stderr.decode(encoding).startswith("error: \\u5750.json: no such file")
