"""Prompts at a terminal, and when an answer is accepted."""

from __future__ import annotations

import re
import sys
from contextlib import suppress
from itertools import count
from typing import Any

import click

from manifestkit.authoring.draft import Draft
from manifestkit.authoring.inputs import Input, plain
from manifestkit.cli.console import error, show, style_for
from manifestkit.model.errors import AuthoringError
from manifestkit.rendering.escape import columns, padded, visible
from manifestkit.schema.model import Field

_BETWEEN = re.compile(r"[\s,]+")
_COMMAS = re.compile(r",")
_NONE = "none"
_ANSWERS = {"y": True, "yes": True, "n": False, "no": False}
_MANY_DIGITS = 5


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
        if question.takes_objects:
            return self._with_objects(draft, question)
        return self._once(draft, question)

    def confirm(self, question: str) -> bool:
        """Return whether the answer is yes, as it is without a word."""
        return self._confirm(f"\n  {visible(question)}", default=True)

    def may_write_anyway(self) -> bool:
        """Return whether a manifest with findings is written: no answer to a prompt is lost."""
        question = "Write the manifest anyway?"
        return self._has_asked and self._confirm(question)

    def _confirm(self, question: str, *, default: bool = False) -> bool:
        """Ask until the answer is yes or no."""
        choices = "Y/n" if default else "y/N"
        while True:
            answer = self._answer(f"{question} [{choices}]").lower()
            if answer in _ANSWERS:
                return _ANSWERS[answer]
            if not answer:
                return default
            error("answer y for yes or n for no")

    def _answer(self, prompt: str) -> str:
        answer: str = click.prompt(
            prompt, default="", show_default=False, err=self._prompts_on_stderr
        )
        return answer.strip()

    def _introduce(self, entry: Input) -> None:
        field = entry.field
        title = field.title or str(entry.path[-1])
        about = f": {visible(field.description)}" if field.description else ""
        self._say("")
        self._say(f"{self._style.paint('strong', visible(title))}{about}")
        values = entry.single.field.values
        listing = [
            (self._shown_as(plain(each)), self._shown_as(meaning or "")) for each, meaning in values
        ]
        width = max((columns(each) for each, _ in listing), default=0)
        for number, (each, meaning) in enumerate(listing, 1):
            listed = f"{number:>2}  {padded(each, width)}  {meaning}"
            self._say(listed.rstrip(), indent="  ", hanging="  " + " " * (width + 6))

    def _once(self, draft: Draft, entry: Input) -> Draft:
        """Ask until there is no objection to the answer."""
        while True:
            text = self._prompt(draft, entry)
            try:
                answered = draft.put(entry.path, self._read(text, entry))
            except AuthoringError as problem:
                self._report("error", str(problem))
                continue
            findings = answered.objections(entry.path)
            if not findings:
                return answered
            for finding in findings:
                help_text = f"; {finding.help}" if finding.help else ""
                self._report(finding.severity.value, finding.message + help_text)

    def _prompt(self, draft: Draft, entry: Input) -> str:
        hint = ""
        if entry.item:
            by = "numbers or values" if entry.item.field.values else "several"
            hint = f" ({by}, with {'spaces' if entry.item.field.values else 'commas'} between)"
        elif entry.kind == "json":
            hint = " (JSON)"
        default = _shown(draft.offer(entry))
        bracket = f" [{default}]" if default is not None else ""
        name = visible(str(entry.path[-1]))
        return self._answer(f"  {name}{hint}{bracket}") or (default or "")

    def _read(self, text: str, entry: Input) -> Any:
        if not entry.item:
            return entry.value([_numbered(text, entry.field)])
        if text == _NONE or not text:
            return []
        between = _BETWEEN if entry.item.field.values else _COMMAS
        given = [each.strip() for each in between.split(text) if each.strip()]
        return entry.value([_numbered(each, entry.item.field) for each in given])

    def _with_objects(self, draft: Draft, entry: Input) -> Draft:
        thing = (entry.single.field.title or "item").lower()
        is_optional = draft.may_be_empty(entry)
        if is_optional and not self._confirm(f"  Add a {thing}?"):
            return draft.put(entry.path, [])
        for number in count():
            at = (*entry.path, number)
            draft = draft.put(at, {})
            for below in draft.missing(at):
                draft = self.ask(draft, below)
            if not self._confirm(f"\n  Another {thing}?"):
                break
        return draft

    def _report(self, severity: str, text: str) -> None:
        painted = self._style.paint(severity, f"{severity}:")
        self._say(f"{painted} {visible(text)}", indent="  ")

    def _shown_as(self, text: str) -> str:
        return self._style.writable(visible(text))

    def _say(self, text: str, indent: str = "", hanging: str | None = None) -> None:
        after = indent if hanging is None else hanging
        wrapped = click.wrap_text(text, self._style.width, indent, after) or text
        show(f"{wrapped}\n", sys.stderr, color=self._style.color)


def _shown(offer: tuple[Any, ...]) -> str | None:
    if not offer or offer[0] is None:
        return None
    if isinstance(offer[0], list):
        return ", ".join(map(plain, offer[0])) or _NONE
    return plain(offer[0])


def _numbered(text: str, field: Field) -> str:
    """Return a listed value by its number in the list; any other text as it is."""
    is_number = text.isascii() and text.isdigit() and len(text) < _MANY_DIGITS
    is_value = any(text == plain(value) for value, _ in field.values)
    if is_number and not is_value and 0 < int(text) <= len(field.values):
        return plain(field.values[int(text) - 1][0])
    return text
