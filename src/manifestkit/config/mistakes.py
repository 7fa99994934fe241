"""Mistakes in a configuration file, many of them right for another tool."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from datetime import date
from pathlib import PurePath
from typing import Any

from manifestkit.files import parse_toml
from manifestkit.findings.contents import texts_in
from manifestkit.findings.messages import message_and_help
from manifestkit.findings.words import excerpt, fits, listed, named
from manifestkit.model.pointer import Path, meant_pointer
from manifestkit.rules.catalogue import rule_ids
from manifestkit.rules.rule import LEVELS, level_meant
from manifestkit.schema.drafts import CLOSED
from manifestkit.schema.model import Field
from manifestkit.schema.packaged import other_tools, packaged_schema
from manifestkit.schema.suggest import nearest, plain_name, repaired
from manifestkit.schema.validation_error import ValidationError

_SCHEMA = "configuration.schema.json"
_LISTS = (("suppress",), ("format",))
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_LONGEST_LINE = 400
_AND_WHERE = ', `path = "legacy/**"` and `reason = "our host grants it"`'
_SIZE = re.compile(r"(\d{1,12}(?:\.\d{1,9})?)\s*([kmg]?)[a-z]*", re.IGNORECASE)
_MONTHS = 12
_EITHER = re.compile(r"\^?\((?:\?:)?([^()]*\|[^()]*)\)([^()]*)")
_NO_PATTERN = re.compile(r"^(?:\./|\^)|\\\w|[^\\]\$$")
"""Other tools have these in a pattern; .gitignore has no use for them."""
_KEY = r"[\w.\"-]+"
_TOML = 'write one option in a line, such as `fail-on = "warning"`'


def in_text(name: str, text: str, problem: str) -> str:
    """Return what is wrong with a text of which the reader of TOML says what the problem is."""
    if text.lstrip()[:1] == "{":
        return f"{name}:1:1: this is JSON, not TOML; {_TOML}"
    place = _PLACE.search(problem)
    if place is None:
        return f"{name}: {problem}"
    lines = text.split("\n")
    number, column = int(place[1] or len(lines)), place[2] or 1
    line = lines[number - 1].strip()
    right, reasons = repaired(line[:_LONGEST_LINE], other_tools("toml"), _check_line)
    if reasons:
        said = f"{named(line)} is not TOML: {listed(reasons, 'and')}; write `{right}`"
        return f"{name}:{number}:{column}: {said}"
    reason = problem[: place.start()]
    begins = rf"\s*({_KEY})\s*=\s*\[" if reason.startswith("unclosed") else rf"[\s[]*({_KEY})"
    keys = (re.match(begins, each) for each in reversed(lines[:number]))
    key = next((each[1] for each in keys if each), "")
    plain = (
        each for start, each in other_tools("toml-sentences").items() if reason.startswith(start)
    )
    said = next(plain, f"not TOML: {reason}; {_TOML}").replace("{key}", key)
    return f"{name}:{number}:{column}: {said}"


def _check_line(line: str) -> None:
    """Refuse a line that is wrong by itself and as items of a list that is on several lines."""
    try:
        parse_toml(line)
    except ValueError:
        parse_toml(f"x = [{line}]")


def written(value: Any) -> str:
    """Return a value as TOML has it, in one line."""
    if isinstance(value, dict):
        members = (
            f"{name if re.fullmatch(r'[A-Za-z0-9_-]+', name) else written(name)} = {written(each)}"
            for name, each in value.items()
        )
        return f"{{ {', '.join(members)} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(written, value))}]"
    return json.dumps(value, ensure_ascii=False)


def in_setting(error: ValidationError, where: str) -> tuple[str, str | None]:
    """Return what is wrong with a setting, and what to write; `where` is the place of options."""
    message, help_text = message_and_help(error)
    message = message.replace("an object", "a table", 1)  # TOML calls it so
    if isinstance(error.instance, list):
        message = message.replace("an array", f"the array {excerpt(error.instance)}", 1)
    if error.keyword in CLOSED:
        message = f"unknown option `{error.member}`"
    noted = error.requirement.annotations
    message = (noted.get("message") or message).replace("{value}", named(error.instance))
    return message, next(_to_write(error, where), None) or noted.get("help") or help_text


def _to_write(error: ValidationError, where: str) -> Iterator[str]:
    """Yield what may have been meant, the most likely first."""
    path, value = error.path, error.instance
    if error.keyword in CLOSED:
        yield from _for_unknown(str(error.member), path[:-1], value, where)
    elif path[:1] == ("severity",) != path:
        yield from _for_rule(str(path[-1]), value)
    elif error.keyword == "required":
        yield f"add{_example((*path, str(error.member)), None)}"
    elif error.keyword == "pattern" and path[-1] == "pointer":
        yield f"write `pointer = {written(meant_pointer(str(value)))}`"
    elif error.keyword == "type":
        yield from _for_type(path, value)
    elif error.keyword == "enum" and (level := level_meant(value)) in error.expected:
        yield f"write `{path[-1]} = {written(level)}`"


def _for_type(path: Path, value: Any) -> Iterator[str]:
    items = value if isinstance(value, list) and fits(value) else []
    texts = [each for each in items if isinstance(each, str)]
    if isinstance(value, dict) and path in _LISTS:
        for rule in (each for each in value if each in rule_ids() and path == ("suppress",)):
            yield f'write `[[suppress]]`, and below it `rule = "{rule}"`{_AND_WHERE}'
        yield f"write `[[{path[-1]}]]` for `[{path[-1]}]`"
    elif path == ("extend",) and len(texts) > 1:
        base = PurePath(os.path.relpath(texts[-2], PurePath(texts[-1]).parent)).as_posix()
        there = f"`extend = {written(base)}` in {texts[-1]}"
        yield f"write `extend = {written(texts[-1])}` here, and {there}"
    elif path[:1] + path[-1:] == ("suppress", "rule") and texts:
        yield f"write a `[[suppress]]` for each, with `rule = {written(texts[0])}` and so on"
    elif path[:1] == ("format",) != path[:-2] and isinstance(value, str):
        yield f"delete it, and give `--output-format {value}` to the command"
    is_item = isinstance(path[-1], int)
    yield f"write{_example(path[:-1] if is_item else path, None if is_item else value)}"


def _for_unknown(member: str, owner: Path, value: Any, where: str) -> Iterator[str]:
    schema = packaged_schema(_SCHEMA)
    owner = tuple(0 if isinstance(each, int) else each for each in owner)
    field = schema.field(owner)
    known = field.members if field else ()
    yield from _misplaced(member, value, known, where)
    key = ".".join(plain_name(str(each)) for each in (*owner, member))
    if instead := other_tools("settings").get(key):
        yield f"delete it, and give {instead} to the command"
    plain, near = plain_name(member), nearest(member, known)
    meant = [
        path
        for path, each in schema.fields
        if path and plain in map(plain_name, (*each.synonyms, str(path[-1])))
    ]
    for path in sorted(meant, key=lambda path: (path[:-1] != owner, len(path))):
        if path[:-1] != owner and near:
            break
        in_table = f"[[{path[0]}]]" if 0 in path else f"[{path[0]}]"
        there = f" {where}" if len(path) == 1 else f" in `{in_table}`"
        yield f"write{_example(path, value)}{'' if path[:-1] == owner else there}"
    if near:
        yield f"did you mean `{near}`?"
    if isinstance(value, dict) and len(value) == 1:
        yield from _for_unknown(next(iter(value)), (), next(iter(value.values())), where)
    yield f"{listed([named(each) for each in known], 'and')} are known"


def _misplaced(member: str, value: Any, known: Collection[str], where: str) -> Iterator[str]:
    """Yield where options belong that stand in a table as other tools have it."""
    table = value
    while isinstance(table, dict):
        fields = {each: packaged_schema(_SCHEMA).field((each,)) for each in table if each in known}
        if own := [named(each) for each, of in fields.items() if of and of.types != ("object",)]:
            yield f"write {listed(own, 'and')} {where}, without `[{member}]`"
        if not rule_ids().isdisjoint(table):
            levels = listed([named(each) for each in LEVELS])
            yield f"write `[severity]` for `[{member}]`; the value of a rule is {levels}"
        name, table = next(iter(table.items()), ("", None))
        member += f".{name}"


def _as_date(value: Any) -> str | None:
    """Return a day or a month as TOML has a date; None for one that can be read in two ways."""
    found = re.findall(r"\d{1,4}", str(value))
    year, *rest = sorted(found, key=len, reverse=True) if len(found) > 1 else ("",)
    first, second = (*map(int, rest), 28)[:2] if rest else (0, 0)
    is_day_first = found[-1:] == [year] and (first > _MONTHS or "." in str(value))
    day, month = (first, second) if is_day_first else (second, first)
    with suppress(ValueError):
        is_plain = found[:1] == [year] or is_day_first or day > _MONTHS
        return date(int(year), month, day).isoformat() if is_plain else None
    return None


def pattern_meant(line: str, folder: str) -> str | None:
    """Return the .gitignore patterns to write for a line that is none; None for any other."""
    found = _patterns(line, folder)
    return None if found == [line] else listed([f"`{written(each)}`" for each in found], "and")


def _patterns(line: str, folder: str = "") -> list[str]:
    """Return the .gitignore patterns that a path or a regular expression stands for."""
    text, either = line.removeprefix(folder), _EITHER.fullmatch(line)
    if text == line and not either and not _NO_PATTERN.search(line):
        return [line]
    parts = [f"{each}{either[2]}" for each in either[1].split("|")] if either else [text]
    for wrong, right, _ in other_tools("globs"):
        parts = [re.sub(wrong, right, each) for each in parts]
    return parts if all(parts) else [line]


def _for_rule(rule: str, value: Any) -> Iterator[str]:
    parts = [*value.values()] if isinstance(value, dict) else value
    first = parts[0] if parts and isinstance(parts, list) else parts
    if rule in LEVELS and isinstance(first, str):
        yield f"a rule stands before its level: write `{first} = {written(rule)}`"
    level = level_meant(first)
    near = rule if rule in rule_ids() else nearest(rule, rule_ids())
    if level and near:
        yield f"write `{near} = {written(level)}` in `[severity]`"


def _example(path: Path, value: Any) -> str:
    """Return a setting with the value that it was given, if that can be one; else an example."""
    schema = packaged_schema(_SCHEMA)
    field = schema.field(path) or Field()
    item = schema.field((*path, 0)) or Field()
    if field.types == ("array",) and item.types == ("string",) and isinstance(value, str):
        value = [each.strip() for each in value.split(",")]
        value = (
            [one for each in value for one in _patterns(each)] if path[-1] == "exclude" else value
        )
    if item.types == ("string",) and isinstance(value, dict):
        value = next((each for each in value.values() if isinstance(each, list)), value)
    if path == ("severity",) and isinstance(value, list):
        rows = (each if isinstance(each, dict) else {"rule": each} for each in value)
        levels = {str(each.get("rule")): level_meant([*each.values()][-1]) for each in rows if each}
        value = {each: levels[each] or "warning" for each in rule_ids() & levels.keys()} or value
    if path == ("suppress",) and isinstance(value, dict) and "rule" not in value:
        pairs = ((at, rule_ids() & {*texts_in([each])}) for at, each in value.items())
        value = [
            {"rule": each, "path": at, "reason": "why"} for at, some in pairs for each in some
        ] or value
    if field.types == ("integer",) and (size := _SIZE.fullmatch(str(value))):
        value = int(float(size[1]) * 1024 ** " kmg".index(size[2].lower() or " "))
    if path[-1] == "expires":
        return f" `{path[-1]} = {_as_date(value) or next(iter(field.examples))}`"
    allowed = [each for each, _ in field.values]
    value = level_meant(value) if allowed else value
    is_right = value in allowed or (field.types and field.allows_type(value) and fits(value))
    shown = value if is_right else next(iter(field.examples), None)
    return f"{' ' if is_right else ', for example, '}`{path[-1]} = {written(shown)}`"
