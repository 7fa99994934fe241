"""`fmt`: a manifest in its one form, with every number, string and comment as it was.

`remarks` and `parts` find the comments and what each belongs to; `writer` writes.
"""

from __future__ import annotations

from manifestkit.decode import decode
from manifestkit.edits import TOO_DEEP, same
from manifestkit.edits.formatting.writer import Writer
from manifestkit.model.document import Document
from manifestkit.model.errors import EditRefusedError
from manifestkit.model.limits import DEFAULT_LIMITS, Limits
from manifestkit.schema.model import Schema

__all__ = ["formatted"]


def formatted(document: Document, schema: Schema, limits: Limits = DEFAULT_LIMITS) -> str:
    """The text of a manifest with its members in the schema's order, and two spaces a level.

    Args:
        document: the manifest.
        schema: what a manifest must be.
        limits: bounds on what is read.

    Raises:
        EditRefusedError: the text would say something else, or lose a comment.
    """

    def order(path: tuple[str | int, ...]) -> tuple[str, ...]:
        field = schema.field(path)
        return field.members if field else ()

    try:
        text = Writer(document, order).written()
    except RecursionError:
        raise EditRefusedError(TOO_DEEP) from None
    again = decode(text, document.name, limits)
    if not again.readable or not same(again.document.value, document.value):
        raise EditRefusedError("the formatted text would say something else")
    if document.syntax == "yaml" and text.count("#") != document.text.count("#"):
        raise EditRefusedError("a comment would be lost")
    return text
