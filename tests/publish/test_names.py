"""Names in archives: what no archive may have, and what some systems cannot write."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifestkit.publish.names import Problem, collisions, name_problems

REFUSED = [
    *(
        "/a",
        "//a",
        "C:a",
        "c:/a",
        "..",
        "a/..",
        "../a",
        "a/../b",
        ".",
        "./a",
        "a/.",
        "",
        "a//b",
        "a/",
    ),
    *(
        "a\\b",
        "\\\\host\\x",
        "a\0b",
        "a\nb",
        "a\x1b[31m",
        "a\x7f",
        "a\x85b",
        "a\u202eb",
        "a\u2066b",
    ),
    *(
        "manifest.json;1",
        "a;",
        "a;12/b",
        "#U00e9.js",
        "a#L01F600",
        "x" * 256,
        "é" * 128,
        "a/" * 513,
    ),
]
WARNED = [
    *(
        "ab:c",
        "manifest.json::$DATA",
        "a?",
        "a|b",
        'a"',
        "a<b",
        "con",
        "NUL.txt",
        "aux/x",
        "COM1",
        "com¹",
    ),
    *("CONOUT$", "a.", "a /b", "a..", " a", "b/ a", "MANIFE~1.JSO", "e\u0301.html", "a\uff0fb"),
    *("\u3164", "a/\u200b/b", "\u2060", "a\u200bb", "a\u00adb", "a\u2061.js", "\U000e0001a"),
]
FINE = [
    *(
        "index.html",
        "a b.html",
        "é.html",
        "日本語.html",
        "a/b/c",
        ".well-known/x",
        "a~b",
        "x~1234567890",
    ),
    *(
        "a;b",
        "a#b",
        "#Uxyz",
        "console.js",
        "com10",
        "a.con",
        "x" * 255,
        "❤️.html",
        "👩‍👧.png",
        "a\u3000b",
    ),
]


def severities(name: str) -> set[bool]:
    return {each.is_warning for each in name_problems(name)}


@pytest.mark.parametrize("name", REFUSED)
def test_a_name_that_leaves_the_folder_or_is_another_to_another_reader_is_refused(
    name: str,
) -> None:
    assert False in severities(name)


@pytest.mark.parametrize("name", WARNED)
def test_a_name_that_some_systems_cannot_write_is_a_warning(name: str) -> None:
    assert severities(name) == {True}


@pytest.mark.parametrize("name", FINE)
def test_other_names_are_fine(name: str) -> None:
    assert severities(name) == set()


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (("a", "a"), "appears twice"),
        (("Index.html", "index.html"), "have the same name"),
        (("é", "e\u0301"), "have the same name"),
        (("É.html", "e\u0301.html"), "have the same name"),
        (("straße", "STRASSE"), "have the same name"),
        (("a", "a."), "have the same name"),
        (("ab", "a\u200db"), "have the same name"),
        (("a/x", "a./x"), "have the same name"),
        (("a", "a::$DATA"), "have the same name"),
        (("a/x", "a:$I30:$INDEX_ALLOCATION/x"), "have the same name"),
        (("a", "a/b"), "needs a folder where"),
        (("A", "a/b/c"), "needs a folder where"),
        (("a/b", "a/B/c"), "needs a folder where"),
        (("a", "a/"), "are a file and a folder"),
        (("a", "A/"), "are a file and a folder"),
    ],
)
def test_names_that_collide_are_told_in_any_order(names: tuple[str, str], told: str) -> None:
    for given_names in (names, names[::-1], (*names, "z", "0", "a-b")):
        (problem,) = collisions(given_names)
        assert told in problem.message
        assert not problem.is_warning


@pytest.mark.parametrize("names", [("a/", "a/"), ("a/", "a/b"), ("App/a", "app/b"), ("a-b", "a/b")])
def test_other_names_stand_side_by_side(names: tuple[str, str]) -> None:
    assert not list(collisions(names))


LETTERS = st.sampled_from("aAbß/.;1 éÉe\u0301\u200d")


@given(st.lists(st.text(LETTERS, min_size=1, max_size=4), max_size=8, unique=True))
def test_what_does_not_collide_is_apart_in_a_folder_without_case(names: list[str]) -> None:
    clean = [each for each in names if not any(name_problems(each))]
    if any(collisions(clean)):
        return
    shown = (each.replace("\u200d", "") for each in clean)
    kept = {unicodedata.normalize("NFC", each).casefold() for each in shown}
    assert len(kept) == len(clean)
    assert not any(one != other and other.startswith(f"{one}/") for one in kept for other in kept)


def test_a_problem_shows_no_control_character_and_no_endless_name() -> None:
    assert str(Problem("a\x1b[31m", "is odd")) == r"`a\u001b[31m` is odd"
    assert len(str(Problem("x" * 10_000, "is odd"))) < 300
