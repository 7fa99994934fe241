"""The reference of the commands, from the commands themselves."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from html import escape

import click

from manifestkit.cli.main import app

_HEAD = """# Commands

Each command with its options, generated from `manifest COMMAND --help`. Each option can also be set
in the environment: `MANIFEST_LINT_FAIL_ON=warning` is `manifest lint --fail-on warning`.

"""
_WIDTH = 80
_EXIT_CODE = re.compile(r"(?m)^(\d+) +")


def page() -> str:
    """Return the page."""
    context = click.Context(app, info_name="manifest")
    named = {name: app.get_command(context, name) for name in app.list_commands(context)}
    commands = {name: command for name, command in named.items() if command}
    rows = []
    parts = [_HEAD]
    for name, command in commands.items():
        rows.append(f"| [`manifest {name}`](#manifest-{name}) | {_summary(command)} |\n")
    parts += ["| command | description |\n| --- | --- |\n", *rows, "\n"]
    for name, command in commands.items():
        with click.Context(command, parent=context, info_name=name) as own:
            parts += _section(command, own)
    return "".join(parts).rstrip() + "\n"


def _section(command: click.Command, context: click.Context) -> Iterator[str]:
    level = "#" * len(context.command_path.split())
    yield f"{level} {context.command_path}\n\n"
    yield f"{_prose(command.help or '')}\n\n"
    usage = " ".join(command.collect_usage_pieces(context))
    wrapped = textwrap.wrap(
        f"{context.command_path} {usage}",
        _WIDTH,
        subsequent_indent="    ",
        break_on_hyphens=False,
        break_long_words=False,
    )
    yield "```text\n" + "\n".join(wrapped) + "\n```\n\n"
    records = [each.get_help_record(context) for each in command.params]
    described = [(names, text) for names, text in filter(None, records) if text]
    if described:
        yield "| option | description |\n| --- | --- |\n"
        yield from (f"| {_code(names)} | {_cell(text)} |\n" for names, text in described)
        yield "\n"
    for block in re.split(r"(?m)^\x08\n", command.epilog or ""):
        heading, _, body = block.strip("\n").partition("\n")
        if heading:
            yield f"**{heading.rstrip(':')}**\n\n{_block(textwrap.dedent(body).rstrip())}\n\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            if below := command.get_command(context, name):
                with click.Context(below, parent=context, info_name=name) as own:
                    yield from _section(below, own)


def _block(body: str) -> str:
    """Return a part of the epilog: a table if it is one of exit codes, else as it is."""
    codes = _EXIT_CODE.split(body)
    if codes[0]:
        return f"```text\n{body}\n```"
    rows = zip(codes[1::2], codes[2::2], strict=True)
    lines = "".join(f"| {code} | {_cell(text)} |\n" for code, text in rows)
    return f"| code | meaning |\n| --- | --- |\n{lines}".rstrip()


def _summary(command: click.Command) -> str:
    return _cell(command.get_short_help_str(limit=200))


def _prose(text: str) -> str:
    """Return a help text as Markdown: what is not to be wrapped is code."""
    blocks = re.split(r"\n\s*\n", textwrap.dedent(text).strip())
    shown = []
    for each in blocks:
        if each.startswith("\b"):
            shown.append(f"```text\n{textwrap.dedent(each[1:].strip(chr(10)))}\n```")
        else:
            shown.append(_escaped(" ".join(each.split())))
    return "\n\n".join(shown)


def _code(names: str) -> str:
    """Names as code. Forges end a cell at a bar in code; the site shows a backslash before it."""
    if "|" not in names:
        return f"`{names}`"
    return f"<code>{escape(names).replace('|', '&#124;')}</code>"


def _cell(text: str) -> str:
    return _escaped(" ".join(text.split())).replace("|", "\\|")


def _escaped(text: str) -> str:
    """Return a text without what Markdown takes for HTML or emphasis; code in it stays."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(
        each if index % 2 else re.sub(r"([<>*_\[\]])", r"\\\1", each)
        for index, each in enumerate(parts)
    )
