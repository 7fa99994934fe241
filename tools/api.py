"""The reference of the library, from the docstrings of what it exports."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import manifestkit

ROOT = Path(__file__).parent.parent
_HEAD = """# Library reference

What `import manifestkit` exports, generated from the docstrings. [The library](library.md) shows a
whole program. The examples run as tests, in a folder with these two files and with the text of the
first as `MANIFEST`:

- `manifest.json`: [minimal.activity-provider.json][manifest] of the examples
- `host.schema.json`: [host-catalogue.schema.json][host] of the examples

[manifest]: {examples}/valid/minimal.activity-provider.json
[host]: {examples}/profiles/host-catalogue.schema.json

"""
_EXAMPLES = "https://github.com/manifestkit/manifestkit/blob/main/examples"
_HEADING = re.compile(r"^(Args|Attributes|Returns|Raises|Example):$", re.MULTILINE)
_ENTRY = re.compile(r"^    (\w+): ", re.MULTILINE)
_WIDTH = 88
_GROUPS = ("Functions", "Results", "Errors")


def page() -> str:
    """Return the page."""
    groups: dict[str, list[str]] = {each: [] for each in _GROUPS}
    for name in manifestkit.__all__:
        if name != "__version__":
            groups[_group(getattr(manifestkit, name))].append(name)
    text = _HEAD.format(examples=_EXAMPLES)
    for group, names in groups.items():
        text += f"## {group}\n\n"
        for name in sorted(names):
            text += "".join(_entry(name, getattr(manifestkit, name)))
    return text.rstrip() + "\n"


def _group(exported: Any) -> str:
    if not inspect.isclass(exported):
        return "Functions"
    return "Errors" if issubclass(exported, Exception) else "Results"


def _entry(name: str, exported: Any) -> Iterator[str]:
    yield f"### {name}\n\n"
    if not inspect.isclass(exported):
        yield f"```python\n{_signature(name, exported)}\n```\n\n"
    elif issubclass(exported, Exception):
        (base,) = exported.__bases__
        shown = f"[`{base.__name__}`](#{base.__name__.lower()})"
        yield f"A {shown}.\n\n" if base.__name__ in manifestkit.__all__ else ""
    parts = _HEADING.split(inspect.getdoc(exported) or "")
    yield f"{_text(parts[0])}\n\n"
    for heading, body in zip(parts[1::2], parts[2::2], strict=True):
        yield from _part(heading, body, exported)
    yield from _properties(exported)


def _part(heading: str, body: str, exported: Any) -> Iterator[str]:
    if heading == "Example":
        yield f"```pycon\n{textwrap.dedent(body).strip()}\n```\n\n".replace(
            "  # doctest: +ELLIPSIS", ""
        )
    elif heading == "Returns":
        yield f"Returns: {_text(body)}\n\n"
    else:
        shown = {"Args": "argument", "Attributes": "attribute", "Raises": "raises"}[heading]
        types = getattr(exported, "__annotations__", {}) if heading == "Attributes" else {}
        yield f"| {shown} | {'type | ' if types else ''}meaning |\n"
        yield f"| --- | {'--- | ' if types else ''}--- |\n"
        pieces = _ENTRY.split(body)[1:]
        for name, text in zip(pieces[::2], pieces[1::2], strict=True):
            kind = f"{_code(_type(types[name]))} | " if name in types else ""
            yield f"| `{name}` | {kind}{_cell(_text(text))} |\n"
        yield "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _code(text: str) -> str:
    """Code in a cell. Forges end a cell at a bar in code; the site shows a backslash before it."""
    if "|" not in text:
        return f"`{text}`"
    return f"<code>{escape(text).replace('|', '&#124;')}</code>"


def _properties(exported: Any) -> Iterator[str]:
    found = [
        (name, each)
        for name, each in vars(exported).items()
        if isinstance(each, property) and not name.startswith("_")
    ]
    if not inspect.isclass(exported) or not found or not hasattr(exported, "_fields"):
        return
    yield "| property | type | meaning |\n| --- | --- | --- |\n"
    for name, each in found:
        kind = _type(inspect.signature(each.fget).return_annotation) if each.fget else ""
        yield f"| `{name}` | {_code(kind)} | {_cell(_text(each.__doc__ or ''))} |\n"
    yield "\n"


def _signature(name: str, function: Any) -> str:
    signature = inspect.signature(function)
    arguments = []
    for each in signature.parameters.values():
        keyword = each.kind is inspect.Parameter.KEYWORD_ONLY
        if keyword and "*" not in arguments:
            arguments.append("*")
        default = "" if each.default is inspect.Parameter.empty else f" = {_default(each.default)}"
        arguments.append(f"{each.name}: {_type(each.annotation)}{default}")
    result = f" -> {_type(signature.return_annotation)}"
    line = f"{name}({', '.join(arguments)}){result}"
    if len(line) <= _WIDTH:
        return line
    return f"{name}(\n" + "".join(f"    {each},\n" for each in arguments) + f"){result}"


def _default(value: Any) -> str:
    return "Options()" if isinstance(value, manifestkit.Options) else repr(value)


def _type(annotation: Any) -> str:
    text = annotation if isinstance(annotation, str) else annotation.__forward_arg__
    return re.sub(r"(?<![.\w])PathLike\b", "str | os.PathLike[str]", text)


def _text(body: str) -> str:
    """Paragraphs as Markdown, with reST's double ticks as single ones."""
    paragraphs = re.split(r"\n\s*\n", body.strip())
    return "\n\n".join(" ".join(each.split()) for each in paragraphs).replace("``", "`")
