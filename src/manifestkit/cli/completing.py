"""What a shell is offered for a word that is begun."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


def completed(words: Mapping[str, str | None], incomplete: str) -> list[CompletionItem]:
    """The words that start so, each with what it means."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415 - a run completes nothing

    return [
        CompletionItem(word, help=meaning)
        for word, meaning in words.items()
        if word.startswith(incomplete)
    ]
