"""What must hold for any bytes: the same functions for a fuzzer and for the committed cases."""

from __future__ import annotations

import gc
import json
import logging
import os
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa
from lsprotocol.types import PositionEncodingKind, TextEdit

from manifestkit.authoring.convert import convert
from manifestkit.changes import diff
from manifestkit.config.configuration import Publishing
from manifestkit.decode import decode
from manifestkit.decode.json.scanner import scan
from manifestkit.edits.editor import Editor
from manifestkit.edits.patch import apply_patch, is_same_data
from manifestkit.fleet import SCHEMA, FleetPolicy, lint_batches
from manifestkit.lsp.completion import complete
from manifestkit.lsp.server import serve
from manifestkit.lsp.text import Text
from manifestkit.model.document import Document, Node, Syntax
from manifestkit.model.errors import (
    ConfigurationError,
    EditRefusedError,
    SchemaError,
    UnreadableFileError,
)
from manifestkit.model.limits import DEFAULT_LIMITS, MOST_DIGITS
from manifestkit.model.location import Span
from manifestkit.model.pointer import Path as Steps
from manifestkit.model.pointer import format_pointer
from manifestkit.publish.archive import pack
from manifestkit.rendering.explanation import declared_rules
from manifestkit.rules.catalogue import named_rules
from manifestkit.schema.draft7 import as_draft7
from manifestkit.schema.loading.load import load_schema
from manifestkit.schema.model import Schema
from manifestkit.schema.packaged import base_schema
from patches import verified

_BETWEEN = b"\n---\n"
_LONGEST_EDITED = 200
_LONGEST_NAME = 20
_POLICY = FleetPolicy()
_SYNTAXES: tuple[Syntax, ...] = ("json", "yaml")
logging.getLogger("pygls").setLevel(logging.CRITICAL)  # it logs what it cannot read
logging.getLogger("manifestkit").setLevel(logging.CRITICAL)
_MIRRORED = {"added": "removed", "removed": "added", "changed": "changed", "renamed": "renamed"}


def json_reader(data: bytes) -> None:
    """A text is read exactly when it is JSON, with the standard library's value and true places."""
    outcome = decode(data, "m.json")
    rules = {each.rule for each in outcome.findings}
    document = outcome.document
    _check_places(outcome.findings, document.text)
    try:
        value = json.loads(
            data.decode().removeprefix("\ufeff"), parse_constant=_refused, parse_int=_integer
        )
    except ValueError:
        assert not outcome.readable
        assert rules & {"syntax-error", "limit-exceeded"}
        return
    except RecursionError:
        assert "limit-exceeded" in rules
        return
    assert "syntax-error" not in rules
    if "limit-exceeded" in rules:
        return
    assert outcome.readable
    assert is_same_data(document.value, value)
    for each, node in _nodes(document.value, document.root):
        if not rules:
            assert is_same_data(json.loads(_source(document, node)), each)
        for name, member in (node.members or {}).items():
            key = document.text[member.key.start : member.key.end]
            assert json.loads(key) == name
    thorough = scan(document.text, "m.json", DEFAULT_LIMITS)
    assert is_same_data(thorough.document.value, value)
    assert _places(thorough.document) == _places(document)


def yaml_reader(data: bytes) -> None:
    """A text is read to values at true places, or refused; what JSON says, it says in YAML."""
    outcome = decode(data, "m.yaml")
    document = outcome.document
    assert outcome.readable or outcome.findings
    _check_places(outcome.findings, document.text)
    if not outcome.readable:
        return
    for value, node in _nodes(document.value, document.root):
        assert 0 <= node.span.start <= node.span.end <= len(document.text)
        if isinstance(value, int | float) and not any(mark in document.text for mark in "&*!"):
            assert is_same_data(decode(_source(document, node), "m.yaml").document.value, value)
    as_json = decode(data, "m.json")
    if as_json.readable and not as_json.findings:
        assert is_same_data(document.value, as_json.document.value)


def schemas(data: bytes) -> None:
    """A schema is refused by its name, or judges: alike in both engines, and fit for the rest."""
    text, _, judged = data.partition(_BETWEEN)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "host.json")
        file.write_bytes(text)
        try:
            schema = load_schema(file)
        except SchemaError as error:
            assert "host.json" in str(error)
            return
        decoded = decode(judged, "m.json")
        if decoded.readable:
            _check_judging(schema, decoded.document.value)
        _check_description(schema)


def edits(data: bytes) -> None:
    """A change is made as it is meant and nowhere else, or refused."""
    choices, text = data[:4].ljust(4, b"\0"), data[4:]
    name = "m.yaml" if choices[0] & 1 else "m.json"
    outcome = decode(text, name)
    if outcome.findings or not outcome.readable:
        return
    document = outcome.document
    change, steps = _change(document.value, choices)
    shared = name == "m.yaml" and any(mark in document.text for mark in "&*!")
    try:
        made = Editor(document).patch([change])
    except EditRefusedError:
        assert name == "m.yaml"
        return
    try:
        verified(document, made, apply_patch(document.value, [change]))
    except EditRefusedError as refused:
        # Nobody writes what is not proven; without tags and anchors all is.
        assert shared or "surrogate" in str(refused)
        return
    for path, node in () if shared else _with_paths((), document.root):
        common = min(len(path), len(steps))
        if path[:common] != steps[:common]:
            for edit in made:
                assert edit.end <= node.span.start or node.span.end <= edit.start


def zips(data: bytes) -> None:
    """An archive is refused, or what is sent holds exactly what Python reads in it."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "site.zip")
        path.write_bytes(data)
        try:
            listing, packed = pack(path, Publishing(max_size=1 << 20))
        except ConfigurationError:
            return
        if packed is None:
            return
        with (
            packed.file,
            zipfile.ZipFile(packed.file) as made,
            zipfile.ZipFile(path, metadata_encoding="utf-8") as other,
        ):
            left_out = {each.name for each in listing.left_out}
            theirs = [each for each in other.infolist() if not each.filename.endswith("/")]
            assert left_out or len(made.infolist()) == len(theirs)
            for ours in made.infolist():
                assert not set(ours.filename.split("/")) & {"..", ".", ""}
                (same,) = (each for each in theirs if ours.filename == each.orig_filename)
                assert made.read(ours) == other.read(same)


def changes(data: bytes) -> None:
    """Two manifests are compared, or one cannot be read; the other way round it is the same."""
    old, _, new = data.partition(_BETWEEN)
    for name in ("m.json", "m.yaml"):
        try:
            there, back = diff(old, new, name, name), diff(new, old, name, name)
            assert diff(old, old, name, name).changes == ()
        except UnreadableFileError:
            continue
        assert there.changes is not None
        assert back.changes is not None
        # What asks for consent is not called removed where the new value is no list.
        unclear = {f"{each.field}/*" for each in there.changes if each.field == "/permissions"}
        mirrored = Counter((_MIRRORED[each.kind], each.field) for each in there.changes)
        found = Counter[tuple[str, str]]((each.kind, each.field) for each in back.changes)
        assert all(field in unclear for _, field in (mirrored - found) + (found - mirrored))


def conversion(data: bytes) -> None:
    """A document has the same value in the other syntax and back again, or it is refused."""
    directions: tuple[tuple[str, Syntax], ...] = (
        ("m.json", "yaml"), ("m.yaml", "json"), ("m.yaml", "yaml")
    )  # fmt: skip
    for name, to in directions:
        decoded = decode(data, name)
        if not decoded.readable or decoded.findings:
            continue
        try:
            other = convert(decoded.document, to)
        except EditRefusedError:
            continue
        assert is_same_data(other.value, decoded.document.value)
        try:
            again = convert(other, decoded.document.syntax)
        except EditRefusedError as refused:
            assert "escape" in str(refused)
            continue
        assert is_same_data(again.value, decoded.document.value)


def cursors(data: bytes) -> None:
    """At any place of any text, what is offered is an edit of what stands at that place."""
    content = data.decode("utf-8", "replace")[:_LONGEST_EDITED]
    places = {len(content), *(each % (len(content) + 1) for each in (*data[:1], *data[-1:]))}
    offsets = {each for each in places if content[max(0, each - 1) : each + 1] != "\r\n"}
    for encoding in (PositionEncodingKind.Utf16, PositionEncodingKind.Utf8):
        text = Text(content, encoding)
        for offset in offsets:
            assert text.offset(text.position(offset)) == offset
    for syntax in _SYNTAXES:
        for offset in offsets:
            for item in complete(text, offset, [base_schema()], syntax):
                assert isinstance(item.text_edit, TextEdit)
                start, end = text.span(item.text_edit.range)
                assert start <= offset <= end


def messages(data: bytes) -> None:
    """Whatever messages come, an editor server answers the last request, and ends.

    A last piece that begins with `!` comes without a header: it may keep the rest from being
    read, and the server ends all the same.
    """
    *bodies, last = data.split(_BETWEEN)
    raw = last[1:] if last.startswith(b"!") else b""
    bodies += [] if raw else [last]
    probe = 987_654_321
    session = [
        _message("initialize", {"processId": None, "capabilities": {}}, id=1),
        _message("initialized", {}),
        *bodies,
        _message("shutdown", None, id=probe),
        _message("exit", None),
    ]
    framed = [b"Content-Length: %d\r\n\r\n%s" % (len(each), each) for each in session]
    framed.insert(-2, raw)
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as client:
        client.write(b"".join(framed))
    said = _Said()
    with os.fdopen(reading, "rb") as stdin:
        serve(stdin, said)
    gc.unfreeze()  # a process has one server as a rule, and never lets it go
    gc.collect()
    if not raw and not any(map(_ends, bodies)):
        assert b'"id": %d' % probe in said.getvalue()


def rows(data: bytes) -> None:
    """Every row of a fleet is a row of the results, the same in whatever batches they come."""
    kind, *pieces = data.split(_BETWEEN)
    contents: list[bytes | None] = [None if each == b"null" else each for each in pieces]
    names = [each[-_LONGEST_NAME:].decode("utf-8", "replace") for each in pieces]
    columns = {
        "uri": pa.array(names, pa.large_string() if b"l" in kind else pa.string()),
        "content": pa.array(contents, pa.large_binary() if b"b" in kind else pa.binary()),
    }
    if b"n" in kind:
        columns["name"] = pa.array(["m.yaml" if b"y" in kind else "m.json"] * len(pieces))
    batch = pa.RecordBatch.from_pydict(columns)
    together = pa.Table.from_batches(lint_batches([batch], _POLICY), SCHEMA)
    alone = [batch.slice(index, 1) for index in range(batch.num_rows)]
    assert together.equals(pa.Table.from_batches(lint_batches(alone, _POLICY), SCHEMA))
    assert together["uri"].to_pylist() == names
    for each in together["findings"].to_pylist():
        assert all(found["rule"] != "crash" for found in each)


TARGETS: dict[str, Callable[[bytes], None]] = {
    "json": json_reader,
    "yaml": yaml_reader,
    "schemas": schemas,
    "edits": edits,
    "zips": zips,
    "changes": changes,
    "conversion": conversion,
    "cursors": cursors,
    "messages": messages,
    "rows": rows,
}
"""Each with the folder of its cases in `corpus`."""


class _Said(BytesIO):
    """What a server says, kept when it is closed."""

    def close(self) -> None:
        """Nothing is lost."""


def _message(method: str, params: Any, **more: int) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()


def _ends(body: bytes) -> bool:
    """Whether a message tells a server to end, or to get ready for it."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return False
    return isinstance(message, dict) and message.get("method") in ("shutdown", "exit")


def _refused(constant: str) -> NoReturn:
    raise ValueError(constant)


def _integer(digits: str) -> int:
    return int(digits) if len(digits) <= MOST_DIGITS else 0


def _source(document: Document, node: Node) -> str:
    return document.text[node.span.start : node.span.end]


def _check_places(findings: Any, text: str) -> None:
    for each in findings:
        assert each.message
        assert 0 <= each.location.span.start <= each.location.span.end <= len(text)


def _nodes(value: Any, node: Node) -> Iterator[tuple[Any, Node]]:
    """Every value, with its place."""
    todo = [(value, node)]
    while todo:
        each, place = todo.pop()
        yield each, place
        if isinstance(each, dict):
            members = place.members or {}
            assert members.keys() == each.keys()
            todo += [(each[name], members[name].node) for name in each]
        elif isinstance(each, list):
            todo += zip(each, place.items or (), strict=True)


def _places(document: Document) -> list[tuple[Steps, Span, list[Span]]]:
    return [
        (path, node.span, [each.key for each in (node.members or {}).values()])
        for path, node in _with_paths((), document.root)
    ]


def _with_paths(path: Steps, node: Node) -> Iterator[tuple[Steps, Node]]:
    yield path, node
    for name, member in (node.members or {}).items():
        yield from _with_paths((*path, name), member.node)
    for index, item in enumerate(node.items or ()):
        yield from _with_paths((*path, index), item)


_NEW: tuple[Any, ...] = (
    "a",
    "no",
    "1.10",
    1,
    -0.5,
    None,
    True,
    [],
    {},
    ["x"],
    {"a": {"b": []}},
    "",
)


def _change(value: Any, choices: bytes) -> tuple[dict[str, Any], Steps]:
    """A change that is possible in a value, and the path that it is of."""
    paths: list[Steps] = [()]
    for path in paths:
        held = value
        for token in path:
            held = held[token]
        keys = held if isinstance(held, dict) else range(len(held) if isinstance(held, list) else 0)
        paths += [(*path, key) for key in keys]
    path = paths[choices[1] % len(paths)]
    held, owner = value, None
    for token in path:
        held, owner = held[token], held
    at, new = format_pointer(path), _NEW[choices[3] % len(_NEW)]
    kind = choices[2] % 4
    if kind == 1 and path:
        return {"op": "remove", "path": at}, path
    if kind == 2 and isinstance(owner, dict) and f"{path[-1]}2" not in owner:
        return {"op": "move", "from": at, "path": f"{at}2"}, path
    if kind == 3 and isinstance(held, dict):
        return {"op": "add", "path": f"{at}/new"} | {"value": new}, (*path, "new")
    if kind == 3 and isinstance(held, list):
        index = choices[2] // 4 % (len(held) + 1)
        # What follows moves up: of the items, only those before it keep their paths.
        return {"op": "add", "path": f"{at}/{index}", "value": new}, path
    return {"op": "replace", "path": at, "value": new}, path


def _check_judging(schema: Schema, value: Any) -> None:
    try:
        errors = list(schema.validator.errors(value))
    except SchemaError as error:
        assert "host.json" in str(error)
        return
    assert schema.validator.is_valid(value) == (not errors)


def _check_description(schema: Schema) -> None:
    assert all(schema.field(path) for path, _ in schema.lists)
    assert set(named_rules(schema)) >= set(declared_rules(schema))
    if isinstance(schema.contents, dict):
        try:
            as_draft7(schema.contents)
        except SchemaError as error:
            assert "draft-07" in str(error)
