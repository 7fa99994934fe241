"""Measures how many manifests a second `manifestkit.lint` takes, alone and in two threads."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from threading import Thread

import corpora
import manifestkit

_MANIFESTS, _ROUNDS = 3_000, 7


def _lint(texts: Sequence[str]) -> None:
    for text in texts:
        assert manifestkit.lint(text, "manifest.json").path  # noqa: S101 - its findings are made


def _in_two_threads(texts: Sequence[str]) -> None:
    threads = [Thread(target=_lint, args=(texts[half::2],)) for half in (0, 1)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def _rate(lint: Callable[[Sequence[str]], None], texts: Sequence[str]) -> float:
    start = time.perf_counter()
    lint(texts)
    return len(texts) / (time.perf_counter() - start)


def main() -> None:
    """Measure, and print a table."""
    print("| manifests | a second | in two threads, ratio |\n|---|--:|--:|")
    for name, text in (
        ("valid", corpora.json_manifest),
        ("one fault in each", corpora.faulty_manifest),
    ):
        texts = [text(number) for number in range(_MANIFESTS)]
        _lint(texts[:100])
        rates = [(_rate(_lint, texts), _rate(_in_two_threads, texts)) for _ in range(_ROUNDS)]
        ratio = statistics.median(two / one for one, two in rates)
        print(f"| {name} | {statistics.median(one for one, _ in rates):.0f} | {ratio:.2f} |")


if __name__ == "__main__":
    main()
