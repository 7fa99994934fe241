"""Write the reference pages that come from the schemas: `python docs/reference.py`.

The tests hold the pages in `docs/` to what this makes.
"""

from __future__ import annotations

from pathlib import Path

from manifestkit.render import Style
from manifestkit.render.explanation import as_markdown, explain_rule
from manifestkit.render.rule_list import RULE_FORMATS
from manifestkit.rules.catalogue import catalogue

DOCS = Path(__file__).parent
_INTRODUCTION = """# Rules

Errors are what breaks section 2 of the manifest document, and text that is not one readable value.
All else is advice: it never fails a run by itself. This page and those it links to are made from
`schemas/rules/`.

"""


def pages() -> dict[str, str]:
    """The text of each page by its path in `docs/`."""
    rules = catalogue()
    index = _INTRODUCTION + "".join(RULE_FORMATS["markdown"](rules.values(), Style()))
    made = {"rules/index.md": index}
    for rule in rules.values():
        made[f"rules/{rule.id}.md"] = "".join(as_markdown(explain_rule(rule)))
    return made


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
