"""A manifest that is made, or completed, by the questions of its schema."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from manifestkit.authoring.changes import filled
from manifestkit.authoring.draft import Draft
from manifestkit.authoring.inputs import Input
from manifestkit.authoring.text import Destination
from manifestkit.config.policy import Policy
from manifestkit.edits.patch import is_same_data, require_editable
from manifestkit.engine.discovery import Target
from manifestkit.engine.workspace import Workspace
from manifestkit.files import is_folder, posix_name
from manifestkit.findings.words import counted, label, named
from manifestkit.model.document import Document, Syntax
from manifestkit.model.errors import (
    AuthoringError,
    ConfigurationError,
    EditRefusedError,
    UnreadableFileError,
)
from manifestkit.model.finding import Finding, Severity
from manifestkit.model.pointer import Path as Pointer
from manifestkit.model.pointer import format_pointer, path_in

_SHOWN = 3
_EXAMPLE = "com.example."


Prompt = Callable[[Draft, Input], Draft]
"""Asks a question, and returns the draft with the answer."""


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
        answers: a document with more answers.
        prompt: asks for the rest.
        with_examples: whether the rest is taken from the schema.
        syntax: the syntax of a new manifest; None for that of its name, or JSON.
        with_schema: whether it is to name its schema, which is written if it is not there.
    """

    workspace: Workspace
    path: Path | None
    folder: str
    policy: Policy
    questions: Mapping[str, Input]
    texts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    answers: Document | None = None
    prompt: Prompt | None = None
    with_examples: bool = False
    syntax: Syntax | None = None
    with_schema: bool = False

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
            policy = policy.of_format(policy.formats.with_id(of))
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

    def create(self, before: bytes | None = None) -> Made:
        """Make a new manifest, or one for a file that is there and blank.

        Raises:
            ConfigurationError: an answer is missing or wrong, or the place is taken.
        """
        workspace, folder, described = self.workspace, self.folder, self.policy.described
        destination = self._destination(is_there=before is not None)
        draft = self._finished(self._answered(), destination.check)
        file = destination.file(draft.identifier)
        name = posix_name(file)
        try:
            text = destination.text(file, draft.value, described)
        except EditRefusedError as problem:
            raise ConfigurationError(f"{name}: {problem}") from None
        decoded = workspace.decode(text.encode(), name, folder)
        found = workspace.lint(Target(name, found=False), decoded).findings
        written = [f"{name} is written; check it with `{shlex.join(('manifest', 'lint', name))}`"]
        files = destination.files(file, text)
        written += [f"{posix_name(each)} is written" for each in files if each != file]
        at = described.identifier or ()
        if str(draft.identifier).startswith(_EXAMPLE) and not self._place(format_pointer(at)):
            written.append(f"{label(at)} is an example, {named(draft.identifier)}: write your own")
        return Made(text, *self._told(draft, found), files, written, before)

    def fill(self, path: Path) -> Made:
        """Add to a manifest what it must have.

        Raises:
            ConfigurationError: an answer is missing or wrong, or the manifest cannot be changed so.
        """
        workspace, policy, folder = self.workspace, self.policy, self.folder
        target = Target(posix_name(path), found=False)
        name, data = target.name, workspace.read(target)
        if not data.strip():
            return self.create(data)
        before = workspace.decode(data, name, folder)
        given, there = self._answered().value, before.document.value
        if before.readable and not isinstance(there, dict):
            raise ConfigurationError(f"{name}: not changed: a manifest is an object")
        try:
            require_editable(before)
            unused = [*self._unused(name, there, given)]
            draft = self._finished(Draft(policy, _joined(there, given)), lambda _: None)
            after = filled(before, policy.described, draft.value, workspace.policy(folder).limits)
        except EditRefusedError as problem:
            raise ConfigurationError(f"{name}: not changed: {problem}") from None
        old = {(each.rule, each.pointer) for each in workspace.lint(target, before).findings}
        found = workspace.lint(target, after).findings
        left = [each for each in found if each.severity is not Severity.INFO]
        new = [each for each in left if (each.rule, each.pointer) not in old]
        problems, notes = self._told(draft, new)
        text = after.document.text
        files = {} if after is before else {path: text}
        done = f"added the missing members to {name}"
        written = [done if files else f"{name} has no missing members"]
        if left:
            remaining = counted(len(left), "finding remains", "findings remain")
            written.append(f"{remaining}; see `{shlex.join(('manifest', 'lint', name))}`")
        return Made(text, problems, unused + notes, files, written, data)

    def _destination(self, *, is_there: bool) -> Destination:
        row = self.policy.formats.default
        given = self.workspace.options.schema
        own = row.own_schema or (given if isinstance(given, Path) else None)
        own = own or self.policy.configuration.schema
        place = Destination(self.path, self.folder, row, own, self.with_schema, is_there)
        return place.in_syntax(self.syntax)

    def _answered(self) -> Draft:
        """Return a draft with the answers of the document and of options."""
        draft = Draft(self.policy, self.answers.value if self.answers else {})
        for name, texts in self.texts.items():
            question = self.questions[name]
            if "" in texts:
                raise ConfigurationError(f"--{name}: it is empty; give it a text, or leave it out")
            try:
                draft = draft.put(question.path, question.value(texts))
            except AuthoringError as problem:
                raise ConfigurationError(f"--{name}: {problem}") from None
        return draft

    def _finished(self, draft: Draft, check: Callable[[Any], None]) -> Draft:
        """Return a draft with all that it must have; its identifier is checked when it is known."""
        check(draft.identifier)
        if lines := dict.fromkeys(map(self._line, draft.misnamed())):
            raise ConfigurationError(*lines)
        draft = draft.with_offers(examples=self.with_examples)
        complete = draft.with_empty_lists()
        if missing := complete.missing():
            if self.prompt is None:
                raise ConfigurationError(*self._reasons(draft, missing))
            complete = draft
            for question in draft.missing():
                complete = self.prompt(complete, question)
                check(complete.identifier)
        return complete

    def _reasons(self, draft: Draft, missing: list[Input]) -> list[str]:
        """Return what is wrong with the answers, and which are missing."""
        names = {question.path: name for name, question in self.questions.items()}
        listed = [
            f"--{names[each.path]} {each.form}".rstrip()
            if each.path in names
            else format_pointer(each.path)
            for each in missing
        ]
        more = "" if self.with_examples else ", or use --yes to accept the examples"
        found = (each for each in draft.findings() if each.pointer)
        wrong = [self._line(each) for each in found if each.severity is Severity.ERROR]
        do = f"answer with options or with --from FILE{more}"
        return [*wrong[:_SHOWN], f"missing: {', '.join(listed)}; {do}"]

    def _unused(self, name: str, there: Any, given: Any) -> Iterator[str]:
        """Yield a line for each answer that is not used, because a manifest has another value.

        Raises:
            ConfigurationError: an option gives it.
        """
        for path in _differing(there, given):
            place = self._place(format_pointer(path)) or ""
            line = f"{place}: {name} has {label(path)} already; change it with `manifest set`"
            if place.startswith("--"):
                raise ConfigurationError(line)
            yield line

    def _told(self, draft: Draft, found: Iterable[Finding]) -> tuple[list[str], list[str]]:
        """Return the findings for which a manifest is better not written, and the others."""
        problems: list[str] = []
        notes: list[str] = []
        for each in found:
            (problems if draft.is_refused(each) else notes).append(self._line(each))
        return problems, notes

    def _place(self, pointer: str) -> str | None:
        """Return the option that gives a value, or its place in the document; None if neither."""
        below = f"{pointer}/"
        paths = {name: format_pointer(self.questions[name].path) for name in self.texts}
        options = (f"--{name}" for name, at in paths.items() if below.startswith(f"{at}/"))
        if option := next(options, None):
            return option
        try:
            at = self.answers and self.answers.locate(path_in(self.answers.value, pointer))
        except (KeyError, IndexError, TypeError):
            return None
        return f"{self.answers.name}:{at.line}:{at.column}" if self.answers and at else None

    def _line(self, finding: Finding) -> str:
        """Return a finding in one line, with the option or the place that it is about."""
        where = " ".join(filter(None, (self._place(finding.pointer), finding.pointer)))
        help_text = f"; {finding.help}" if finding.help else ""
        return f"{where or 'the manifest'}: {finding.message}{help_text}"


def _joined(value: Any, more: Any) -> Any:
    """Return an object with the members of another one that it has not, at any depth."""
    if not isinstance(value, dict) or not isinstance(more, dict):
        return value
    return {**more, **{name: _joined(each, more.get(name)) for name, each in value.items()}}


def _differing(value: Any, other: Any, path: Pointer = ()) -> Iterator[Pointer]:
    """Yield the paths that two values have, with different values there."""
    if isinstance(value, dict) and isinstance(other, dict):
        for name in filter(value.__contains__, other):
            yield from _differing(value[name], other[name], (*path, name))
    elif not is_same_data(value, other):
        yield path
