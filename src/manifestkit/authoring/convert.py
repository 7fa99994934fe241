"""A document, or a value in it, written anew: in the style of a model, and read again."""

from __future__ import annotations

from manifestkit.decode import decode
from manifestkit.edits.editor import Editor
from manifestkit.edits.layout import gaps, has_comment
from manifestkit.edits.patch import apply_edits, check_size, verify
from manifestkit.edits.writing import Spellings
from manifestkit.model.document import Document, Syntax
from manifestkit.model.errors import EditRefusedError
from manifestkit.model.finding import Edit
from manifestkit.model.limits import DEFAULT_LIMITS, Limits
from manifestkit.model.pointer import Path

_MODELS = {
    "json": '{\n  "texts": [\n    ""\n  ],\n  "objects": [\n    {}\n  ]\n}\n',
    "yaml": "texts:\n  - text\n",
}


def convert(document: Document, to: Syntax, limits: Limits = DEFAULT_LIMITS) -> Document:
    """Return a document in a syntax, without its comments; numbers are spelt as they were.

    Raises:
        EditRefusedError: the document or the text is beyond the limits, or YAML cannot contain it.
    """
    model, edits = _put_into_model(document, (), to)
    return verify(model, edits, document.value, limits).document


def text_at(document: Document, path: Path) -> str:
    """Return the text of the value at a path: a string as it is, all else as JSON.

    Raises:
        EditRefusedError: the document is beyond the limits.
    """
    value = document.value_at(path)
    if isinstance(value, str):
        return value
    model, edits = _put_into_model(document, path, "json")
    return apply_edits(model.text, edits).removesuffix("\n")


def has_comments(document: Document) -> bool:
    """Return whether a document has comments, which are left behind."""
    if document.syntax == "json" or "#" not in document.text:
        return False
    return any(has_comment(document.text, *each) for each in gaps(document))


def _put_into_model(document: Document, path: Path, to: Syntax) -> tuple[Document, list[Edit]]:
    check_size(document)
    model = decode(_MODELS[to], f"{document.name}.{to}").document
    try:
        spellings = Spellings(document, [path])
        return model, Editor(model, spellings).replace((), document.value_at(path))
    except RecursionError:
        raise EditRefusedError("it is nested too deeply") from None
