"""Whether the tables of needs in files that refer to one another count where they are reached."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from manifestkit.model.pointer import Path
from manifestkit.schema.drafts import subschemas
from manifestkit.schema.evaluation_paths import references
from manifestkit.schema.needs import has_needs
from manifestkit.schema.schema_file import SchemaFile
from manifestkit.schema.sources import Place

_SAME_VALUE = frozenset(
    {
        *("allOf", "anyOf", "dependencies", "dependentSchemas"),
        *("else", "if", "not", "oneOf", "then"),
    }
)


class _Reference(NamedTuple):
    """A reference in a file.

    Attributes:
        file: the file that it stands in.
        path: its place there.
        text: the reference itself.
        around: the ids of what it stands in, outermost first.
        target: the id of what it leads to.
    """

    file: SchemaFile
    path: Path
    text: str
    around: list[int]
    target: int


def check_needs_reached(root: Any, files: list[tuple[SchemaFile, list[Place]]]) -> None:
    """Refuse a reference to a table of needs from where the table would not count.

    A table counts at the root of its file (see `with_needs`). So a file with tables is referred
    to as a whole, from where the whole manifest is judged.

    Args:
        root: the schema.
        files: each file that it is made of, with every object among its subschemas.

    Raises:
        SchemaError: with the file, line and column of the first such reference.
    """
    schemas = [schema for _, places in files for schema, _ in places]
    if not any(map(has_needs, schemas)):
        return
    wholes = {id(file.contents) for file, _ in files}
    holding: set[int] = set()
    found: list[_Reference] = []
    for file, places in files:
        for schema, resolver in places:
            path = file.paths[id(schema)]
            around = list(_around(file.contents, path))
            if has_needs(schema):
                holding.update(around)
            for keyword, text in references(schema, file.draft):
                target, _ = resolver.lookup(text, keyword)
                found.append(_Reference(file, (*path, keyword), text, around, id(target)))
    leading = _closure(holding, ((each.target, each.around) for each in found))
    same_value = [(id(each), list(_in_place(each))) for each in schemas]
    same_value += [(each.around[-1], [each.target]) for each in found]
    of_whole = _closure({id(root)}, same_value)
    for each in found:
        counts = each.around[-1] in of_whole and (
            each.target in wholes or each.target not in holding
        )
        if each.target in leading and not counts:
            raise each.file.error(
                each.path,
                f"`{each.text}` leads to `needs`, which would not apply here; put it next to a "
                "list that `properties`, `items` and `allOf` lead to",
            )


def _around(contents: Any, path: Path) -> Iterator[int]:
    """The ids of what is on a path, itself included."""
    yield id(contents)
    for token in path:
        contents = contents[token]
        yield id(contents)


def _in_place(schema: dict[str, Any]) -> Iterator[int]:
    """The ids of the schemas right below one that judge the same value."""
    return (id(each) for tokens, each in subschemas(schema) if tokens[0] in _SAME_VALUE)


def _closure(start: set[int], steps: Iterable[tuple[int, list[int]]]) -> set[int]:
    """All that steps lead to, the start included."""
    after: dict[int, list[int]] = {}
    for one, others in steps:
        after.setdefault(one, []).extend(others)
    reached, todo = set(start), list(start)
    while todo:
        new = {*after.get(todo.pop(), ())} - reached
        reached |= new
        todo.extend(new)
    return reached
