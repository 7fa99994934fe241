"""Whoever writes what a message says never reads the same message again."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from command import FINDINGS, USAGE
from in_process import manifest_here
from rows import rows
from test_first_tries import FILES, Try

_MOST_STEPS = 12
_KEY = r"^\s*\"?{}\"?\s*[=:].*$"
_TOLD = r"(?:error|note): "
_EXAMPLE = r"(?:write|add)(?:, for example,)? "


def _in_line(tried: Try, file: str, number: str, text: str) -> None:
    lines = tried.files[file].split("\n")
    lines[int(number) - 1] = text
    tried.files[file] = "\n".join(lines)


def _instead_of_key(tried: Try, file: str, key: str, text: str, place: str = "") -> None:
    """Write an option in place of another: there, in the table that is named, or above all."""
    line = re.compile(_KEY.format(re.escape(key.rpartition(".")[2])), re.MULTILINE)
    before, table = tried.files[file], re.search(r"\[+\w+\]+", place or "")
    if place:
        rest = line.sub("", before)
        tried.files[file] = f"{rest}\n{table[0]}\n{text}\n" if table else f"{text}\n{rest}"
    elif line.search(before):
        tried.files[file] = line.sub(lambda _: text, before, count=1)
    else:  # a table that has that name
        named = rf"(?ms)^\[+{key}(?:\.[\w-]+)*\]+\n.*?(?=^\[|\Z)"
        tried.files[file] = f"{text}\n{re.sub(named, '', before)}"


def _added(tried: Try, file: str, text: str) -> None:
    tried.files[file] += f"\n{text}\n"


def _replaced(tried: Try, wrong: str, right: str) -> None:
    """Replace a word wherever it stands: in the command, in a TOML text, in a JSON text."""
    tried.commands[:] = [
        shlex.join(
            right if each == wrong else each.replace(f"={wrong}", f"={right}") for each in words
        )
        if "=" not in words[0]
        else " ".join(words).replace(wrong, right)
        for words in map(shlex.split, tried.commands)
    ]
    for say in (json.dumps, "[{}]".format, "[{},".format, " {}]".format, "{} =".format):
        for name, text in tried.files.items():
            tried.files[name] = text.replace(say(wrong), say(right))


def _in_schema(tried: Try, file: str, number: str, column: str, text: str) -> None:
    """Write a value, or a keyword with its value, at a place in a JSON file."""
    whole, decoder = tried.files[file], json.JSONDecoder()
    at = sum(len(each) + 1 for each in whole.split("\n")[: int(number) - 1]) + int(column) - 1
    end = decoder.raw_decode(whole, at)[1]
    if colon := re.compile(r"\s*:\s*").match(whole, end):
        end = decoder.raw_decode(whole, colon.end())[1]
    above = re.sub(r'"[\w-]+"\s*:\s*$', "", whole[:at]) if '": ' in text[:20] else whole[:at]
    tried.files[file] = f"{above}{text}{whole[end:]}"


def _option(tried: Try, wrong: str, right: str) -> None:
    filled = re.sub(r"\bRULE\b", "version-form", right).replace("FORMAT=FILE", "json=out.json")
    tried.commands[:] = [each.replace(wrong, filled) for each in tried.commands]


def _in_new_folder(tried: Try, folder: str, command: str) -> None:
    tried.files[f"{folder}/README.md"] = ""
    tried.commands[:] = [command]


def _in_its_place(tried: Try, command: str) -> None:
    tried.commands[:] = [command]


_FOLLOWED: dict[str, Callable[..., None]] = {
    rf"{_TOLD}(\S+):(\d+):\d+: `.*` is not TOML: .*; write `(.*)`": _in_line,
    rf"{_TOLD}(\S+\.toml)(?::\d+)?: .*has no `[^`]+`; {_EXAMPLE}`(.*)`": _added,
    rf"{_TOLD}(\S+\.toml)(?::\d+)?: (?:\S+: )?unknown option `([^`]+)`; {_EXAMPLE}`([^`]+ = [^`]*)`"
    r"( in `[^`]+`| above all tables)?": _instead_of_key,
    rf"{_TOLD}(\S+\.toml)(?::\d+)?: `?([^`\s:]+)`?.*; .*{_EXAMPLE}`([\w-]+ = [^`]*)`"
    r"(?: in `\[severity\]`)?": _instead_of_key,
    rf"{_TOLD}.*; did you mean `mkdir -p (\S+) && (manifest [^`]+)`\?": _in_new_folder,
    rf"{_TOLD}there is no option `(\S+)`; did you mean `([^`]+)`\?": _option,
    rf"{_TOLD}.*unknown (?:option|rule) `([^`]+)`; did you mean `([^`]+)`\?": _replaced,
    rf"{_TOLD}`--[\w-]+`: `[^`]+` is not (?:one of|RULE=LEVEL).*; "
    r"did you mean `(manifest [^`]+)`\?": _in_its_place,
    rf"{_TOLD}the variable (\S+) is not read; set (\S+)": _option,
    rf"{_TOLD}\S+: `\[([^`]+)\]` is not read; write `\[([^`]+)\]`": _replaced,
    rf"{_TOLD}(\S+\.json):(\d+):(\d+): .*; write `((?:\"[\w-]+\": )?(?:[\"\[{{\d].*|true|false))`"
    r"(?: in place of .*)?": _in_schema,
    rf"{_TOLD}\S+:\d+:\d+: `(.+?)` .*(?:did you mean|write) `([^`]+)`\??": _replaced,
}
"""What a line says, and how it is followed."""


def _follow(line: str, tried: Try) -> bool:
    for said, follow in _FOLLOWED.items():
        if found := re.fullmatch(said, line):
            named = found.groupdict()
            follow(tried, *(() if named else found.groups()), **named)
            return True
    return False


@rows("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_advice_does_not_lead_in_a_circle(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried, seen = Try.read(file), set[str]()
    lines = Try.expected(file).splitlines()  # another test tells that the first is so
    for step in range(_MOST_STEPS):
        if step:
            folder = tmp_path / str(step)
            folder.mkdir()
            monkeypatch.chdir(folder)
            lines = tried.output(folder).splitlines()
        assert seen.isdisjoint(lines)
        followed = next((line for line in lines if _follow(line, tried)), None)
        if followed is None:
            return
        seen.add(followed)
    pytest.fail(f"after {_MOST_STEPS} steps there is still advice: {seen}")


@rows(
    ("option", "typed"),
    [
        ("--domain", "https://a.example"),
        ("--domain", "http://calm.localhost:37761/"),
        ("--domain", "calm.localhost:37761"),
        ("--domain", "a.b/c/d"),
        ("--base-url", "api.example.org"),
        ("--base-url", "api.example.org/api"),
        ("--base-url", "localhost:8080/api/cli/login"),
        ("--base-url", "http://api.example.org"),
        ("--base-url", "http://a.example:80/api/"),
        ("--base-url", "http://host.docker.internal:8080/api"),
        ("--base-url", "https://a.example/api/v1"),
    ],
)
def test_a_host_that_is_told_is_taken_the_next_time(
    option: str, typed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dist").mkdir()
    said = manifest_here("deploy", "dist", "--dry-run", option, typed)
    told = re.search(r"(?:--domain |; write `|use (?:--base-url )?)([^\s`]+)`?[^`]*$", said.err)
    assert told
    again = manifest_here("deploy", "dist", "--dry-run", option, told[1])
    assert (said.code, again.code) == (USAGE, FINDINGS), again.err  # the folder is empty


@rows("said", _FOLLOWED)
def test_each_kind_of_advice_is_given(said: str) -> None:
    texts = (file.read_text("utf-8") for file in FILES)
    assert any(re.search(f"(?m)^{said}$", text) for text in texts)
