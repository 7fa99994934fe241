"""Halves of surrogate pairs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from manifestkit.model.pointer import LinkedPath, path_of
from manifestkit.rules.messages import label
from manifestkit.rules.rule import Manifest, Rule

if TYPE_CHECKING:
    from manifestkit.model.finding import Finding

_SURROGATE = "[\ud800-\udfff]"


def check(rule: Rule, manifest: Manifest) -> Iterator[Finding]:
    """One finding for each string, and each member name, with such a half."""
    document = manifest.document
    if "\\" not in document.text and (
        document.text.isascii() or not re.search(_SURROGATE, document.text)
    ):
        return  # neither one as it is, nor an escape
    todo: list[tuple[LinkedPath, object]] = [(None, document.value)]
    while todo:
        link, value = todo.pop()
        if isinstance(value, str):
            if half := re.search(_SURROGATE, value):
                path = path_of(link)
                message = f"{label(path)} has a lone surrogate, U+{ord(half[0]):04X}"
                yield rule.finding(document, path, message)
        elif isinstance(value, list):
            todo.extend(((link, index), item) for index, item in enumerate(value))
        elif isinstance(value, dict):
            for name, member in value.items():
                todo.append(((link, name), member))
                if half := re.search(_SURROGATE, name):
                    at = path_of((link, name))
                    message = f"a member's name has a lone surrogate, U+{ord(half[0]):04X}"
                    yield rule.finding(document, at, message, location=document.locate_key(at))
