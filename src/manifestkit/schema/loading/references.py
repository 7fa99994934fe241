"""The references of a user's schema: each leads to a schema, and never in a loop."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter
from typing import Any

from referencing.exceptions import Unresolvable
from referencing.jsonschema import specification_with

from manifestkit.model.errors import PointerSyntaxError, SchemaError
from manifestkit.model.pointer import Path, format_pointer, parse_pointer
from manifestkit.schema.drafts import SAME_VALUE, UNEVALUATED, Dialect, subschemas, subschemas_of
from manifestkit.schema.loading.file import SchemaFile, has_needs
from manifestkit.schema.packaged import base_schema
from manifestkit.schema.sources import Sources
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

_HOLDERS = (("$defs",), ("definitions",))
_REMOTE = ("http:", "https:", "ftp:")


class References:
    """References of files that a schema is made of.

    Attributes:
        targets: what they lead to, by the ids of the schemas that have them.
    """

    def __init__(self, sources: Sources) -> None:
        self.targets: dict[int, Any] = {**sources.targets}
        ours = (each for contents in sources.resources for each in subschemas_of(contents))
        self._schemas: dict[int, Any] = {id(each): each for each in (True, False, *ours)}

    def resolve(self, file: SchemaFile, resolver: Any) -> None:
        """Find what the references of a file lead to.

        Args:
            file: the file.
            resolver: looks up references by the URI of the file.

        Raises:
            SchemaError: one leads nowhere; with the file, line and column of it.
        """
        specification = specification_with(file.draft.uri)
        todo = [(file.contents, resolver)]
        for schema, around in todo:
            inside = around
            if isinstance(schema, dict) and "$id" in schema:
                inside = around.in_subresource(specification.create_resource(schema))
            if isinstance(schema, dict) and "$ref" in schema:
                try:
                    self.targets[id(schema)] = inside.lookup(schema["$ref"]).contents
                except (Unresolvable, ValueError) as error:
                    reason = _reason(inside, schema["$ref"], error, file)
                    text = f"`{schema['$ref']}` cannot be resolved: {reason}"
                    raise file.error((*file.paths[id(schema)], "$ref"), text) from None
            todo += [(below, inside) for _, below in subschemas(schema)]

    def check(self, files: list[SchemaFile]) -> None:
        """Refuse references that lead to no schema, back without end, or to needs in vain.

        Refuse a schema, too, through which more evaluation paths lead than the engine can follow.

        Args:
            files: the files that the schema is made of, its own first.

        Raises:
            SchemaError: with the file, line and column of the first of these.
        """
        self._schemas |= {id(each): each for file in files for each in file.schemas}
        for file in files:
            for schema in file.schemas:
                target = self.targets.get(id(schema), True)
                if id(target) not in self._schemas:
                    holder = "definitions" if file.draft is Dialect.OLD else "$defs"
                    text = f"`{schema['$ref']}` does not lead to a schema; put schemas that others "
                    path = (*file.paths[id(schema)], "$ref")
                    raise file.error(path, f"{text}refer to into `{holder}`")
        _check_needs(files, self.targets)
        graph = {
            key: [id(to) for name, to in _steps_from(each, self.targets) if name in SAME_VALUE]
            for key, each in self._schemas.items()
        }
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            for file in files:
                for each in file.schemas:
                    if id(each) in error.args[1]:
                        raise file.error(
                            file.paths[id(each)],
                            "this schema refers to itself in a loop: checking against it would "
                            "never end",
                        ) from None
        if not _are_few_paths(files[0].contents, self.targets):
            raise files[0].error(
                (),
                "this schema has too many evaluation paths: use fewer `$ref`, `allOf`, `anyOf` and "
                "`oneOf` that lead to the same schema",
            )


def _check_needs(files: list[SchemaFile], targets: dict[int, Any]) -> None:
    """Refuse a reference to a table of needs from where the table would not count.

    A table counts at the root of its file (see `with_needs`). So a file with tables is referred
    to as a whole, from where the whole manifest is judged.

    Raises:
        SchemaError: with the file, line and column of the first such reference.
    """
    holding = {id(each) for file in files for each in file.schemas if has_needs(each)}
    leading = defaultdict[int, list[int]](list)
    for file in files if holding else ():
        for each in file.schemas:
            for below in (targets.get(id(each)), *(below for _, below in subschemas(each))):
                leading[id(below)].append(id(each))
    todo = list(holding)
    for held in todo:
        new = {*leading[held]} - holding
        holding |= new
        todo += new
    wholes = {id(file.contents) for file in files}
    for file in files:
        for each in file.schemas:
            target = id(targets.get(id(each)))
            path = file.paths[id(each)]
            is_for_all = all(token in SAME_VALUE or isinstance(token, int) for token in path)
            if target in holding and not (is_for_all and target in wholes):
                raise file.error_in(
                    each,
                    ("$ref",),
                    f"`{each['$ref']}` leads to `needs`, which would not apply here; refer to the "
                    "whole file, in an `allOf` at the root",
                )


def _reason(inside: Any, reference: str, error: BaseException | None, file: SchemaFile) -> str:
    """Return why a reference leads nowhere, or where one was probably meant to lead."""
    held = {str(path[-1]): path for path in file.paths.values() if path[-2:-1] in _HOLDERS}
    name = nearest(re.split("[#/]", reference)[-1], held, sure=True)
    meant = _meant(inside, reference) or (f"#{format_pointer(held[name])}" if name else None)
    if meant not in (None, reference):
        return f"did you mean `{meant}`?"
    while error is not None and not isinstance(error, SchemaError):
        error = error.__cause__
    if error is not None:
        return "; ".join(error.problems)
    if reference.startswith(_REMOTE):
        return "schemas are not fetched over the network; save the schema next to this file"
    if reference.startswith("#/"):
        holder = "definitions" if file.draft is Dialect.OLD else "$defs"
        return f"write `#/{holder}/{reference.rpartition('/')[2]}`, and put the schema there"
    return "use a place in this file, a file in its folder, or the `$id` of a schema"


def _meant(inside: Any, reference: str) -> str | None:
    """Return the reference that one to nothing was probably meant to be: one name is misspelt."""
    base, _, fragment = reference.partition("#")
    base = nearest(base, [base_schema().contents["$id"]], sure=True) or base
    with suppress(LookupError, Unresolvable, PointerSyntaxError, ValueError):
        here = inside.lookup(base or "#").contents
        path: Path = ()
        for token in parse_pointer(fragment):
            if not isinstance(here, dict):
                return None
            name = token if token in here else nearest(token, here, sure=True) or token
            here, path = here[name], (*path, name)
        return f"{base}#{format_pointer(path)}" if fragment else base
    return None


def _are_few_paths(start: Any, targets: Mapping[int, Any]) -> bool:
    """Return whether the engine is soon done with any value, when it starts at a schema.

    Schemas that refer to one another twice each double the evaluation paths with every step, to
    more than any engine can go. The paths are counted without following them: nothing can stop the
    engine once it has set out.
    """
    known: dict[tuple[int, int | None], int] = {}

    def count(schema: Any, levels: int | None) -> int:
        """Count the paths to all errors of a value with so many levels.

        Without levels, count those of a verdict, where a step back to a schema counts for one.
        """
        key = id(schema), levels
        if levels != 0 and key not in known:
            known[key] = 1
            found, apart = 1, 0
            times = 1 if UNEVALUATED.keys().isdisjoint(schema) else _UNEVALUATED_TIMES
            for keyword, to in _steps_from(schema, targets):
                is_same = keyword in SAME_VALUE
                left = None if keyword in _JUDGED else levels
                here = count(to, left if left is None or is_same else left - 1)
                if keyword in _APART:
                    apart = max(apart, here)
                else:
                    found += here + (count(to, None) * (times - 1) if is_same else 0)
            known[key] = min(found + apart, _MOST_PATHS + 1)
        return known.get(key, 0)

    return not isinstance(start, dict) or count(start, _LEVELS) <= _MOST_PATHS


def _steps_from(schema: Any, targets: Mapping[int, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the schemas that one leads to, each with its keyword."""
    steps = [(keyword, each) for (keyword, *_), each in subschemas(schema)]
    steps.append(("$ref", targets.get(id(schema))))
    for keyword, each in steps:
        if keyword in _FOLLOWED and isinstance(each, dict):
            yield keyword, each
