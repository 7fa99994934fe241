"""What is JSON for us is JSON for others: three readers that share no code with ours.

Each way in which one differs is explained here: any other is a bug.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import msgspec
import orjson
import pytest
from hypothesis import given, settings

from hostile_json import json_texts
from manifestkit.decode import Decoded, decode
from wild_texts import json_like
from yaml_texts import same

pytestmark = pytest.mark.slow

_64_BITS = range(-(2**63), 2**64)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def _refused(constant: str) -> NoReturn:
    raise ValueError(constant)


def _standard(text: str) -> Any:
    """Without `NaN`, `Infinity` and `-Infinity`, which Python takes for numbers."""
    return json.loads(text, parse_constant=_refused)


_OTHERS: dict[str, Callable[[str], Any]] = {
    "json": _standard,
    "orjson": lambda text: orjson.loads(text.encode()),
    "msgspec": lambda text: msgspec.json.decode(text.encode()),
}


def _is_json(outcome: Decoded) -> bool:
    return "syntax-error" not in {each.rule for each in outcome.findings}


def _has_passed_a_limit(outcome: Decoded) -> bool:
    return "limit-exceeded" in {each.rule for each in outcome.findings}


def _parts(value: Any) -> Iterator[Any]:
    """Every name and value that is no array and no object."""
    todo = [value]
    while todo:
        each = todo.pop()
        if isinstance(each, dict):
            todo += [*each, *each.values()]
        elif isinstance(each, list):
            todo += each
        else:
            yield each


def _may_refuse(name: str, value: Any) -> bool:
    """Whether another reader may refuse what is JSON."""
    parts = list(_parts(value))
    has_lone = any(isinstance(each, str) and _LONE_SURROGATE.search(each) for each in parts)
    is_large = any(isinstance(each, int) and each not in _64_BITS for each in parts)
    # RFC 8259, 8.2 leaves lone surrogates open: Python and we keep them, the others refuse. An
    # integer beyond a double is a number by the grammar: orjson refuses it.
    return (has_lone and name != "json") or (is_large and name == "orjson")


def _as_read_by(name: str, value: Any) -> Any:
    """A value as another reader has it: orjson makes a double of an integer beyond 64 bits.

    What rounds to an integer without being one is an integer for others, and not for us.
    """
    if isinstance(value, dict):
        return {key: _as_read_by(name, each) for key, each in value.items()}
    if isinstance(value, list):
        return [_as_read_by(name, each) for each in value]
    if name == "orjson" and isinstance(value, int) and value not in _64_BITS:
        return float(value)
    if isinstance(value, float) and math.isfinite(value) and value % 1:
        nearest = float(round(value))
        return math.copysign(nearest, value) if math.nextafter(value, nearest) == nearest else value
    return value


def _check(text: str, name: str, what: str) -> None:
    outcome = decode(text, "m.json")
    try:
        # RFC 8259, 8.1: a reader may pass over a byte order mark, and ours does.
        value = _as_read_by(name, _OTHERS[name](text.removeprefix("\ufeff")))
    except (ValueError, msgspec.DecodeError, RecursionError):
        allowed = not _is_json(outcome) or _has_passed_a_limit(outcome)
        assert allowed or _may_refuse(name, outcome.document.value), what
        return
    assert _is_json(outcome), what
    if not _has_passed_a_limit(outcome):
        assert same(_as_read_by(name, outcome.document.value), value), what


@pytest.mark.parametrize("name", _OTHERS)
@settings(max_examples=max(250, settings.default.max_examples if settings.default else 0))
@given(text=json_like)
def test_any_text_is_json_for_both_or_for_none(name: str, text: str) -> None:
    if not _LONE_SURROGATE.search(text):
        _check(text, name, text)


@pytest.mark.parametrize("name", _OTHERS)
def test_a_hostile_text_is_json_for_both_or_for_none(name: str) -> None:
    checked = 0
    for _, what, data in json_texts():
        try:
            text = data.decode()
        except UnicodeDecodeError:
            assert not _is_json(decode(data, "m.json")), what
            continue
        if len(data) < 50_000:
            checked += 1
            _check(text, name, what)
    assert checked > 140
