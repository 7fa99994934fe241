"""The reference pages are what the schemas say."""

from __future__ import annotations

import runpy
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"


def test_the_pages_from_the_schemas_are_up_to_date(regenerate: bool) -> None:
    reference = runpy.run_path(str(DOCS / "reference.py"))
    if regenerate:
        reference["main"]()
    pages = reference["pages"]()

    files = [*(DOCS / "rules").iterdir(), DOCS / "members.md"]
    written = {page.relative_to(DOCS).as_posix(): page.read_text("utf-8") for page in files}

    assert written == pages, "run `pytest --regenerate`"
