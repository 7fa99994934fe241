"""The message, help, place and fixes of a validation error."""

from __future__ import annotations

import json
import re
import unicodedata
from functools import lru_cache, partial
from itertools import islice
from typing import Any, NamedTuple

from manifestkit.findings.fixes import (
    moving_fix,
    needed_fix,
    remove_fix,
    rename_fix,
    replace_fix,
    swap_fix,
)
from manifestkit.findings.messages import (
    allowed_values,
    alternative_members,
    as_written,
    cause,
    condition,
    listed_values,
    message_and_help,
)
from manifestkit.findings.shapes import (
    Found,
    Shape,
    dropped_texts,
    find,
    has_holes,
    misplaced,
    reshape,
    shape_text,
)
from manifestkit.findings.words import (
    excerpt,
    fits,
    label,
    listed,
    meaning,
    named,
    place_of,
    with_article,
)
from manifestkit.model.finding import Description, Finding, Related
from manifestkit.model.location import Location
from manifestkit.model.pointer import Path, format_pointer
from manifestkit.model.printable import printable, truncate
from manifestkit.model.violation import Violation
from manifestkit.schema.drafts import BRANCHES, frozen
from manifestkit.schema.engines import ENGINE
from manifestkit.schema.fields import CLOSED, Field
from manifestkit.schema.manifest import Manifest
from manifestkit.schema.suggest import (
    Suggestion,
    counterparts,
    has_extra_words,
    is_near,
    nearest,
    plain_name,
    resembles_listed,
    suggest,
)
from manifestkit.schema.validation_error import ValidationError

_HOLE = r"\{([A-Za-z_]\w*)(!s)?\}"
_LONGEST = 300
_LOST = 3
_MOST_COMPARED = 100
_ON_KEY = CLOSED | {"propertyNames"}


def describe_error(manifest: Manifest, error: ValidationError) -> Description:
    """Describe a validation error of a manifest; what its schema says comes before our texts."""
    annotations = error.requirement.annotations
    reason = _why_applied(manifest, error)
    message, help_text = _filled(error, "message"), _filled(error, "help")
    texts = (message, help_text) if message and help_text else message_and_help(error)
    if reason and error.keyword == "required":  # what is said beside it has another reason
        texts = (f"{texts[0]}, because {reason}", texts[1])
    advice = _Adviser(manifest, error, *texts).advice()
    if message is None and reason and error.keyword != "required":
        advice = advice._replace(message=f"{advice.message}, because {reason}")
    if annotations.keys().isdisjoint(("message", "help")):
        return advice
    own_fix = needed_fix(manifest, *annotations["needed"]) if "needed" in annotations else None
    # Ours would be in English, and is not what the schema's author wanted to say.
    return advice._replace(
        message=message or advice.message,
        help=help_text if message or help_text else advice.help,
        fixes=(own_fix,) if own_fix else advice.fixes,
    )


def _why_applied(manifest: Manifest, error: ValidationError) -> str | None:
    """Return the condition by which a requirement applies, if a simple one holds for the value.

    A condition about a member may hold because that is not there: then it is no reason.
    """
    found = condition(error.requirement.schemas)
    if found is None:
        return None
    member, values = found
    for length in range(len(error.path), -1, -1):
        owner = manifest.document.value_or_none((*error.path[:length], *member[:-1]))
        if not isinstance(owner, dict) or member[-1] not in owner:
            continue
        if values is None:
            return f"{label(member)} is there"
        value = owner[member[-1]]
        if frozen(value) in map(frozen, values):
            return f"{label(member)} is {named(value)}"
    return None


def _filled(error: ValidationError, name: str) -> str | None:
    """Return a text of a schema with its holes filled."""
    template = error.requirement.annotations.get(name)
    if template is None:
        return None
    text = " ".join(str(template).split())
    return printable(re.sub(_HOLE, partial(_in_hole, error), text) if "{" in text else text)


def _in_hole(error: ValidationError, hole: re.Match[str]) -> str:
    """Return the text for `{value}`, `{path}` and, of an object, `{member}` and `{member!s}`."""
    instance, name = error.instance, hole[1]
    if hole[0] == "{path}":
        return label(error.path)
    if hole[0] == "{value}":
        return named(instance)
    if not isinstance(instance, dict) or name not in instance:
        return hole[0]
    return truncate(str(instance[name]), _LONGEST) if hole[2] else named(instance[name])


def locate(manifest: Manifest, violation: Violation) -> Location:
    """Return the characters to look at for a violation."""
    about, document = violation.about, manifest.document
    if isinstance(about, Finding):
        return about.location
    if violation.span is not None:
        return document.lines.locate(violation.span)
    if isinstance(about, ValidationError):
        return _locate_error(manifest, about)
    path = violation.path
    return document.locate_key(path) if violation.on_key else document.locate(path)


def _locate_error(manifest: Manifest, error: ValidationError) -> Location:
    document, error = manifest.document, cause(error)
    if error.keyword == "required":
        name = str(error.member)
        at = (
            _misspelt(manifest, error.path, name)
            or misplaced(manifest, error.path, name)
            or error.path
        )
        return document.locate_key(at)
    if error.keyword in _ON_KEY:
        return document.locate_key(error.path)
    if (
        error.keyword == "type"
        and error.instance is None
        and _unindented(manifest, error.path, manifest.field(error.path))
    ):
        return document.locate_key(error.path)
    return document.locate(error.path)


def _misspelt(manifest: Manifest, path: Path, name: str) -> Path | None:
    pairs = manifest.renames(path).items()
    written = next((written for written, meant in pairs if meant == name), None)
    if written is None:
        written = nearest(name, _undescribed(manifest, path))
    return None if written is None else (*path, written)


def _undescribed(manifest: Manifest, path: Path) -> list[str]:
    """Return the first members of an object that neither the schema nor a profile names."""
    owner = manifest.document.value_or_none(path)
    if not isinstance(owner, dict):
        return []
    fields = (manifest.field(path), *(each.field(path) for each in manifest.profiles))
    known = {name for each in fields if each for name in each.members}
    return [
        each
        for each in islice(owner, _MOST_COMPARED)
        if each not in known and not _is_named(manifest, each)
    ]


def _is_wanted(manifest: Manifest, path: Path) -> bool:
    """Return whether an unknown member may be what a schema describes, here or elsewhere.

    It has such a name, or almost such; or its object lacks a member that it may stand for.
    """
    owner, name = manifest.document.value_or_none(path[:-1]), str(path[-1])
    for schema in (manifest.schema, *manifest.profiles):
        field = schema.field(path[:-1])
        names, patterns = schema.names_anywhere
        if (
            (field and not owner.keys() >= set(field.required))
            or is_near(name, names)
            or any(ENGINE.matches(each, name) for each in patterns)
        ):
            return True
    return False


def _is_named(manifest: Manifest, name: str) -> bool:
    """Return whether a schema names a member so, wherever that may be."""
    for schema in (manifest.schema, *manifest.profiles):
        names, patterns = schema.names_anywhere
        if name in names or any(ENGINE.matches(each, name) for each in patterns):
            return True
    return False


def _unindented(manifest: Manifest, path: Path, field: Field | None) -> list[str]:
    """Return the members beside an empty member of a YAML manifest that belong in it."""
    if manifest.document.syntax != "yaml" or field is None or not path:
        return []
    owner = manifest.document.value_or_none(path[:-1])
    own = manifest.field(path[:-1])
    if not isinstance(owner, dict) or own is None:
        return []
    names = list(owner)
    below = names[names.index(path[-1]) + 1 :] if path[-1] in owner else []
    found: list[str] = []
    for name in below:
        if name not in field.members or name in own.members:
            break
        found.append(name)
    return found


class _Adviser(NamedTuple):
    """Describes an error.

    Attributes:
        manifest: the manifest.
        error: the error.
        message: what is wrong, by the keyword alone.
        help: what to do, by the keyword alone.
    """

    manifest: Manifest
    error: ValidationError
    message: str
    help: str | None

    def advice(self) -> Description:
        error = self.error
        if error.keyword == "required":
            return self._for_missing(str(error.member))
        if error.keyword == "type":
            return self._for_type()
        if error.keyword in ("enum", *BRANCHES) and allowed_values(error) is not None:
            return self._for_value()
        if error.keyword in BRANCHES and (needed := alternative_members(error)):
            return self._for_alternatives([name for names in needed for name in names])
        if error.keyword == "not" and listed_values(error.expected) is not None:
            return self._for_unwanted()
        if error.keyword in CLOSED:
            return self._for_unknown()
        if error.first is not None:
            place = self.manifest.document.locate(error.first)
            first = Related("first listed here", format_pointer(error.first), place)
            fix = remove_fix(error.path, "safe")
            return Description(self.message, help=self.help, fixes=(fix,), related=(first,))
        return Description(self.message, help=self.help)

    def _for_missing(self, name: str) -> Description:
        path = self.error.path
        at = _misspelt(self.manifest, path, name)
        if at is not None:
            return self._for_misspelt(at, name, "it")
        found = find(self.manifest, path, name)
        if found is not None:
            return self._for_found(name, found)
        purpose = meaning(self.manifest.field((*path, name)))
        return Description(self.message, f"add {named(name)}{_in_brackets(purpose)}")

    def _for_alternatives(self, names: list[str]) -> Description:
        """Describe an object that has none of several members, of which one would do."""
        for name in names:
            at = _misspelt(self.manifest, self.error.path, name)
            if at is not None:
                return self._for_misspelt(at, name, named(name))
        return Description(self.message, self.help)

    def _for_misspelt(self, at: Path, name: str, of: str) -> Description:
        written = str(at[-1])
        why = _look_alike(written, name)
        place = self.manifest.document.locate_key(at)
        return Description(
            message=f"{self.message}; {named(written)} looks like a misspelling of {of}",
            help=f"write {named(name)}" + (f"; {why}" if why else ""),
            suggestion=name,
            fixes=(rename_fix(at, name),),
            related=(Related(f"did you mean {named(name)}?", format_pointer(at), place),),
        )

    def _for_unwanted(self) -> Description:
        path = self.error.path
        is_item = bool(path) and isinstance(path[-1], int)
        is_ours = is_item and "message" not in self.error.requirement.annotations
        return Description(self.message, self.help, fixes=(remove_fix(path),) if is_ours else ())

    def _for_found(self, name: str, found: Found) -> Description:
        """Describe a missing member whose value stands under another name or at another place."""
        path, sources = self.error.path, found.sources
        document, here = self.manifest.document, sources[0][:-1]
        fix = moving_fix(self.manifest, sources, (*path, name), found.value)
        shown = f"write {shape_text(self.manifest, (*path, name), found.value, name)}"
        others = listed(
            [f"{named(old)} instead of {named(new)}" for old, new in found.renamed], "and"
        )
        if here != path:
            message = f"{named(name)} belongs {place_of(path)}, not {place_of(here)}"
            message += f", and has {others}" if others else ""
            shown = fix.message
        elif found.is_gathered:
            names = listed([each[-1] for each in sources], "and", named)
            verb = "belongs" if len(sources) == 1 else "belong"
            message = f"{names} {verb} in {label((*path, name))}, not {place_of(path)}"
        else:
            message = f"{label(path)} has {named(sources[0][-1])} instead of {named(name)}"
            message += f", and in it {others}" if others else ""
        related = tuple(
            Related("written here", format_pointer(each), document.locate_key(each))
            for each in sources
            if here == path
        )
        if has_holes(found.value):
            return Description(message, shown, related=related)
        lost = _lost([document.value_at(each) for each in sources], found.value)
        fix = fix._replace(message=f"{fix.message}{lost}")
        return Description(message, f"{shown}{lost}", fixes=(fix,), related=related)

    def _for_shape(self, shape: Shape, purpose: str | None) -> Description:
        """Describe a value of the wrong type by the value that was probably meant."""
        value = shape.value
        fix = replace_fix(shape.path, value)
        fix = fix if shape.is_safe else fix._replace(safety="unsafe")
        old = self.manifest.document.value_at(shape.path)
        if isinstance(value, dict | list):
            name = shape.path[-1] if shape.path and shape.path != self.error.path else None
            own = name if isinstance(name, str) else None
            do = f"write {shape_text(self.manifest, shape.path, value, own)}"
            if has_holes(value):
                return Description(self.message, do)
            lost = _lost(old, value)
            fix = fix._replace(message=f"{fix.message}{lost}")
            return Description(self.message, f"{do}{lost}", fixes=(fix,))
        number = self.error.instance
        is_number = isinstance(number, int | float)
        message = self.message
        if is_number and isinstance(value, str):
            message = as_written(message, number, value)
        suggestion = value if isinstance(value, str) else json.dumps(value)
        do = fix.message if is_number else f"{fix.message}{_in_brackets(purpose)}"
        if isinstance(old, dict) and not shape.is_safe:
            keys = "the keys" if len(old) > 1 else "the key"
            lost = f"; this drops {keys} {listed(list(old), 'and', named)}"
            do, fix = f"{do}{lost}", fix._replace(message=f"{fix.message}{lost}")
        return Description(message, do, suggestion, (fix,))

    def _for_unknown(self) -> Description:
        path, do = self.error.path, self.help
        field = self.manifest.field(path[:-1])
        renames = self.manifest.renames(path[:-1]) if field and field.members else {}
        if (meant := renames.get(str(self.error.member))) is not None:
            fix = rename_fix(path, meant)
            return Description(self.message, f"did you mean {named(meant)}?", meant, (fix,))
        if field and self.error.member in field.required:
            return Description(self.message, "allow it in the schema, because it is required")
        allowed = self._allowed_beside()
        owner = self.manifest.document.value_or_none(path[:-1])
        absent = [each for each in allowed if isinstance(owner, dict) and each not in owner]
        if near := nearest(str(path[-1]), absent):
            fix = rename_fix(path, near)
            return Description(self.message, f"did you mean {named(near)}?", near, (fix,))
        if (known := self._by_synonym(absent)) is not None:
            fix = rename_fix(path, known)._replace(safety="unsafe")
            return Description(self.message, f"did you mean {named(known)}?", known, (fix,))
        if field and field.members and allowed:
            verb = "is" if len(allowed) == 1 else "are"
            do = f"{do}; only {listed(allowed, 'and', named)} {verb} allowed"
        fixes = () if _is_wanted(self.manifest, path) else (remove_fix(path),)
        return Description(self.message, do, fixes=fixes)

    def _by_synonym(self, absent: list[str]) -> str | None:
        """Return the absent member for which people also use the name of the unknown one."""
        path = self.error.path
        written = plain_name(str(path[-1]))
        for each in absent:
            field = self.manifest.field((*path[:-1], each))
            if field and written in map(plain_name, field.synonyms):
                return each
        return None

    def _allowed_beside(self) -> list[str]:
        """Return the members that a closed object may have, if one schema names them all."""
        closed = self.error.requirement.schemas[0]
        is_all = self.error.keyword == "additionalProperties" and "patternProperties" not in closed
        return list(closed.get("properties", ())) if is_all else []

    def _for_type(self) -> Description:
        path = self.error.path
        field = self.manifest.field(path)
        purpose = meaning(field)
        if self.error.instance is None and (below := _unindented(self.manifest, path, field)):
            return Description(
                f"{label(path)} is empty: the lines below it are not indented",
                f"indent {listed(below, 'and', named)}",
            )
        expected = self.error.expected
        types = (expected,) if isinstance(expected, str) else tuple(expected)
        shape = reshape(self.manifest, path, self.error.instance, types)
        if shape is not None:
            return self._for_shape(shape, purpose)
        example = next((each for each in field.examples if fits(each)), None) if field else None
        do = self.help if example is None else f"write, for example, {excerpt(example)}"
        owner = self.manifest.field(path[:-1]) if path else None
        name = str(path[-1]) if path else ""
        is_optional = owner and name in owner.members and name not in owner.required
        if self.error.instance is None and is_optional:
            do = f"{do}, or leave out {named(name)}"
            return Description(self.message, do)
        if do and example is None and field and field.required and types == ("object",):
            return Description(self.message, f"{do} with {listed(field.required, 'and', named)}")
        do = do and f"{do}{_in_brackets(purpose)}"
        if do and self.error.instance is None and path and isinstance(path[-1], int):
            do = f"{do}, or remove the item"
        return Description(self.message, do)

    def _for_value(self) -> Description:
        value, allowed = self.error.instance, allowed_values(self.error) or []
        if not isinstance(value, str):
            return Description(self.message, help=self.help)
        path = self.error.path
        other, near = None, Suggestion((), is_sure=False)
        compares = self.manifest.has_comparisons_left(len(allowed))
        if compares:
            other = self._counterpart_title(value)
            texts = tuple([each for each in allowed if isinstance(each, str)])
            near = _near_values(texts, value, self._counterparts())
        message = self._not_of_list(value, other, near.values) or self.message
        if not near.values:
            shape = reshape(self.manifest, path, value, ())
            if shape is not None and _are_all_of(shape.value, allowed):
                if shape.path != path:
                    message = f"{label(path)} has several values in one string"
                return self._for_shape(shape, None)._replace(message=message)
            is_item = bool(path) and isinstance(path[-1], int)
            if not is_item:
                return Description(message, self.help)
            do = f"remove it, or {self.help}" if self.help else None
            is_odd = compares and self._is_like_none(value)
            fixes = (remove_fix(path),) if is_odd else ()
            return Description(message, do, fixes=fixes)
        meant = f"did you mean {listed(near.values, say=named)}?"
        if len(near.values) > 1:
            return Description(message, meant)
        (answer,) = near.values
        if not value.isascii() and (why := _look_alike(value, answer)):
            meant += f" {why}"
        fix = replace_fix(path, answer)
        if not near.is_sure:
            fix = fix._replace(safety="unsafe")
        return Description(message, meant, answer, (fix,))

    def _not_of_list(self, value: str, other: str | None, answers: tuple[str, ...]) -> str | None:
        """Name a wrong value by the title of its list; None where that has none."""
        title = self.error.requirement.schemas[0].get("title")
        if not isinstance(title, str):
            return None
        own = title.lower()
        if other is None:
            return f"{named(value)} is not {with_article(own)}"
        if len(answers) == 1:
            return f"{named(value)} is {with_article(other)}; the {own} is {named(answers[0])}"
        return f"{named(value)} is {with_article(other)}, not {with_article(own)}"

    def _counterpart(self) -> Field | None:
        return self.manifest.schema.counterpart(self.manifest.field(self.error.path))

    def _counterpart_title(self, value: str) -> str | None:
        """Return the title of the list that has the value as another name for the same thing."""
        other = self._counterpart()
        if other is None or value not in dict(other.values):
            return None
        return other.title.lower() if other.title else None

    def _counterparts(self) -> tuple[str, ...]:
        """Return the values of the list that names the same things otherwise."""
        other = self._counterpart()
        values = other.values if other else ()
        return tuple(each for each, _ in values if isinstance(each, str))

    def _is_like_none(self, value: str) -> bool:
        """Return whether a value resembles nothing that is allowed here, or in the other list."""
        expected = tuple(each for each in self.error.expected if isinstance(each, str))
        return not resembles_listed(value, expected, self._counterparts())


def _are_all_of(value: Any, allowed: list[Any]) -> bool:
    return isinstance(value, list) and all(each in allowed for each in value)


def _in_brackets(purpose: str | None) -> str:
    return f" ({purpose})" if purpose else ""


def _lost(old: Any, new: Any) -> str:
    """Say which texts of an object or array are not in the value in its place."""
    texts = dropped_texts(old, new)
    if not texts:
        return ""
    shown = [excerpt(each) for each in texts[:_LOST]]
    if len(texts) > _LOST:
        shown.append(f"{len(texts) - _LOST} more")
    values = "the value" if len(texts) == 1 else "the values"
    is_off = isinstance(old, dict) and all(old.get(each) is False for each in texts)
    why = "set to `false`" if is_off else "for which the format has no place"
    return f"; this drops {values} {listed(shown, 'and')}, {why}"


def _look_alike(written: str, meant: str) -> str | None:
    """Say which letter of a name only looks like the one that is meant; None for other slips."""
    for letter, other in zip(written, meant, strict=False):
        if letter != other:
            script = unicodedata.name(letter, "").split(" ", 1)[0].capitalize()
            if letter.isascii() or not letter.isalpha() or len(written) != len(meant):
                return None
            return f"`{letter}` is the {script} letter U+{ord(letter):04X}, not `{other}`"
    return None


def describe_swap(manifest: Manifest, path: Path, other: Path) -> Description:
    """Describe two lists that hold each other's values."""
    first, second = label(path), label(other)
    return Description(
        f"{first} lists {second[1:-1]}, and {second} {first[1:-1]}",
        f"swap {first} and {second}",
        fixes=(swap_fix(manifest.document, path, other),),
    )


@lru_cache(maxsize=4096)
def _near_values(allowed: tuple[str, ...], value: str, others: tuple[str, ...]) -> Suggestion:
    """Return the allowed values that one may stand for.

    Args:
        allowed: the allowed values.
        value: the value.
        others: the values of a list that names the same things otherwise.
    """
    if value in others:
        found = counterparts(value, allowed)
        return Suggestion(found, is_sure=len(found) == 1)
    near = suggest(value, allowed)
    if near.values:
        is_sure = near.is_sure and not has_extra_words(value, near.values[0])
        return Suggestion(near.values, is_sure)
    there = suggest(value, others).values
    return Suggestion(counterparts(there[0], allowed) if len(there) == 1 else (), is_sure=False)
