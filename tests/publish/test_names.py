"""Names in archives: what no archive may have, and what Windows cannot write."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from manifestkit.publish.names import Problem, name_problems
from rows import rows

REFUSED = [
    *("/a", "//a", "C:a", "c:/a", "..", "a/..", "../a", "a/../b", ".", "./a", "a/.", "a//b", "a//"),
    *("a\\b", "\\\\host\\x", "", "a\0b", "a\nb", "a\x1b[31m", "a\x7f", "a\x85b", "a\u202eb"),
    *("x" * 256, "é" * 128, "a/" * 513),
]
WARNED = [
    *("ab:c", "manifest.json::$DATA", "a?", "a|b", 'a"', "a<b", "con", "NUL.txt", "aux/x", "COM1"),
    *("com¹", "CONOUT$", "a.", "a..", "a /b", "nul .txt"),
]
FINE = [
    *("index.html", "é.html", "日本語.html", "a/b/c", ".well-known/x", "a~b", "a;b", "lib;1"),
    *("a#U0041b.js", "MANIFE~1.JSO", "a b.html", "console.js", "com10", "a.con", "x" * 255),
    *("❤️.html", "👩\u200d👧.png", "e\u0301.html"),
]


@rows("name", REFUSED)
def test_a_name_that_leaves_the_folder_or_that_nobody_can_write_is_refused(name: str) -> None:
    (problem,) = name_problems([name])
    assert not problem.is_warning


@rows("name", WARNED)
def test_a_name_that_windows_cannot_write_is_a_warning(name: str) -> None:
    (problem,) = name_problems([name])
    assert problem.is_warning


@rows("name", FINE)
def test_other_names_are_fine(name: str) -> None:
    assert not list(name_problems([name]))


@rows(
    ("names", "told"),
    [
        (("a", "a"), "appears twice"),
        (("Index.html", "index.html"), "are one name"),
        (("é", "e\u0301"), "are one name"),
        (("É.html", "e\u0301.html"), "are one name"),
        (("straße", "STRASSE"), "are one name"),
        (("a", "a/b"), "needs a folder where"),
        (("A", "a/b/c"), "needs a folder where"),
        (("a/b", "a/B/c"), "needs a folder where"),
        (("a", "a/"), "are a file and a folder"),
        (("a", "A/"), "are a file and a folder"),
    ],
)
def test_names_that_collide_are_told_in_any_order(names: tuple[str, str], told: str) -> None:
    for given_names in (names, names[::-1], (*names, "z", "0", "a-b")):
        (problem,) = name_problems(given_names)
        assert told in problem.message
        assert not problem.is_warning


@rows("names", [("a/", "a/"), ("a/", "a/b"), ("App/a", "app/b"), ("a-b", "a/b")])
def test_other_names_stand_side_by_side(names: tuple[str, str]) -> None:
    assert not list(name_problems(names))


@given(st.lists(st.text("aAbß/1éÉe\u0301", min_size=1, max_size=4), max_size=8, unique=True))
def test_what_does_not_collide_is_apart_in_a_folder_without_case(names: list[str]) -> None:
    clean = [each for each in names if each[-1] != "/" and not any(name_problems([each]))]
    if any(name_problems(clean)):
        return
    kept = {unicodedata.normalize("NFC", each).casefold() for each in clean}
    assert len(kept) == len(clean)
    assert not any(one != other and other.startswith(f"{one}/") for one in kept for other in kept)


def test_a_problem_shows_no_control_character_and_no_endless_name() -> None:
    assert str(Problem("a\x1b[31m", "is odd")) == r"`a\u001b[31m` is odd"
    assert len(str(Problem("x" * 10_000, "is odd"))) < 300
