"""What a manifest is missing, put into its text; every other byte stays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from manifestkit.authoring.answers import with_answer
from manifestkit.authoring.pointers import member_before
from manifestkit.edits import Editor, proven
from manifestkit.model.document import Document
from manifestkit.model.pointer import Path
from manifestkit.schema.model import Schema


class Addition(NamedTuple):
    """A member that a manifest gets.

    Attributes:
        path: where it is to be.
        value: what is to be there, with all that is below it.
    """

    path: Path
    value: Any


def additions(before: Any, after: Any, path: Path = ()) -> Iterator[Addition]:
    """The members that a value has more than it had, outermost only; nothing else differs."""
    if isinstance(before, dict):
        for name, value in after.items():
            if name in before:
                yield from additions(before[name], value, (*path, name))
            else:
                yield Addition((*path, name), value)
    elif isinstance(before, list):
        for index, item in enumerate(before):
            yield from additions(item, after[index], (*path, index))


def filled(document: Document, schema: Schema, value: Any) -> Document:
    """A manifest with the members that it is missing, each where the schema has its place.

    Args:
        document: the manifest.
        schema: what orders the members.
        value: what it shall say: what it says, and more members.

    Raises:
        EditRefusedError: its text cannot be edited so.
    """
    for path, added in list(additions(document.value, value)):
        behind = member_before(document.value_at(path[:-1]), schema, path)
        edits = Editor(document).add(path, added, after=behind)
        document = proven(document, edits, with_answer(document.value, path, added))
    return document
