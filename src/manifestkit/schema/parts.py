"""Passing over the parts of a value that are as the schema wants them.

The engine that explains takes its time. So it is sent only where the fast engine does not know a
part of the value to be valid by the part of the schema that speaks of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

from manifestkit.pointer import format_pointer
from manifestkit.schema.fast import FastValidator

# With these the meaning of a part hangs on more than the place where it stands.
_MOVING = frozenset({"$id", "$anchor", "$dynamicAnchor", "$dynamicRef"})


class Parts:
    """The parts of a schema of draft 2020-12, each compiled when it is first asked for.

    Args:
        uri: where the schema is.
        contents: the schema.
        resource: what a URI that it refers to leads to; None where it leads nowhere.
    """

    def __init__(self, uri: str, contents: Any, resource: Callable[[str], Any]) -> None:
        self._resource = resource
        self._addresses: dict[int, str] = {}
        self._compiled: dict[int, FastValidator] = {}
        self._resources = [contents]  # a part is known by its id, as long as it lives
        self._enter(uri, contents)

    def knows_valid(self, part: Any, value: Any) -> bool:
        """Whether it is certain that a value is valid by a part of the schema."""
        key = id(part)
        if key not in self._addresses:
            return part is True
        if key not in self._compiled:
            refers = any(map(_refers, _within(part)))
            contents = {"$ref": self._addresses[key]} if refers else part
            self._compiled[key] = FastValidator(contents, self._resource)
        return self._compiled[key].knows_valid(value)

    def _enter(self, uri: str, contents: Any) -> None:
        """Note the parts of a resource, and of those that it refers to."""
        entered = {uri}
        todo = [(uri, contents)]
        while todo:
            here, contents = todo.pop()
            addresses = dict(_addresses(here, contents))
            if any(_MOVING & each.keys() for each in _within(contents) if each is not contents):
                continue
            self._addresses.update(addresses)
            for part in _within(contents):
                away = part["$ref"].partition("#")[0] if _refers(part) else ""
                found = self._resource(away) if away and away not in entered else None
                if found is not None:
                    entered.add(away)
                    self._resources.append(found)
                    todo.append((away, found))


def _refers(part: dict[str, Any]) -> bool:
    return isinstance(part.get("$ref"), str)


def _within(contents: Any) -> Iterator[dict[str, Any]]:
    """Every object in a schema, itself included."""
    todo = [contents]
    while todo:
        each = todo.pop()
        if isinstance(each, dict):
            yield each
            todo.extend(each.values())
        elif isinstance(each, list):
            todo.extend(each)


def _addresses(uri: str, contents: Any) -> Iterator[tuple[int, str]]:
    """Every object in a schema, by its id, with a reference that leads to it."""
    todo: list[tuple[tuple[str | int, ...], Any]] = [((), contents)]
    while todo:
        path, each = todo.pop()
        if isinstance(each, dict):
            yield id(each), f"{uri}#{quote(format_pointer(path))}"
            todo.extend(((*path, name), part) for name, part in each.items())
        elif isinstance(each, list):
            todo.extend(((*path, index), part) for index, part in enumerate(each))
