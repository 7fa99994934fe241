"""One file of a schema, and the errors about places in it.

None of its keywords, annotations and texts is ignored.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache, cached_property
from itertools import islice
from typing import Any

from manifestkit.files import other_tools
from manifestkit.model.document import Document
from manifestkit.model.errors import SchemaError
from manifestkit.model.pointer import Path, value_at
from manifestkit.model.printable import truncate
from manifestkit.schema.corrections import corrected
from manifestkit.schema.drafts import (
    ANNOTATION,
    CLOSED,
    Dialect,
    map_subschemas,
    objects,
    subschemas,
    subschemas_of,
)
from manifestkit.schema.engines import ENGINE
from manifestkit.schema.model import Field, Schema
from manifestkit.schema.packaged import base_schema, likely_kind, packaged_schema
from manifestkit.schema.suggest import nearest, plain_name, repaired
from manifestkit.schema.validation_error import ValidationError

_ANNOTATIONS = frozenset(
    {
        *("contentEncoding", "contentMediaType", "contentSchema", "default", "deprecated"),
        *("description", "examples", "readOnly", "title", "writeOnly"),
    }
)
_MOST_PROBLEMS = 20
_MOST_NAMES = 5_000
_MOST_LEFT = 12
_BOUNDS = (
    *(("minLength", "maxLength"), ("minItems", "maxItems"), ("minProperties", "maxProperties")),
    *(("minContains", "maxContains"), ("minimum", "maximum"), ("exclusiveMinimum", "maximum")),
    *(("minimum", "exclusiveMaximum"), ("exclusiveMinimum", "exclusiveMaximum")),
)
"""The keywords of a least and a greatest value; of `exclusive...`, the value itself is outside."""

_OF_FORM = ("type", "enum", "pattern", "minItems", "format")
_OF_ANY_VALUE = frozenset({"const", "default", "examples"})
_KNOWN = (
    frozenset({ANNOTATION, "errorMessage", "nullable"})
    | _ANNOTATIONS
    | Dialect.CURRENT.keywords
    | Dialect.OLD.keywords
)
_OF_A_NAME = "keyword"
_TOLD_WHOLE = (_OF_A_NAME, "value")
"""The rules of the meta-schema; other errors say less."""
_FLAGS = ("required", "exclusiveMinimum", "exclusiveMaximum")
_BESIDE_REF = frozenset({"$ref", "definitions"})
_PLACEHOLDER = re.compile(r"\{(\w+(?:!s)?)\}")
_NEEDS, _NEEDED = "needs", "needed"
_PLACEHOLDERS = ("value", "path")
_TEXTS = ("message", "help")
_TOLD = ("rule", "severity", *_TEXTS, "url", "clause")
_VERDICT_ONLY = frozenset({"anyOf", "contains", "if", "not", "oneOf", "propertyNames"})
"""The keywords below which nothing is told by itself: what is broken is the keyword."""

_HOLDERS = frozenset({"$defs", "definitions"})


class SchemaFile:
    """A file that holds a schema, for telling places in it.

    Attributes:
        document: the file.
        contents: the schema.
        draft: the draft that it is of.

    Raises:
        SchemaError: it is of a draft that is not known here.
    """

    def __init__(self, document: Document, default: Dialect = Dialect.CURRENT) -> None:
        self.document = document
        self.contents = document.value
        draft = Dialect.of(self.contents, default)
        if draft is None:
            named = self.contents["$schema"]
            raise self.error(
                ("$schema",),
                f"{named if isinstance(named, str) else json.dumps(named)} is not a supported "
                f"draft; write `{Dialect.OLD.uri}` or `{Dialect.CURRENT.uri}`",
            )
        self.draft = draft

    @cached_property
    def schemas(self) -> list[dict[str, Any]]:
        """Every object among its subschemas, itself first."""
        return list(subschemas_of(self.contents))

    @cached_property
    def paths(self) -> dict[int, Path]:
        """The path of each object in the file, by the object's id."""
        found: dict[int, Path] = {}
        for path, each in objects(self.contents):  # an alias of YAML is at several places
            found.setdefault(id(each), path)
        return found

    def error(self, path: Path, message: str, *, on_key: bool = False) -> SchemaError:
        """Return the error to raise about a value in the file, or about the member that it is.

        Args:
            path: the value.
            message: what is wrong.
            on_key: whether the place of a member is its name.
        """
        has_key = on_key and path and isinstance(path[-1], str)
        try:
            place = self.document.locate_key(path) if has_key else self.document.locate(path)
        except KeyError:
            place = self.document.locate(())
        return SchemaError(f"{self.document.name}:{place.line}:{place.column}: {message}")

    def error_in(
        self, schema: dict[str, Any], tokens: Path, message: str, *, on_key: bool = True
    ) -> SchemaError:
        """Return the error to raise about a member below one of its subschemas."""
        return self.error((*self.paths[id(schema)], *tokens), message, on_key=on_key)

    def check(self) -> None:
        """Refuse a file that is no schema, or of which something would be ignored.

        Raises:
            SchemaError: with the file, line and column of each thing that is wrong.
        """
        contents = self.contents
        problems: list[SchemaError] = []
        if not isinstance(contents, dict | bool):
            problems.append(self.error((), "not a JSON Schema: it is not an object"))
        wrong = list(islice(_wrong_keywords(self), _MOST_PROBLEMS))
        problems += wrong or _pattern_problems(self)
        problems += (*_misspelt(self), *_wrong_annotations(self), *_untold(self))
        _refuse(problems)

    def check_requires(self) -> None:
        """Refuse a file that has no keyword of a schema.

        Raises:
            SchemaError: with what it is instead, and what to write.
        """
        contents = self.contents if isinstance(self.contents, dict) else {}
        names = {name for name in contents if not name.startswith(("$", "x-"))} - _ANNOTATIONS
        if not names or "$ref" in contents or not names.isdisjoint(self.draft.keywords):
            return
        example = f", as in `{_of_manifests()}`"
        advice = (
            "if it is a manifest, give a schema or a profile in its place; else write "
            f"what you require below `properties`{example}"
        )
        marks = (contents[each] for each in names & base_schema().marks)
        if any(isinstance(each, str | list) for each in marks):
            advice = "it is a manifest: give a schema in its place"
        elif kind := likely_kind(contents):
            levels = ", and set severities with `--severity RULE=LEVEL`" * ("rules" in contents)
            advice = f"it is {kind}: give a schema in its place{example}{levels}"
        raise self.error((), f"not a JSON Schema: it requires nothing; {advice}")

    def check_placeholders(self, members: Collection[str]) -> None:
        """Refuse a placeholder in a message or a help that would stand there as it is.

        Args:
            members: the members of a manifest: one stands for its value in an object.
        """
        problems: list[SchemaError] = []
        needed = {_NEEDED} if any(map(has_needs, self.schemas)) else set()
        known = {*_PLACEHOLDERS, *needed}
        for schema in self.schemas:
            notes = schema.get(ANNOTATION, {})
            for kind in _TEXTS:
                for name in _PLACEHOLDER.findall(str(notes.get(kind, ""))):
                    if name not in known and name.removesuffix("!s") not in members:
                        near = nearest(name, known, sure=True)
                        hint = "write `{value}`, `{path}` or a member"
                        hint = f"did you mean `{{{near}}}`?" if near else hint
                        problem = f"there is no placeholder `{{{name}}}`; {hint}"
                        problems.append(self.error_in(schema, (ANNOTATION, kind), problem))
        _refuse(problems)


def _of_manifests() -> str:
    """Return an example of a schema that requires something of manifests."""
    name = next(path[0] for path, each in base_schema().fields if path and each.members)
    requirement = {"required": ["homepage"], ANNOTATION: {"rule": "has-homepage"}}
    return json.dumps({"properties": {name: requirement}})


def has_needs(schema: dict[str, Any]) -> bool:
    """Return whether a table is in the annotation of a schema."""
    return _NEEDS in (schema.get(ANNOTATION) or {})


def _refuse(problems: Iterable[SchemaError]) -> None:
    found = dict.fromkeys(text for each in problems for text in each.problems)
    if found:
        raise SchemaError(*found)


def _wrong_keywords(file: SchemaFile) -> Iterator[SchemaError]:
    """Yield what the meta-schema finds in each schema of a file, without those below it."""
    meta = packaged_schema("json-schema.schema.json")
    for schema in file.schemas:
        if _is_of_another_draft(schema, file):
            continue
        kept = {name: each for name, each in schema.items() if name not in _OF_ANY_VALUE}
        alone = map_subschemas(
            kept, lambda each: dict.fromkeys(each) if isinstance(each, dict) else each
        )
        whole = {"$schema": file.draft.uri, **alone}
        for masked in meta.validator.errors(whole):
            value = value_at(schema, masked.path)
            is_list = isinstance(masked.instance, list)
            error = masked._replace(instance=value) if is_list else masked
            advice = _elsewhere(error, schema, file)
            advice = advice or _to_write(error, value, meta, **{"$schema": file.draft.uri})
            message, rule = _message(error, meta, (), advice), error.requirement.rule
            if rule not in _TOLD_WHOLE:
                message = f"not a JSON Schema: `{error.path[0]}`: {message}"
            yield file.error_in(schema, error.path, message, on_key=rule == _OF_A_NAME)


def _elsewhere(error: ValidationError, schema: dict[str, Any], file: SchemaFile) -> str | None:
    """Return what to write in another place for a keyword that other drafts have here."""
    keyword, value = str(error.path[-1] if error.path else ""), error.instance
    inclusive = keyword.replace("exclusiveM", "m")
    if (value is False and keyword in _FLAGS) or value in ("any", "mixed"):
        return f"leave `{keyword}` out"
    if value is True and inclusive != keyword and inclusive in schema:
        bound = json.dumps(schema[inclusive])
        return f'write `"{keyword}": {bound}` in place of `"{inclusive}": {bound}`'
    path = file.paths[id(schema)]
    if keyword == "required" and value is True and path[-2:-1] == ("properties",):
        members = value_at(file.contents, path[:-1])
        names = [
            name
            for name, each in members.items()
            if isinstance(each, dict) and each.get(keyword) is True
        ]
        at, required = file.document.locate_key(path[:-1]).line, truncate(json.dumps(names))
        return f'remove it, and write `"required": {required}` beside `properties` (line {at})'
    if keyword == "required" and isinstance(value, dict):
        nested = {name: {keyword: each} for name, each in value.items()}
        return f'write `"properties": {json.dumps(nested)}`'
    return None


def _to_write(error: ValidationError, value: Any, schema: Schema, **around: Any) -> str | None:
    """Return what to write for a value of the wrong form; None where nothing tells."""
    path = error.path
    if error.keyword not in _OF_FORM:
        return None
    right = corrected(value, path, schema, _meant(path, value, schema), **around)
    name = f'"{path[-1]}": ' if path and isinstance(path[-1], str) else ""
    return right if right is None else f"write `{name}{json.dumps(right, ensure_ascii=False)}`"


def _meant(path: Path, value: Any, schema: Schema) -> Iterator[Any]:
    """Yield what a table, or a list of texts, means as a keyword, or a text as an annotation."""
    if isinstance(value, dict):
        yield [*value]
    elif isinstance(value, list) and all(isinstance(each, str) for each in value):
        yield ("|" if path[-1:] == ("pattern",) else " ").join(value)
        is_type = not {*value}.isdisjoint(other_tools("types").values())
        manifest = base_schema()
        name = path[1:] if path[:1] == ("properties",) else ()
        place = next((each for each, _ in manifest.fields if name and each[-1:] == name), ())
        item = manifest.field((*place, 0))
        field = item or manifest.field(place) or Field()
        listed = {"required" if field.types == ("object",) else "enum": value}
        yield None if is_type else {"items": listed} if item else listed
    elif not path:
        yield from ({"rule": value}, {"message": value})
    elif path[0] in ("anyOf", "oneOf") and value not in other_tools("types").values():
        yield {"const": value}
    if path == (_NEEDS,):
        yield _needs(value, schema)


def _needs(value: Any, schema: Schema) -> dict[str, Any]:
    """Return the table of what items of lists need that is meant by one of another form."""
    (usual,) = (schema.field((_NEEDS,)) or Field()).examples[0]
    made: dict[str, Any] = {}
    rows = value if isinstance(value, list) else [value]
    for name, below in (pair for row in rows if isinstance(row, dict) for pair in row.items()):
        is_table = isinstance(below, dict)
        list_name = name.strip("/#.") if is_table else ""
        table = made.setdefault(f"/{list_name}" if list_name else usual, {})
        for item, needed in (below if is_table else {name: below}).items():
            table[item] = [needed] if isinstance(needed, str) else needed
    return made


def _is_of_another_draft(schema: dict[str, Any], file: SchemaFile) -> bool:
    return isinstance(schema.get("$schema"), str) and Dialect.of(schema) is not file.draft


def _pattern_problems(file: SchemaFile) -> Iterator[SchemaError]:
    """Yield the patterns and formats that the engine does not take."""
    for schema in file.schemas:
        patterns: dict[Path, str] = {
            ("patternProperties", name): name for name in schema.get("patternProperties", ())
        }
        for where, pattern in {**patterns, ("pattern",): schema.get("pattern", "")}.items():
            try:
                _check_pattern(pattern)
            except ValueError as error:
                why = _why_unsupported(pattern, error)
                message = f"`{pattern}` is not a supported regular expression: {why}"
                yield file.error_in(schema, where, message, on_key=False)
        named = schema.get("format")
        if named and (missing := ENGINE.format_problem(named)):
            text = f"the format `{named}` {missing}"
            yield file.error_in(schema, ("format",), text, on_key=False)


@cache
def _ecma() -> re.Pattern[str]:
    """Return what matches a pattern as far as it is ECMA-262 with the flag `u`, after `(?i)`."""
    properties = "|".join(other_tools("character-properties"))
    escape = (
        r"\\(?:[dDsSwWtnrfv]|c[A-Za-z]|x[0-9A-Fa-f]{2}|u(?:[0-9A-Fa-f]{4}|\{[0-9A-Fa-f]+\})"
        rf"|[pP]\{{(?:{properties})\}}|[/^$.*+?()|{{}}[\]\\])"
    )
    atom = rf"\[\^?(?:{escape}|\\-|[^\]\\])*\]|{escape}|[^\\()\[\]{{}}|*+?^$]|\)"
    repeated = rf"(?:{atom})(?:(?:[*+?]|\{{[0-9]+(?:,[0-9]*)?\}})\??)?"
    return re.compile(rf"(?:\(\?i\))?(?:{repeated}|[|^$]|\\[bB]|\((?:\?:|\?<[^\W\d]\w*>|(?!\?)))*")


def _check_pattern(pattern: str) -> None:
    """Refuse a regular expression of another syntax, or that the engine does not take.

    Raises:
        ValueError: it is one; the text says why.
    """
    if left := _ecma().sub("", pattern, count=1):
        hints = (hint for begins, hint in other_tools("left-of-patterns") if re.match(begins, left))
        at = f"at `{left[:_MOST_LEFT]}`, it is not of ECMA-262 with the flag `u`"
        raise ValueError(next(hints, at))
    bare = re.sub(r"\\.|\[(?:\\.|[^\]\\])*\]", "", pattern)
    if bare.count("(") != bare.count(")"):
        raise ValueError(f"it has {bare.count('(')} `(`, but {bare.count(')')} `)`")
    names = re.findall(r"\(\?<(\w+)>", bare)
    if len(set(names)) < len(names):
        raise ValueError("two groups have one name")
    ENGINE.matches(pattern, "")


def _why_unsupported(pattern: str, error: ValueError) -> str:
    written, reasons = repaired(pattern, other_tools("patterns"), _check_pattern)
    if reasons:
        return f"{' and '.join(reasons)}; write `{json.dumps(written, ensure_ascii=False)}`"
    return str(error)


def _misspelt(file: SchemaFile) -> Iterator[SchemaError]:
    """Yield what would be ignored, and what it requires with it.

    That is a misspelt keyword, a schema of another draft, and, in draft 7, a keyword beside a
    `$ref`. Any other unknown name is an annotation, as JSON Schema has it (2020-12 core, 6.5); so
    is one that starts with `x-`, and whatever resembles the name of an annotation only. Too many
    unknown names to look at are a problem, too.
    """
    unknown = {name for schema in file.schemas for name in schema} - _KNOWN
    hints = {name: _hint(name, file.draft) for name in islice(unknown, _MOST_NAMES)}
    if len(hints) < len(unknown):
        yield file.error((), "there are too many unknown names to compare with keywords")
    for schema in file.schemas:
        is_other = _is_of_another_draft(schema, file)
        is_ignored = file.draft is Dialect.OLD and "$ref" in schema
        for name in schema:
            if is_other and name == "$schema":
                problem = "a schema of another draft must be in a separate file"
                yield file.error_in(schema, (name,), problem)
            elif is_ignored and name in file.draft.keywords - _BESIDE_REF:
                problem = f"`{name}` is ignored next to `$ref`; put the `$ref` into an `allOf`"
                yield file.error_in(schema, (name,), problem)
            elif hint := None if is_other else hints.get(name):
                yield file.error_in(schema, (name,), f"`{name}` is not a keyword; {hint}")
        for name, problem in _without_effect(schema):
            yield file.error_in(schema, (name,), problem)


def _hint(name: str, draft: Dialect) -> str | None:
    """Return what to say of a name that is a slip of a key in a keyword."""
    known = () if name.startswith(("x-", "$")) else draft.keywords
    near = nearest(name, known, sure=True)
    near = ANNOTATION if plain_name(name).startswith("xmanifest") else near
    return near and f"did you mean `{near}`?"


def _without_effect(schema: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the bounds between which there is no value, and why."""
    for low, high in _BOUNDS:
        least, most = schema.get(low), schema.get(high)
        if isinstance(least, int | float) and isinstance(most, int | float):
            is_outside = "exclusive" in low + high
            if least > most or (is_outside and least == most):
                yield low, f"no value has `{low}` {least} and `{high}` {most}"


def _wrong_annotations(file: SchemaFile) -> Iterator[SchemaError]:
    annotation = packaged_schema("annotation.schema.json")
    for schema in file.schemas:
        notes = schema.get(ANNOTATION, {})
        for error in annotation.validator.errors(notes):
            is_in_needs = error.path[:1] == (_NEEDS,)
            wrong = error._replace(path=(_NEEDS,), keyword="type") if is_in_needs else error
            advice = _to_write(wrong, value_at(notes, wrong.path), annotation)
            message = _message(error, annotation, (ANNOTATION,), advice)
            if is_in_needs and advice:
                message = f"`{_NEEDS}` has the pointer of each list, with what is needed; {advice}"
            path = wrong.path if advice else error.path
            yield file.error_in(schema, (ANNOTATION, *path), message, on_key=False)


def _untold(file: SchemaFile) -> Iterator[SchemaError]:
    """Yield what annotations say of findings where none is; what is referred to may have some."""
    todo: list[tuple[str | None, Any]] = [(None, file.contents)]
    for keyword, schema in todo:
        notes = schema.get(ANNOTATION) if keyword and isinstance(schema, dict) else None
        said = [each for each in _TOLD if isinstance(notes, dict) and each in notes]
        if said and not schema.get("deprecated"):
            problem = f"`{said[0]}` is ignored below `{keyword}`; write it next to `{keyword}`"
            yield file.error_in(schema, (ANNOTATION, said[0]), problem)
        for (name, *_), below in subschemas(schema):
            within = keyword or (name if name in _VERDICT_ONLY else None)
            todo.append((None if name in _HOLDERS else within, below))


def _message(
    error: ValidationError, schema: Schema, outside: Path, advice: str | None = None
) -> str:
    if error.keyword in CLOSED:
        members = (schema.field(error.path[:-1]) or Field()).members
        fields = ((each, schema.field((*error.path[:-1], each)) or Field()) for each in members)
        other = (each for each, known in fields if error.member in known.synonyms)
        near = nearest(str(error.member), members) or next(other, None)
        known = ", ".join(f"`{name}`" for name in members)
        hint = f"did you mean `{near}`?" if near else f"it has {known}"
        owner = ".".join(map(str, (*outside, *error.path[:-1])))
        return f"{f'`{owner}`' if owner else 'this file'} has no member `{error.member}`; {hint}"
    notes = error.requirement.annotations
    if "message" in notes:
        is_name = isinstance(error.instance, str) and error.requirement.rule in _TOLD_WHOLE
        shown = error.instance if is_name else truncate(json.dumps(error.instance))
        message = str(notes["message"]).replace("{value}", f"`{shown}`")
        if not advice and is_name and error.keyword == "enum":
            near = nearest(error.instance, error.expected, sure="help" in notes)
            known = "there are " + ", ".join(f"`{each}`" for each in error.expected)
            advice = f"did you mean `{near}`?" if near else notes.get("help", known)
        return "; ".join(filter(None, (message, advice or notes.get("help"))))
    if error.keyword in ("dependentRequired", "required"):
        return f"there is no `{error.member}`"
    place = ".".join(map(str, (*outside, *error.path)))
    problem = f"`{place}` does not satisfy `{error.keyword}`: {json.dumps(error.expected)}"
    return f"{problem}; {advice}" if advice else problem
