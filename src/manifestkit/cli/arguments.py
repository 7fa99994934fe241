"""The words of `manifest add`, `get`, `set` and `remove`: the FILE among them, and the items.

Where they make no command, they are refused with what to write.
"""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import click

from manifestkit.cli.inputs import lists_here, schemas_here
from manifestkit.cli.options import ManifestCommand
from manifestkit.files import is_there
from manifestkit.findings.words import listed
from manifestkit.model.document import SUFFIXES
from manifestkit.model.pointer import format_pointer
from manifestkit.rendering.escape import visible

_NEGATIVE = re.compile(r"-\d.*")
_VALUE = re.compile(r"-\d|-?$|[^-]")
_FLAGS = {"--diff", "--force"}
_WHOLE = {".", "$", "#"}
_ASSIGNMENT = re.compile(r"""([^/=]*[\w\]"])=(.+)""", re.DOTALL)


class EditCommand(ManifestCommand):
    """Says what to write where the words make no command; takes a negative number."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; every option of such a command is a flag."""
        words = [each for each in args if _VALUE.match(each)]
        options = {each for each in args if each not in words and each != "--"}
        is_run = words and not ctx.resilient_parsing and options <= _FLAGS
        if is_run and (advice := _advice(ctx.info_name or "", words)):
            raise click.UsageError(advice, ctx)
        if ctx.info_name == "set" and "--" not in args and any(map(_NEGATIVE.fullmatch, args)):
            args = [*(each for each in args if each not in words), "--", *words]
        return super().parse_args(ctx, args)


def _advice(verb: str, words: list[str]) -> str:
    """Return what to write in place of words that make no command; empty where they may be one."""
    first = words[0]
    before = 2 if verb == "set" else 1
    files = [each for each in words[before:] if _is_document(each)]
    if len(files) > 1:
        return f"give one FILE at a time, not {visible(listed(files, 'and'))}"
    if verb == "add":
        return _advice_to_add(words, files)
    if _is_document(first):
        return f"a PLACE is missing before {visible(first)}, the FILE; the FILE is the last word"
    if verb == "get" and first in _WHOLE:
        return 'for the whole manifest, write `manifest get ""`'
    assigned = _ASSIGNMENT.fullmatch(first)
    if assigned and before > len([each for each in words if not _is_document(each)]):
        return f"write `{visible(shlex.join(('manifest', verb, *assigned.groups())))}`"
    if len(words) > before and words[before] and not _is_file(words[before]):
        return _advice_on_words(verb, words, before, files)
    if verb == "set" and _is_document(words[-1]) and first.lstrip("/") != "$schema" and not files:
        name = visible(words[-1])
        return f"a VALUE is missing before {name}; or, if that is the VALUE, a FILE after it"
    return ""


def _advice_on_words(verb: str, words: list[str], before: int, files: list[str]) -> str:
    """Return what to write where words stand before the FILE that are none of the command's."""
    first = words[0]
    names = {kind: name for schema in schemas_here() for kind, name in schema.kinds.items()}
    if before == 1 and first in names:
        place = format_pointer((names[first], words[1]))
        return f"write `{visible(shlex.join(('manifest', verb, place, *words[2:])))}`"
    if verb == "set" and re.search(r"\w[./]\w", first):
        meant = [first, " ".join(each for each in words[1:] if each not in files)]
        return f"write `{visible(shlex.join(('manifest', verb, *meant, *files)))}`"
    value = "" if before == 1 else ", and a VALUE with blanks in quotes"
    no_file = f"`{visible(words[before])}` is not a FILE"
    return f"{no_file}; write the PLACE as one word, as in `provider.version`{value}"


def _advice_to_add(words: list[str], files: list[str]) -> str:
    if files and files[0] != words[-1]:
        return f"{visible(files[0])} is the FILE, which is the last word"
    lists = lists_here().items()
    kinds = (kind for kind, of in lists if any(words[0] == value for value, _ in of.values))
    kind = next(kinds, "")
    return f"write `manifest add {kind} {visible(' '.join(words))}`" if kind else ""


def _is_document(name: str) -> bool:
    return Path(name).suffix in SUFFIXES and is_there(Path(name))


def _is_file(name: str) -> bool:
    """Return whether a last word is the FILE."""
    is_named_so = Path(name).suffix in SUFFIXES or name == "-"
    return is_named_so or (name != "" and is_there(Path(name)))


def file_and_items(kind: str, words: tuple[str, ...]) -> tuple[Path | None, tuple[str, ...]]:
    """Return the FILE and the items that words of `manifest add` name; None for no FILE.

    Raises:
        click.UsageError: there is no item, or items are not written as such.
    """
    last = words[-1]
    file, items = (Path(last), words[:-1]) if _is_file(last) else (None, words)
    if not items:
        raise click.UsageError(f"a VALUE is missing before {visible(last)}, the FILE")
    of = lists_here().get(kind)
    parts = [part for each in items for part in each.split(",")]
    if of and len(parts) > len(items) and {*dict(of.values)} >= {*parts}:
        raise click.UsageError(f"separate the values with spaces: {visible(' '.join(parts))}")
    if of and of.members:
        items = _named_items(items, of.label or "name")
    return file, items


def _named_items(items: tuple[str, ...], label: str) -> tuple[str, ...]:
    """Return items, each ID=NAME or an object; the name of a single one is asked for at a terminal.

    Raises:
        click.UsageError: a shell has split one; the text has it in one word.
    """
    bare = [at for at, each in enumerate(items) if "=" not in each and each[:1] != "{"]
    if not bare:
        return items
    if len(items) == 1 and sys.stdin.isatty() and sys.stderr.isatty():
        name = click.prompt(f"{label.capitalize()} of {visible(items[0])}", err=True)
        return (f"{items[0]}={name}",)
    if len(items) == 1:
        return items
    if bare[0] == 0 and " " in items[1]:
        rest = "; `manifest set` writes what else it has" if items[2:] else ""
        raise click.UsageError(f'write "{visible("=".join(items[:2]))}"{rest}')
    meant = " ".join(items[bare[0] - 1 :])
    if bare[0] == 0:
        meant = f"{items[0]}={' '.join(items[1:])}"
    if " " not in meant:  # which of the words is the name?
        raise click.UsageError('write ID=NAME, as in box="Box breathing"')
    raise click.UsageError(f'put what has blanks in quotes: "{visible(meant)}"')
