"""JSON and YAML texts in any style that a person, or a program, may write them in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from manifestkit.decode import decode
from manifestkit.model.document import Document
from yaml_texts import Emitter, values

SPACE = st.sampled_from(["", "", " ", "\n", "\n  ", "\t", " \n\n\t"])
FEW = st.sampled_from(["a", "profile.basic", 1, 1.5, None, [], ["a"], {"a": 1}])
_DEEP = " " * 48


class Various(Emitter):
    """YAML with brackets over many lines, comments in them and absent values."""

    def __init__(self, draw: st.DrawFn) -> None:
        super().__init__(draw)
        self._any = draw

    def _flow(self, value: Any) -> str:
        if not value or not isinstance(value, dict | list) or self._any(st.booleans()):
            return super()._flow(value)
        entries = []
        for each in value:
            if isinstance(value, list):
                entries.append(self._flow(each))
            elif value[each] is None and self._any(st.booleans()):
                entries.append(json.dumps(each) + ":")
            else:
                entries.append(f"{self._line(each, flow=True)}: {self._flow(value[each])}")
        text = ""
        for number, entry in enumerate(entries):
            is_last = number == len(entries) - 1
            comma = "," if not is_last or self._any(st.booleans()) else ""
            text += self._gap() + entry + self._any(st.sampled_from(["", "", " "])) + comma
        opener, closer = "{}" if isinstance(value, dict) else "[]"
        return opener + text + self._gap() + closer

    def _gap(self) -> str:
        lines = [" ", f"\n{_DEEP}", f" # c\n{_DEEP}", f"\n{_DEEP}# own\n\n{_DEEP}"]
        return self._any(st.sampled_from([*lines, ""]))


class Sharing(Various):
    """Writes some values with an anchor, and equal ones that follow as aliases of it."""

    def __init__(self, draw: st.DrawFn) -> None:
        super().__init__(draw)
        self._anchors: dict[str, str] = {}
        self._count = 0

    def _flow(self, value: Any) -> str:
        alias = self._alias(value)
        return alias or self._lead(value) + super()._flow(value)

    def _scalar(self, value: Any, indent: int) -> list[str]:
        alias = self._alias(value)
        if alias:
            return [alias]
        first, *rest = super()._scalar(value, indent)
        return [first if first[0] in "|>" else self._lead(value) + first, *rest]

    def _alias(self, value: Any) -> str:
        name = self._anchors.get(json.dumps(value))
        return f"*{name}" if name and self._any(st.integers(0, 3)) else ""

    def _lead(self, value: Any) -> str:
        if self._any(st.booleans()):
            return ""
        self._count += 1
        name = f"x{self._count}"
        self._anchors[json.dumps(value)] = name
        return f"&{name} "


class Unsupported(Various):
    """Writes explicit keys, tags, pairs without braces and keys without values, now and then."""

    def _flow(self, value: Any) -> str:
        odd = self._any(st.integers(0, 5)) == 0
        write = super()._flow
        if odd and isinstance(value, dict) and value:
            entries = (f"? {self._line(key)} : {write(each)}" for key, each in value.items())
            return f"{{{', '.join(entries)}}}"
        if odd and isinstance(value, list) and all(map(_is_pair, value)):
            return f"[{', '.join(write(each).strip('{} ') for each in value)}]"
        if odd and isinstance(value, str):
            return f"!!str {write(value)}"
        return write(value)

    def _block(self, value: Any, indent: int) -> Iterator[str]:
        if not isinstance(value, dict) or self._any(st.integers(0, 4)):
            yield from super()._block(value, indent)
            return
        lead = " " * indent
        for key, each in value.items():
            yield f"{lead}? {self._line(key)}{self._any(st.sampled_from(['', ' # k']))}\n"
            if each is not None:
                yield f"{lead}: {self._flow(each)}\n"


def _is_pair(value: Any) -> bool:
    return isinstance(value, dict) and len(value) == 1


def _as_json(draw: st.DrawFn, value: Any) -> str:
    space = draw(st.sampled_from([st.just(""), st.just(" "), SPACE]))

    def write(value: Any) -> str:
        if not isinstance(value, dict | list):
            return json.dumps(value, ensure_ascii=draw(st.booleans()))
        if isinstance(value, dict):
            entries = [
                f"{json.dumps(key)}{draw(space)}:{draw(space)}{write(each)}"
                for key, each in value.items()
            ]
        else:
            entries = [write(each) for each in value]
        body = ",".join(draw(space) + entry + draw(space) for entry in entries)
        return (
            (f"{{{body}}}" if isinstance(value, dict) else f"[{body}]")
            if body
            else ("{" + draw(space) + "}" if isinstance(value, dict) else "[" + draw(space) + "]")
        )

    return draw(space) + write(value) + draw(space)


_data = (
    values
    | st.dictionaries(st.sampled_from("abcd"), FEW | st.lists(FEW, max_size=4), min_size=3)
    | st.lists(FEW | st.lists(FEW, max_size=3), min_size=3, max_size=6)
)


@st.composite
def documents(draw: st.DrawFn, style: type[Emitter] | None = None) -> Document:
    """A document in any style, or in YAML of one."""
    value = draw(_data)
    if not style and draw(st.booleans()):
        text, name = _as_json(draw, value), draw(st.sampled_from(["m.json", "m.json", "m.yaml"]))
        if name == "m.yaml":
            assume("\t" not in text)
    else:
        name = "m.yaml"
        text = (style or draw(st.sampled_from([Emitter, Various])))(draw).document(value)
        if draw(st.integers(0, 5)) == 0:
            text += draw(st.sampled_from(["...\n", "# end", "\n\n"])) if text.endswith("\n") else ""
        if draw(st.integers(0, 5)) == 0:
            text = text.rstrip("\n")
    if draw(st.integers(0, 4)) == 0:
        text = text.replace("\n", draw(st.sampled_from(["\r\n", "\r\n", "\r"])))
    if draw(st.integers(0, 4)) == 0:
        text = "\ufeff" + text
    assume(style is not None or not re.search(r"[|>][1-9]?\+", text))  # which is not edited
    decoded = decode(text, name)
    # What the writers make of a value may be no YAML, or say another value: both are no matter.
    assume(decoded.readable and not any(f.rule == "duplicate-key" for f in decoded.findings))
    return decoded.document


_BLOCK_TEXTS = st.builds(
    "{}{}{}\n{}".format,
    st.sampled_from("|>"),
    st.sampled_from(["", "1", "2"]),
    st.sampled_from(["", "-"]),
    st.sampled_from(
        ["{}    text\n", "{}    text\n\n{}    more\n", "\n{}    # text\n", "{}    é\n   \n"]
    ),
)
_ON_ONE_LINE = st.sampled_from(["x", "'1'", "[a, b]", "{ k: v }", "x # behind", "[] # behind"])


@st.composite
def spaced_values(draw: st.DrawFn, indent: str, *, deeper: bool) -> str:
    """A value with the break of its last line, after the colon of a member at an indent."""
    kind = draw(st.sampled_from(["line", "block", "block", *["nested", "items", "none"] * deeper]))
    if kind == "line":
        return f" {draw(_ON_ONE_LINE)}\n"
    if kind == "block":
        return " " + draw(_BLOCK_TEXTS).format(*[indent] * 2)
    if kind == "none":
        return draw(st.sampled_from(["\n", " # behind\n", f"\n{indent}  # within\n"]))
    below = indent + "  "
    begin = draw(st.sampled_from(["\n", " # behind\n", "   # behind\n"])) + draw(_LINES)
    if kind == "items":
        count = draw(st.integers(1, 3))
        return begin + "".join(
            f"{below}-{draw(spaced_values(below, deeper=False))}" for _ in range(count)
        )
    names = draw(st.lists(st.sampled_from("xyz"), min_size=1, unique=True))
    return begin + "".join(
        draw(_LINES) + f"{below}{name}:{draw(spaced_values(below, deeper=False))}" for name in names
    )


_INDENTS = st.integers(0, 6).map(" ".__mul__)
_LINES = st.lists(
    st.sampled_from(["\n", "\n", "  \n"]) | _INDENTS.map("{}# c\n".format), max_size=3
).map("".join)


@st.composite
def spaced_mappings(draw: st.DrawFn, *, deeper: bool = True) -> str:
    """A mapping with comments and empty lines between its members."""
    names = draw(st.lists(st.sampled_from("uvwxyzab"), min_size=1, max_size=5, unique=True))
    text = draw(_LINES)
    for name in names:
        text += f"{name}:{draw(spaced_values('', deeper=deeper))}{draw(_LINES)}"
    return text


@st.composite
def spaced_documents(draw: st.DrawFn) -> str:
    """YAML in any style, with comments and empty lines put between its lines."""
    document = draw(documents())
    lines = document.text.splitlines(keepends=True)
    for _ in range(draw(st.integers(1, 4))):
        lines.insert(draw(st.integers(0, len(lines))), draw(_LINES))
    return "".join(lines)
