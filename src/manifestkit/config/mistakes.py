"""Mistakes in a configuration file, many of them right for another tool."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import chain
from typing import Any

from manifestkit.files import other_tools, parse_toml, reason_of
from manifestkit.findings.contents import texts_in
from manifestkit.findings.messages import message_and_help
from manifestkit.findings.words import excerpt, fits, listed, named
from manifestkit.model.finding import Severity
from manifestkit.model.pointer import Path, meant_pointer
from manifestkit.model.printable import names_secret, redacted
from manifestkit.rules.catalogue import find_rule, rule_ids
from manifestkit.schema.corrections import corrected
from manifestkit.schema.drafts import CLOSED
from manifestkit.schema.model import Field
from manifestkit.schema.packaged import packaged_schema
from manifestkit.schema.suggest import nearest, plain_name, repaired
from manifestkit.schema.validation_error import ValidationError

_SCHEMA = "configuration.schema.json"
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_LONGEST = 400
_MOST_SLIPS = 20
_EITHER = re.compile(r"\^?\((?:\?:)?([^()|]*+\|[^()]*+)\)([^()]*)")
_NO_PATTERN = re.compile(r"^(?:\./|\^)|\\\w|[^\\]\$$")
"""Other tools have these in a pattern; .gitignore has no use for them."""
_OF_PATTERNS = (("exclude",), ("publish", "ignore"))
_RULES = ("severity",)
_LISTS_OF_RULES = (("select",), ("ignore",))
_NO_RULE = "there is no such rule, unless a profile has it"
_KEY = r"[\w.\"-]+"
_TOML = 'write one option in a line, such as `fail-on = "warning"`'
_MARK = "…"
_AND = "and"


def parsed(name: str, text: str) -> tuple[Any, list[str]]:
    """Return what a text in TOML says, and what is said of its slips; None where that is all."""
    said: list[str] = []
    meant: str | None = text
    if name.endswith((".yaml", ".yml")) or text.lstrip()[:1] == "{":
        return _other_syntax(name, text)
    while meant is not None and len(said) < _MOST_SLIPS:
        try:
            return parse_toml(meant), said
        except ValueError as error:
            slip, meant = _slip(name, meant, reason_of(error))
            said.append(slip)
    return None, said


def _redacted(value: Any, name: str = "") -> Any:
    """Return a value of a name with a mark for each secret; those below have its name as well."""
    if isinstance(value, dict):
        return {
            redacted(each, name): _redacted(below, name if _names_secret(name) else each)
            for each, below in value.items()
        }
    if isinstance(value, list):
        return [_redacted(each, name) for each in value]
    is_secret = _names_secret(name)
    if isinstance(value, str):
        return redacted(value, name if is_secret else "")
    return _MARK if is_secret else value


def _names_secret(name: str) -> bool:
    return names_secret(name) and not _places(name, ())


def _other_syntax(name: str, text: str) -> tuple[Any, list[str]]:
    """Return what a text in JSON or YAML says, with its right settings to be written in TOML."""
    from manifestkit.decode import decode  # noqa: PLC0415 - rarely needed

    document = decode(text, name).document
    table, said = document.value, f"{name}:1:1: this is {document.syntax.upper()}, not TOML"
    while isinstance(table, dict) and ([*table] in (["tool"], ["lint"]) or "manifestkit" in table):
        table = table.get("manifestkit", next(iter(table.values())))
    if not isinstance(table, dict):
        return None, [f"{said}; {_TOML}"]
    wrong = {each.path[0] for each in packaged_schema(_SCHEMA).validator.errors(table)}
    fit = {key: it for key, it in table.items() if key not in wrong and it == _redacted(it, key)}
    right: dict[Path, Any] = {(key,): it for key, it in fit.items()}
    verb = "write each on its own line:" if len(right) > 1 else "write"
    write = _said(verb, right, ()) if right and fits(fit) else _TOML
    return table, [f"{said}; {write}" if right or not wrong else said]


def _slip(name: str, text: str, problem: str) -> tuple[str, str | None]:
    """Return what the reader of TOML does not take, and the text as it was meant."""
    place = _PLACE.search(problem)
    if place is None:
        return f"{name}: {problem}", None
    lines = text.split("\n")
    number, column = int(place[1] or len(lines)), place[2] or 1
    line = lines[number - 1].strip()
    holds_secret = redacted(text) != text or any(map(_names_secret, re.findall(_KEY, text)))
    rows = [] if holds_secret else other_tools("toml")
    right, reasons = repaired(line[:_LONGEST], rows, _check_line)
    at = f"{name}:{number}:{column}"
    if reasons:
        lines[number - 1] = right
        said = f"{at}: {named(line)} is not TOML: {listed(reasons, 'and')}; write `{right}`"
        return said, None if "..." in right else "\n".join(lines)
    reason = problem[: place.start()]
    begins = rf"\s*({_KEY})\s*=\s*\[" if reason.startswith("unclosed") else rf"[\s[]*({_KEY})"
    keys = (re.match(begins, each) for each in reversed(lines[:number]))
    key = next((each[1] for each in keys if each), "")
    plain = (
        each for start, each in other_tools("toml-sentences").items() if reason.startswith(start)
    )
    said = next(plain, f"not TOML: {reason}; {_TOML}").replace("{key}", key)
    return f"{at}: {said}", None


def _check_line(line: str) -> None:
    """Refuse a line that is wrong by itself and as items of a list that is on several lines."""
    try:
        parse_toml(line)
    except ValueError:
        parse_toml(f"x = [{line}]")


def written(value: Any) -> str:
    """Return a value as TOML has it, in one line."""
    if isinstance(value, dict):
        return f"{{ {', '.join(_members(value))} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(written, value))}]"
    return json.dumps(value, ensure_ascii=False)


def _members(table: dict[str, Any]) -> list[str]:
    return [
        f"{name if re.fullmatch(r'[A-Za-z0-9_-]+', name) else written(name)} = {written(each)}"
        for name, each in table.items()
    ]


def in_setting(error: ValidationError, where: str) -> tuple[str, str | None]:
    """Return what is wrong with a setting, and what to write; `where` is the place of options."""
    above = next(filter(_names_secret, map(str, error.path)), "")
    error = error._replace(instance=_redacted(error.instance, above))
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
        owner = tuple(0 if isinstance(each, int) else each for each in path[:-1])
        yield from _for_unknown(str(error.member), owner, value, where)
    elif error.keyword == "required":
        yield _said("add", {(*path, str(error.member)): None}, path)
    elif error.keyword in ("type", "enum", "pattern", "format"):
        if path[:1] == _RULES != path:
            path, value = path[:1], {path[1]: value}
        if isinstance(value, str):
            yield from _for_command(path, value)
        right = _right(path, value)
        if right is not None or error.keyword == "type":
            yield _said("write", {path: right}, path[:-1])


def _for_command(path: Path, value: Any) -> Iterator[str]:
    """Yield what to give to the command for what is no setting here."""
    key = ".".join(plain_name(each) for each in path if isinstance(each, str))
    if instead := other_tools("settings").get(key):
        tables, given = other_tools("tables"), next(iter(texts_in([value])), "")
        ours = (tables["NEAREST"] | tables["FORMATS"]).get(given, given)
        is_ours = re.fullmatch(f"{other_tools('words')['MADE']}|concise|full", ours)
        given = instead.format(value=ours if is_ours else "json")
        yield f"delete it, and give {given} to the command"


def _for_unknown(member: str, owner: Path, value: Any, where: str) -> Iterator[str]:
    near, rows = nearest(member, _field(owner).members), _tables(value)
    is_table, is_list = bool(rows), bool(rows) and isinstance(value, list)
    value = None if _MARK in str(value) and not is_table else value
    found, places = dict(_settings_in({member: value}, owner)), _places(member, owner)
    if near and is_list:
        yield f"did you mean `{near}`?"
    is_whole = not is_list or len(found) == sum(map(len, rows))  # a row may be for some files
    if found and is_whole and (is_table or not places):
        head = f"[[{member}]]" if is_list else f"[{member}]"
        without = f", without `{head}`" if is_table else ""
        yield f"{_said('write', found, None, where)}{without}"
    yield from _for_command((*owner, member), value)
    for path in places:
        if path[:-1] == owner or not near:
            same = (each for each in places if each[:-1] == path[:-1] and each != path)
            others = [f"{named(each[-1])} is the {_field(each).title}".lower() for each in same]
            yield "; ".join([_said("write", {path: _right(path, value)}, owner, where), *others])
    if near:
        yield f"did you mean `{near}`?"
    if value is None:
        yield from _for_command(("token",), value)
    yield f"delete it; the options here are {listed([*map(named, _field(owner).members)], 'and')}"


def _settings_in(table: dict[str, Any], owner: Path) -> Iterator[tuple[Path, Any]]:
    """Yield the place and the value of each setting in a table of another name, or below it."""
    if not rule_ids().isdisjoint(table) and (right := _right(_RULES, table)):
        yield _RULES, right
        return
    for name, below in table.items():
        rights = ((path, _right(path, below)) for path in _places(name, owner))
        inner = _tables(below)
        kinds = (dict, list) if inner else object
        found = [each for each in rights if each[1] is not None and isinstance(each[1], kinds)]
        yield from found[:1] or chain.from_iterable(_settings_in(each, ()) for each in inner)


def _tables(value: Any) -> list[dict[str, Any]]:
    """Return a table, or those that a list has."""
    rows = value if isinstance(value, list) else [value]
    return [each for each in rows if isinstance(each, dict)]


def _places(name: str, owner: Path) -> list[Path]:
    """Return the places of the settings that a name in a table may mean: its own first.

    None in rows of other tables.
    """
    places = [
        path
        for path, field in packaged_schema(_SCHEMA).fields
        if path[-1:] not in ((), (0,))
        and (0 not in path or path[:-1] == owner)
        and plain_name(name) in map(plain_name, (*field.synonyms, str(path[-1])))
    ]
    return sorted(places, key=lambda path: (path[:-1] != owner, len(path)))


def _field(path: Path) -> Field:
    return packaged_schema(_SCHEMA).field(path) or Field()


def _right(path: Path, value: Any) -> Any:
    """Return the value that one of the wrong form means at a path; None where it tells none."""
    right = corrected(value, path, packaged_schema(_SCHEMA), _meant(path, value))
    return None if right == {} else right


def _said(verb: str, settings: dict[Path, Any], owner: Path | None, where: str = "") -> str:
    """Return what to do with settings, by an example where a value is unknown.

    Each is told with its place, if that is not the owner's table.
    """
    places: dict[str, list[str]] = {}
    for path, value in settings.items():
        at, right = path, value
        if right is None:
            at = path[:-1] if isinstance(path[-1], int) else path
            verb, right = f"{verb}, for example,", next(iter(_field(at).examples), None)
        text, place = _shown(at, right, owner, where)
        places.setdefault(place, []).append(text)
    # A setting of the whole file stands above all tables, and a row of a list below them.
    in_order = sorted(places.items(), key=lambda each: (each[1][0][:3] == "`[[", " in " in each[0]))
    return f"{verb} {listed([f'{listed(texts, _AND)}{place}' for place, texts in in_order], _AND)}"


def _shown(path: Path, right: Any, owner: Path | None, where: str) -> tuple[str, str]:
    """Return how a setting is written, and in which place."""
    names = [each for each in path if isinstance(each, str)]
    table = ".".join(names[:-1])
    if isinstance(path[-1], int):
        return f"`{written(right)}`", ""
    rules = right if path in (_RULES, *_LISTS_OF_RULES) else ()
    if other := [each for each in rules if each not in rule_ids()]:
        kept = [each for each in rules if each not in other]
        right = {each: right[each] for each in kept} if isinstance(right, dict) else kept
    unless = f" (leave out {listed([*map(named, other)], 'and')}: {_NO_RULE})" if other else ""
    if isinstance(right, dict):
        return _listed(right) or "nothing", f" in `[{'.'.join(names)}]`{unless}"
    if isinstance(right, list) and right and isinstance(right[0], dict):
        return "; then ".join(f"`[[{path[-1]}]]`, and below it {_listed(x)}" for x in right), ""
    place = f" in `[[{table}]]`" if 0 in path else f" in `[{table}]`" if table else f" {where}"
    place = "" if path[:-1] == owner else place
    is_left = right or not other
    return f"`{path[-1]} = {written(right)}`" if is_left else "nothing", f"{place}{unless}"


def _listed(table: dict[str, Any]) -> str:
    return listed([f"`{each}`" for each in _members(table)], _AND)


def _meant(path: Path, value: Any) -> Iterator[Any]:
    """Yield what a value may mean in its place only, as other tools have it."""
    if path in _OF_PATTERNS:
        texts = value.split(",") if isinstance(value, str) else [*texts_in([value])]
        yield [one for each in texts for one in _patterns(each.strip())] or None
    elif path == _RULES:
        levels = other_tools("tables")["LEVELS"]
        yield {rule: levels.get(str(said[0]).lower()) for rule, said in _rules_in(value)} or None
    elif path[:1] == ("suppress",):
        rows = [
            {"rule": rule, "path": next(filter(_is_file, texts_in(said)), None)}
            for rule, said in _rules_in(value)
            if rule in rule_ids()
        ]
        found = [{k: it for k, it in each.items() if it} | {"reason": "why"} for each in rows]
        yield from ([value], found or None, *found)
        if path[-1] == "pointer" and isinstance(value, str) and re.match(r"[*$#./A-Za-z_]", value):
            yield meant_pointer(value)


def _is_file(text: str) -> bool:
    """Return whether a text beside a rule names a file: not its level, nor a setting."""
    if re.search(r"\s", text) or text in rule_ids() or text in other_tools("tables")["LEVELS"]:
        return False
    return bool(re.search("[/.*]", text)) or not _places(text, ())


def _level(rule: str) -> str:
    """Return the level at which to switch a rule on: none gets less strict."""
    found = find_rule(rule)
    return "error" if found and found.severity is Severity.ERROR else "warning"


def _rules_in(value: Any) -> Iterator[tuple[str, list[Any]]]:
    """Yield the rules in a value, as texts, names or values, each with what is beside it."""
    rows = value if isinstance(value, list) else [value]
    texts = (each.partition(":") for each in rows if isinstance(each, str))
    of_texts = [{rule: path or _level(rule)} for rule, _, path in texts if rule in rule_ids()]
    for table in (*_tables(value), *of_texts):
        of_rule = {str(table["rule"]): [*table.values()][-1]} if "rule" in table else table
        for name, said in of_rule.items():
            rules = [each for each in texts_in([said]) if each in rule_ids()]
            beside = [name, *texts_in([of_rule])]
            yield from ((each, beside) for each in dict.fromkeys(rules))
            if not rules:
                rule = name if name in rule_ids() else nearest(name, rule_ids()) or name
                parts = [*said.values()] if isinstance(said, dict) else said
                yield rule, parts or [""] if isinstance(parts, list) else [parts]


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
