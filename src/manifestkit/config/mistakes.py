"""Mistakes in a configuration file, many of them right for another tool."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from typing import Any

from manifestkit.files import parse_toml
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

SCHEMA = "configuration.schema.json"
_LISTS = (("suppress",), ("format",))
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_LONGEST_LINE = 400
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
        members = (f"{written(name)} = {written(each)}" for name, each in value.items())
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
    elif error.keyword == "type" and isinstance(value, dict) and path in _LISTS:
        yield f"write `[[{path[-1]}]]` for `[{path[-1]}]`"
    elif error.keyword == "type":
        is_item = isinstance(path[-1], int)
        yield f"write{_example(path[:-1] if is_item else path, None if is_item else value)}"
    elif error.keyword == "enum" and (level := level_meant(value)) in error.expected:
        yield f"write `{path[-1]} = {written(level)}`"


def _for_unknown(member: str, owner: Path, value: Any, where: str) -> Iterator[str]:
    schema = packaged_schema(SCHEMA)
    owner = tuple(0 if isinstance(each, int) else each for each in owner)
    field = schema.field(owner)
    known = field.members if field else ()
    yield from _misplaced(member, value, known, where)
    if near := nearest(member, known):
        yield f"did you mean `{near}`?"
    plain = plain_name(member)
    meant = [
        path
        for path, each in schema.fields
        if path and plain in map(plain_name, (*each.synonyms, str(path[-1])))
    ]
    for path in sorted(meant, key=lambda path: (path[:-1] != owner, len(path))):
        in_table = f"[[{path[0]}]]" if 0 in path else f"[{path[0]}]"
        there = f" {where}" if len(path) == 1 else f" in `{in_table}`"
        yield f"write{_example(path, value)}{'' if path[:-1] == owner else there}"
    if not owner and (instead := other_tools("settings").get(plain_name(member))):
        yield f"delete it, and give {instead} to the command"
    yield f"{listed([named(each) for each in known], 'and')} are known"


def _misplaced(member: str, value: Any, known: Collection[str], where: str) -> Iterator[str]:
    """Yield where options belong that stand in a table as other tools have it."""
    table = value
    while isinstance(table, dict):
        if own := [named(each) for each in table if each in known]:
            yield f"write {listed(own, 'and')} {where}, without `[{member}]`"
        if not rule_ids().isdisjoint(table):
            levels = listed([named(each) for each in LEVELS])
            yield f"write `[severity]` for `[{member}]`; the value of a rule is {levels}"
        name, table = next(iter(table.items()), ("", None))
        member += f".{name}"


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
    schema = packaged_schema(SCHEMA)
    field = schema.field(path) or Field()
    item = schema.field((*path, 0)) or Field()
    if field.types == ("array",) and item.types == ("string",) and isinstance(value, str):
        value = [each.strip() for each in value.split(",")]
    if path == ("severity",) and isinstance(value, list):
        rules = [each for each in value if isinstance(each, str) and each in rule_ids()]
        value = dict.fromkeys(rules, "warning") or value
    allowed = [each for each, _ in field.values]
    value = level_meant(value) if allowed else value
    is_right = value in allowed or (field.types and field.allows_type(value) and fits(value))
    shown = value if is_right else next(iter(field.examples), None)
    return f"{' ' if is_right else ', for example, '}`{path[-1]} = {written(shown)}`"
