"""At no place of a text, whole or cut off there, is a request answered with an error of ours."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol.types import METHOD_TO_TYPES

from client import Client, Message, ServerError, running
from command import EXAMPLES

pytestmark = pytest.mark.slow

_PLACES = frozenset({"position", "range"})
_FILES = [
    each
    for folder in ("valid", "broken")
    for each in sorted((EXAMPLES / folder).iterdir())
    if each.suffix in {".json", ".yaml"}
]
_SMALL = [each for each in _FILES if each.stem.startswith("minimal")]
_GAPS = [
    (".json", '{"permissions": []}'),
    (".json", '{"activities": [ ], "permissions": ["host.timer"]}'),
    (".json", '{"activities": [{}, {"id": ""}, {"id": null}, [], 1]}'),
    (".json", '{"activities": {"id": "a"}, "permissions": "host.timer", "provider": []}'),
    (".json", '{"activities": [{"id": "a", "id": "b"}], "activities": []}'),
    (".json", "[[]]"),
    (".json", "[]"),
    (".yaml", "permissions: [host.haptic, ]\n"),
    (".yaml", "permissions: []\nactivities: [{id: a}, {id: }, {}, ]\n"),
    (".yaml", "permissions:\n  - host.haptic\n  - \n\nactivities:\n  -\n    id: a\n  \n"),
    (".yaml", "permissions:\n\nactivities:\n- id: a\n-\n- id:\n\n"),
    (".yaml", "permissions: |\n  - host.haptic\n  - x\nactivities: text\n"),
    (".yaml", "permissions: &all [host.haptic]\nactivities: *all\n"),
    (".yaml", "activities:\n- &one\n  id: a\n- *one\n- <<: *one\n  name: b\n"),
    (".yaml", "- \n- - \n"),
    (".yaml", ""),
]


class _Asked:
    """A server, and every request that it offers of a place in a document."""

    def __init__(self, client: Client, folder: Path) -> None:
        self._client = client
        self._folder = folder
        self._versions = itertools.count(1)
        self._open: dict[str, str] = {}
        offered = client.start()
        self.methods = [
            method
            for method, (_, answer, params, _) in METHOD_TO_TYPES.items()
            if f"{method.rpartition('/')[2]}Provider" in offered
            and answer is not None
            and isinstance(params, type)
            and _PLACES & attrs.fields_dict(params).keys()
        ]

    def problems(self, text: str, suffix: str, *offsets: int) -> list[str]:
        """What is answered with an error at offsets of a text that is open; all without any."""
        uri = self._shown(text, suffix)
        asked = [
            (offset, method, self._client.send_request(method, _params(uri, text, offset, method)))
            for offset in offsets or range(len(text) + 1)
            for method in self.methods
        ]
        found = []
        for offset, method, number in asked:
            try:
                self._client.answer(number)
            except ServerError as error:
                found.append(f"{text[:offset]}|{text[offset:]}: {method}: {error}"[:1000])
        return found

    def _shown(self, text: str, suffix: str) -> str:
        path = self._folder / f"a.manifest{suffix}"
        if suffix not in self._open:
            self._client.open(path, text, next(self._versions))
        elif self._open[suffix] != text:
            self._client.change(path.as_uri(), next(self._versions), text)
        self._open[suffix] = text
        return path.as_uri()


def _params(uri: str, text: str, offset: int, method: str) -> Message:
    start = text.rfind("\n", 0, offset) + 1
    place = {
        "line": text.count("\n", 0, offset),
        "character": len(text[start:offset].encode("utf-16-le")) // 2,
    }
    span = {"start": place, "end": place}
    about: Message = {"textDocument": {"uri": uri}, "position": place, "range": span}
    return about | ({"context": {"diagnostics": []}} if "codeAction" in method else {})


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Asked]:
    folder = tmp_path_factory.mktemp("places")
    with running(folder) as client:
        yield _Asked(client, folder)


def test_what_is_asked_is_all_that_the_server_offers_of_a_place(asked: _Asked) -> None:
    names = {each.rpartition("/")[2] for each in asked.methods}
    assert names == {"hover", "completion", "codeAction"}


@pytest.mark.parametrize(("suffix", "text"), _GAPS)
def test_where_something_is_not_there_yet_nothing_is_found(
    asked: _Asked, suffix: str, text: str
) -> None:
    assert not asked.problems(text, suffix)


@pytest.mark.parametrize("file", _SMALL, ids=lambda file: file.name)
def test_at_every_place_of_an_example_every_request_is_answered(asked: _Asked, file: Path) -> None:
    assert not asked.problems(file.read_text("utf-8"), file.suffix)


@given(st.sampled_from(_FILES), st.data())
def test_cut_off_anywhere_every_request_is_answered(
    asked: _Asked, file: Path, data: st.DataObject
) -> None:
    text = file.read_text("utf-8")
    offset = data.draw(st.integers(0, len(text)))
    rest = data.draw(st.sampled_from(["", text[offset:], text[offset + 1 :], "]}", "\n"]))
    assert not asked.problems(text[:offset] + rest, file.suffix, offset)
