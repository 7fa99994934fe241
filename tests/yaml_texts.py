"""JSON values as YAML texts, each part in a style drawn anew."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

ODD = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")
RESERVED = re.compile(r"null|true|false", re.IGNORECASE)

texts = st.text(
    st.sampled_from("ab zé😀-:#,[]{}&*!|>'\"%@`?~.019\n\t\\/\x85\u2028\x7f\x1b\r\ufeff"),
    max_size=12,
) | st.sampled_from(
    ["no", "1.10", "key: value", "a #b", "- a", "two\nlines\n", "  lead", "a\n\nb\n\n"]
)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


def escaped(text: str) -> str:
    """A text in double quotes with escapes of YAML for all but ASCII."""
    return re.sub(
        "[^ -~]",
        lambda odd: f"\\u{ord(odd[0]):04x}" if odd[0] <= "\uffff" else f"\\U{ord(odd[0]):08x}",
        text,
    )


class Emitter:
    """Writes a value as YAML, in a style drawn anew for every part."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def document(self, value: Any) -> str:
        start = self._draw(st.sampled_from(["", "---\n", "# comment\n", "%YAML 1.2\n---\n"]))
        if self._in_block(value):
            return start + "".join(self._block(value, 0))
        head, *rest = (
            self._scalar(value, 0) if not isinstance(value, dict | list) else [self._flow(value)]
        )
        end = "\n" if head[:1] in "|>" else self._draw(st.sampled_from(["", "\n"]))
        return start + "\n".join([head, *rest]) + end

    def _in_block(self, value: Any) -> bool:
        return bool(value) and isinstance(value, dict | list) and self._draw(st.booleans())

    def _block(self, value: Any, indent: int) -> Iterator[str]:
        entries = (
            [
                (self._line(key) + self._draw(st.sampled_from([":", " :"])), each)
                for key, each in value.items()
            ]
            if isinstance(value, dict)
            else [("-", each) for each in value]
        )
        for head, each in entries:
            yield self._draw(st.sampled_from(["", "", "", "# comment\n\n", " " * indent + "# c\n"]))
            lead = " " * indent + head
            if self._in_block(each):
                step = self._draw(
                    st.integers(0 if head != "-" and isinstance(each, list) else 1, 3)
                )
                if head == "-" and self._draw(st.booleans()):
                    first, *rest = "".join(self._block(each, indent + 2)).lstrip("\n").split("\n")
                    if not first.lstrip().startswith("#"):
                        yield f"{lead} {first.lstrip()}\n" + "\n".join(rest)
                        continue
                yield f"{lead}{self._draw(st.sampled_from(['', ' ', ' # c']))}\n"
                yield from self._block(each, indent + step)
            elif isinstance(each, dict | list):
                yield f"{lead} {self._flow(each)}\n"
            else:
                first, *rest = self._scalar(each, indent)
                end = "" if first[:1] in "|>" else self._draw(st.sampled_from(["", "  ", " # c"]))
                yield "\n".join([f"{lead} {first}", *rest]) + end + "\n"

    def _flow(self, value: Any) -> str:
        space = self._draw(st.sampled_from(["", " "]))
        if isinstance(value, dict):
            inner = ("," + space).join(
                f"{self._line(key, flow=True)}: {self._flow(each)}" for key, each in value.items()
            )
            return "{" + space + inner + space + "}"
        if isinstance(value, list):
            last = self._draw(st.sampled_from(["", ","])) if value else ""
            return "[" + ("," + space).join(map(self._flow, value)) + last + "]"
        return self._line(value, flow=True)

    def _line(self, value: Any, *, flow: bool = False) -> str:
        """A scalar on one line."""
        if not isinstance(value, str):
            return json.dumps(value)
        styles = [escaped(json.dumps(value, ensure_ascii=False))]
        if not ODD.search(value):
            styles.append(json.dumps(value, ensure_ascii=False))
        if value.isprintable():
            styles.append("'" + value.replace("'", "''") + "'")
        if re.fullmatch(r"[a-zé😀][^:#,\[\]{}\n\t\r]*(?<! )", value) and value.isprintable():
            styles.append(value)
        if not flow and re.fullmatch(r"[a-z](?:[a-z,\[\]}{]|:(?=[a-z,])|#)*", value):
            styles.append(value)
        plain = [each for each in styles if not RESERVED.fullmatch(each)]
        return self._draw(st.sampled_from(plain))

    def _scalar(self, value: Any, indent: int) -> list[str]:
        """A scalar on one line or on several, for block style; its lines."""
        if value is None:
            return [self._draw(st.sampled_from(["null", "~", "Null"]))]
        if not isinstance(value, str):
            return [json.dumps(value)]
        blockable = value.strip("\n") and all(c.isprintable() or c in "\n\t" for c in value)
        style = self._draw(st.sampled_from("lfq")) if blockable else "q"
        if style == "l":
            return self._literal("|", value, value.rstrip("\n").split("\n"), indent)
        if style == "f" and not re.search(r"^[ \t]", value, re.MULTILINE):
            body = re.sub(r"\n+", lambda run: run[0] + "\n", value.strip("\n"))
            lead = len(value) - len(value.lstrip("\n"))
            return self._literal(">", value, [""] * lead + body.split("\n"), indent)
        return [self._line(value)]

    def _literal(self, kind: str, value: str, lines: list[str], indent: int) -> list[str]:
        trailing = len(value) - len(value.rstrip("\n"))
        step = self._draw(st.integers(1, 4))
        digit = str(step) if value[0] in " \t\n" or self._draw(st.booleans()) else ""
        chomp = ("-", "")[trailing] if trailing < 2 else "+"
        pad = " " * (indent + step)
        return [
            kind + digit + chomp,
            *(pad + line if line else "" for line in lines),
            *[""] * max(0, trailing - 1),
        ]


@st.composite
def written(draw: st.DrawFn) -> tuple[Any, str]:
    """A JSON value and a YAML text for it."""
    value = draw(values)
    return value, Emitter(draw).document(value)


def same(left: Any, right: Any) -> bool:
    """Equal, and of equal types all the way down: 1, 1.0 and true are three values."""
    return repr(left) == repr(right)
