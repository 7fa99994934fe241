"""The reference of the library, from the docstrings of what it exports."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ForwardRef

import manifestkit

ROOT = Path(__file__).parent.parent
_HEAD = """# Library reference

What `import manifestkit` exports, generated from the docstrings. [The library](library.md) shows a
whole program. `PathLike` is `str | os.PathLike[str]`. In the examples, `MANIFEST` is the text of
`manifest.json`, a [minimal manifest][manifest], and `host.schema.json` is a [profile][host].

[manifest]: {examples}/valid/minimal.activity-provider.json
[host]: {examples}/profiles/host-catalogue.schema.json

"""
_SHARED = """A schema, profile or configuration that cannot be used raises `ConfigurationError`.
Several functions have these arguments:

"""
_EXAMPLES = "https://github.com/manifestkit/manifestkit/blob/main/examples"
_HEADING = re.compile(r"^(Args|Attributes|Returns|Raises|Example):$", re.MULTILINE)
_ENTRY = re.compile(r"^    (\w+): ", re.MULTILINE)
_WIDTH = 88
_GROUPS = ("Functions", "Results", "Errors")
_SHARED_BY = 3
_RAISED_BY_ALL = "- `ConfigurationError`"


def page() -> str:
    """Return the page."""
    groups: dict[str, list[str]] = {each: [] for each in _GROUPS}
    for name in manifestkit.__all__:
        if name != "__version__":
            groups[_group(getattr(manifestkit, name))].append(name)
    shared = _shared(groups["Functions"])
    text = _HEAD.format(examples=_EXAMPLES)
    for group, names in groups.items():
        text += f"## {group}\n\n"
        if group == "Functions":
            text += _SHARED + "".join(f"{item}\n" for item in shared) + "\n"
        for name in sorted(names):
            text += "".join(_entry(name, getattr(manifestkit, name), shared))
    return text.rstrip() + "\n"


def _shared(functions: list[str]) -> list[str]:
    """Return the items of arguments that many functions have in common."""
    parts = [_parts(getattr(manifestkit, name)) for name in functions]
    items = Counter(item for each in parts for item in _items(each.get("Args", ""), {}))
    return [item for item, count in items.items() if count >= _SHARED_BY]


def _parts(exported: Any) -> dict[str, str]:
    """Return the parts of a docstring by their headings."""
    first, *others = _HEADING.split(inspect.getdoc(exported) or "")
    return {"": first, **dict(zip(others[::2], others[1::2], strict=True))}


def _items(body: str, types: Mapping[str, str]) -> list[str]:
    """Return an item of a list for each entry of a part."""
    pieces = _ENTRY.split(body)[1:]
    items = []
    for name, text in zip(pieces[::2], pieces[1::2], strict=True):
        kind = f" (`{_type(types[name])}`)" if name in types else ""
        items.append(f"- `{name}`{kind}: {_text(text)}")
    return items


def _group(exported: Any) -> str:
    if not inspect.isclass(exported):
        return "Functions"
    return "Errors" if issubclass(exported, Exception) else "Results"


def _entry(name: str, exported: Any, shared: list[str]) -> Iterator[str]:
    yield f"### {name}\n\n"
    if not inspect.isclass(exported):
        yield f"```python\n{_signature(name, exported)}\n```\n\n"
    elif issubclass(exported, Exception):
        (base,) = exported.__bases__
        shown = f"[`{base.__name__}`](#{base.__name__.lower()})"
        yield f"A {shown}.\n\n" if base.__name__ in manifestkit.__all__ else ""
    parts = _parts(exported)
    yield f"{_text(parts[''])}\n\n"
    items = [each for each in _items(parts.get("Args", ""), {}) if each not in shared]
    types = getattr(exported, "__annotations__", {})
    if types or not inspect.isclass(exported) or issubclass(exported, Exception):
        items += _items(parts.get("Attributes", ""), types)
    items += _properties(exported)
    raised = [
        each for each in _items(parts.get("Raises", ""), {}) if not each.startswith(_RAISED_BY_ALL)
    ]
    yield "".join(f"{each}\n" for each in items) + "\n" * bool(items)
    if "Returns" in parts:
        yield f"Returns: {_text(parts['Returns'])}\n\n"
    if raised:
        yield "Raises:\n\n" + "".join(f"{each}\n" for each in raised) + "\n"
    if "Example" in parts and not inspect.isclass(exported):
        example = textwrap.dedent(parts["Example"]).strip()
        yield f"```pycon\n{example}\n```\n\n".replace("  # doctest: +ELLIPSIS", "")


def _properties(exported: Any) -> Iterator[str]:
    if not inspect.isclass(exported) or not hasattr(exported, "_fields"):
        return
    for name, each in vars(exported).items():
        if isinstance(each, property) and each.fget and not name.startswith("_"):
            kind = _type(inspect.signature(each.fget).return_annotation)
            yield f"- `{name}` (`{kind}`): {_text(each.__doc__ or '')}"


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
    if isinstance(annotation, str):
        return annotation
    if isinstance(annotation, ForwardRef):
        return annotation.__forward_arg__
    # Names without their modules.
    return re.sub(r"[\w.]+\.(?=\w)", "", inspect.formatannotation(annotation))


def _text(body: str) -> str:
    """Paragraphs as Markdown, with reST's double ticks as single ones."""
    paragraphs = re.split(r"\n\s*\n", body.strip())
    return "\n\n".join(" ".join(each.split()) for each in paragraphs).replace("``", "`")
