"""Anchors, tags and directives of YAML (YAML 1.2.2, 6.8 and 6.9)."""

from __future__ import annotations

import re
from typing import NamedTuple

from manifestkit.decode.yaml.source import Source

_ANCHOR = re.compile(r"&([^ \t\n\0,\[\]{}]++)")
_ALIAS = re.compile(r"\*([^ \t\n\0,\[\]{}]++)")
_PLAIN_NAME = re.compile(r"[0-9A-Za-z_-]+")
_TAG = re.compile(
    r"!<([^ \t\n\0<>]++)>"
    r"|(!(?:[0-9A-Za-z-]*+!|(?!))?+)((?:%[0-9a-fA-F]{2}|[\w#;/?:@&=+$.~*'()-]|(?!))*+)",
    re.ASCII,
)
_DIRECTIVE = re.compile(r"%([^ \t\n\0]++)((?:[ \t]++[^ \t\n\0#][^ \t\n\0]*+|(?!))*+)[ \t]*+")
_VERSION = re.compile(r"[0-9]+\.[0-9]+")
_CORE = "tag:yaml.org,2002:"
_CORE_NAMES = frozenset({"str", "int", "float", "bool", "null", "map", "seq"})
_TAG_ARGUMENTS = 2


class Properties(NamedTuple):
    """The anchor and the tag before a value, and where they stand.

    The tag is ``!``, the name of a core tag such as ``int``, or "" for one that was reported.
    """

    start: int
    end: int
    anchor: str | None = None
    tag: str | None = None


class PropertyReader:
    """Reads what stands before values, under the directives of the document."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._handles = {"!": "!", "!!": _CORE}
        self._versioned = False

    def directives(self) -> bool:
        """Read the directives at the place; whether there are any."""
        source = self._source
        found = False
        while source.text[source.at] == "%" and source.at == source.line:
            self._directive()
            source.skip_trivia()
            found = True
        return found

    def read(self, *, flow: bool) -> Properties:
        """Read the anchor and tag at the place, up to the end of the line."""
        source = self._source
        start = end = source.at
        anchor = tag = None
        while True:
            first = source.text[source.at]
            if first == "&" and anchor is None:
                anchor = self._name(_ANCHOR, "anchor")
            elif first == "!" and tag is None:
                tag = self._tag()
            elif first in "&!":
                raise self._second(source.at, first)
            else:
                return Properties(start, end, anchor, tag)
            end = source.at
            ends = source.text[end]
            if ends not in " \t\n\0" and not (flow and ends in ",]}"):
                raise source.error_on_line(
                    end,
                    "unexpected `{shown}` after a tag or anchor",
                    "put a space between it and the value",
                )
            at = end
            while source.text[at] in " \t":
                at += 1
            if source.text[at] not in "&!":
                return Properties(start, end, anchor, tag)
            source.at = at

    def join(self, outer: Properties | None, inner: Properties | None) -> Properties | None:
        """Return the properties of a value that has some on an earlier line and some on its own."""
        if outer is None or inner is None:
            return outer or inner
        if (outer.anchor and inner.anchor) or (outer.tag is not None and inner.tag is not None):
            raise self._second(inner.start, "&" if outer.anchor and inner.anchor else "!")
        tag = inner.tag if outer.tag is None else outer.tag
        return Properties(outer.start, inner.end, outer.anchor or inner.anchor, tag)

    def apart(self, properties: Properties | None) -> None:
        """Report an anchor or tag that stands before no value, or not just before it."""
        if properties:
            self._source.report(
                properties.start,
                properties.end,
                "an anchor or tag without a value right after it, which some readers refuse",
                "write it directly before the value, or remove it",
            )

    def alias(self) -> str:
        """Read the alias at the place; the name it gives."""
        return self._name(_ALIAS, "alias")

    def _second(self, at: int, first: str) -> Exception:
        kind = "anchor" if first == "&" else "tag"
        message = f"a second {kind} for the same value"
        return self._source.error_on_line(at, message, f"keep one {kind}")

    def _name(self, pattern: re.Pattern[str], kind: str) -> str:
        source = self._source
        match = pattern.match(source.text, source.at)
        if match is None:
            raise source.error(
                source.at,
                source.at + 1,
                f"`{source.text[source.at]}` without a name cannot start a value",
                f"put such text in quotes; an {kind} needs a name",
            )
        source.at = match.end()
        if kind == "anchor" and not _PLAIN_NAME.fullmatch(match[1]):
            source.report(
                match.start(),
                match.end(),
                f"anchor `{source.excerpt(*match.span())}`: some readers refuse such a name",
                "use only ASCII letters, digits, `-` and `_`",
            )
        return match[1]

    def before_alias(self, properties: Properties) -> Exception:
        """Report an anchor or tag before an alias; the error to raise."""
        return self._source.error(
            properties.start,
            properties.end,
            "an anchor or tag before an alias",
            "remove it; an alias cannot have its own",
        )

    # -- tags --------------------------------------------------------------------------------

    def _tag(self) -> str:
        source = self._source
        start = source.at
        match = _TAG.match(source.text, start)
        if match is None or (match[2] == "!!" and not match[3]):
            raise source.error_on_line(start, "tag without a name", "remove it")
        end = source.at = match.end()
        if match[1] is None and match[2] == "!" and not match[3]:
            source.report(
                start,
                end,
                "tag `!` means different things to different programs",
                "remove the tag; put text in quotes",
            )
            return "!"
        if match[1] is not None:
            name = match[1]
        elif match[2] in self._handles:
            name = self._handles[match[2]] + match[3]
        else:
            raise source.error(
                start, end, f"tag `{source.excerpt(start, end)}` is not declared", "remove it"
            )
        core = name.removeprefix(_CORE)
        if core != name and core in _CORE_NAMES:
            return core
        source.report(
            start,
            end,
            f"tag `{source.excerpt(start, end)}`: a manifest is plain data",
            "remove the tag; it has no effect",
        )
        return ""

    # -- directives --------------------------------------------------------------------------

    def _directive(self) -> None:
        source = self._source
        start = source.at
        match = _DIRECTIVE.match(source.text, start)
        end = match.end() if match else start + 1
        stop = source.line_end(start)
        comment = source.text[end] == "#" and source.text[end - 1] in " \t"
        if match is None or (source.text[end] not in "\n\0" and not comment):
            raise self._bad_directive(start)
        source.at = end
        arguments = re.findall(r"[^ \t]+", match[2])
        if match[1] == "YAML":
            if self._versioned or len(arguments) != 1 or not _VERSION.fullmatch(arguments[0]):
                raise self._bad_directive(start)
            self._versioned = True
            self._version(start, stop, arguments[0])
        elif match[1] == "TAG":
            if len(arguments) != _TAG_ARGUMENTS:
                raise self._bad_directive(start)
            self._handles[arguments[0]] = arguments[1]
        else:
            source.report(
                start,
                stop,
                f"`%{match[1]}` is a directive that some readers do not know",
                "remove the line; a manifest does not need directives",
            )

    def _bad_directive(self, start: int) -> Exception:
        return self._source.error_on_line(
            start,
            "`{shown}` is not a directive",
            "remove the line; a manifest does not need directives",
        )

    def _version(self, start: int, stop: int, version: str) -> None:
        major, minor = version.split(".")
        if (major, minor) != ("1", "2"):
            self._source.report(
                start,
                stop,
                f"YAML {version}: manifests are read as YAML 1.2",
                "remove the line, and check that the values mean the same in YAML 1.2",
            )
