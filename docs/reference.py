"""Write the reference pages that come from the schemas: `python docs/reference.py`.

The tests hold the pages in `docs/` to what this makes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from manifestkit.model.pointer import Path as Pointer
from manifestkit.model.pointer import format_pointer
from manifestkit.rendering import Style
from manifestkit.rendering.explanation import as_markdown, explain_rule
from manifestkit.rendering.rule_list import RULE_FORMATS
from manifestkit.rules.catalogue import all_rules, catalogue, change_rules
from manifestkit.schema.packaged import base_schema

DOCS = Path(__file__).parent
_INTRODUCTION = """# Rules

Errors are what breaks section 2 of the manifest document, and text that is not one readable value.
All else is advice: it never fails a run by itself. This page and those it links to are made from
`schemas/rules/`.

"""

_CHANGES = """
## Changes

What `manifest diff` says of two manifests, made from `schemas/changes/`:
[Changes](../changes.md) tells how they are compared.

"""

_MEMBERS = """# Members

All that a manifest may say, made from `schemas/activity-provider-manifest.schema.json`. At hand,
`manifest explain /provider/id` says the same of one member; `*` stands for any item of a list.

"""


def pages() -> dict[str, str]:
    """The text of each page by its path in `docs/`."""
    index = _INTRODUCTION + "".join(RULE_FORMATS["markdown"](catalogue().values(), Style()))
    index += _CHANGES + "".join(RULE_FORMATS["markdown"](change_rules().values(), Style()))
    made = {"rules/index.md": index, "members.md": _MEMBERS + "\n".join(_members(()))}
    for rule in all_rules().values():
        made[f"rules/{rule.id}.md"] = "".join(as_markdown(explain_rule(rule)))
    return made


def _members(path: Pointer) -> Iterator[str]:
    """A member and those below it; what a list holds is told with the list, if it is no object."""
    schema = base_schema()
    field = schema.field(path)
    if field is None:
        return
    if path:
        parent = schema.field(path[:-1])
        is_required = parent is not None and path[-1] in parent.required
        need = "" if isinstance(path[-1], int) else ", required" if is_required else ", optional"
        tokens = ("*" if isinstance(token, int) else token for token in path)
        depth = len([token for token in path if isinstance(token, str)])
        yield f"{'#' * (depth + 1 + isinstance(path[-1], int))} `{format_pointer(tokens)}`\n"
        yield f"{field.description}\n"
        yield f"*{' or '.join(field.types)}{need}* · {schema.clause(path)}\n"
    item = schema.field((*path, 0))
    values = item.values if item else field.values
    if values:
        yield "| value | meaning |\n| --- | --- |"
        yield "".join(f"| `{value}` | {meaning} |\n" for value, meaning in values)
    elif path and field.examples:
        example = json.dumps({str(path[-1]): field.examples[0]}, ensure_ascii=False)
        yield f"```json\n{example[1:-1]}\n```\n"
    if item and item.members:
        yield from _members((*path, 0))
    for name in field.members:
        yield from _members((*path, name))


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
