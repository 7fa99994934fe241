"""Markup whose texts act on no browser, and of which every character is seen."""

from __future__ import annotations

import re
from typing import Any, Self

from markupsafe import Markup, escape

from manifestkit.model.printable import UNSEEN
from manifestkit.rendering.escape import defused, visible

_NO_SHAPE = re.compile(f"[{UNSEEN}\ud800-\udfff\ufffe\uffff]")
_UNSEEN = '<span class="unseen">{}</span>'


class Html(Markup):
    """Markup that shows what has no shape in the texts that it is formatted with."""

    @classmethod
    def escape(cls, value: Any, /) -> Self:
        """Return a text as markup; markup stays as it is."""
        if isinstance(value, Markup):
            return cls(value)
        shown = str(escape(defused(str(value))))
        return cls(_NO_SHAPE.sub(lambda found: _UNSEEN.format(in_title(found[0])), shown))


def in_title(given: str) -> Markup:
    """Return a text for where HTML allows no markup; it forbids U+FFFE and U+FFFF anywhere."""
    return escape(visible(given).replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff"))


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
