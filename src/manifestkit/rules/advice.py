"""What to do about a finding: fixes that rules offer, and advice on what breaks a schema."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Literal, NamedTuple

from manifestkit.edits import END, Editor
from manifestkit.model.document import Document
from manifestkit.model.errors import EditRefusedError
from manifestkit.model.finding import Edit, Fix, Related
from manifestkit.model.location import Location
from manifestkit.model.pointer import Path, array_index, format_pointer, parse_pointer
from manifestkit.rules.messages import (
    as_written,
    excerpt,
    fits,
    label,
    listed,
    meaning,
    named,
    place_of,
    with_article,
)
from manifestkit.rules.rule import Manifest
from manifestkit.rules.slips import as_array, look_alike, misplaced, unindented
from manifestkit.schema.fields import CLOSED, Field
from manifestkit.schema.suggest import counterparts, holds_more, nearest
from manifestkit.schema.validation import ValidationError

_LEVELS = re.compile(r"[0-9]+")
_Safety = Literal["safe", "unsafe"]


def replace_fix(editor: Editor | None, path: Path, value: Any) -> Fix:
    """Write another value."""
    operation = {"op": "replace", "path": format_pointer(path), "value": value}
    return _fix(editor, f"write {excerpt(value)}", "safe", operation)


def rename_fix(editor: Editor | None, path: Path, name: str) -> Fix:
    """Give a member its right name; not safe where the wrong one holds more."""
    target = format_pointer((*path[:-1], name))
    operation = {"op": "move", "from": format_pointer(path), "path": target}
    safety: _Safety = "unsafe" if holds_more(str(path[-1]), name) else "safe"
    return _fix(editor, f"rename it to {named(name)}", safety, operation)


def move_fix(editor: Editor | None, document: Document, path: Path, target: Path) -> Fix:
    """Put a member into another object."""
    operations = (
        {"op": "remove", "path": format_pointer(path)},
        {"op": "add", "path": format_pointer(target), "value": document.value_at(path)},
    )
    return _fix(editor, f"move it {place_of(target[:-1], 'into')}", "unsafe", *operations)


def swap_fix(editor: Editor | None, document: Document, one: Path, other: Path) -> Fix:
    """Give two members each other's values."""
    operations = [
        {"op": "replace", "path": format_pointer(path), "value": document.value_at(source)}
        for path, source in ((one, other), (other, one))
    ]
    return _fix(editor, f"swap {label(one)} and {label(other)}", "unsafe", *operations)


def remove_fix(editor: Editor | None, path: Path, safety: _Safety = "unsafe") -> Fix:
    """Take a member or an item out; never safe where a comment goes with it."""
    return _fix(editor, "remove it", safety, {"op": "remove", "path": format_pointer(path)})


def patch_fix(manifest: Manifest, at: Path, patch: list[Mapping[str, Any]]) -> Fix | None:
    """A fix that a schema states as a JSON Patch relative to the failing value.

    A path that starts with ``/`` (or is empty) leads down from that value. One that starts with a
    number, as in ``2/permissions/-``, goes up so many levels first (relative JSON Pointer).

    Returns:
        None when a path leads nowhere in this document, or an operation is none of `replace` and
        `add` at an array's end. What an array has already is not added again.
    """
    document = manifest.document
    operations: list[Mapping[str, Any]] = []
    messages: list[str] = []
    for operation in patch:
        path = _target(manifest, at, str(operation.get("path", "")))
        if path is None:
            return None
        if operation.get("op") == "add" and path[-1:] == (END,):
            if operation["value"] in document.value_at(path[:-1]):
                continue
            messages.append(f"add {excerpt(operation['value'])} to {label(path[:-1])}")
        elif operation.get("op") == "replace":
            messages.append(f"write {excerpt(operation['value'])}")
        else:
            return None
        operations.append({**operation, "path": format_pointer(path)})
    return _fix(manifest.editor, "; ".join(messages), "unsafe", *operations) if operations else None


def _fix(
    editor: Editor | None, message: str, safety: _Safety, *operations: Mapping[str, Any]
) -> Fix:
    fix = Fix(message, safety, (), operations)
    return with_edits(fix, editor) if editor else fix


def with_edits(fix: Fix, editor: Editor) -> Fix:
    """A fix with its edits, where the text can be edited so."""
    if fix.edits or not fix.patch:
        return fix
    edits: tuple[Edit, ...] = ()
    with suppress(EditRefusedError):
        edits = editor.patch(fix.patch)
    drops_comment = fix.patch[-1]["op"] == "remove" and editor.drops_comment(edits)
    return fix._replace(edits=edits, safety="unsafe" if drops_comment else fix.safety)


def _target(manifest: Manifest, at: Path, relative: str) -> Path | None:
    """The path that a relative pointer leads to from a path; None when there is no such place."""
    up = _LEVELS.match(relative)
    levels = int(up[0]) if up else 0
    if levels > len(at):
        return None
    path: Path = at[: len(at) - levels]
    here = manifest.document.value_at(path)
    for token in parse_pointer(relative[up.end() :] if up else relative):
        if isinstance(here, list) and token == END:
            path = (*path, token)
        elif isinstance(here, list) and (index := array_index(token)) is not None:
            if index >= len(here):
                return None
            path, here = (*path, index), here[index]
        elif isinstance(here, dict) and (name := manifest.written((*path, token))[-1]) in here:
            path, here = (*path, name), here[name]
        else:
            return None
    return path


_INTEGER = re.compile(r"-?[0-9]{1,15}")


class Advice(NamedTuple):
    """What one can do about an error.

    Attributes:
        message: what is wrong, where more can be said than the keyword's sentence does.
        help: what to do.
        suggestion: the value or name that was probably meant.
        fixes: ways to fix it.
        related: other places that belong to it.
        location: what to mark in place of the value.
    """

    message: str | None = None
    help: str | None = None
    suggestion: str | None = None
    fixes: tuple[Fix, ...] = ()
    related: tuple[Related, ...] = ()
    location: Location | None = None


def advise(manifest: Manifest, error: ValidationError, help_text: str | None) -> Advice:
    """What to do about an error of a manifest.

    Args:
        manifest: the manifest, with the schema that describes its fields.
        error: what is wrong with it.
        help_text: what to do by the keyword alone.
    """
    return _Adviser(manifest, error).advice(help_text)


class _Adviser(NamedTuple):
    manifest: Manifest
    error: ValidationError

    def advice(self, help_text: str | None) -> Advice:
        error = self.error
        if error.keyword == "required":
            return self._for_missing(str(error.member))
        if error.keyword == "type":
            return self._for_type(help_text)
        if error.keyword == "enum":
            return self._for_value(help_text)
        if error.keyword in CLOSED:
            return self._for_unknown(help_text)
        if error.first is not None:
            place = self.manifest.document.locate(error.first)
            first = Related("first listed here", format_pointer(error.first), place)
            fix = remove_fix(self.manifest.editor, error.path, "safe")
            return Advice(help=help_text, fixes=(fix,), related=(first,))
        return Advice(help=help_text)

    def _field(self, path: Path) -> Field | None:
        return self.manifest.field(path)

    def _for_missing(self, name: str) -> Advice:
        path, document = self.error.path, self.manifest.document
        pairs = self.manifest.renames(path, document.value_at(path))
        written = next((written for written, meant in pairs.items() if meant == name), None)
        if written is not None:
            at = (*path, written)
            why = look_alike(written, name)
            place = document.locate_key(at)
            return Advice(
                message=f"{named(written)} should be {named(name)}" + (f": {why}" if why else ""),
                help=f"write {named(name)}",
                suggestion=name,
                fixes=(rename_fix(self.manifest.editor, at, name),),
                related=(Related(f"did you mean {named(name)}?", format_pointer(at), place),),
                location=place,
            )
        found = misplaced(self.manifest, path, name)
        if found is not None:
            return Advice(
                message=f"{named(name)} belongs {place_of(path)}, not {place_of(found[:-1])}",
                help=f"move it {place_of(path, 'into')}",
                fixes=(move_fix(self.manifest.editor, document, found, (*path, name)),),
                location=document.locate_key(found),
            )
        purpose = meaning(self._field((*path, name)))
        return Advice(help=f"add {named(name)}: {purpose}" if purpose else f"add {named(name)}")

    def _for_unknown(self, help_text: str | None) -> Advice:
        path, document = self.error.path, self.manifest.document
        field = self._field(path[:-1])
        if field is None or not field.members:
            return Advice(help=help_text, fixes=(remove_fix(self.manifest.editor, path),))
        siblings = document.node(path[:-1]).members or {}
        meant = self.manifest.renames(path[:-1], siblings).get(str(self.error.member))
        if meant is not None:
            return Advice(
                help=f"did you mean {named(meant)}?",
                suggestion=meant,
                fixes=(rename_fix(self.manifest.editor, path, meant),),
            )
        known = listed([named(name) for name in field.members], "and")
        verb = "is" if len(field.members) == 1 else "are"
        return Advice(
            help=f"{help_text}; only {known} {verb} allowed",
            fixes=(remove_fix(self.manifest.editor, path),),
        )

    def _for_type(self, help_text: str | None) -> Advice:
        path = self.error.path
        field = self._field(path)
        purpose = meaning(field)
        if self.error.instance is None and (below := unindented(self.manifest, path, field)):
            return Advice(
                f"{label(path)} is empty: the lines below it are not indented",
                f"indent {listed([named(name) for name in below], 'and')}",
                location=self.manifest.document.locate_key(path),
            )
        if self.error.expected == "array":
            items = as_array(self.error.instance, self._field((*path, 0)))
            if items:
                fix = replace_fix(self.manifest.editor, path, items)._replace(safety="unsafe")
                return Advice(help=f"write an array: {excerpt(items)}", fixes=(fix,))
        meant = self._retyped()
        if meant is not None and self._is_allowed(meant, field):
            fix = replace_fix(self.manifest.editor, path, meant)
            message = self._as_spelt(meant) if isinstance(meant, str) else None
            suggestion = meant if isinstance(meant, str) else json.dumps(meant)
            return Advice(message, f"write {excerpt(meant)}", suggestion, (fix,))
        example = next((each for each in field.examples if fits(each)), None) if field else None
        do = help_text if example is None else f"write, for example, {excerpt(example)}"
        return Advice(help=f"{do}: {purpose}" if purpose else do)

    def _as_spelt(self, spelling: str) -> str | None:
        """The message for a number that is not spelt as it is read (`1.10`); else None."""
        if spelling == json.dumps(self.error.instance):
            return None
        return as_written(self.error, spelling)

    def _retyped(self) -> Any:
        """The same text as a value of the right type, where that is plain; else None."""
        error = self.error
        is_number = isinstance(error.instance, int | float) and not isinstance(error.instance, bool)
        if error.expected == "string" and is_number:
            return self.manifest.document.spelling(self.manifest.document.node(error.path))
        if error.expected == "integer" and isinstance(error.instance, str):
            return int(error.instance) if _INTEGER.fullmatch(error.instance) else None
        if error.expected == "array" and isinstance(error.instance, str):
            item = self._field((*error.path, 0))
            return [error.instance] if self._is_allowed(error.instance, item) else None
        return None

    @staticmethod
    def _is_allowed(value: Any, field: Field | None) -> bool:
        """Whether a value is in the list of allowed ones, where there is one."""
        return field is None or not field.values or value in [each for each, _ in field.values]

    def _for_value(self, help_text: str | None) -> Advice:
        value = self.error.instance
        if not isinstance(value, str):
            return Advice(help=help_text)
        allowed = tuple(each for each in self.error.expected if isinstance(each, str))
        other = self._counterpart(value)
        answers = counterparts(value, allowed) if other else _one(nearest(value, allowed))
        message = self._not_of_list(value, other, answers)
        if not answers:
            path = self.error.path
            is_item = bool(path) and isinstance(path[-1], int)
            fixes = (remove_fix(self.manifest.editor, path),) if is_item else ()
            return Advice(message, help_text, fixes=fixes)
        meant = f"did you mean {listed([named(answer) for answer in answers])}?"
        if len(answers) > 1:
            return Advice(message, meant)
        if why := look_alike(value, answers[0]):
            meant += f" {why}"
        fix = replace_fix(self.manifest.editor, self.error.path, answers[0])
        if holds_more(value, answers[0]):
            fix = fix._replace(safety="unsafe")
        return Advice(message, meant, answers[0], (fix,))

    def _not_of_list(self, value: str, other: str | None, answers: tuple[str, ...]) -> str | None:
        """What is wrong with a value by the title of its list; None where that has none."""
        title = self.error.schemas[0].get("title")
        if not isinstance(title, str):
            return None
        own = title.lower()
        if other is None:
            return f"{named(value)} is not {with_article(own)}"
        if len(answers) == 1:
            return f"{named(value)} is {with_article(other)}; the {own} is {named(answers[0])}"
        return f"{named(value)} is {with_article(other)}, not {with_article(own)}"

    def _counterpart(self, value: str) -> str | None:
        """The title of the list that names the same things otherwise, if it has the value."""
        other = self.manifest.schema.counterpart(self._field(self.error.path))
        if other is None or value not in [each for each, _ in other.values]:
            return None
        return other.title.lower() if other.title else None


def swap_advice(manifest: Manifest, path: Path, other: Path) -> Advice:
    """What to do about two lists that hold each other's values."""
    first, second = label(path), label(other)
    both = bool(manifest.document.value_at(other))
    return Advice(
        message=f"{first} lists {second[1:-1]}" + (f", and {second} {first[1:-1]}" if both else ""),
        help=f"swap {first} and {second}" if both else f"move them to {second}",
        fixes=(swap_fix(manifest.editor, manifest.document, path, other),),
        location=manifest.document.locate_key(path),
    )


def _one(answer: str | None) -> tuple[str, ...]:
    return () if answer is None else (answer,)
