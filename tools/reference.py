"""Write the pages that are made from code and schemas: `python tools/reference.py`.

The tests hold the pages in `docs/` to what this makes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import ndiff
from itertools import takewhile
from pathlib import Path
from typing import Any

import api
import picture
from manifestkit.model.pointer import Path as Pointer
from manifestkit.rendering.escape import Style
from manifestkit.rendering.explanation import (
    SUPPRESSING,
    Explanation,
    Section,
    clause_place,
    explain_rule,
)
from manifestkit.rendering.rules import RULE_FORMATS
from manifestkit.rules.catalogue import SITE, all_rules, catalogue, change_rules
from manifestkit.rules.rule import Rule
from manifestkit.schema.model import Field
from manifestkit.schema.packaged import base_schema

_CONTEXT = 2  # lines of a diff above and below a change
DOCS = Path(__file__).parent.parent / "docs"
_RULES = """# Rules

Errors are violations of the [manifest format](../format.md), or files that cannot be parsed. All
other rules are advice and do not fail a run by default. [Change rules](changes.md) are those of
`manifest diff`. In messages, `…` stands for the rest of a long value, or a value that you choose.

"""

_CHANGES = """# Change rules

What [`manifest diff`](../changes.md) reports. `manifest explain RULE` also shows an example.
[How to suppress a rule](index.md#suppress-a-rule).

"""

_SUPPRESS = """
## Suppress a rule

For one run, use `--ignore RULE`. For a project, write in `manifestkit.toml`:

```toml
[[suppress]]
rule = "missing-field"
path = "legacy/**"
reason = "why this is acceptable"
```

`ignore = ["RULE"]` turns a rule off. [Configuration](../configuration.md) has more ways, and lists
the rules that cannot be suppressed.
"""

_FORMAT = """# The manifest format

What a manifest may contain, generated from its [JSON Schema][schema]. The sections are those of the
*Activity Provider Manifest*, the document that hosts give to authors.

Unknown members are allowed, except in `presentation`. A misspelt optional member is a warning; a
misspelt required one is an error, `missing-field`.

[schema]: {repository}/schemas/activity-provider-manifest.schema.json

"""

REPOSITORY = "https://github.com/manifestkit/manifestkit/blob/main"


def pages() -> dict[str, str]:
    """Return the text of each page by its path in `docs/`."""
    table = "".join(RULE_FORMATS["markdown"](catalogue().values(), Style()))
    index = _RULES + re.sub(rf"\({SITE}rules/([\w-]+)/\)", r"(\1.md)", table) + _SUPPRESS
    made = {
        "api.md": api.page(),
        "finding.svg": picture.finding(),
        "format.md": format_page(),
        "rules/index.md": index,
        "rules/changes.md": _CHANGES + "\n".join(map(_change_section, change_rules().values())),
    }
    for rule in catalogue().values():
        made[f"rules/{rule.id}.md"] = _rule_page(rule)
    return made


def _rule_page(rule: Rule) -> str:
    title, sections = explain_rule(rule)
    own = list(takewhile(lambda each: each.heading != SUPPRESSING, sections))
    example = _example_as_diff(rule)
    if example or any(each.code == "diff" for each in own):
        own = [each for each in own if each.heading not in ("Bad", "Good")]  # the diff has both
    else:
        headings = [each.heading for each in own]
        if "Good" in headings:  # what the bad one and what to do say
            del own[headings.index("Good") : headings.index("What to do")]
    (based,) = (each for each in own if each.heading == "Based on")
    own.remove(based)
    own += [Section("", _excerpt(example), "diff")] if example else []
    text = "".join(Explanation(title, tuple(own)).markdown())
    source = f"[{based.text}]({based.url})" if based.url else based.text
    shown = "" if based.text.startswith("advice") else f"Based on: {source}. "
    link = f"\n{shown}[{SUPPRESSING}](index.md#suppress-a-rule).\n"
    return (text + link).replace(f"({SITE}format/", "(../format.md")


def _example_as_diff(rule: Rule) -> str:
    """Return how a whole manifest is corrected."""
    bad, good = rule.bad.manifest, rule.good.manifest
    if not isinstance(bad, str) or not isinstance(good, str):
        return ""
    lines = ndiff(bad.splitlines(), good.splitlines())
    return "\n".join(line for line in lines if line[0] != "?")


def _excerpt(diff: str) -> str:
    """Return the lines of a diff that are near a change."""
    lines = diff.split("\n")
    changed = [index for index, line in enumerate(lines) if line[0] != " "]
    return "\n".join(
        line.rstrip()
        for index, line in enumerate(lines)
        if any(abs(index - each) <= _CONTEXT for each in changed)
    )


def _change_section(rule: Rule) -> str:
    """Return the section of a rule about changes."""
    severity = rule.severity.value if rule.severity else "off by default"
    to_do = f"{rule.help[0].upper()}{rule.help[1:]}."
    return f"## {rule.id}\n\n{rule.title}: {severity}. {rule.description} {to_do}\n"


def format_page() -> str:
    """Return the manifest format: a section for each clause that a field or a rule is based on."""
    based = _rules_by_place()
    text = _FORMAT.format(repository=REPOSITORY)
    for section in sorted({section for section, _ in based}, key=int):
        text += f"## Section {section}\n\n"
        text += "".join(_sentences(section))
        text += "".join(_rules(based[section, None]))
        for name, path, field in _described():
            if name[0] == section and name[1] is not None:
                text += "".join(_described_part(name[1], path, field))
                text += "".join(_rules(based.get(name, ())))
    return text.rstrip() + "\n"


_Place = tuple[str, str | None]


def _place(clause: str | None) -> _Place | None:
    return clause_place(clause) if clause else None


def _rules_by_place() -> dict[_Place, list[Rule]]:
    found: dict[_Place, list[Rule]] = {}
    for rule in all_rules().values():
        place = _place(rule.clause)
        if place:
            found.setdefault((place[0], None), [])
            found.setdefault(place, []).append(rule)
    return found


def _sentences(section: str) -> Iterator[str]:
    """Yield what clauses quote from a section."""
    quoted = (
        rule.clause.partition(": ")[2]
        for rule in all_rules().values()
        if _place(rule.clause) == (section, None)
    )
    for each in dict.fromkeys(filter(None, quoted)):
        yield f"- {each[0].upper()}{each[1:]}.\n"
    yield "\n"


def _rules(rules: Iterable[Rule]) -> Iterator[str]:
    if listed := ", ".join(map(_link, rules)):
        yield f"Rules: {listed}.\n\n"


def _link(rule: Rule) -> str:
    page = f"changes.md#{rule.id}" if rule.id in change_rules() else f"{rule.id}.md"
    return f"[`{rule.id}`](rules/{page})"


def _described() -> Iterator[tuple[_Place, Pointer, Field]]:
    """Yield the fields that have a clause of their own, in the schema's order."""
    schema = base_schema()
    seen: set[_Place] = set()
    todo: list[Pointer] = [()]
    while todo:
        path = todo.pop(0)
        field = schema.field(path)
        if field is None:
            continue
        place = _place(field.clause)
        if place and place not in seen:
            seen.add(place)
            yield place, path, field
        todo[:0] = [(*path, 0), *((*path, name) for name in field.members)]


def _described_part(name: str, path: Pointer, field: Field) -> Iterator[str]:
    yield f"### {name}\n\n"
    if not path or isinstance(path[-1], int):  # else the table above has it
        yield f"{field.description}\n\n"
    if field.members:
        yield "| member | type | required | description |\n| --- | --- | --- | --- |\n"
        for member in field.members:
            yield from _row(member, (*path, member), field)
        closed = "\nNo other member is allowed.\n" if field.closed else ""
        yield f"{closed}\n"
        if not path or {*field.members} - {*field.required}:  # which the first example has
            yield f"```json\n{_json(_example(path, field))}\n```\n\n"
    item = base_schema().field((*path, 0))
    if item and item.values:
        yield "| value | meaning |\n| --- | --- |\n"
        yield "".join(f"| `{value}` | {meaning} |\n" for value, meaning in item.values) + "\n"
        if item.reading:
            yield f"{item.reading}\n\n"


def _row(member: str, path: Pointer, parent: Field) -> Iterator[str]:
    field = base_schema().field(path)
    if field is None:
        return
    item = base_schema().field((*path, 0))
    types = " or ".join(field.types)
    of = f" of {' or '.join(item.types)}" if item and item.types else ""
    places = filter(None, (_place(each.clause) for each in (item, field) if each))
    anchor = next(
        (name for section, name in places if (section, name) != _place(parent.clause)), None
    )
    shown = f"[`{member}`](#{anchor})" if anchor else f"`{member}`"
    need = "yes" if member in parent.required else "no"
    yield f"| {shown} | {types}{of} | {need} | {field.description} |\n"


def _example(path: Pointer, field: Field) -> Mapping[str, Any]:
    """Return a good value of an object."""
    if field.examples:
        value: Mapping[str, Any] = field.examples[0]
        return value
    members = ((name, base_schema().field((*path, name))) for name in field.members)
    return {name: each.examples[0] for name, each in members if each and each.examples}


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def main() -> None:
    """Write the pages, and remove those of rules that are gone."""
    made = pages()
    for old in (DOCS / "rules").glob("*.md"):
        if f"rules/{old.name}" not in made:
            old.unlink()
    for name, text in made.items():
        (DOCS / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
