"""Pages of HTML: one file, with no script and nothing to load.

What a report has to say becomes `Markup` by the parts in `report.html` and `preview.html`, which
escape every other text and make its invisible characters visible. A report of another kind calls
`page` with its title, its counts and its content: pieces made by `table`, by `part("section", ...)`
and, for findings, by `files` of `manifestkit.rendering.html`.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files as package_files
from typing import NamedTuple

from markupsafe import Markup, escape

from manifestkit.model.printable import UNSEEN
from manifestkit.rendering.escape import defused, visible

_NO_SHAPE = re.compile(f"([{UNSEEN}\ud800-\udfff\ufffe\uffff])")
_WEB_ADDRESS = re.compile(r"https?://[!-~]+")
_POLICY = (
    "default-src 'none'; style-src 'sha256-{}'; img-src data:; base-uri 'none'; form-action 'none'"
)
_NAME = re.compile(r"<!-- ([a-z-]+) -->\n")
_VALUE = re.compile(r"{([a-z]+)}")


class Count(NamedTuple):
    """A number at the head of a page."""

    number: int
    noun: str
    role: str = ""  # `error`, `warning` or `info`, for its colour


@cache
def _parts() -> dict[str, list[tuple[str, frozenset[str]]]]:
    """Return the lines of each part of the templates, each with the names of its values.

    A part of one line ends without a break.
    """
    parts = {}
    for file in ("report.html", "preview.html"):
        _, *pieces = _NAME.split(_read(file))
        for name, content in zip(pieces[::2], pieces[1::2], strict=True):
            lines = content.strip("\n").splitlines(keepends=True)
            if len(lines) > 1:
                lines[-1] += "\n"
            parts[name] = [(line, frozenset(_VALUE.findall(line))) for line in lines]
    return parts


def part(name: str, /, **values: object) -> Markup:
    """Return a part of a page with its values, without the lines that have one that is None."""
    missing = {name for name, value in values.items() if value is None}
    shown = {name: text(value) for name, value in values.items()}
    lines = (line for line, names in _parts()[name] if missing.isdisjoint(names))
    return Markup("".join(lines).format_map(shown))  # noqa: S704 - of ours, and escaped by `text`


def joined(pieces: Iterable[Markup]) -> Markup:
    """Pieces of markup, one behind the other."""
    return Markup("".join(pieces))  # noqa: S704 - they are markup already


@cache
def _read(name: str) -> str:
    return package_files(__package__).joinpath(name).read_text("utf-8")


def text(value: object) -> Markup:
    """Escape a text so that it acts on no browser and every character is seen; keep markup."""
    if isinstance(value, Markup):
        return value
    given = str(value)
    if given.isascii() and given.isprintable():
        return escape(defused(given) if "##" in given else given)
    return joined(
        part("unseen", escape=_escaped(each)) if index % 2 else escape(each)
        for index, each in enumerate(_NO_SHAPE.split(defused(given)))
    )


def name(given: str) -> Markup:
    """Return the name of a thing; one that is blank is shown by what it is made of."""
    if given.strip():
        return text(given)
    return part("unseen", escape="".join(f"\\u{ord(each):04x}" for each in given) or "no name")


def plain(given: str) -> Markup:
    """Return text for where HTML allows no markup: in an attribute or a title."""
    return escape(_escaped(given))


def _escaped(given: str) -> str:
    """Escape what has no shape, and U+FFFE and U+FFFF, which HTML forbids."""
    return visible(given).replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")


def sentence(said: str) -> Markup:
    """Return a message, in which what stands between ticks is code."""
    pieces = said.split("`")
    if len(pieces) % 2 == 0:  # an odd tick: no telling where code starts
        return text(said)
    return joined(
        part("code", text=each) if index % 2 else text(each) for index, each in enumerate(pieces)
    )


def link(target: str | None, shown: object) -> Markup:
    """Return a link to an address of the web; to no other."""
    if target is None or not _WEB_ADDRESS.fullmatch(target):
        return text(shown)
    return part("link", target=escape(target), text=shown)


def page(
    kind: str,
    heading: str,
    lead: str | Markup,
    counts: Sequence[Count],
    content: Iterable[Markup],
) -> Iterator[str]:
    """Yield a whole page, piece by piece.

    Args:
        kind: the command whose page it is.
        heading: the title.
        lead: a sentence below it.
        counts: the numbers below that.
        content: the parts of the page, such as tables.
    """
    style = _read("style.css").strip()
    digest = b64encode(sha256(style.encode()).digest()).decode()
    shown = (part("count", **{**each._asdict(), "number": _cell(each.number)}) for each in counts)
    yield part(
        "page",
        policy=Markup(_POLICY.format(digest)),  # noqa: S704 - a text of ours
        title=plain(f"{kind}: {heading}"),
        style=Markup(style),  # noqa: S704 - a file of ours
        kind=kind,
        heading=heading,
        lead=lead,
        counts=part("counts", items=joined(shown)) if counts else None,
    )
    yield from content
    yield part("end")


def table(caption: str, headings: Sequence[str], rows: Iterable[Sequence[object]]) -> Markup:
    """Return a table, in which numbers stand right; its first column has the headings of rows."""
    made: list[Markup] = []
    last: Sequence[object] = headings
    for last in rows:
        cells = (
            part("number" if isinstance(each, int) else "cell", text=_cell(each))
            for each in last[1:]
        )
        made.append(part("row", heading=_cell(last[0]), cells=joined(cells)))
    columns = (
        part("number-column" if isinstance(each, int) else "column", text=heading)
        for heading, each in zip(headings, last, strict=True)
    )
    return part(
        "table",
        label=plain(caption),
        caption=caption,
        headings=joined(columns),
        rows=joined(made),
    )


def _cell(value: object) -> Markup:
    return text(f"{value:,}" if isinstance(value, int) else value)


def bar(count: int, most: int, role: str) -> Markup:
    """Return the share of a number in the largest."""
    return part("bar", role=role, percent=max(1, round(100 * count / most)))
