"""What people read is plain English: no help text, message or page has a phrase listed here."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import click
import pytest

from command import REPOSITORY
from manifestkit.cli.main import app
from rows import rows

ODD = {
    "is no X": r"(?<!here )\b(?:is|are) no (?!longer\b|more than\b)[a-zA-Z]",
    "knows no X": r"\bknows? no\b",
    "is none of": r"\b(?:is|are) none of\b",
    "likewise": r"\b(?:[Ll]ikewise|wholly)\b",
    "left alone": r"\b(?:left|leaves?|stands?) (?:\w+ )?alone\b",
    "to the byte": r"\bsame to the byte\b",
    "if you like": r"\bif you like\b",
    "is so already": r"\bso (?:already|now)\b|\balready so\b",
    "as they should be": r"\bas (?:it|they) should be\b",
    "no more": r"\b(?:is|are|finds|asks|calls|have|has)\b[^.;|]* no more(?! than\b)\b(?! )",
    "one form": r"\b(?:its|their) one form\b",
    "silent": r"\bdocument is silent\b",
    "silence": r"\bsilenc\w+",
    "stands on": r"\bstands? on\b",
    "speaks of": r"\b(?:speaks?|spoken) of\b",
    "says of": r"\b(?:says?|said) (?:nothing )?of\b",
    "too much to say": r"\bto say; the limit\b",
    "tells": r"\b(?:tells? (?:of|what|which|where|all)|is told|are told|told (?:as|under|at|of))\b",
    "is heard": r"\bis heard\b",
    "weighs": r"\bweigh",
    "mends": r"\bmend(?:s|ed|ing)?\b",
    "holds to": r"\b(?:held|holds? \w+) to\b",
    "takes for wrong": r"\bfor wrong\b",
    "demands": r"\bdemand(?:s|ed)?\b(?! the location)",
    "is due": r"\bis due\b",
    "laid down": r"\blaid down\b",
    "of its own": r"\bof (?:its|their|your) own\b(?! \w)",
    "all the same": r"\ball the same\b",
    "what becomes of it": r"\bbec(?:ame|omes?) of\b",
    "put right": r"\bput right\b",
    "amid": r"\bamid\b",
    "but for": r"\bbut for\b",
    "anew": r"\banew\b",
    "elsewhere than": r"\belsewhere than\b",
    "whoever": r"\b(?:whoever|whatever comes|somebody)\b",
    "slip": r"\bprobably a slip\b",
    "goes with": r"\b(?:goes?|went) with\b",
    "take for": r"\b(?:takes? (?:it|them|the \w+)? ?for|taken for)\b",
    "differently": r"\bread otherwise\b|\breads otherwise\b|\btake differently\b",
    "given twice": r"\b(?:given|there|named) twice\b",
}

_CLASS = re.compile(r"^ *class (\w+)", re.MULTILINE)
_QUESTION = re.compile(r'^ *"""(?:What|Whether|Where|How|The same)\b.*', re.MULTILINE)

_PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
    ".github/DEPENDENCIES.md",
    ".github/RELEASING.md",
    "examples/README.md",
    "tests/README.md",
    "editors/vscode/README.md",
]


def _helps(
    command: click.Command, name: str, within: click.Context | None = None
) -> Iterator[tuple[str, str]]:
    context = click.Context(command, within, info_name=name, **command.context_settings)
    yield context.command_path, command.get_help(context)
    if isinstance(command, click.Group):
        for each in command.list_commands(context):
            below = command.get_command(context, each)
            assert below is not None
            yield from _helps(below, each, context)


@rows("name", ["", "fleet", "profile"])
def test_what_a_subcommand_is_for_fits_its_line(name: str) -> None:
    context = click.Context(app, **app.context_settings)
    group = app.get_command(context, name) if name else app
    assert isinstance(group, click.Group)
    listed = group.get_help(click.Context(group, context, terminal_width=80))
    commands = [line.split()[0] for line in listed.splitlines() if re.match("  [a-z]", line)]
    assert set(group.list_commands(context)) <= set(commands)
    assert [line for line in listed.splitlines()[1:] if line.endswith("...")] == []


def _schema_texts(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for each in value:
            yield from _schema_texts(each)
    if isinstance(value, dict):
        for name, each in value.items():
            if isinstance(each, str) and name in _TEXTS:
                yield each
            elif name not in {"bad", "good", "examples"}:
                yield from _schema_texts(each)


_TEXTS = {"title", "description", "message", "help", "clause"}


def _messages(source: str) -> Iterator[str]:
    """The strings of a module that have words in them, but for docstrings."""
    tree = ast.parse(source)
    docstrings = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or id(node) in docstrings:
            continue
        if isinstance(node.value, str) and re.search(r"[a-z] [a-z]", node.value):
            yield node.value


def _texts() -> Iterator[tuple[str, str]]:
    """Every text, with its origin."""
    yield from _helps(app, "manifest")
    for path in [*map(REPOSITORY.joinpath, _PAGES), *REPOSITORY.glob("docs/**/*.md")]:
        yield path.name, path.read_text("utf-8")
    for path in REPOSITORY.glob("schemas/**/*.json"):
        for text in _schema_texts(json.loads(path.read_bytes())):
            yield path.name, text
    for path in REPOSITORY.glob("src/**/*.py"):
        for text in _messages(path.read_text("utf-8")):
            yield path.name, text


@cache
def _all_texts() -> list[tuple[str, str]]:
    return [(origin, " ".join(text.split())) for origin, text in _texts()]


@rows("odd", ODD)
def test_no_text_has_the_phrase(odd: str) -> None:
    found = [
        f"{origin}: …{text[max(0, match.start() - 40) : match.end() + 40]}…"
        for origin, text in _all_texts()
        for match in re.finditer(ODD[odd], text)
    ]
    assert found == []


def test_every_kind_of_text_is_looked_at() -> None:
    origins = {origin for origin, _ in _all_texts()}
    some = {"manifest lint", "README.md", "missing-field.md", "missing-field.schema.json"}
    assert some | {"messages.py"} <= origins


def test_no_docstring_begins_with_a_question_word() -> None:
    found = [
        f"{path.name}: {match[0].strip()}"
        for path in REPOSITORY.glob("src/**/*.py")
        for match in _QUESTION.finditer(path.read_text("utf-8"))
    ]
    assert found == []


def test_no_two_classes_have_one_name() -> None:
    classes = Counter(
        name
        for path in REPOSITORY.glob("src/**/*.py")
        for name in _CLASS.findall(path.read_text("utf-8"))
    )
    assert [name for name, count in classes.items() if count > 1] == []


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "tests/README.md"])
def test_a_page_for_contributors_names_files_that_exist(page: str) -> None:
    """A path with a word in capitals, such as `RULE.py`, stands for the file that one adds."""
    own = REPOSITORY / "src" / "manifestkit"
    folders = (REPOSITORY, REPOSITORY / "tests", own, own / "cli")
    named = re.findall(r"`([\w./-]+/[\w.-]*)`", (REPOSITORY / page).read_text("utf-8"))
    files = [each for each in named if not re.search(r"\b[A-Z]{4,}\b|_[A-Z]{4,}", each)]
    assert len(files) > 10
    assert [each for each in files if not any((one / each).exists() for one in folders)] == []


def test_a_docstring_names_modules_that_exist() -> None:
    sources = [*(REPOSITORY / "src").rglob("*.py"), *(REPOSITORY / "tools").glob("*.py")]
    modules = {each.name for each in sources}
    texts = [each.read_text("utf-8") for each in sources]
    named = {name for text in texts for name in re.findall(r"`(?:\w+/)*(\w+\.py)`", text)}
    assert len(named) > 10
    assert named - modules == set()
