"""Hold our reader of YAML to two that others wrote: ``yaml_agreement.py [COUNT [SEED]]``.

They are the npm package `yaml`, which editors use, and libfyaml, in C; both read YAML 1.2. Of every
text, written by the grammar and then spoilt, one of them has to say what our reader says: the same
value, or that it is no YAML. Where both differ, the reason is listed here. Ours may refuse what is
YAML and no plain data; that is no disagreement. Lines end in LF: `yaml` takes no CR for an end.

Prints a table; exits with 1 if a text is read alone by us, and with 2 where there is no libfyaml or
no `yaml`: `pip install libfyaml`, and `npm ci` in `tests/editors`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

from manifestkit.decode import decode
from wild_texts import yaml_like

_HERE = Path(__file__).parent
_NODE = ("node", str(_HERE.parent / "editors" / "read-yaml.js"))
_LIBFYAML = (sys.executable, str(_HERE / "read_with_libfyaml.py"))
_COUNT = 3_000

Said = tuple[str, Any]
"""`value` and the value, `not YAML`, `documents`, or of ours `refused`."""

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


def texts(count: int, number: int) -> list[str]:
    """Texts, the same for the same number."""
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
    if outcome.readable:
        return "value", _comparable(outcome.document.value)
    is_yaml = "syntax-error" not in {each.rule for each in outcome.findings}
    return ("refused" if is_yaml else "not YAML"), None


def _theirs(answer: dict[str, Any]) -> Said:
    if "value" in answer:
        return "value", _comparable(answer["value"])
    return ("documents" if "documents" in answer else "not YAML"), None


def _comparable(value: Any) -> Any:
    """A value in which numbers are doubles: not all tell 1 from 1.0."""
    if isinstance(value, dict):
        return {key: _comparable(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_comparable(each) for each in value]
    if isinstance(value, str) and value.startswith("\0int"):
        value = int(value.removeprefix("\0int"))
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return ("number", float(value)) if is_number else value


def by_node(given_texts: list[str]) -> list[Said]:
    """What `yaml` says."""
    done = subprocess.run(
        _NODE, input=json.dumps(given_texts), capture_output=True, text=True, check=True
    )
    return [_theirs(each) for each in json.loads(done.stdout)]


def by_libfyaml(given_texts: list[str]) -> list[Said]:
    """What libfyaml says; a text that ends its process is none for it."""
    said: list[Said] = []
    while len(said) < len(given_texts):
        done = subprocess.run(
            [*_LIBFYAML, str(len(said))],
            input=json.dumps(given_texts),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            check=False,
        )
        said += [_theirs(json.loads(line)) for line in done.stdout.splitlines()]
        if done.returncode and len(said) < len(given_texts):
            if not done.stdout:
                sys.exit(2)
            said.append(("not YAML", None))
    return said


def main(count: int, number: int) -> int:
    """Ask all three, and print how often they agree, and what we alone say."""
    made = texts(count, number)
    counts: Counter[str] = Counter()
    alone = []
    for text, one, other in zip(made, by_node(made), by_libfyaml(made), strict=True):
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
            alone.append((text, said, one, other))
    for what, times in sorted(counts.items()):
        print(f"{times:6} {what}")
    for text, *answers in sorted(alone, key=lambda each: len(each[0]))[:20]:
        print(f"\n{text!r}\n  ours, `yaml`, libfyaml: {answers}")
    return 1 if alone else 0


if __name__ == "__main__":
    given_numbers = [int(each) for each in sys.argv[1:]]
    sys.exit(main(*[*given_numbers, *[_COUNT, 1][len(given_numbers) :]]))
