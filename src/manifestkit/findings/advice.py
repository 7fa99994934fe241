"""The message, help, place and fixes of a validation error."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from manifestkit.findings.fixes import needed_fix, remove_fix, replace_fix
from manifestkit.findings.members import describe_alternatives, describe_missing, describe_unknown
from manifestkit.findings.messages import alternative_members, cause, message_and_help
from manifestkit.findings.types import describe_type
from manifestkit.findings.values import describe_value
from manifestkit.findings.words import counted, label, listed, named
from manifestkit.model.finding import Description, Related
from manifestkit.model.location import Location
from manifestkit.model.pointer import format_pointer
from manifestkit.model.printable import printable, truncate
from manifestkit.schema.drafts import BRANCHES, CLOSED
from manifestkit.schema.manifest import Manifest
from manifestkit.schema.validation_error import ValidationError

_HOLE = r"\{([A-Za-z_]\w*)(!s)?\}"
_ASIDE = r" ?\([^(){}]*\{([A-Za-z_]\w*)(!s)?\}[^(){}]*\)"
_LONGEST = 300
_SENTENCES = ("change", "values")  # of a change: the values in them have backticks
_NO_PATTERN = "this regular expression"  # of a message, which an own one has not
_QUOTED_TEXT, _VERSION_FORM = "quoted-text", "version-form"
_VERSION = re.compile(r"(?<![\d.])(?:0|[1-9]\d{0,5})(?:\.(?:0|[1-9]\d{0,5})){1,2}(?![\w+-]|\.\d)")


def describe_error(manifest: Manifest, error: ValidationError) -> Description:
    """Describe a validation error of a manifest; what its schema says comes before our texts."""
    annotations = error.requirement.annotations
    message, help_text = _own_text(error, "message"), _own_text(error, "help")
    texts = (message, help_text) if message and help_text else message_and_help(error)
    said = _described(manifest, error, Description(*texts))
    if error.requirement.rule == _QUOTED_TEXT and (bare := _without_ends(error.instance)):
        said = said._replace(fixes=(replace_fix(error.path, bare)._replace(safety="unsafe"),))
    if error.requirement.rule == _VERSION_FORM:
        text = re.sub(r"^(\d{4})-0?(\d+)-0?(\d+)$", r"\1.\2.\3", str(error.instance))
        if found := _VERSION.search(text):
            help_text = f'write `"{found[0]}"`'
            said = said._replace(fixes=(replace_fix(error.path, found[0], "unsafe"),))
    if said.location is None:
        said = said._replace(location=_location(manifest, cause(error)))
    if annotations.keys().isdisjoint(("message", "help")):
        return said
    own_fix = needed_fix(manifest, *annotations["needed"]) if "needed" in annotations else None
    return said._replace(
        message=message or said.message,
        help=help_text or (said.help and said.help.replace(_NO_PATTERN, named(error.expected))),
        fixes=(own_fix,) if own_fix else said.fixes,
    )


def _own_text(error: ValidationError, name: str) -> str | None:
    """Return a text of a schema with its holes filled; None where it has no use for one.

    For a member that is not there, its name stands, but brackets that speak of it are left out;
    a text about its value is of no use.
    """
    template = error.requirement.annotations.get(name)
    is_missing = error.keyword in ("required", "dependentRequired", "dependencies")
    if template is None or (is_missing and "{value}" in template):
        return None
    text = " ".join(str(template).split())
    if "{" not in text:
        return printable(text)
    instance = error.instance if isinstance(error.instance, dict) else {}
    known = {"path", "value", *instance}
    text = re.sub(_ASIDE, lambda aside: aside[0] if aside[1] in known else "", text)
    return printable(re.sub(_HOLE, partial(_in_hole, error, instance), text))


def _in_hole(error: ValidationError, members: dict[str, Any], hole: re.Match[str]) -> str:
    """Return the text for `{value}`, `{path}` and, of an object, `{member}` and `{member!s}`."""
    if hole[0] == "{path}":
        return label(error.path)
    if hole[0] == "{value}":
        value = error.instance
        size = f" of {counted(len(value), 'item')}" if isinstance(value, list) else ""
        return f"{named(value)}{size}"
    if hole[1] not in members:
        return f"`{hole[1]}`"
    value = members[hole[1]]
    is_plain = hole[2] or hole[1] in _SENTENCES
    return truncate(str(value), _LONGEST) if is_plain else named(value)


def _described(manifest: Manifest, error: ValidationError, said: Description) -> Description:
    """Return what there is to say beside what the keyword alone tells."""
    if (reference := error.reference) is not None:
        place = manifest.document.locate_key((*error.path, "$ref"))
        do = f"references are not followed: in place of this, write what {named(reference)} has"
        if error.keyword == "required":
            names = error.requirement.schema["required"]
            lacks = listed([each for each in names if each not in error.instance], "or", named)
            said = said._replace(message=f"{label(error.path)} has `$ref`, and no {lacks}")
        return said._replace(help=do, location=place)
    if error.keyword == "required":
        return describe_missing(manifest, error, said)
    if error.keyword == "type":
        return describe_type(manifest, error, said)
    if error.keyword in CLOSED:
        return describe_unknown(manifest, error, said)
    if error.keyword in ("enum", "not", *BRANCHES):
        if found := describe_value(manifest, error, said):
            return found
        if error.keyword in BRANCHES and (needed := alternative_members(error)):
            names = [name for names in needed for name in names]
            return describe_alternatives(manifest, error, said, names)
    if error.first is not None:
        place = manifest.document.locate(error.first)
        first = Related("first listed here", format_pointer(error.first), place)
        return said._replace(fixes=(remove_fix(error.path, "safe"),), related=(first,))
    return said


def _without_ends(value: Any) -> str:
    """Return a text without the commas at its end, or without the quotes around it."""
    whole = str(value).strip()
    bare = whole.rstrip(",; ")
    if bare != whole:
        return bare
    return "" if whole[:1].isalnum() else whole[1:-1].strip()


def _location(manifest: Manifest, error: ValidationError) -> Location:
    document, path = manifest.document, error.path
    if error.keyword in ("required", "propertyNames", *CLOSED):
        return document.locate_key(path)
    return document.locate(path)
