"""XML 1.0 of text from a stranger."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

from manifestkit.render.escape import visible

DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'

# Beside control characters and surrogates, which `visible` writes as escapes, these two are no
# characters of XML: not even as references.
_NO_CHARACTER = re.compile("[\ufffe\uffff]")


def element(name: str, attributes: Mapping[str, str | int] | None = None, *content: str) -> str:
    """An element, of content that is XML already."""
    given = "".join(f' {key}="{text(str(each))}"' for key, each in (attributes or {}).items())
    inner = "".join(content)
    return f"<{name}{given}>{inner}</{name}>" if inner else f"<{name}{given}/>"


def text(given: str) -> str:
    """One line of text as XML in ASCII, so that no encoding on the way can break it."""
    shown = _NO_CHARACTER.sub(lambda match: f"\\u{ord(match[0]):04x}", visible(given))
    return html.escape(shown).encode("ascii", "xmlcharrefreplace").decode("ascii")
