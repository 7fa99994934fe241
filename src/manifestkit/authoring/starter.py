"""A manifest that is made, or completed, by the questions of its schema."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from manifestkit.authoring.answers import Answers, place_in
from manifestkit.authoring.changes import filled
from manifestkit.authoring.draft import Draft, joined
from manifestkit.authoring.inputs import Input
from manifestkit.authoring.project import project_values
from manifestkit.authoring.text import Destination, as_text, syntax_of
from manifestkit.edits.patch import require_editable
from manifestkit.engine import Target
from manifestkit.files import posix_name
from manifestkit.findings.words import counted, label, named
from manifestkit.model.document import Document, Syntax
from manifestkit.model.errors import ConfigurationError, EditRefusedError
from manifestkit.model.finding import Finding, Severity
from manifestkit.model.pointer import Path as Pointer
from manifestkit.model.pointer import format_pointer

_SHOWN = 3
_EXAMPLE = "com.example."


class Prompts(Protocol):
    """Someone to ask."""

    def ask(self, draft: Draft, question: Input) -> Draft:
        """Return a draft with an answer to a question."""

    def confirm(self, question: str) -> bool:
        """Return whether the answer is yes."""


class Made(NamedTuple):
    """A manifest that was made or completed.

    Attributes:
        text: its text.
        problems: why it is better not written, a line for each.
        notes: what else is worth knowing of it.
        files: the texts to write, by their files.
        written: what is worth knowing once they are written.
        before: what the one file holds now; None for new files.
    """

    text: str
    problems: list[str]
    notes: list[str]
    files: Mapping[Path, str]
    written: list[str]
    before: bytes | None = None


@dataclass(frozen=True)
class Starter:
    """The making of a manifest.

    Attributes:
        answers: what is known of it.
        prompts: who is asked for the rest.
        with_examples: whether the rest is taken from the project and the schema.
    """

    answers: Answers
    prompts: Prompts | None
    with_examples: bool

    def create(self, syntax: Syntax | None, *, with_schema: bool) -> Made:
        """Make a new manifest, in a syntax or else in that of its name.

        With `with_schema`, it refers to its schema, which is to be written if it is not there.

        Raises:
            ConfigurationError: an answer is missing or wrong, or the place is taken.
        """
        answers, policy = self.answers, self.answers.policy
        workspace, row = answers.workspace, policy.formats.default
        path, folder, syntax = answers.path, answers.folder, syntax_of(answers.path, syntax)
        schema = workspace.schema_file(folder, row)
        destination = Destination(path, folder, syntax, row, schema, with_schema)
        draft = Draft(policy, answers.source.value if answers.source else {})
        draft = self._finished(draft, destination.check)
        destination.check(draft.identifier)
        file = destination.file(draft.identifier)
        reference = destination.reference(file)
        text = as_text(policy.described, draft.value, syntax, reference, answers.spellings)
        name = posix_name(file)
        decoded = workspace.decode(text.encode(), name, folder)
        problems: list[str] = []
        notes: list[str] = []
        for each in workspace.lint(Target(name, found=False), decoded).findings:
            (problems if draft.is_refused(each) else notes).append(answers.line(each))
        notes += answers.unused(draft.value, "an option gives another value")
        written = [f"{name} is written; check it with `{_command('lint', name)}`"]
        files = destination.files(file, text)
        written += [f"{posix_name(each)} is written" for each in files if each != file]
        at = policy.described.identifier or ()
        if str(draft.identifier).startswith(_EXAMPLE) and not answers.place(format_pointer(at)):
            own = _command("set", format_pointer(at), "ID", name)
            example = f"{label(at)} is an example, {named(draft.identifier)}"
            written.append(f"{example}: write your own with `{own}`")
        return Made(text, problems, notes, files, written)

    def fill(self, path: Path) -> Made:
        """Add to a manifest what it must have.

        Raises:
            ConfigurationError: an answer is missing or wrong, or the manifest cannot be changed so.
        """
        answers, policy = self.answers, self.answers.policy
        workspace, folder = answers.workspace, answers.folder
        target = Target(posix_name(path), found=False)
        name, data = target.name, workspace.read(target)
        before = workspace.decode(data, name, folder)
        try:
            document = require_editable(before)
        except EditRefusedError as problem:
            raise ConfigurationError(f"{name}: fix it first: {problem}") from None
        if not isinstance(document.value, dict):
            raise ConfigurationError(f"{name}: fix it first: a manifest is one object")
        if refused := [*_there_already(document, answers)]:
            raise ConfigurationError(*refused)
        value = joined(document.value, answers.source.value) if answers.source else document.value
        unused = answers.unused(value, f"{name} has another value")
        try:
            value = self._finished(Draft(policy, value), lambda _: None).value
            limits = workspace.limits(folder)
            after = filled(before, policy.described, value, answers.spellings, limits)
        except ConfigurationError as problem:
            raise ConfigurationError(*unused, *problem.problems) from None
        except EditRefusedError as problem:
            raise ConfigurationError(f"{name}: not changed: {problem}") from None
        old = {(each.rule, each.pointer) for each in workspace.lint(target, before).findings}
        left = [
            each
            for each in workspace.lint(target, after).findings
            if each.severity is not Severity.INFO
        ]
        problems = [answers.line(each) for each in left if (each.rule, each.pointer) not in old]
        text = after.document.text
        files = {} if text == document.text else {path: text}
        done = f"added the missing members to {name}"
        written = [done if files else f"{name} has no missing members"]
        if left:
            remaining = counted(len(left), "finding remains", "findings remain")
            written.append(f"{remaining}; see `{_command('lint', name)}`")
        return Made(text, problems, unused, files, written, data)

    def _finished(self, draft: Draft, check: Callable[[Any], None]) -> Draft:
        """Return a draft with all that it must have, in the schema's order."""
        answered = self.answers.put(draft)
        check(answered.identifier)
        drafts = [draft, answered] if self.answers.texts else [draft]
        misnamed = (each for given in drafts for each in given.misnamed())
        if lines := dict.fromkeys(map(self._misnamed_line, misnamed)):
            raise ConfigurationError(*lines)
        if self.with_examples or self.prompts:
            answered = replace(answered, defaults=self._defaults(answered))
        draft = answered.with_offers(examples=self.with_examples)
        complete = draft.with_empty_lists()
        if missing := complete.missing():
            if self.prompts is None:
                raise ConfigurationError(*self._reasons(draft, missing))
            complete = _asked(draft, self.prompts, check)
        return complete.in_order()

    def _misnamed_line(self, finding: Finding) -> str:
        """Return what to do about a member that is missing only by name or place."""
        file = self.answers.path
        if file is None or self.answers.place(finding.pointer):
            return self.answers.line(finding)
        is_safe = any(fix.safety == "safe" for fix in finding.fixes)
        options = ["--fix"] if is_safe else ["--fix", "--unsafe-fixes"]
        command = _command("lint", *options, posix_name(file))
        return f"{finding.pointer}: {finding.message}; run `{command}` first"

    def _defaults(self, draft: Draft) -> dict[Pointer, Any]:
        """Return the project's values for missing members that have no findings."""
        missing = {each.path for each in draft.missing()}
        folder = Path(self.answers.folder)
        found = project_values(draft.policy.described, folder) if missing else {}
        return {
            path: each
            for path, each in found.items()
            if path in missing and not draft.put(path, each).findings(path)
        }

    def _reasons(self, draft: Draft, missing: list[Input]) -> list[str]:
        """Return what is wrong with the answers, and which are missing."""
        names = {question.path: name for name, question in self.answers.questions.items()}
        listed = [
            f"--{names[each.path]} {each.form}".rstrip()
            if each.path in names
            else format_pointer(each.path)
            for each in missing
        ]
        by = "with --from FILE"
        if any(each.path in names for each in missing):
            by = f"with these options or {by}"
        do = f"answer {by}, or use --yes to accept the examples"
        if self.with_examples:
            do = f"the schema has no example for it; answer {by}"
        found = (each for each in draft.findings() if each.pointer)
        wrong = [self.answers.line(each) for each in found if each.severity is Severity.ERROR]
        return [*wrong[:_SHOWN], f"missing: {', '.join(listed)}; {do}"]


def _asked(draft: Draft, prompts: Prompts, check: Callable[[Any], None]) -> Draft:
    """Return a draft with an answer to each question, and what answers need elsewhere."""
    for question in draft.missing():
        draft = prompts.ask(draft, question)
        check(draft.identifier)
    offered: set[str] = set()
    while new := {text: fix for text, fix in draft.needs().items() if text not in offered}:
        text, fix = next(iter(new.items()))
        offered.add(text)
        if prompts.confirm(text):
            draft = draft.fixed(fix)
    return draft


def _there_already(document: Document, answers: Answers) -> Iterator[str]:
    """Yield what to do instead for each option that answers what a manifest has."""
    for option, texts in answers.texts.items():
        question = answers.questions[option]
        if place_in(document, format_pointer(question.path)) is None:
            continue
        pointer = format_pointer((*question.path, "-") if question.item else question.path)
        instead = _command("set", pointer, texts[0], document.name)
        there = f"{document.name} has {label(question.path)} already"
        yield f"--{option}: {there}; use `{instead}`"


def _command(*arguments: str) -> str:
    """Return a command whose last argument is a file."""
    *others, file = arguments
    return shlex.join(("manifest", *others, f"./{file}" if file.startswith("-") else file))
