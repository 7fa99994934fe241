"""What reading a text gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from manifestkit.document import Document

if TYPE_CHECKING:
    from manifestkit.finding import Finding


class Decoded(NamedTuple):
    """A document, and what its text gives to say.

    Attributes:
        document: the manifest.
        findings: syntax errors, duplicate keys, passed limits.
        readable: whether the text is one value that can be judged. If not, the document's value
            is what could be made out, or None.
    """

    document: Document
    findings: tuple[Finding, ...] = ()
    readable: bool = True
