"""A manifest that is made, or completed, by the questions of its schema."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from manifestkit.authoring.answers import Answers
from manifestkit.authoring.changes import filled
from manifestkit.authoring.draft import Draft
from manifestkit.authoring.inputs import Input
from manifestkit.authoring.text import Destination, syntax_of
from manifestkit.config.policy import Policy
from manifestkit.edits.patch import require_editable
from manifestkit.engine.discovery import Target
from manifestkit.engine.workspace import Workspace
from manifestkit.files import is_folder, posix_name
from manifestkit.findings.words import counted, label, named
from manifestkit.model.document import Syntax
from manifestkit.model.errors import (
    AuthoringError,
    ConfigurationError,
    EditRefusedError,
    UnreadableFileError,
)
from manifestkit.model.finding import Finding, Severity
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
    """The making of a manifest at a place, by the questions of its schema.

    Attributes:
        workspace: says what applies there.
        path: the manifest; None where only its folder is named.
        folder: the name of the folder, with a ``/`` behind.
        policy: the policy there, for the format that is meant.
        questions: the questions that options may answer, by the options' names.
        texts: the texts of options, by the same names.
        answers: more answers, of a document.
        prompts: who is asked for the rest.
        with_examples: whether the rest is taken from the project and the schema.
    """

    workspace: Workspace
    path: Path | None
    folder: str
    policy: Policy
    questions: Mapping[str, Input]
    texts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    answers: Answers = field(default_factory=Answers)
    prompts: Prompts | None = None
    with_examples: bool = False

    @classmethod
    def at(
        cls, workspace: Workspace, path: str | None, of: str | None, taken: Collection[str]
    ) -> Starter:
        """Return the making of a manifest at a place.

        Args:
            workspace: says what applies there.
            path: the manifest, or a folder for it; None for the working folder.
            of: the id of its format; None to tell by its name, and by what it says if it is there.
            taken: the names of options that no question has.

        Raises:
            ConfigurationError: there is no such folder or format, or the configuration is wrong.
        """
        file = Path(path) if path and not is_folder(path) else None
        if path and file and path.endswith(("/", os.sep)):
            raise ConfigurationError(f"no such folder: {path}")
        name = posix_name(path) if path else ""
        target = Target(name if file or not path else f"{name}/", found=False)
        folder = target.folder
        policy = workspace.policy(folder)
        if of is not None:
            policy = policy.of_format_id(of)
        elif file is None:
            policy = policy.of_format(policy.formats.default)
        else:
            data = b""
            if len(policy.formats.rows) > 1:
                with suppress(UnreadableFileError):
                    data = workspace.read(target)
            document = workspace.decode(data, target.name, folder).document
            policy = policy.of_format(policy.requirements(document).row)
        return cls(workspace, file, folder, policy, Input.by_option(policy.described, taken))

    def create(
        self, syntax: Syntax | None, *, with_schema: bool, before: bytes | None = None
    ) -> Made:
        """Make a new manifest, in a syntax or else in that of its name, or for a blank file.

        With `with_schema`, it refers to its schema, which is to be written if it is not there.

        Raises:
            ConfigurationError: an answer is missing or wrong, or the place is taken.
        """
        workspace, policy, folder = self.workspace, self.policy, self.folder
        row, syntax = policy.formats.default, syntax_of(self.path, syntax)
        schema = row.own_schema or workspace.schema_file(folder)
        is_there = before is not None
        destination = Destination(self.path, folder, syntax, row, schema, with_schema, is_there)
        draft = Draft(policy, self.answers.value)
        draft = self._finished(draft, destination.check)
        destination.check(draft.identifier)
        file = destination.file(draft.identifier)
        text = destination.text(file, draft.value, policy.described, self.answers.spellings)
        name = posix_name(file)
        decoded = workspace.decode(text.encode(), name, folder)
        problems: list[str] = []
        notes: list[str] = []
        for each in workspace.lint(Target(name, found=False), decoded).findings:
            (problems if draft.is_refused(each) else notes).append(self._line(each))
        notes += self.answers.unused(draft.value, "an option gives another value")
        written = [f"{name} is written; check it with `{_command('lint', name)}`"]
        files = destination.files(file, text)
        written += [f"{posix_name(each)} is written" for each in files if each != file]
        at = policy.described.identifier or ()
        if str(draft.identifier).startswith(_EXAMPLE) and not self._place(format_pointer(at)):
            own = _command("set", format_pointer(at), "ID", name)
            example = f"{label(at)} is an example, {named(draft.identifier)}"
            written.append(f"{example}: write your own with `{own}`")
        return Made(text, problems, notes, files, written, before)

    def fill(self, path: Path) -> Made:
        """Add to a manifest what it must have.

        Raises:
            ConfigurationError: an answer is missing or wrong, or the manifest cannot be changed so.
        """
        workspace, policy, folder = self.workspace, self.policy, self.folder
        target = Target(posix_name(path), found=False)
        name, data = target.name, workspace.read(target)
        if not data.strip():
            return self.create(None, with_schema=False, before=data)
        before = workspace.decode(data, name, folder)
        try:
            document = require_editable(before)
        except EditRefusedError as problem:
            raise ConfigurationError(f"{name}: fix it first: {problem}") from None
        if not isinstance(document.value, dict):
            raise ConfigurationError(f"{name}: fix it first: a manifest is one object")
        if refused := [*self._there_already(name, Answers(document))]:
            raise ConfigurationError(*refused)
        value = _joined(document.value, self.answers.value)
        unused = self.answers.unused(value, f"{name} has another value")
        try:
            draft = self._finished(Draft(policy, value), lambda _: None)
            limits = workspace.limits(folder)
            after = filled(before, policy.described, draft.value, self.answers.spellings, limits)
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
        new = [each for each in left if (each.rule, each.pointer) not in old]
        problems: list[str] = []
        for each in new:
            (problems if draft.is_refused(each) else unused).append(self._line(each))
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
        answered = self._answered(draft)
        check(answered.identifier)
        drafts = [draft, answered] if self.texts else [draft]
        misnamed = (each for given in drafts for each in given.misnamed())
        if lines := dict.fromkeys(map(self._misnamed_line, misnamed)):
            raise ConfigurationError(*lines)
        if self.with_examples or self.prompts:
            answered = answered.with_defaults(self.folder)
        draft = answered.with_offers(examples=self.with_examples)
        complete = draft.with_empty_lists()
        if missing := complete.missing():
            if self.prompts is None:
                raise ConfigurationError(*self._reasons(draft, missing))
            complete = _asked(draft, self.prompts, check)
        return complete.in_order()

    def _misnamed_line(self, finding: Finding) -> str:
        """Return what to do about a member that is missing only by name or place."""
        file = self.path
        if file is None or self._place(finding.pointer):
            return self._line(finding)
        is_safe = any(fix.safety == "safe" for fix in finding.fixes)
        options = ["--fix"] if is_safe else ["--fix", "--unsafe-fixes"]
        command = _command("lint", *options, posix_name(file))
        return f"{finding.pointer}: {finding.message}; run `{command}` first"

    def _reasons(self, draft: Draft, missing: list[Input]) -> list[str]:
        """Return what is wrong with the answers, and which are missing."""
        names = {question.path: name for name, question in self.questions.items()}
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
        wrong = [self._line(each) for each in found if each.severity is Severity.ERROR]
        return [*wrong[:_SHOWN], f"missing: {', '.join(listed)}; {do}"]

    def _there_already(self, name: str, there: Answers) -> Iterator[str]:
        """Yield what to do instead for each option that answers what a manifest has."""
        for option, texts in self.texts.items():
            question = self.questions[option]
            if there.place(format_pointer(question.path)) is None:
                continue
            pointer = format_pointer((*question.path, "-") if question.item else question.path)
            instead = _command("set", pointer, texts[0], name)
            said = f"{name} has {label(question.path)} already"
            yield f"--{option}: {said}; use `{instead}`"

    def _answered(self, draft: Draft) -> Draft:
        """Return a draft with the answers of options."""
        for name, texts in self.texts.items():
            question = self.questions[name]
            if "" in texts:
                raise ConfigurationError(f"--{name}: it is empty; give it a text, or leave it out")
            try:
                draft = draft.put(question.path, question.value(texts))
            except AuthoringError as problem:
                raise ConfigurationError(f"--{name}: {problem}") from None
        return draft

    def _place(self, pointer: str) -> str | None:
        """Return the option that gives a value, or its place in the document; None if neither."""
        below = f"{pointer}/"
        paths = {name: format_pointer(self.questions[name].path) for name in self.texts}
        option = next(
            (f"--{name}" for name, at in paths.items() if below.startswith(f"{at}/")), None
        )
        return option or self.answers.place(pointer)

    def _line(self, finding: Finding) -> str:
        """Return a finding in one line, with the option or the place that it is about."""
        place = self._place(finding.pointer)
        if place and not place.startswith("--"):
            finding = self.answers.as_written(self.policy, finding)
        where = " ".join(filter(None, (place, finding.pointer)))
        help_text = f"; {finding.help}" if finding.help else ""
        return f"{where or 'the manifest'}: {finding.message}{help_text}"


def _joined(value: Any, more: Any) -> Any:
    """Return a copy of a value with the members of another one that it has not, at any depth.

    Items stand for each other by their index, unless they say different things of themselves.
    """
    if isinstance(value, list) and isinstance(more, list) and len(more) <= len(value):
        pairs = zip_longest(value, more)
        return [_joined(each, other) if _may_join(each, other) else each for each, other in pairs]
    if not isinstance(value, dict) or not isinstance(more, dict):
        return value
    own = {
        name: _joined(each, more[name]) if name in more else each for name, each in value.items()
    }
    return {**own, **{name: each for name, each in more.items() if name not in value}}


def _may_join(one: Any, other: Any) -> bool:
    if not isinstance(one, dict) or not isinstance(other, dict):
        return False
    plain = (name for name in one.keys() & other.keys() if not isinstance(one[name], dict | list))
    return all(one[name] == other[name] for name in plain)


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


def _command(*arguments: str) -> str:
    """Return a command whose last argument is a file."""
    *others, file = arguments
    return shlex.join(("manifest", *others, f"./{file}" if file.startswith("-") else file))
