"""Prompts at a terminal, and when an answer is accepted."""

from __future__ import annotations

import re
import sys
from contextlib import suppress
from typing import Any

import click

from manifestkit.authoring.draft import Draft
from manifestkit.authoring.inputs import Input, plain
from manifestkit.cli.console import show, style_for
from manifestkit.model.errors import AuthoringError
from manifestkit.rendering.escape import columns, padded, visible

_NONE = "none"
_PIECE = re.compile(r'(?:="[^"]*"(?=\s*(?:,|$))|[^,])+')
_IN_QUOTES = re.compile(r'^([^"]*=)"([^"]*)"$')


class Prompter:
    """Prompts on standard error for what a manifest must have and has not."""

    def __init__(self) -> None:
        self._has_asked = False
        self._style = style_for(sys.stderr)
        # Python lets lines be edited behind a prompt on standard output only.
        self._prompts_on_stderr = not sys.stdout.isatty()
        with suppress(ImportError):  # keys such as arrows move the cursor, where Python has it
            import readline  # noqa: F401, PLC0415 - there is none on Windows

    @classmethod
    def at_terminal(cls) -> Prompter | None:
        """Return one where there is someone to ask."""
        return cls() if sys.stdin.isatty() and sys.stderr.isatty() else None

    def ask(self, draft: Draft, question: Input) -> Draft:
        """Return a draft with an answer to a question."""
        if not self._has_asked:
            self._has_asked = True
            self._say(
                "Press Enter to accept the value in [brackets], or Ctrl-C to cancel without "
                "writing."
            )
        self._introduce(question)
        while True:
            try:
                answered = draft.put(question.path, self._answer(question))
            except AuthoringError as problem:
                self._report("error", str(problem))
                continue
            findings = answered.objections(question.path)
            if not findings:
                return answered
            for finding in findings:
                help_text = f"; {finding.help}" if finding.help else ""
                self._report(finding.severity.value, finding.message + help_text)

    def may_write_anyway(self) -> bool:
        """Return whether a manifest with findings is written: no answer to a prompt is lost."""
        return self._has_asked and click.confirm(
            "Write the manifest anyway?", prompt_suffix=" ", err=self._prompts_on_stderr
        )

    def _introduce(self, entry: Input) -> None:
        field = entry.field
        title = field.title or str(entry.path[-1])
        about = f": {visible(field.description)}" if field.description else ""
        self._say(f"\n{self._style.paint('strong', visible(title))}{about}")
        values = [
            tuple(self._style.writable(visible(text)) for text in (plain(each), meaning or ""))
            for each, meaning in entry.single.field.values
        ]
        width = max((columns(each) for each, _ in values), default=0)
        for each, meaning in values:
            self._say(f"{padded(each, width)}  {meaning}".rstrip(), "  ", " " * (width + 4))

    def _answer(self, entry: Input) -> Any:
        hint = f" ({entry.form})" if entry.form else ""
        if entry.item:
            form = f" {entry.form}, such as {visible(entry.example)}" if entry.example else ""
            hint = f" (several{form or (entry.form and ' JSON')}, with commas between)"
        default = _shown(entry.offer)
        bracket = f" [{default}]" if default is not None else ""
        text: str = click.prompt(
            f"  {visible(str(entry.path[-1]))}{hint}{bracket}",
            default=default or "",
            show_default=False,
            err=self._prompts_on_stderr,
        ).strip()
        if not entry.item:
            return entry.value([text])
        pieces = [text] if text.startswith("{") else _PIECE.findall(text)
        given = [_IN_QUOTES.sub(r"\1\2", each.strip()) for each in pieces if text != _NONE]
        try:
            return entry.value([each for each in given if each])
        except AuthoringError as problem:
            do = '; put a name with a comma in quotes, `ID="One, two"`' if given[1:] else ""
            raise AuthoringError(f"{problem}{do if entry.example else ''}") from None

    def _report(self, severity: str, text: str) -> None:
        painted = self._style.paint(severity, f"{severity}:")
        self._say(f"{painted} {visible(text)}", "  ", "  ")

    def _say(self, text: str, indent: str = "", hanging: str = "") -> None:
        wrapped = click.wrap_text(text, self._style.width, indent, hanging) or text
        show(f"{wrapped}\n", sys.stderr, color=self._style.color)


def _shown(offer: tuple[Any, ...]) -> str | None:
    if not offer or offer[0] is None:
        return None
    if isinstance(offer[0], list):
        return ", ".join(map(plain, offer[0])) or _NONE
    return plain(offer[0])
