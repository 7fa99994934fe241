"""The pages that are made from code and schemas are what these say."""

from __future__ import annotations

from pathlib import Path

import pytest

import reference

DOCS = Path(__file__).parent.parent / "docs"
PAGES = reference.pages()


@pytest.mark.parametrize("name", PAGES)
def test_a_generated_page_is_up_to_date(name: str, regenerate: bool) -> None:
    if regenerate:
        reference.main()
    assert (DOCS / name).read_text("utf-8") == PAGES[name], "run `pytest --regenerate`"


def test_there_is_no_page_of_a_rule_that_is_gone() -> None:
    assert {f"rules/{each.name}" for each in (DOCS / "rules").iterdir()} <= set(PAGES)


def test_only_pages_and_their_pictures_are_published() -> None:
    files = [each for each in DOCS.rglob("*") if each.is_file()]
    assert {each.suffix for each in files} == {".md", ".svg"}
