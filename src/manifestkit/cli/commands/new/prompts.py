"""Prompts at a terminal, and when an answer is accepted."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import count
from typing import Any

import click

from manifestkit.authoring.inputs import Input, missing_inputs, plain
from manifestkit.authoring.starter import findings_at, may_be_empty, with_starters, with_value
from manifestkit.cli.console import confirm, show, style_for
from manifestkit.edits.patch import apply_patch
from manifestkit.engine import Policy
from manifestkit.model.errors import AuthoringError
from manifestkit.model.finding import Finding, Fix, Severity
from manifestkit.model.pointer import Path
from manifestkit.model.printable import first_unseen, kind_of_unseen
from manifestkit.rendering import visible
from manifestkit.rendering.escape import columns, padded
from manifestkit.schema.fields import Field

_BETWEEN = re.compile(r"[\s,]+")
_COMMAS = re.compile(r"\s*,\s*")
_NONE = "none"
_MANY_DIGITS = 5


def is_terminal() -> bool:
    """Return whether there is someone to ask."""
    return sys.stdin.isatty() and sys.stderr.isatty()


class Prompter:
    """Prompts for what a manifest must have and has not, on standard error.

    Args:
        policy: judges each answer as soon as it is given.
        check: called with the value after each answer; what it raises ends the prompts.
        defaults: what to offer in place of the schema's examples.
    """

    def __init__(
        self, policy: Policy, check: Callable[[Any], None], defaults: Mapping[Path, Any]
    ) -> None:
        self._policy = policy
        self._schema = policy.described
        self._check = check
        self._defaults = defaults
        self._style = style_for(sys.stderr)
        # Python lets lines be edited behind a prompt on standard output only.
        self._prompts_on_stderr = not sys.stdout.isatty()
        with suppress(ImportError):  # keys such as arrows move the cursor, where Python has it
            import readline  # noqa: F401, PLC0415 - there is none on Windows

    def complete(self, value: Any) -> Any:
        """Return a copy of a value with an answer for everything that it must have and has not."""
        self._say(
            "Press Enter to accept the value in [brackets], or Ctrl-C to cancel without writing."
        )
        value = with_starters(self._schema, value, examples=False)
        for entry in missing_inputs(self._schema, value):
            value = self._completed(value, entry)
            self._check(value)
        return self._with_needs(value)

    def _with_needs(self, value: Any) -> Any:
        """Offer the changes elsewhere that answers need: the permission for a capability, say."""
        offered: set[str] = set()
        while True:
            found = findings_at(self._policy, value, ())
            fixes = ((each, fix) for each in found if (fix := _fix_elsewhere(each)))
            needs = {f"{each.message}: {fix.message}?": fix.patch for each, fix in fixes}
            question = next((each for each in needs if each not in offered), None)
            if question is None:
                return value
            offered.add(question)
            if confirm(f"\n  {visible(question)}", default=True, err=self._prompts_on_stderr):
                value = apply_patch(value, needs[question])

    def _completed(self, value: Any, entry: Input) -> Any:
        self._introduce(entry)
        if entry.takes_objects:
            return self._with_objects(value, entry)
        return self._once(value, entry)

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

    def _once(self, value: Any, entry: Input) -> Any:
        """Ask until the answer is one that the linter says nothing of.

        An answer that it only has an opinion on is taken when it appears twice.
        """
        previous: str | None = None
        while True:
            text = self._prompt(entry)
            controls = (each for each in text if unicodedata.category(each) == "Cc")
            if unseen := first_unseen(text) or next(controls, None):
                odd = f"{kind_of_unseen(unseen)}, U+{ord(unseen):04X}"
                self._report("error", f"that contains {odd}; type it again")
                continue
            try:
                answer = self._read(text, entry)
            except AuthoringError as problem:
                self._report("error", str(problem))
                continue
            completed = with_value(value, entry.path, answer)
            found = findings_at(self._policy, completed, entry.path)
            findings = [each for each in found if not _fix_elsewhere(each)]
            if not findings:
                return completed
            if text == previous and all(each.severity is Severity.INFO for each in findings):
                return completed
            for finding in findings:
                help_text = f"; {finding.help}" if finding.help else ""
                self._report(finding.severity.value, finding.message + help_text)
                if finding.severity is Severity.INFO:
                    self._say("  type the same answer again to keep it")
            previous = text

    def _prompt(self, entry: Input) -> str:
        hint = ""
        if entry.item:
            by = "numbers or values" if entry.item.field.values else "several"
            hint = f" ({by}, with {'spaces' if entry.item.field.values else 'commas'} between)"
        elif entry.kind == "json":
            hint = " (JSON)"
        default = self._shown(entry)
        bracket = f" [{default}]" if default is not None else ""
        name = visible(str(entry.path[-1]))
        answer: str = click.prompt(
            f"  {name}{hint}{bracket}",
            default="",
            show_default=False,
            err=self._prompts_on_stderr,
        )
        return answer.strip() or (default or "")

    def _shown(self, entry: Input) -> str | None:
        offers = (self._defaults.get(entry.path), *entry.offer)
        offer = next((each for each in offers if each is not None), None)
        if offer is None:
            return None
        if isinstance(offer, list):
            return ", ".join(map(plain, offer)) or _NONE
        return plain(offer)

    def _read(self, text: str, entry: Input) -> Any:
        if not entry.item:
            return entry.value([_numbered(text, entry.field)])
        if text == _NONE or not text:
            return []
        between = _BETWEEN if entry.item.field.values else _COMMAS
        given = [each for each in between.split(text) if each]
        return entry.value([_numbered(each, entry.item.field) for each in given])

    def _with_objects(self, value: Any, entry: Input) -> Any:
        thing = (entry.single.field.title or "item").lower()
        is_optional = may_be_empty(self._policy, value, entry.path)
        if is_optional and not confirm(f"  Add a {thing}?", err=self._prompts_on_stderr):
            return with_value(value, entry.path, [])
        for number in count():
            at = (*entry.path, number)
            value = with_value(value, at, {})
            for below in missing_inputs(self._schema, {}, at):
                value = self._completed(value, below)
            if not confirm(f"\n  Another {thing}?", err=self._prompts_on_stderr):
                break
        return value

    def _report(self, severity: str, text: str) -> None:
        painted = self._style.paint(severity, f"{severity}:")
        self._say(f"{painted} {visible(text)}", indent="  ")

    def _shown_as(self, text: str) -> str:
        return self._style.writable(visible(text))

    def _say(self, text: str, indent: str = "", hanging: str | None = None) -> None:
        after = indent if hanging is None else hanging
        wrapped = click.wrap_text(text, self._style.width, indent, after) or text
        show(f"{wrapped}\n", sys.stderr, color=self._style.color)


def _fix_elsewhere(finding: Finding) -> Fix | None:
    """Return the fix of a finding that changes other values only."""
    own = f"{finding.pointer}/"
    for fix in finding.fixes:
        if fix.patch and not any(f"{each['path']}/".startswith(own) for each in fix.patch):
            return fix
    return None


def _numbered(text: str, field: Field) -> str:
    """Return a listed value by its number in the list; any other text as it is."""
    is_number = text.isascii() and text.isdigit() and len(text) < _MANY_DIGITS
    is_value = any(text == plain(value) for value, _ in field.values)
    if is_number and not is_value and 0 < int(text) <= len(field.values):
        return plain(field.values[int(text) - 1][0])
    return text
