"""The pages that are made from code and schemas are what these say."""

from __future__ import annotations

import re
from pathlib import Path

import reference
from manifestkit.rendering import FORMATS
from rows import rows

DOCS = Path(__file__).parents[2] / "docs"
PAGES = reference.pages()


@rows("name", PAGES)
def test_a_generated_page_is_up_to_date(name: str, regenerate: bool) -> None:
    if regenerate:
        (DOCS / name).write_text(PAGES[name], "utf-8", newline="\n")
    assert (DOCS / name).read_text("utf-8") == PAGES[name], "run `pytest --regenerate`"


def test_there_is_no_page_of_a_rule_that_is_gone(regenerate: bool) -> None:
    if regenerate:
        reference.main()
    assert {f"rules/{each.name}" for each in (DOCS / "rules").iterdir()} <= set(PAGES)


def test_only_pages_pictures_one_style_sheet_and_the_playground_are_published() -> None:
    playground = DOCS / "playground"
    all_files = (each for each in DOCS.rglob("*") if each.is_file())
    files = [each.relative_to(DOCS) for each in all_files if playground not in each.parents]
    others = [each.as_posix() for each in files if each.suffix not in (".md", ".svg", ".png")]
    assert others == ["assets/site.css"]


def test_the_guide_and_the_playground_list_every_output_format() -> None:
    guide = (DOCS / "ci.md").read_text("utf-8").partition("| for | format |")[2]
    table = guide.partition("\n\n")[0]
    assert sorted(re.findall(r"`(\w+)`", table)) == sorted(FORMATS)
    script = (DOCS / "playground" / "page.js").read_text("utf-8")
    listed = re.search(r"^const FORMATS = \[(.*)\]", script, re.MULTILINE)
    assert listed
    assert re.findall(r'"(\w+)"', listed[1]) == list(FORMATS)
