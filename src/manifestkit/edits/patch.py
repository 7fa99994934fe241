"""JSON Patch (RFC 6902) applied to a value; which texts are edited, and what those must say."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any, Literal

from manifestkit.decode import Decoded, decode
from manifestkit.edits.layout import tokens, trivia
from manifestkit.model.document import Document, Node
from manifestkit.model.errors import EditRefusedError
from manifestkit.model.finding import Edit
from manifestkit.model.limits import Limits, each_value
from manifestkit.model.pointer import END, parse_pointer, path_in
from manifestkit.model.printable import printable

Operation = Mapping[str, Any]
_Found = tuple[int, str, str]  # offset, name and instruction
_MOST_VALUES = 30_000
_MOST_CHARACTERS = 32_000_000
_NOT_EDITED = {
    "tag": ("the tag `{}`", "remove the tag"),
    "anchor": ("the anchor `{}`", "write each value out"),
    "explicit": ("an explicit key", "write `key: value`"),
    "kept": ("text with `{}`, which keeps empty lines", "leave out the `+`"),
}


def apply_patch(value: Any, operations: Iterable[Operation]) -> Any:
    """Apply a JSON Patch of `add`, `remove`, `replace` and `move`; renamed members stay put.

    What no operation changes is shared with the value, which stays as it is.

    Raises:
        KeyError, IndexError: an operation speaks of what is not there.
    """
    holder = [value]
    for operation in operations:
        _apply(holder, operation)
    return holder[0]


def _apply(holder: list[Any], operation: Operation) -> None:
    owner, last = _owner(holder, operation["path"])
    match operation["op"]:
        case "add" if isinstance(owner, list) and owner is not holder:
            owner.insert(len(owner) if last == END else last, operation["value"])
        case "add":
            owner[last] = operation["value"]
        case "replace":
            _ = owner[last]
            owner[last] = operation["value"]
        case "remove":
            del owner[last]
        case "move":
            *above, name = parse_pointer(operation["from"])
            if above != [*parse_pointer(operation["path"])[:-1]] or not isinstance(owner, dict):
                raise KeyError(operation["from"])
            members = [(last if each == name else each, owner[each]) for each in owner]
            owner.clear()
            owner.update(members)


def _owner(holder: Any, pointer: str) -> tuple[Any, Any]:
    """Return a copy, in its place, of what an operation changes, and the member or index."""
    *above, last = (0, *path_in(holder[0], pointer))
    owner = holder
    for token in above:
        below = owner[token] = copy.copy(owner[token])
        owner = below
    return owner, last


# -- the text -----------------------------------------------------------------------------------


def require_editable(decoded: Decoded) -> Document:
    """Return a manifest whose parts can be edited: it can be read, and no member appears twice.

    Raises:
        EditRefusedError: it is not so; says where, and what to do.
    """
    for finding in decoded.findings:
        if not decoded.readable or finding.rule == "duplicate-key":
            place = f"line {finding.location.line}, column {finding.location.column}"
            by_hand = f"; {finding.help}" if finding.help else ""
            raise EditRefusedError(f"{finding.message} ({place}){by_hand}")
    return decoded.document


def check_size(document: Document) -> None:
    """Refuse a document that has too many values to be edited in good time, or too much text."""
    if document.syntax == "json" and sum(map(document.text.count, ",[{")) < _MOST_VALUES:
        return  # each value but the first has a mark of its own
    values = [*islice(each_value(document.value), _MOST_VALUES + 1)]
    if len(values) > _MOST_VALUES:
        raise EditRefusedError(f"it has more than {_MOST_VALUES:,} values: change it by hand")
    texts = chain.from_iterable(each for each in values if isinstance(each, dict))
    strings = (each for each in values if isinstance(each, str))
    if sum(map(len, chain(texts, strings))) > _MOST_CHARACTERS:  # aliases repeat what they name
        raise EditRefusedError(f"it has more than {_MOST_CHARACTERS:,} characters of text")


def check_supported(document: Document) -> None:
    """Refuse a document that has too many values, or YAML that nothing is edited around.

    That is what `_NOT_EDITED` lists, pairs without braces, and lone names.
    """
    check_size(document)
    found = (
        [*_marks(document), *_pairs_and_lone_names(document)] if document.syntax == "yaml" else []
    )
    if found:
        start, what, instead = min(found)
        line, column = document.lines.position(start)
        raise EditRefusedError(f"it has {what} (line {line}, column {column}); {instead} first")


def _marks(document: Document) -> Iterator[_Found]:
    for each in trivia(document):
        if each.lastgroup in _NOT_EDITED:
            what, instead = _NOT_EDITED[each.lastgroup]
            yield each.start(), what.format(printable(each[0])), instead


def _pairs_and_lone_names(document: Document) -> Iterator[_Found]:
    text = document.text
    todo: list[tuple[Node, bool]] = [(document.root, False)]
    while todo:
        node, in_flow = todo.pop()
        if in_flow and node.members and not text.startswith("{", node.start):
            yield node.start, "a pair without braces", "write `{key: value}`"
        is_flow = in_flow or text.startswith(("{", "["), node.start)
        for _, key, part in node.parts() if node.repeated is None else ():
            if key and ":" not in {each[0] for each in tokens(text, key.end, part.start)}:
                yield key.start, "a key without a value", "write `key: null`"
            todo.append((part, is_flow))


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return a text with edits, which are in order of place and do not overlap."""
    parts: list[str] = []
    at = 0
    for edit in edits:
        parts += (text[at : edit.start], edit.text)
        at = edit.end
    return "".join((*parts, text[at:]))


def read_again(
    text: str,
    name: str,
    value: Any,
    limits: Limits,
    kind: Literal["edited", "formatted", "converted"],
) -> Decoded:
    """Return what is read of a text of a kind, which must say a value.

    Raises:
        EditRefusedError: it cannot be read, or says something else.
    """
    decoded = decode(text.encode(), name, limits)
    if not decoded.readable:
        raise EditRefusedError(f"in the {kind} text: {decoded.findings[0].message}")
    if not is_same_data(decoded.document.value, value):
        raise EditRefusedError(f"the {kind} text would have different values")
    return decoded


def is_same_data(one: Any, other: Any) -> bool:
    """Return whether two values are equal: 1, 1.0 and true are three, members have no order."""
    todo = [(one, other)]
    while todo:
        left, right = todo.pop()
        if left is right:
            continue
        if type(left) is not type(right):
            return False
        if isinstance(left, dict):
            if left.keys() != right.keys():
                return False
            todo.extend((member, right[name]) for name, member in left.items())
        elif isinstance(left, list):
            if len(left) != len(right):
                return False
            todo.extend(zip(left, right, strict=True))
        elif left != right or (left == 0 and str(left) != str(right)):  # -0.0 is not 0.0
            return False
    return True
