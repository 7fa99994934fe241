"""The reference pages are what the schemas say."""

from __future__ import annotations

import runpy
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"


def test_the_rule_pages_are_up_to_date() -> None:
    pages = runpy.run_path(str(DOCS / "reference.py"))["pages"]()

    written = {f"rules/{page.name}": page.read_text("utf-8") for page in (DOCS / "rules").iterdir()}

    assert written == pages, "run `python docs/reference.py`"
