"""Compare what is read of YAML with other readers: ``yaml_agreement.py [COUNT [SEED]]``.

They are the npm packages `yaml`, which editors use, and `js-yaml`; PyYAML and ruamel.yaml, each in
Python and in C, ruamel.yaml as YAML 1.1 and 1.2. Two things are held:

1. Of a manifest of which nothing is said, all read the same value, and also of what `fmt` makes of
   it. COUNT manifests with something odd in them are tried.
2. Of the texts that `yaml` and manifestkit both read, both read the same value. COUNT manifests and
   COUNT texts written by the grammar and then spoilt are tried.

Prints a table; exits with 1 if a text is read otherwise. A reader that is missing is installed by
`pip install ruamel.yaml.clib` and by `npm ci` in `tests/editors`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

from manifestkit.decode import decode
from manifestkit.edits.formatting import formatted
from manifestkit.model.errors import EditRefusedError
from manifestkit.schema.packaged import base_schema
from odd_manifests import odd_text
from other_yaml import PURE, UNUSUAL, Said, ask, comparable, in_c, is_portable
from wild_texts import yaml_like

_HERE = Path(__file__).parent
_NODE = ("node", str(_HERE.parent / "editors" / "read-yaml.js"))
_COUNT = 10_000
_SHOWN = 20
_OTHERWISE = re.compile(
    r"\r(?!\n)|!!float|^-\n#|^\ufeff?- - |[|>][-+]?[1-9][-+]?\n +$", re.MULTILINE
)
"""Where `yaml` is wrong: CR ends a line, `!!float 1` is a number, empty items, and a block of text
with a number for its indentation that has only spaces, which js-yaml reads as we do."""

Deviation = tuple[str, Said, dict[str, Said]]
"""A text, what we say, and who says what else."""


def odd(count: int, number: int) -> list[str]:
    """Manifests with something odd in them, the same for the same number."""
    random = Random(number)
    return [odd_text(random) for _ in range(count)]


def spoilt(count: int, number: int) -> list[str]:
    """Texts written by the grammar and spoilt, the same for the same number."""
    made: list[str] = []

    @seed(number)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(yaml_like)
    def take(text: str) -> None:
        made.append(re.sub("\r\n?|[\ud800-\udfff]", "\n", text))

    take()
    return made


def ours(text: str) -> Said:
    """What our reader says."""
    outcome = decode(text, "m.yaml")
    is_refused = "yaml-unsupported" in {each.rule for each in outcome.findings}
    if outcome.readable and not is_refused:
        return "value", comparable(outcome.document.value)
    is_yaml = "syntax-error" not in {each.rule for each in outcome.findings}
    return ("refused" if is_yaml else "not YAML"), None


def _theirs(answer: dict[str, Any]) -> Said:
    if "value" in answer:
        return "value", comparable(answer["value"])
    return ("documents" if "documents" in answer else "not YAML"), None


def by_node(texts: list[str]) -> dict[str, list[Said]]:
    """What `yaml` and `js-yaml` say."""
    done = subprocess.run(
        _NODE, input=json.dumps(texts), capture_output=True, text=True, check=True
    )
    answers = json.loads(done.stdout)
    return {name: [_theirs(each[name]) for each in answers] for name in ("yaml", "js-yaml")}


def _formatted(text: str) -> str | None:
    try:
        return formatted(decode(text, "m.yaml").document, base_schema())
    except EditRefusedError:
        return None


def compare_silent(texts: Iterable[str]) -> list[Deviation]:
    """Of the texts of which we say nothing, those that another reader reads otherwise."""
    usual = (text for text in dict.fromkeys(texts) if not UNUSUAL.search(text))
    silent = [text for text in usual if is_portable(text)]
    pairs = [(text, written) for text in silent if (written := _formatted(text)) is not None]
    print(
        f"{len(silent):6} of which we say nothing, {len(pairs)} of them as `fmt` writes them, too"
    )
    both = list(dict.fromkeys([*silent, *(written for _, written in pairs)]))
    said = by_node(both)
    for name, read in {**PURE, **in_c()}.items():
        said[name] = [ask(read, text) for text in both]
    return [
        (text, own, others)
        for number, text in enumerate(both)
        if (own := ours(text))
        and (others := {name: each[number] for name, each in said.items() if each[number] != own})
    ]


def compare_values(texts: Iterable[str]) -> Iterator[Deviation]:
    """The texts that `yaml` and manifestkit both read, as two values."""
    counts: Counter[tuple[str, str]] = Counter()
    unique = list(dict.fromkeys(texts))
    for text, other in zip(unique, by_node(unique)["yaml"], strict=True):
        own = ours(text)
        counts[own[0], other[0]] += 1
        is_unlike = own[0] == other[0] == "value" and own != other
        if is_unlike and not _OTHERWISE.search(text):
            yield text, own, {"yaml": other}
    for (own_word, other_word), times in sorted(counts.items()):
        print(f"{times:6} manifestkit: {own_word}; yaml: {other_word}")


def main(count: int, number: int) -> int:
    """Ask all readers, and print how often they agree, and where they do not."""
    by_oddness, by_grammar = odd(count, number), spoilt(count, number)
    print(f"{count:6} odd manifests, {len(by_grammar)} spoilt texts")
    differing = compare_silent(by_oddness)
    print(f"{len(differing):6} of these read otherwise by another reader")
    values = list(compare_values([*by_oddness, *by_grammar]))
    print(f"{len(values):6} read as another value by `yaml`")
    differing += values
    for text, own, others in sorted(differing, key=lambda each: len(each[0]))[:_SHOWN]:
        print(f"\n{text!r}\n  ours: {own}\n  others: {others}")
    return 1 if differing else 0


if __name__ == "__main__":
    given_numbers = [int(each) for each in sys.argv[1:]]
    sys.exit(main(*[*given_numbers, *[_COUNT, 1][len(given_numbers) :]]))
