"""Readers of YAML that others wrote, in Python, and what they make of a text."""

from __future__ import annotations

import importlib
import math
import re
import warnings
from collections.abc import Callable
from typing import Any

import yaml
from ruamel.yaml import YAML

from manifestkit.decode import decode

Said = tuple[str, Any]
"""`value` and the value, or another word and None."""

_ENDS_IN_A_BLOCK_OF_TEXT = re.compile(r"[|>](?s:.*)[^\r\n]\Z")

UNUSUAL = re.compile(
    r"[\t\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]|\r(?!\n)|!|^---\S|&\w+\s*,|^[ -]*- \?"
    r"|['\"]:\S|[\[{,|>]#|[|>][^\r\n]*\r?\n +\r?$",
    re.MULTILINE,
)
"""What no author writes, and readers take differently."""

Reader = Callable[[str], Any]


def _ruamel(*, pure: bool, version: tuple[int, int]) -> Reader:
    def read(text: str) -> Any:
        reader = YAML(typ="safe", pure=pure)
        reader.version = version
        return reader.load(text)

    return read


PURE: dict[str, Reader] = {
    "PyYAML": yaml.safe_load,
    "ruamel.yaml 1.2": _ruamel(pure=True, version=(1, 2)),
    "ruamel.yaml 1.1": _ruamel(pure=True, version=(1, 1)),
}


def in_c() -> dict[str, Reader]:
    """The readers in C; ruamel.yaml has one where ``ruamel.yaml.clib`` is installed."""
    importlib.import_module("_ruamel_yaml")
    return {
        "PyYAML in C": lambda text: yaml.load(text, yaml.CSafeLoader),
        "ruamel.yaml 1.2 in C": _ruamel(pure=False, version=(1, 2)),
        "ruamel.yaml 1.1 in C": _ruamel(pure=False, version=(1, 1)),
    }


def ask(read: Reader, text: str) -> Said:
    """What a reader makes of a text."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return "value", comparable(read(text))
    except Exception:  # noqa: BLE001 - whatever it raises, it has not read it
        return "not YAML", None


def is_portable(text: str) -> bool:
    """Whether nothing is said of a text: all readers are to see the value that we see.

    A manifest is a mapping; another rule tells of lone surrogates.
    """
    outcome = decode(text, "m.yaml")
    return (
        not outcome.findings
        and not outcome.document.ambiguous
        and not _ENDS_IN_A_BLOCK_OF_TEXT.search(text)
        and isinstance(outcome.document.value, dict)
        and not _has_surrogate(outcome.document.value)
    )


def _has_surrogate(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_has_surrogate(each) for pair in value.items() for each in pair)
    if isinstance(value, list):
        return any(map(_has_surrogate, value))
    return isinstance(value, str) and re.search("[\ud800-\udfff]", value) is not None


def comparable(value: Any) -> Any:
    """A value as it is compared: numbers as doubles, since not all readers tell 1 from 1.0."""
    if isinstance(value, dict):
        return {
            key if isinstance(key, str) else ("key", repr(key)): comparable(each)
            for key, each in value.items()
        }
    if isinstance(value, list):
        return [comparable(each) for each in value]
    if isinstance(value, str) and value.startswith("\0int"):
        value = int(value.removeprefix("\0int"))
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return ("number", _rounded(float(value))) if is_number else value


def _rounded(value: float) -> float:
    """Return the integer beside a double: what only rounds to one is none for us."""
    if not math.isfinite(value) or value % 1 == 0:
        return value
    nearest = float(round(value))
    return nearest if math.nextafter(value, nearest) == nearest else value
