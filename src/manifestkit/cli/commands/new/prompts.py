"""Questions at a terminal: what is asked, what is said of an answer, and when it is taken."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import click

from manifestkit.authoring.answers import faults_of_answer, may_be_empty, with_answer, with_starters
from manifestkit.authoring.questions import Question, unanswered
from manifestkit.cli.console import show, style_for
from manifestkit.engine import Linter
from manifestkit.model.errors import AuthoringError
from manifestkit.model.finding import Severity
from manifestkit.model.pointer import Path
from manifestkit.model.printable import first_unseen
from manifestkit.render import visible
from manifestkit.render.escape import columns, padded
from manifestkit.schema.fields import Field

_BETWEEN = re.compile(r"[\s,]+")
_COMMAS = re.compile(r"\s*,\s*")
_NONE = "none"
_MANY_DIGITS = 5


def is_terminal() -> bool:
    """Whether there is someone to ask."""
    return sys.stdin.isatty() and sys.stderr.isatty()


class Asker:
    """Asks for what a manifest must have and has not, on standard error.

    Args:
        linter: judges each answer as soon as it is given.
        settled: called with the value after each answer; what it raises ends the questions.
    """

    def __init__(self, linter: Linter, settled: Callable[[Any], None]) -> None:
        self._linter = linter
        self._schema = linter.schema
        self._settled = settled
        self._style = style_for(sys.stderr, "auto")
        # Python lets lines be edited behind a prompt on standard output only.
        self._prompts_on_stderr = not sys.stdout.isatty()
        _let_lines_be_edited()

    def complete(self, value: Any) -> Any:
        """A copy of a value with an answer for everything that it must have and has not."""
        self._say("Enter takes what stands in [brackets]; with Ctrl-C nothing is written.")
        value = with_starters(self._schema, value, examples=False)
        for question in unanswered(self._schema, value):
            value = self._answered(value, question)
            self._settled(value)
        return value

    def _answered(self, value: Any, question: Question) -> Any:
        self._introduce(question)
        if question.kind == "objects":
            return self._with_objects(value, question)
        return self._once(value, question)

    def _introduce(self, question: Question) -> None:
        field = question.field
        title = field.title or str(question.path[-1])
        about = f": {visible(field.description)}" if field.description else ""
        self._say("")
        self._say(f"{self._style.paint('strong', visible(title))}{about}")
        values = (question.item if question.kind == "list" else field).values
        listing = [
            (self._shown_as(str(each)), self._shown_as(meaning or "")) for each, meaning in values
        ]
        width = max((columns(each) for each, _ in listing), default=0)
        for number, (each, meaning) in enumerate(listing, 1):
            listed = f"{number:>2}  {padded(each, width)}  {meaning}"
            self._say(listed.rstrip(), indent="  ", hanging="  " + " " * (width + 6))

    def _once(self, value: Any, question: Question) -> Any:
        """Ask until the answer is one that the linter says nothing of.

        An answer that it only has an opinion on is taken when it is given twice.
        """
        told: str | None = None
        while True:
            text = self._prompt(question)
            if unseen := first_unseen(text):
                odd = f"U+{ord(unseen):04X}"
                self._tell("error", f"that has a character that nobody sees, {odd}; type it anew")
                continue
            try:
                answer = self._read(text, question)
            except AuthoringError as problem:
                self._tell("error", str(problem))
                continue
            answered = with_answer(value, question.path, answer)
            faults = faults_of_answer(self._linter, answered, question.path)
            if not faults:
                return answered
            if text == told and all(each.severity is Severity.INFO for each in faults):
                return answered
            for fault in faults:
                help_text = f"; {fault.help}" if fault.help else ""
                self._tell(fault.severity.value, fault.message + help_text)
                if fault.severity is Severity.INFO:
                    self._say("  give the same answer again to keep it")
            told = text

    def _prompt(self, question: Question) -> str:
        hint = ""
        if question.kind == "list":
            by = "numbers or values" if question.item.values else "several"
            hint = f" ({by}, with {'spaces' if question.item.values else 'commas'} between)"
        elif question.kind == "json":
            hint = " (JSON)"
        default = self._shown(question)
        bracket = f" [{default}]" if default is not None else ""
        name = visible(str(question.path[-1]))
        answer: str = click.prompt(
            f"  {name}{hint}{bracket}",
            default="",
            show_default=False,
            err=self._prompts_on_stderr,
        )
        return answer.strip() or (default or "")

    def _shown(self, question: Question) -> str | None:
        if not question.offer:
            return None
        offer = question.offer[0]
        if isinstance(offer, list):
            return ", ".join(map(str, offer)) or _NONE
        return str(offer)

    def _read(self, text: str, question: Question) -> Any:
        if question.kind != "list":
            return question.answer([_numbered(text, question.field)])
        if text == _NONE or not text:
            return []
        between = _BETWEEN if question.item.values else _COMMAS
        given = [each for each in between.split(text) if each]
        return question.answer([_numbered(each, question.item) for each in given])

    def _with_objects(self, value: Any, question: Question) -> Any:
        thing = (question.item.title or "item").lower()
        count = 0
        is_optional = may_be_empty(self._linter, value, question)
        if is_optional and not click.confirm(
            f"  Add a {thing}?", default=False, err=self._prompts_on_stderr
        ):
            return with_answer(value, question.path, [])
        while True:
            value = self._with_object(value, (*question.path, count))
            count += 1
            if not click.confirm(
                f"\n  Another {thing}?", default=False, err=self._prompts_on_stderr
            ):
                return value

    def _with_object(self, value: Any, at: Path) -> Any:
        value = with_answer(value, at, {})
        for below in unanswered(self._schema, {}, at):
            value = self._answered(value, below)
        return value

    def _tell(self, severity: str, text: str) -> None:
        painted = self._style.paint(severity, f"{severity}:")
        self._say(f"{painted} {visible(text)}", indent="  ")

    def _shown_as(self, text: str) -> str:
        return self._style.writable(visible(text))

    def _say(self, text: str, indent: str = "", hanging: str | None = None) -> None:
        after = indent if hanging is None else hanging
        wrapped = click.wrap_text(text, self._style.width, indent, after) or text
        show(f"{wrapped}\n", sys.stderr, color=self._style.color)


def _let_lines_be_edited() -> None:
    """Let keys such as arrows move the cursor at a prompt, where Python has the library for it."""
    with suppress(ImportError):
        import readline  # noqa: F401, PLC0415 - there is none on Windows


def _numbered(text: str, field: Field) -> str:
    """A listed value by its number in the list; any other text as it is."""
    is_number = text.isascii() and text.isdigit() and len(text) < _MANY_DIGITS
    is_value = any(text == str(value) for value, _ in field.values)
    if is_number and not is_value and 0 < int(text) <= len(field.values):
        return str(field.values[int(text) - 1][0])
    return text
