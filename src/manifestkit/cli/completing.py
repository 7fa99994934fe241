"""What a shell is offered for a word that is begun."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from manifestkit.model.printable import printable

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


def completed(choices: Mapping[str, str | None], incomplete: str) -> list[CompletionItem]:
    """The words that start so, each with what it means; a shell reads them line by line."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415 - a run completes nothing

    return [
        CompletionItem(choice, help=meaning and printable(meaning))
        for choice, meaning in choices.items()
        if choice.startswith(incomplete) and choice.isprintable()
    ]
