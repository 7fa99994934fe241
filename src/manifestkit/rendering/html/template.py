"""The template of pages: parts of `page.html`, whose values are escaped unless they are markup."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from importlib.resources import files
from operator import attrgetter
from typing import Any

from markupsafe import Markup, escape

from manifestkit.model.printable import UNSEEN
from manifestkit.rendering.escape import defused, visible

_NO_SHAPE = re.compile(f"([{UNSEEN}\ud800-\udfff\ufffe\uffff])")
_NAME = re.compile(r"<!-- ([a-z-]+) -->\s")
_VALUE = re.compile(r"{([a-z_.]+)(\??)(?::([a-z-]+))?}")

_Line = tuple[str, list[tuple[str, str, str]]]  # with the path, `?` and form of each value in it


@cache
def _parts() -> dict[str, list[_Line]]:
    """Return the lines of each part; a single one has no break at its end."""
    parts = {}
    _, *pieces = _NAME.split(_read("page.html"))
    for name, content in zip(pieces[::2], pieces[1::2], strict=True):
        lines = content.strip().splitlines(keepends=True)
        if len(lines) > 1:
            lines[-1] += "\n"
        parts[name] = [(_VALUE.sub("{}", line), _VALUE.findall(line)) for line in lines]
    return parts


def _read(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


def page(**values: object) -> Markup:
    """Return a whole page; its policy admits the stylesheet by a digest, and nothing else."""
    style = _read("style.css").strip()
    digest = b64encode(sha256(style.encode()).digest()).decode()
    return part("page", style=Markup(style), digest=digest, **values)  # noqa: S704 - a file of ours


def part(name: str, it: object = None, /, **values: object) -> Markup:
    """Return a part of the page with values, and attributes of a thing for the other names."""
    values["it"] = it
    made = []
    for line, wanted in _parts()[name]:
        found = [
            (values[path] if path in values else attrgetter(path)(it), needed, form)
            for path, needed, form in wanted
        ]
        if all(value or not needed for value, needed, _ in found):
            made.append(line.format(*(_filled(form, value) for value, _, form in found)))
    return Markup("".join(made))  # noqa: S704 - the template is ours, and all in it is escaped


def _filled(form: str, value: Any) -> Markup:
    return _FORMS[form](value) if form in _FORMS else _text([part(form, each) for each in value])


def _text(value: object) -> Markup:
    """Escape a text so that it acts on no browser and every character is seen; keep markup."""
    if isinstance(value, Markup):
        return value
    if isinstance(value, list):
        return Markup("".join(map(_text, value)))  # noqa: S704 - each is escaped
    given = str(value)
    if given.isascii() and given.isprintable():
        return escape(defused(given) if "##" in given else given)
    seen, *pieces = _NO_SHAPE.split(defused(given))
    made = [escape(seen)]
    for unseen, seen in zip(pieces[::2], pieces[1::2], strict=True):
        made += part("unseen", _escaped(unseen)), escape(seen)
    return _text(made)


def _name(given: str) -> Markup:
    """Return the name of a thing; one that is blank is shown by what it is made of."""
    if given.strip():
        return _text(given)
    return part("unseen", "".join(f"\\u{ord(each):04x}" for each in given) or "no name")


def _plain(given: str) -> Markup:
    """Return text for where HTML allows no markup: in a title."""
    return escape(_escaped(given))


def _escaped(given: str) -> str:
    """Escape what has no shape, and U+FFFE and U+FFFF, which HTML forbids."""
    return visible(given).replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")


def _sentence(said: str) -> Markup:
    """Return a message, in which what stands between ticks is code."""
    pieces = said.split("`")
    if len(pieces) % 2 == 0:  # an odd tick: no telling where code starts
        return _text(said)
    return _text(
        [part("code", each) if index % 2 else _text(each) for index, each in enumerate(pieces)]
    )


def _number(value: int) -> Markup:
    return _text(f"{value:,}")


_FORMS: dict[str, Callable[[Any], Markup]] = {
    "": _text,
    "name": _name,
    "number": _number,
    "plain": _plain,
    "sentence": _sentence,
}
