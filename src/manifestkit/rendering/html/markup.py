"""Markup whose texts act on no browser, and of which every character is seen."""

from __future__ import annotations

from typing import Any, Self

from markupsafe import Markup, escape

from manifestkit.rendering.escape import visible

_UNSEEN = '<span class="unseen">{}</span>'


class Html(Markup):
    """Markup that shows what has no shape in the texts that it is formatted with."""

    @classmethod
    def escape(cls, value: Any, /) -> Self:
        """Return a text as markup; markup stays as it is."""
        if isinstance(value, Markup):
            return cls(value)
        return cls(visible(str(escape(str(value))), _UNSEEN))


def name(given: str) -> Html:
    """Return the name of a thing; one that is blank is shown by what it is made of."""
    if given.strip():
        return Html.escape(given)
    made_of = "".join(f"\\u{ord(each):04x}" for each in given)
    return Html(_UNSEEN).format(made_of or "no name")


def sentence(said: str) -> Html:
    """Return a message, in which what stands between ticks is code."""
    pieces = said.split("`")
    if len(pieces) % 2 == 0:  # an odd tick: no telling where code starts
        return Html.escape(said)
    code = Html("<code>{}</code>")
    return Html().join(
        code.format(each) if index % 2 else each for index, each in enumerate(pieces)
    )
