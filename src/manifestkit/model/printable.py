"""Text from a file as a line of a message can hold it."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence

BIDI_CONTROLS = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""Characters that reorder those beside them, for a class of a regular expression."""

FILLERS = "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"
"""Letters and marks, by their category, without a shape, likewise."""

UNSEEN = (
    "\x00-\x1f\x7f-\x9f"  # C0, DEL and C1 controls: they move cursors and change colours
    + BIDI_CONTROLS
    + FILLERS
    + "\u2028\u2029"  # separators that some readers take for line ends
    "\u00ad\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb"  # what nobody can see
    "\U000e0000-\U000e007f"  # tags: a text in a text, likewise
)
"""Characters without a shape of their own, as a class of a regular expression has them."""

_ESCAPED = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_JOINERS = frozenset("\u200c\u200d")  # they shape letters and emoji, and nothing else
_DELETE = "\x7f"
_OF_SECRETS = (
    r"(?:token|secret|credential|passw|passphr|pwd|jwt|bearer|cookie(?![a-z])|"
    r"auth(?!or(?!i[sz]))|keys?(?![a-z])|(?<![a-z])(?:cred|pass(?![a-z])|tok(?![a-z])))"
)
_PRIVATE_NAME = rf"(?i)^(?!--key$|-.*(?<!api-)keys$|.*-stdin$).*{_OF_SECRETS}"
_PRIVATE = (
    r"(:/+|//)(?:[^/\s]+|(?:(?! -)[^/`\n])+)(?=@)|"
    r"\b(?:eyJ\w|A[KS]IA\w|gh[oprsu]_|github_pat_|glpat-|pypi-|xox\w-)[\w-]{15}[\w.-]*|"
    rf"([?&#](?i:[\w.%-]*{_OF_SECRETS}[\w.%-]*)=)\S+?(?=[]:;,.'\")]*(?:[\s&`]|$))"
)
_SIGNED = r"(?s)\A(?:-u|--user)[ =][^:]*:(?!//)(.+)|\A(?:.*[ =])?[^\s:/@=]+:(?!/)(\S+)@\w.*"
_MOST_SHOWN = 40
"""So much of a secret tells it: a message holds no more of a long word."""
_OF_RULES = "--severity"
"""The option whose values have names of rules, which may be like that of a secret."""


def printable(text: str, most: int | None = None) -> str:
    """Return the text with what has no shape of its own, or ends a line, escaped as in JSON.

    Of a longer text, only so many characters are returned.

    Args:
        text: the text.
        most: how many characters to return of it; None for all.
    """
    shown = text if most is None else text[: most + 1]
    if not shown.isprintable() or (not shown.isascii() and re.search(f"[{FILLERS}]", shown)):
        shown = "".join(map(_shown, shown))
    return shown if most is None else truncate(shown, most)


def truncate(text: str, most: int = 80) -> str:
    """Return the text, or as much of it as a message can hold."""
    return text if len(text) <= most else text[: most - 1] + "…"


def names_secret(name: str) -> bool:
    """Return whether the value of a name, or of an option, is a secret."""
    return bool(re.match(_PRIVATE_NAME, name, re.DOTALL))


def redacted(text: str, name: str = "", typed: Sequence[str] = ()) -> str:
    """Return a text with a mark for each secret, known by its form, its name or its address.

    Args:
        text: the text.
        name: the name of the value that it is, if it is one.
        typed: the words of the command line that it is about, which tell names, too.
    """
    if text and names_secret(name):
        return "…"
    for secret in _secrets(typed):
        words = re.findall(r"\w+", secret[:_MOST_SHOWN]) or [re.escape(secret)]
        end = r"[^\s`]*" if len(secret) > _MOST_SHOWN else r"(?!\w)"
        start = r"(?:(?<!\w)|(?<=\\[tnr]))" + r"(?:\\[tnr]|\W)*".join(words)
        text = re.sub(start + end, "…", text)
    return re.sub(_PRIVATE, r"\1\2…", text)


def _secrets(typed: Sequence[str]) -> Iterator[str]:
    """Yield the words, or the parts of words, that an option or a name before them tells."""
    for before, word in zip(("", *typed), typed, strict=False):
        text = f"{before} {word}" if before[:1] == "-" != word[:1] else word
        if text.startswith(_OF_RULES):
            continue
        for end in re.finditer(r"^-[^\s:=]+\s|[:=]|[^\S ]", text):
            name, value = re.split("[:=;,&?/ ]", text[: end.end() - 1])[-1], text[end.end() :]
            if redacted(value.strip(), name) == "…":
                yield value
        yield from filter(None, sum(re.findall(_SIGNED, text), ()))


def _shown(character: str) -> str:
    is_seen = character in _JOINERS or unicodedata.category(character) not in _ESCAPED
    if is_seen and character not in FILLERS:
        return character
    return "\\u007f" if character == _DELETE else json.dumps(character)[1:-1]
