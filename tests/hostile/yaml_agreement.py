"""Hold our reader of YAML to those that others wrote: ``yaml_agreement.py [COUNT [SEED]]``.

They are the npm packages `yaml`, which editors use, and `js-yaml`; PyYAML and ruamel.yaml, each in
Python and in C, ruamel.yaml as YAML 1.1 and 1.2; and libfyaml, in C. Two things are held:

1. Of a manifest of which we say nothing all but libfyaml read the value that we read, and also of
   what `fmt` makes of it, which libfyaml takes for YAML if it took the manifest for it. COUNT
   manifests with something odd in them are tried, and texts written by the grammar and then spoilt,
   an eighth of that.
2. Of the spoilt texts `yaml` or libfyaml, which both read YAML 1.2, say what we say: the same
   value, or that it is no YAML. Where both differ, the reason is listed here. Ours may refuse what
   is YAML and no plain data; that is no disagreement. Lines end in LF: `yaml` takes no CR.

Prints a table; exits with 1 if a text is read otherwise, and with 2 where a reader is missing:
`pip install libfyaml ruamel.yaml.clib`, and `npm ci` in `tests/editors`.
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
from other_yaml import PURE, Said, ask, comparable, in_c, is_portable
from wild_texts import yaml_like

_HERE = Path(__file__).parent
_NODE = ("node", str(_HERE.parent / "editors" / "read-yaml.js"))
_LIBFYAML = (sys.executable, str(_HERE / "read_with_libfyaml.py"))
_COUNT = 20_000
_SHOWN = 20

REASONS = {
    "a control character, which YAML 1.2.2, 5.1 forbids and neither looks for": re.compile(
        r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]"
    ),
    "a tab before a value at the start of a line, which 6.1 and rule 69 allow": re.compile(
        r"^ *\t", re.MULTILINE
    ),
    "spaces beyond the indentation, which rule 171 makes a line of a text; both drop them": (
        re.compile(r"[|>].*\n +\Z", re.DOTALL)
    ),
    "an end mark before all documents, which rule 211 lets end none": re.compile(
        r"\A\s*^\.\.\.", re.MULTILINE
    ),
    "a directive without a name, which rule 83 demands; both only warn": re.compile(
        r"^%[ \t\n]", re.MULTILINE
    ),
}

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


def by_libfyaml(texts: list[str]) -> list[Said]:
    """What libfyaml says; a text that ends its process is none for it."""
    said: list[Said] = []
    while len(said) < len(texts):
        done = subprocess.run(
            [*_LIBFYAML, str(len(said))],
            input=json.dumps(texts),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            check=False,
        )
        said += [_theirs(json.loads(line)) for line in done.stdout.splitlines()]
        if done.returncode and len(said) < len(texts):
            if not done.stdout:
                sys.exit(2)
            said.append(("not YAML", None))
    return said


def _formatted(text: str) -> str | None:
    try:
        return formatted(decode(text, "m.yaml").document, base_schema())
    except EditRefusedError:
        return None


def compare_silent(texts: Iterable[str]) -> list[Deviation]:
    """Of the texts of which we say nothing, those that another reader reads otherwise."""
    silent = [text for text in dict.fromkeys(texts) if is_portable(text)]
    pairs = [(text, written) for text in silent if (written := _formatted(text)) is not None]
    print(
        f"{len(silent):6} of which we say nothing, {len(pairs)} of them as `fmt` writes them, too"
    )
    both = list(dict.fromkeys([*silent, *(written for _, written in pairs)]))
    said = by_node(both)
    for name, read in {**PURE, **in_c()}.items():
        said[name] = [ask(read, text) for text in both]
    by_fyaml = dict(zip(both, by_libfyaml(both), strict=True))
    spoilt_by_fmt = [
        (written, ours(written), {"libfyaml": by_fyaml[written]})
        for text, written in pairs
        if (by_fyaml[text][0] == "value" != by_fyaml[written][0]) or not is_portable(written)
    ]
    return spoilt_by_fmt + [
        (text, own, others)
        for number, text in enumerate(both)
        if (own := ours(text))
        and (others := {name: each[number] for name, each in said.items() if each[number] != own})
    ]


def compare_grammar(texts: list[str]) -> Iterator[Deviation]:
    """The texts of which we alone say what we say."""
    counts: Counter[str] = Counter()
    for text, one, other in zip(texts, by_node(texts)["yaml"], by_libfyaml(texts), strict=True):
        said = ours(text)
        counts[f"ours: {said[0]}"] += 1
        if said[0] == "refused" or said == one == other:
            continue
        if said in (one, other):
            counts[
                f"as libfyaml says, and not `yaml`: {one[0]}"
                if said == other
                else f"as `yaml` says, and not libfyaml: {other[0]}"
            ] += 1
            continue
        reason = next((why for why, marks in REASONS.items() if marks.search(text)), None)
        counts[f"as neither says: {reason}"] += 1
        if reason is None:
            yield text, said, {"yaml": one, "libfyaml": other}
    for what, times in sorted(counts.items()):
        print(f"{times:6} {what}")


def main(count: int, number: int) -> int:
    """Ask all readers, and print how often they agree, and where they do not."""
    by_grammar = spoilt(count // 8, number)
    by_oddness = odd(count, number)
    print(f"{count:6} odd manifests, {len(by_grammar)} spoilt texts")
    differing = compare_silent([*by_oddness, *by_grammar])
    print(f"{len(differing):6} of these read otherwise by another reader")
    alone = list(compare_grammar(by_grammar))
    for text, own, others in sorted([*differing, *alone], key=lambda each: len(each[0]))[:_SHOWN]:
        print(f"\n{text!r}\n  ours: {own}\n  others: {others}")
    return 1 if differing or alone else 0


if __name__ == "__main__":
    given_numbers = [int(each) for each in sys.argv[1:]]
    sys.exit(main(*[*given_numbers, *[_COUNT, 1][len(given_numbers) :]]))
