"""The references of a user's schema: each leads to a schema, to one only, and never in a loop."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter
from itertools import accumulate
from operator import getitem
from typing import Any, NamedTuple
from urllib.parse import quote, urljoin, urlsplit

from manifestkit.model.errors import PointerSyntaxError, SchemaError
from manifestkit.model.pointer import Path, format_pointer, parse_pointer
from manifestkit.schema.drafts import SAME_VALUE, UNEVALUATED, Dialect, subschemas, subschemas_of
from manifestkit.schema.loading.file import SchemaFile, has_needs
from manifestkit.schema.packaged import base_schema
from manifestkit.schema.sources import Place, Resolver
from manifestkit.schema.suggest import nearest

_JUDGED = frozenset(
    {
        *("anyOf", "contains", "if", "not", "oneOf", "propertyNames"),
        *("unevaluatedItems", "unevaluatedProperties"),
    }
)
"""The keywords whose schemas only say yes or no; of others, all errors are found."""

_APART = frozenset(
    {"additionalItems", "additionalProperties", "items", "prefixItems", "properties"}
)
"""The keywords of which one judges each part of a value; `patternProperties` may beside them."""

_FOLLOWED = SAME_VALUE | _JUDGED | _APART | {"patternProperties"}
_MOST_PATHS = 5_000
_LEVELS = 32
_UNEVALUATED_TIMES = 4  # how often the same value is judged to tell what has been looked at

_ANCHORS = ("$anchor", "$dynamicAnchor")
_REMOTE = ("http:", "https:", "ftp:")
_IN_URI = "!$%&'()*+,/:;=?@[]"
_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")


class _Reference(NamedTuple):
    """A reference in a file, and the part of a schema that it leads to."""

    file: SchemaFile
    path: Path
    text: str
    schema: dict[str, Any]
    target: Any


class References:
    """References of files that a schema is made of.

    Attributes:
        found: those of the files that are checked so far.
    """

    def __init__(self) -> None:
        self.found: list[_Reference] = []
        self._named: dict[str, Any] = {}
        self._paths = _EvaluationPaths()

    def check(
        self, file: SchemaFile, uri: str, resolver: Resolver, *, is_root: bool, is_again: bool
    ) -> None:
        """Refuse a file with a reference that leads nowhere, or back without end.

        Refuse a schema, too, through which more evaluation paths lead than the engine can follow.

        Args:
            file: the schema's file.
            uri: its URI.
            resolver: looks its references up.
            is_root: whether the others are read for this one.
            is_again: whether it is there by another URI too, such as that of a link: it has the
                same names once more.

        Raises:
            SchemaError: with the file, line and column of the first such reference.
        """
        _check_names(file, uri, {} if is_again else self._named)
        places = list(_places(file.contents, resolver))
        # What stands elsewhere than where keywords have schemas is not checked, by file.
        checked = {id(file.contents): set(map(id, file.schemas))}
        for schema, inside in places:
            if "$ref" not in schema:
                continue
            reference, path = schema["$ref"], (*file.paths[id(schema)], "$ref")
            _check_uri(file, path, reference)
            target = _target(file, inside, path, reference, is_root=is_root)
            self.found.append(_Reference(file, path, reference, schema, target))
            if isinstance(target, bool) or id(target) in checked[id(file.contents)]:
                continue
            contents, _ = inside.lookup(reference.partition("#")[0] or "#")
            if id(contents) not in checked:
                checked[id(contents)] = set(map(id, subschemas_of(contents)))
            if id(target) not in checked[id(contents)]:
                raise file.error(
                    path,
                    f"`{reference}` does not lead to a schema; put schemas that others refer to "
                    f"into `{'definitions' if file.draft is Dialect.OLD else '$defs'}`",
                )
        self._check_paths(file, places)

    def check_needs(self, root: Any, files: list[SchemaFile]) -> None:
        """Refuse a reference to a table of needs from where the table would not count.

        A table counts at the root of its file (see `with_needs`). So a file with tables is referred
        to as a whole, from where the whole manifest is judged.

        Args:
            root: the schema.
            files: the files that it is made of.

        Raises:
            SchemaError: with the file, line and column of the first such reference.
        """
        holding = {
            each
            for file in files
            for schema in file.schemas
            if has_needs(schema)
            for each in _around(file, file.paths[id(schema)])
        }
        if not holding:
            return
        leading = _closure(
            holding,
            (
                (id(ref.target), each)
                for ref in self.found
                for each in _around(ref.file, ref.path[:-1])
            ),
        )
        same_value = [
            (id(schema), id(below))
            for file in files
            for schema in file.schemas
            for tokens, below in subschemas(schema)
            if tokens[0] in SAME_VALUE
        ]
        same_value += [(id(ref.schema), id(ref.target)) for ref in self.found]
        of_whole = _closure({id(root)}, same_value)
        wholes = {id(file.contents) for file in files}
        for ref in self.found:
            target = id(ref.target)
            is_whole = target in wholes or target not in holding
            if target in leading and not (is_whole and id(ref.schema) in of_whole):
                raise ref.file.error(
                    ref.path,
                    f"`{ref.text}` leads to `needs`, which would not apply here; put it next to a "
                    "list that `properties`, `items` and `allOf` lead to",
                    on_key=True,
                )

    def _check_paths(self, file: SchemaFile, places: list[Place]) -> None:
        try:
            self._paths.check_loops(places)
        except CycleError as error:
            own = [schema for schema, _ in places if id(schema) in error.args[1]]
            if not own:
                return  # of a file beside this one, which is checked for itself
            raise file.error(
                file.paths[id(own[0])],
                "this schema refers to itself in a loop: checking against it would never end",
            ) from None
        if places and not self._paths.are_few(places[0]):
            raise file.error(
                (),
                "this schema has too many evaluation paths: use fewer `$ref`, `allOf`, `anyOf` and "
                "`oneOf` that lead to the same schema",
            )


def _check_uri(file: SchemaFile, path: Path, reference: str) -> None:
    """Refuse what is no URI reference (RFC 3986), which the engine cannot follow."""
    base, number, fragment = reference.partition("#")
    uri = quote(_PERCENT.sub("%25", base), _IN_URI, errors="surrogatepass")
    if uri != base:
        meant = f"{uri}{number}{fragment}"
        raise file.error(path, f"`{reference}` is not a URI reference; write `{meant}`")


def _target(
    file: SchemaFile, inside: Resolver, path: Path, reference: str, *, is_root: bool
) -> Any:
    """Return the part of a schema that a reference leads to; the path ends in its keyword."""
    has_id = isinstance(file.contents, dict) and "$id" in file.contents
    error: LookupError | None = None
    # Relative in a file beside the root, it may count from the file or from its `$id`.
    if is_root or not has_id or reference.startswith("#") or urlsplit(reference).scheme:
        try:
            return inside.lookup(reference)[0]
        except LookupError as problem:
            error = problem
    meant = _meant(inside, reference)
    is_near = meant not in (None, reference)
    reason = f"did you mean `{meant}`?" if is_near else _reason(reference, error, has_id=has_id)
    raise file.error(path, f"`{reference}` cannot be resolved: {reason}")


def _meant(inside: Resolver, reference: str) -> str | None:
    """Return the reference that one to nothing was probably meant to be: one name is misspelt."""
    base, _, fragment = reference.partition("#")
    base = nearest(base, [base_schema().uri], sure=True) or base
    with suppress(LookupError, PointerSyntaxError):
        here, _ = inside.lookup(base or "#")
        path: Path = ()
        for token in parse_pointer(fragment):
            if not isinstance(here, dict):
                return None
            name = token if token in here else nearest(token, here, sure=True)
            here, path = here[name], (*path, name or "")
        return f"{base}#{format_pointer(path)}" if fragment else base
    return None


def _check_names(file: SchemaFile, uri: str, named: dict[str, Any]) -> None:
    """Refuse a schema with the name of another one: a reference may lead to either."""
    named.setdefault(uri, file.contents)
    todo: list[tuple[Any, str]] = [(file.contents, uri)]
    for schema, base in todo:
        if not isinstance(schema, dict):
            continue
        inside, names = base, {}
        is_ignored = file.draft is Dialect.OLD and "$ref" in schema
        own = None if is_ignored else schema.get("$id")
        _check_uri(file, (*file.paths[id(schema)], "$id"), own or "")
        if own and own.startswith("#") and own != "#":  # an anchor of draft 7
            names["$id"] = base + own
        elif own is not None:
            inside = names["$id"] = urljoin(base, own.removesuffix("#"))
        names.update((each, f"{inside}#{schema[each]}") for each in _ANCHORS if each in schema)
        for keyword, name in names.items():
            if named.setdefault(name, schema) is not schema:
                path = (*file.paths[id(schema)], keyword)
                message = f"`{schema[keyword]}` names another schema too"
                raise file.error(path, f"{message}; give each its own name")
        todo.extend((below, inside) for _, below in subschemas(schema))


def _places(contents: Any, resolver: Resolver) -> Iterator[Place]:
    """Yield the objects among a schema's subschemas, each with the resolver of its references."""
    todo = [(contents, resolver)]
    while todo:
        schema, outside = todo.pop()
        inside = outside.within(schema)
        if isinstance(schema, dict):
            yield schema, inside
        todo.extend((below, inside) for _, below in subschemas(schema))


def _reason(reference: str, error: BaseException | None, *, has_id: bool) -> str:
    while error is not None and not isinstance(error, SchemaError):
        error = error.__cause__
    if error is not None:
        return "; ".join(error.problems)
    if reference.startswith(_REMOTE):
        return "schemas are not fetched over the network; save the schema next to this file"
    if has_id and not reference.startswith("#"):  # it counts from there
        return (
            "use a place in this file, or the `$id` of a schema; to refer to a file in its folder, "
            "leave out the `$id` of this one"
        )
    return "use a place in this file, a file in its folder, or the `$id` of a schema"


def _around(file: SchemaFile, path: Path) -> Iterator[int]:
    """Return the ids of what is on a path, its end included."""
    return map(id, accumulate(path, getitem, initial=file.contents))


def _closure(start: set[int], steps: Iterable[tuple[int, int]]) -> set[int]:
    """Return all that steps lead to, the start included."""
    after: dict[int, list[int]] = {}
    for one, other in steps:
        after.setdefault(one, []).append(other)
    reached, todo = set(start), list(start)
    while todo:
        new = {*after.get(todo.pop(), ())} - reached
        reached |= new
        todo.extend(new)
    return reached


class _EvaluationPaths:
    """Counter of the evaluation paths that start at schemas.

    Schemas that refer to one another twice each double the paths with every step, to more than any
    engine can go. The paths are counted without following them, so that such a schema is refused
    when it is loaded: nothing can stop the engine once it has set out.
    """

    def __init__(self) -> None:
        self._steps: dict[int, list[tuple[str, Place]]] = {}
        self._verdicts: dict[int, int] = {}
        self._known: dict[tuple[int, int], int] = {}

    def check_loops(self, places: list[Place]) -> None:
        """Check that schemas lead back to themselves through parts of the value only.

        Raises:
            CycleError: its second argument has the ids of schemas that do not.
        """
        graph: dict[int, list[int]] = {}
        todo = list(places)
        for each in todo:
            if id(each[0]) not in graph:
                steps = self._steps_from(each)
                graph[id(each[0])] = [id(to[0]) for name, to in steps if name in SAME_VALUE]
                todo += [to for _, to in steps]
        TopologicalSorter(graph).prepare()

    def are_few(self, start: Place) -> bool:
        """Return whether the engine is soon done with any value, when it starts at a schema."""
        return self._count(start, _LEVELS) <= _MOST_PATHS

    def _count(self, place: Place, levels: int) -> int:
        """Count the paths on which all errors of a value with so many levels are found."""
        key = id(place[0]), levels
        if levels and key not in self._known:
            count, apart = 1, 0
            for keyword, to in self._steps_from(place):
                is_same = keyword in SAME_VALUE
                if is_same:
                    count += self._verdict(to) * (_times(place) - 1)
                if keyword in _JUDGED:
                    count += self._verdict(to)
                elif keyword in _APART:
                    apart = max(apart, self._count(to, levels - 1))
                else:
                    count += self._count(to, levels if is_same else levels - 1)
            self._known[key] = min(count + apart, _MOST_PATHS + 1)
        return self._known.get(key, 0)

    def _verdict(self, place: Place) -> int:
        """Count the paths of a verdict, where a step back to a schema counts for one."""
        key = id(place[0])
        if key not in self._verdicts:
            self._verdicts[key] = 1
            count, apart = 1, 0
            for keyword, to in self._steps_from(place):
                if keyword in _APART:
                    apart = max(apart, self._verdict(to))
                else:
                    count += self._verdict(to) * (_times(place) if keyword in SAME_VALUE else 1)
            self._verdicts[key] = min(count + apart, _MOST_PATHS + 1)
        return self._verdicts[key]

    def _steps_from(self, place: Place) -> list[tuple[str, Place]]:
        """Return the schemas that one leads to, each with its keyword."""
        schema, resolver = place
        if id(schema) not in self._steps:
            found = [
                (keyword, (each, resolver.within(each)))
                for (keyword, *_), each in subschemas(schema)
                if keyword in _FOLLOWED
            ]
            if "$ref" in schema:
                with suppress(LookupError):  # in another file, which is checked for itself
                    found.append(("$ref", resolver.lookup(schema["$ref"])))
            self._steps[id(schema)] = [step for step in found if isinstance(step[1][0], dict)]
        return self._steps[id(schema)]


def _times(place: Place) -> int:
    return 1 if UNEVALUATED.keys().isdisjoint(place[0]) else _UNEVALUATED_TIMES
