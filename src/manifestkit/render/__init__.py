"""A report as text: one file per output format."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from manifestkit.engine import Report
from manifestkit.render import (
    checkstyle,
    concise,
    full,
    github,
    gitlab,
    json,
    jsonl,
    junit,
    markdown,
    rdjson,
    sarif,
)
from manifestkit.render.escape import opening, visible
from manifestkit.render.style import Style

__all__ = ["FORMATS", "Render", "Style", "opening", "visible"]

Render = Callable[[Report, Style], Iterator[str]]
"""An output format: a report to pieces of text."""

FORMATS: dict[str, Render] = {
    "full": full.render,
    "concise": concise.render,
    "json": json.render,
    "jsonl": jsonl.render,
    "github": github.render,
    "sarif": sarif.render,
    "gitlab": gitlab.render,
    "junit": junit.render,
    "rdjson": rdjson.render,
    "checkstyle": checkstyle.render,
    "markdown": markdown.render,
}
"""The output formats by name."""
