"""What is said of a passed limit, in JSON and in YAML alike: a message and its help."""

from __future__ import annotations

SPLIT_IT = "no manifest needs as much; split it"


def too_many(most: int) -> tuple[str, str]:
    """Of values."""
    return f"more than {most:,} values", SPLIT_IT


def too_deep(most: int, collections: str) -> tuple[str, str]:
    """Of collections, as the syntax calls them, inside one another."""
    return f"more than {most:,} {collections} inside one another", SPLIT_IT


def too_long(number: str, most: int) -> tuple[str, str]:
    """Of a number's digits."""
    return (
        f"a number of {len(number):,} characters; the limit is {most:,}",
        "write a number so long as a string",
    )


def too_large(number: str) -> tuple[str, str]:
    """Of a number, as a message shows it, beyond the largest double."""
    return (
        f"`{number}` is beyond the largest number that readers can hold",
        "stay under 1.8e308, or write it as a string",
    )
