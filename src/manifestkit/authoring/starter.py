"""A manifest that is made, or completed, by the questions of its schema."""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from manifestkit.authoring.draft import Draft
from manifestkit.authoring.edit import filled
from manifestkit.authoring.inputs import Input, input_options
from manifestkit.authoring.text import Destination, syntax_of, written
from manifestkit.config.policy import Policy
from manifestkit.edits.patch import require_editable
from manifestkit.engine.discovery import Target
from manifestkit.engine.workspace import Workspace
from manifestkit.files import create, is_folder, packaged_text, posix_name, read_bytes, rewrite
from manifestkit.model.document import Document, Syntax
from manifestkit.model.errors import AuthoringError, ConfigurationError, EditRefusedError
from manifestkit.model.finding import Finding, Severity
from manifestkit.model.pointer import format_pointer

_SHOWN = 3


Prompt = Callable[[Draft, Input], Draft]
"""Asks a question, and returns the draft with the answer."""


class Made(NamedTuple):
    """A manifest that was made or completed."""

    text: str
    problems: list[str]  # why it is better not written, a line for each
    notes: list[str]  # what else is worth knowing of it
    files: Mapping[Path, str]  # the texts to write, by their files
    before: bytes | None = None  # what the one file holds now; None for new files

    def write(self) -> None:
        """Write the files, all or none.

        Raises:
            UnwritableFileError: one cannot be written.
        """
        created: list[Path] = []
        try:
            for file, text in self.files.items():
                if self.before is not None:
                    rewrite(file, text.encode(), self.before)
                    continue
                create(file, text)
                created.append(file)
        except BaseException:  # an interrupt too leaves nothing behind
            for file in created:
                file.unlink()
            raise


class Answers(NamedTuple):
    """The answers to the questions of a schema, and where more of them come from."""

    texts: Mapping[str, Sequence[str]]  # of options, by the options' names
    source: Document | None  # a part of a manifest with more answers
    prompt: Prompt | None  # asks for the rest
    with_examples: bool  # whether the rest is taken from the schema

    def draft(self, policy: Policy) -> Draft:
        """Return a draft with the answers that are given.

        Raises:
            ConfigurationError: the text of an option cannot be understood.
        """
        draft = Draft(policy, self.source.value if self.source else {}, self.source)
        problems: list[str] = []
        for name, texts in self.texts.items():
            path = input_options()[name].path
            if "" in texts:
                problems.append(f"--{name}: it is empty; give it a text, or leave it out")
                continue
            try:
                draft = draft.put(path, Input.at(policy.described, path).value(texts))
            except AuthoringError as problem:
                problems.append(f"--{name}: {problem}")
        if problems:
            raise ConfigurationError(*problems)
        return draft

    def finished(self, draft: Draft, check: Callable[[Any], None]) -> Draft:
        """Return a draft with all that it must have; its identifier is checked when it is known.

        Raises:
            ConfigurationError: an answer is missing, and there is nobody to ask.
        """
        check(draft.identifier)
        if misnamed := draft.misnamed():
            raise ConfigurationError(*map(_line, misnamed))
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

    def told(
        self, begun: Draft, draft: Draft, found: Iterable[Finding]
    ) -> tuple[list[str], list[str]]:
        """Return the findings for which a finished draft is better not written, and notes.

        These are the other findings, and which of the values that were added are examples.
        """
        problems: list[str] = []
        notes: list[str] = []
        for each in found:
            (problems if draft.is_refused(each) else notes).append(_line(each))
        if self.with_examples and (places := begun.taken_examples(draft.value)):
            do = "replace them with your own"
            notes.append(f"these values are examples: {', '.join(places)}; {do}")
        return problems, notes

    def _reasons(self, draft: Draft, missing: list[Input]) -> list[str]:
        """Return what is wrong with the answers, and which are missing."""
        names = {each.path: f"--{name} {each.form}" for name, each in input_options().items()}
        listed = [names.get(each.path, format_pointer(each.path)).rstrip() for each in missing]
        of_none = draft.with_offers(examples=True).with_empty_lists().missing()
        more = "" if of_none else ", or use --yes to accept the examples"
        found = (each for each in draft.findings() if each.pointer)
        wrong = [_line(each) for each in found if each.severity is Severity.ERROR]
        options = "options or with " if any(each.path in names for each in missing) else ""
        do = f"answer with {options}--from FILE{more}"
        return [*wrong[:_SHOWN], f"missing: {', '.join(listed)}; {do}"]


def _policy_for(policy: Policy, document: Document, of: str | None) -> Policy:
    """Return the policy for the format with an id, or else for that of a document."""
    if of is not None:
        return policy.of_format(policy.formats.with_id(of))
    return policy.of_format(policy.requirements(document).row)


def start(
    workspace: Workspace,
    path: str | None,
    of: str | None,
    answers: Answers,
    syntax: Syntax | None = None,
    *,
    with_schema: bool = False,
) -> Made:
    """Make a new manifest; with its schema, that is written beside it if nothing is there.

    Args:
        workspace: says what applies to it.
        path: its file, or a folder for it; None for the working folder.
        of: the id of its format; None for that of the file's name.
        answers: what it says.
        syntax: its syntax; None for that of the file's name.
        with_schema: whether it is to name its schema.

    Raises:
        ConfigurationError: an answer is missing or wrong, or the place is taken.
    """
    given = Path(path) if path and not is_folder(path) else None
    name = posix_name(given or Path(path or "", "manifest.json"))
    folder = Target(name, found=False).folder
    nothing = workspace.decode(b"", name, folder).document
    policy = _policy_for(workspace.policy(folder), nothing, of)
    place = Destination(given, folder, policy.formats.default, syntax_of(given, syntax))
    begun = answers.draft(policy)
    draft = answers.finished(begun, place.check)
    file = place.file(draft.identifier)
    asked = workspace.options.schema
    own = place.row.own_schema or (asked if isinstance(asked, Path) else None)
    own = own or policy.configuration.schema
    schema = own or file.with_name(place.row.schema)
    try:
        text = written(draft, place.syntax, file, schema if with_schema else None)
    except EditRefusedError as problem:
        raise ConfigurationError(f"{posix_name(file)}: {problem}") from None
    target = Target(posix_name(file), found=False)
    decoded = workspace.decode(text.encode(), target.name, place.folder)
    files = {file: text}
    problems, notes = answers.told(begun, draft, workspace.lint(target, decoded).findings)
    if with_schema and own is None:
        if os.path.lexists(schema):
            notes.append(f"{posix_name(schema)} is there already, and stays")
        else:
            files = {schema: packaged_text(schema.name), file: text}
    return Made(text, problems, notes, files)


def fill(workspace: Workspace, path: str, of: str | None, answers: Answers) -> Made:
    """Add to a manifest what it must have.

    Raises:
        ConfigurationError: an answer is missing or wrong, or the manifest cannot be changed so.
    """
    target = Target(posix_name(path), found=False)
    name, folder = target.name, target.folder
    data = read_bytes(name, workspace.policy(folder).limits.bytes)
    is_empty = not data.removeprefix(BOM_UTF8).strip()
    before = workspace.decode(data, name, folder)
    policy = _policy_for(workspace.policy(folder), before.document, of)
    try:
        there = {} if is_empty else require_editable(before).value
        begun = answers.draft(policy)
        begun = begun._replace(value=_joined(there, begun.value))
        draft = answers.finished(begun, lambda _: None)
        if is_empty:
            text = written(draft, before.document.syntax, target.path)
            after = workspace.decode(text.encode(), name, folder)
        else:
            after = filled(before, policy.described, draft.value, policy.limits, draft.source)
    except EditRefusedError as problem:
        raise ConfigurationError(f"{name}: not changed: {problem}") from None
    old = {(each.rule, each.pointer) for each in workspace.lint(target, before).findings}
    found = workspace.lint(target, after).findings
    new = (each for each in found if (each.rule, each.pointer) not in old)
    problems, notes = answers.told(begun, draft, new)
    text = after.document.text
    return Made(text, problems, notes, {} if after is before else {target.path: text}, data)


def _line(finding: Finding) -> str:
    help_text = f"; {finding.help}" if finding.help else ""
    return f"{finding.pointer or 'the manifest'}: {finding.message}{help_text}"


def _joined(value: Any, more: Any) -> Any:
    """Return an object with the members of another one, at any depth; else the other value."""
    if not isinstance(value, dict) or not isinstance(more, dict):
        return more
    members = {name: _joined(value[name], more[name]) for name in more if name in value}
    return {**value, **more, **members}
