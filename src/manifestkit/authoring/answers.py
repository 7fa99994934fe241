"""The questions for a manifest at a place, and the answers of options and of a document."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from pathlib import Path
from typing import Any

from manifestkit.authoring.draft import Draft
from manifestkit.authoring.inputs import Input, inputs
from manifestkit.decode import Decoded, decode
from manifestkit.edits.patch import is_same_data
from manifestkit.edits.spellings import Spellings
from manifestkit.engine import STDIN, Policy, Target, Workspace, lint
from manifestkit.files import AS_INPUT, is_folder, posix_name, read_bytes
from manifestkit.findings.words import label
from manifestkit.model.document import Document
from manifestkit.model.errors import AuthoringError, ConfigurationError, UnreadableFileError
from manifestkit.model.finding import Finding
from manifestkit.model.limits import DEFAULT_LIMITS, count_characters
from manifestkit.model.pointer import Path as Pointer
from manifestkit.model.pointer import format_pointer, path_in


@dataclass(frozen=True)
class Answers:
    """The questions for a manifest at a place, and what is known of it.

    Attributes:
        workspace: says what applies there.
        path: the manifest; None where only its folder is named.
        folder: the name of the folder, with a ``/`` behind.
        policy: the policy there, for the format that is meant.
        questions: the questions that options may answer, by the options' names.
        texts: the texts of options, by the same names.
        source: a document with more answers: a manifest or a part of one.
    """

    workspace: Workspace
    path: Path | None
    folder: str
    policy: Policy
    questions: Mapping[str, Input]
    texts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    source: Document | None = None

    @cached_property
    def spellings(self) -> Spellings | None:
        """The spellings of the values of the document."""
        return Spellings(self.source) if self.source else None

    def put(self, draft: Draft) -> Draft:
        """Return a draft with the answers of options.

        Raises:
            ConfigurationError: one is no answer.
        """
        for name, texts in self.texts.items():
            question = self.questions[name]
            if "" in texts:
                raise ConfigurationError(f"--{name}: it is empty; give it a text, or leave it out")
            try:
                draft = draft.put(question.path, question.value(texts))
            except AuthoringError as problem:
                raise ConfigurationError(f"--{name}: {problem}") from None
        return draft

    def place(self, pointer: str) -> str | None:
        """Return the option that gives a value, or its place in the document; None if neither."""
        below = f"{pointer}/"
        paths = {name: format_pointer(self.questions[name].path) for name in self.texts}
        option = next(
            (f"--{name}" for name, at in paths.items() if below.startswith(f"{at}/")), None
        )
        return option or (place_in(self.source, pointer) if self.source else None)

    def unused(self, value: Any, why: str) -> list[str]:
        """Return a line for each part of the document that a manifest does not say."""
        if self.source is None:
            return []
        return [
            f"{place_in(self.source, format_pointer(path))}: {label(path)} is not used: {why}"
            for path in _unused(self.source.value, value)
        ]

    def line(self, finding: Finding) -> str:
        """Return a finding in one line, with the option or the place that it is about."""
        place = self.place(finding.pointer)
        if self.source and place and not place.startswith("--"):
            finding = _as_written(self.source, self.policy, finding)
        where = " ".join(filter(None, (place, finding.pointer)))
        help_text = f"; {finding.help}" if finding.help else ""
        return f"{where or 'the manifest'}: {finding.message}{help_text}"


def questions_at(
    workspace: Workspace, path: str | None, of: str | None, taken: Collection[str]
) -> Answers:
    """Return the questions for a manifest at a place.

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
    return Answers(workspace, file, folder, policy, inputs(policy.described, taken))


def place_in(document: Document, pointer: str) -> str | None:
    """Return the place of a value as `file:line:column`; None if it is not in the document."""
    try:
        at = document.locate(path_in(document.value, pointer))
    except (KeyError, IndexError, TypeError):
        return None
    return f"{document.name}:{at.line}:{at.column}"


def read_source(file: str, piped: bytes | None) -> Document:
    """Read a document with answers: a file by its suffix, and what is piped by how it begins.

    Raises:
        UnreadableFileError: the file cannot be read.
        ConfigurationError: it is not one readable object.
    """
    name = posix_name(file) if piped is None else STDIN
    data = read_bytes(Path(file), DEFAULT_LIMITS.bytes, AS_INPUT) if piped is None else piped
    suffix = "" if piped is None or data.lstrip()[:1] == b"{" else ".yaml"
    decoded = decode(data, f"{name}{suffix}")
    document = decoded.document
    if suffix:
        document = document.named(name)
    if decoded.findings:
        first = decoded.findings[0]
        at = first.location
        raise ConfigurationError(f"{name}:{at.line}:{at.column}: {first.message}")
    if not isinstance(document.value, dict):
        raise ConfigurationError(f"{name}:1:1: answers must be an object, like a manifest")
    if count_characters(document.value) > DEFAULT_LIMITS.bytes:  # aliases repeat what they name
        raise ConfigurationError(
            f"{name}:1:1: these answers would make a manifest larger than "
            f"{DEFAULT_LIMITS.bytes:,} bytes"
        )
    return document


def _unused(answers: Any, value: Any, path: Pointer = ()) -> Iterator[Pointer]:
    """Yield the places of answers that a value has not; for an item of a list, the list."""
    if isinstance(answers, dict) and isinstance(value, dict):
        for name, each in answers.items():
            yield from _unused(each, value.get(name), (*path, name))
        return
    if isinstance(answers, list) and isinstance(value, list) and len(answers) <= len(value):
        is_used = not any([*_unused(*pair)] for pair in zip(answers, value, strict=False))
    else:
        is_used = is_same_data(answers, value)
    if not is_used:
        yield path


def _as_written(answers: Document, policy: Policy, finding: Finding) -> Finding:
    """Return a finding as a linter words it of the answers themselves, if it does.

    A number may be written otherwise in the manifest than here, where it is to be fixed.
    """
    found = lint(Decoded(answers, ()), policy).findings
    same = (each.rule == finding.rule and each.pointer == finding.pointer for each in found)
    return next(compress(found, same), finding)
