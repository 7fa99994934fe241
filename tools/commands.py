"""The reference of the commands, from the commands themselves."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping

import click

from manifestkit.cli.main import app

_INDEX = """# Commands

Generated from `manifest COMMAND --help`. [Shared options](options.md) and
[`manifest lint`](lint.md) describe the options and exit codes that several commands have.

"""
_OPTIONS = """# Shared options

Each option can also be set in the environment: `MANIFEST_LINT_FAIL_ON=warning` is
`manifest lint --fail-on warning`. Colours follow `--color`, then `FORCE_COLOR` or
`CLICOLOR_FORCE` (`0` turns them off), then `NO_COLOR`, then the terminal.

## Options

"""
_CODES = """
## Exit codes

Besides those on its page, a command can exit with:

"""
_SHARED_BY = 3
_OWN_CODES = ("- `0`", "- `1`")  # whose meanings are the command's
_WIDTH = 80
_EXIT_CODE = re.compile(r"(?m)^(\d+) +")


def pages() -> dict[str, str]:
    """Return the text of each page by its name: the index, the shared options, each command."""
    top = click.Context(app, info_name="manifest")
    contexts = {each.info_name or "": each for each in _subcommands(top)}
    places = _places(each for context in contexts.values() for each in _with_below(context))
    index = "".join(
        f"- [`manifest {name}`]({name}.md): {_summary(context.command)}\n"
        for name, context in contexts.items()
    )
    made = {"index.md": _INDEX + index, "options.md": _shared_page(places)}
    for name, context in contexts.items():
        sections = (
            part for each in _with_below(context) for part in _section(each, f"{name}.md", places)
        )
        made[f"{name}.md"] = "".join(sections).rstrip() + "\n"
    return made


def _subcommands(context: click.Context) -> Iterator[click.Context]:
    if isinstance(context.command, click.Group):
        for name in context.command.list_commands(context):
            if command := context.command.get_command(context, name):
                yield click.Context(command, parent=context, info_name=name)


def _with_below(context: click.Context) -> Iterator[click.Context]:
    yield context
    for each in _subcommands(context):
        yield from _with_below(each)


def _places(contexts: Iterator[click.Context]) -> dict[str, str]:
    """Return the page that describes an option or exit code of several commands, by its item."""
    items: Counter[str] = Counter()
    places: dict[str, str] = {}
    for context in contexts:
        own = (*_options(context), *_exit_codes(context.command))
        items.update(own)
        if context.command_path == "manifest lint":
            places |= dict.fromkeys(_options(context), "lint.md")
    often = {item: "options.md" for item, count in sorted(items.items()) if count >= _SHARED_BY}
    return {
        item: page for item, page in (often | places).items() if not item.startswith(_OWN_CODES)
    }


def _shared_page(places: Mapping[str, str]) -> str:
    shared = [item for item, page in places.items() if page == "options.md"]
    options = "".join(f"{item}\n" for item in shared if "`-" in item)
    codes = sorted((item for item in shared if "`-" not in item), key=lambda each: int(_name(each)))
    return f"{_OPTIONS}{options}{_CODES}" + "".join(f"{each}\n" for each in codes)


def _section(context: click.Context, page: str, places: Mapping[str, str]) -> Iterator[str]:
    command = context.command
    level = "#" * (len(context.command_path.split()) - 1)
    yield f"{level} {context.command_path}\n\n"
    yield f"{_prose(command.help or '')}\n\n"
    if isinstance(command, click.Group):  # whose subcommands follow, with examples and codes
        return
    usage = " ".join(command.collect_usage_pieces(context))
    wrapped = textwrap.wrap(
        f"{context.command_path} {usage}",
        _WIDTH,
        subsequent_indent="    ",
        break_on_hyphens=False,
        break_long_words=False,
    )
    yield "```text\n" + "\n".join(wrapped) + "\n```\n\n"
    items = _options(context)
    yield from (f"{each}\n" for each in items if places.get(each, page) == page)
    for other, title in (("lint.md", "As in `manifest lint`"), ("options.md", "Shared")):
        names = [f"`{_name(each)}`" for each in items if places.get(each) == other != page]
        if names:
            yield f"- [{title}]({other}): {', '.join(names)}.\n"
    yield "\n"
    for heading, body in _epilog(command):
        if heading == "Exit codes":
            yield "**[Exit codes](options.md#exit-codes)**\n\n"
            yield from (f"{each}\n" for each in _exit_codes(command) if each not in places)
            yield "\n"
        else:
            yield f"**{heading}**\n\n```text\n{body}\n```\n\n"


def _options(context: click.Context) -> list[str]:
    """Return an item of a list for each option of a command that has a description."""
    records = filter(None, (each.get_help_record(context) for each in context.command.params))
    return [f"- `{names}`: {_text(text)}" for names, text in records if text]


def _exit_codes(command: click.Command) -> list[str]:
    """Return an item of a list for each exit code of a command."""
    bodies = [body for heading, body in _epilog(command) if heading == "Exit codes"]
    parts = [_EXIT_CODE.split(body)[1:] for body in bodies]
    return [
        f"- `{code}`: {_text(text)}"
        for each in parts
        for code, text in zip(each[::2], each[1::2], strict=True)
    ]


def _name(item: str) -> str:
    """Return the first name in an item of a list."""
    return item.split("`")[1].split(maxsplit=1)[0].rstrip(",")


def _epilog(command: click.Command) -> Iterator[tuple[str, str]]:
    for block in re.split(r"(?m)^\x08\n", command.epilog or ""):
        heading, _, body = block.strip("\n").partition("\n")
        if heading:
            yield heading.rstrip(":"), textwrap.dedent(body).rstrip()


def _summary(command: click.Command) -> str:
    return _text(command.get_short_help_str(limit=200))


def _prose(text: str) -> str:
    """Return a help text as Markdown: what is not to be wrapped is code."""
    blocks = re.split(r"\n\s*\n", textwrap.dedent(text).strip())
    shown = []
    for each in blocks:
        if each.startswith("\b"):
            shown.append(f"```text\n{textwrap.dedent(each[1:].strip(chr(10)))}\n```")
        else:
            shown.append(_text(each))
    return "\n\n".join(shown)


def _text(text: str) -> str:
    """Return a text in one line, without what Markdown takes for HTML or emphasis outside code."""
    parts = re.split(r"(`[^`]*`)", " ".join(text.split()))
    return "".join(
        each if index % 2 else re.sub(r"([<>*_\[\]])", r"\\\1", each)
        for index, each in enumerate(parts)
    )
