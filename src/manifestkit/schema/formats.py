"""The table of formats: the schema for a document, by its file's name and what it declares."""

import re
from collections.abc import Callable, Iterable, Mapping
from fnmatch import translate
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Self

from manifestkit.model.errors import ConfigurationError
from manifestkit.model.printable import printable

_WILD = frozenset("*?")


class Format(NamedTuple):
    """One kind of manifest."""

    id: str  # what it is called
    schema: str  # the file of its schema: beside ours, or wherever the configuration says
    files: tuple[str, ...]  # patterns of the names that its files have, and no others
    common_files: tuple[str, ...] = ()  # patterns of names that files of other formats have too
    says: Mapping[str, str] = {}  # texts of the root members of its documents, with wildcards
    folder: str | None = None  # of its configuration; None for what comes with the package

    @classmethod
    def of_row(cls, row: Mapping[str, Any], folder: str | None = None) -> Self:
        """Return the format that a row of a table describes."""
        files, common = tuple(row["files"]), tuple(row.get("common_files", ()))
        return cls(row["id"], row["schema"], files, common, row.get("says", {}), folder)

    @property
    def own_schema(self) -> Path | None:
        """The file of a schema that does not come with the package."""
        return None if self.folder is None else Path(self.schema)

    @property
    def patterns(self) -> tuple[str, ...]:
        """All patterns of names."""
        return (*self.files, *self.common_files)

    def has_name(self, path: str) -> bool:
        """Return whether a file is named as the files of this format are."""
        return _of_names(self.patterns).fullmatch(path.rpartition("/")[2]) is not None

    def is_declared_by(self, value: Any) -> bool:
        """Return whether a document declares this format, or the format asks for no declaration."""
        return not self.says or (
            isinstance(value, dict)
            and all(
                isinstance(text := value.get(name), str) and _of_texts(pattern).fullmatch(text)
                for name, pattern in self.says.items()
            )
        )

    def example_name(self, stem: str | None, syntax: str) -> str:
        """Return the name of a file of this format, in a syntax, with a stem if one is known."""
        endings = (".yaml", ".yml") if syntax == "yaml" else (".json",)
        names = [each for each in self.patterns if each.endswith(endings)]
        bare = [] if stem else names
        stem = stem or "manifest"
        with_stem = (each.replace("*", stem, 1) for each in names if each.startswith("*"))
        return next(filter(_WILD.isdisjoint, (*bare, *with_stem)), f"{stem}.{syntax}")


class Formats(NamedTuple):
    """The formats for the files of a folder, those of the configuration first."""

    rows: tuple[Format, ...]

    @property
    def default(self) -> Format:
        """The format of a document when neither its name nor its content tells."""
        return next((row for row in self.rows if row.folder is None), self.rows[0])

    def with_id(self, name: str) -> Format:
        """Return the format of an id.

        Raises:
            ConfigurationError: there is no such format.
        """
        known = {row.id: row for row in self.rows}
        if name in known:
            return known[name]
        ids = " and ".join(f"`{each}`" for each in known)
        raise ConfigurationError(f"--of: unknown format `{printable(name)}`; there are {ids}")

    def of(self, path: str, value: Any) -> Format:
        """Return the format of a document.

        Of the formats that its file is named for, it is the first that the document declares. If
        its file is named for none, any format that it declares counts.
        """
        if len(self.rows) == 1:
            return self.rows[0]
        named = [row for row in self.rows if row.has_name(path)]
        for row in named or [row for row in self.rows if row.says]:
            if row.is_declared_by(value):
                return row
        ours = (row for row in named if row.folder is None)
        return next(ours, named[0] if named else self.default)

    def finder(self) -> Callable[[str], bool]:
        """Return what tells whether a name is that of a manifest."""
        names = _of_names(tuple(each for row in self.rows for each in row.patterns))
        return lambda name: names.fullmatch(name) is not None


@lru_cache(maxsize=64)
def _of_names(patterns: tuple[str, ...]) -> re.Pattern[str]:
    expressions = "|".join(map(_expression, patterns))
    return re.compile(expressions or r"(?!)", re.IGNORECASE)


@lru_cache(maxsize=64)
def _of_texts(pattern: str) -> re.Pattern[str]:
    return re.compile(_expression(pattern))


def _expression(text: str) -> str:
    """Return what a pattern means; a `*` at its start stands for something."""
    return translate(f"{'?' * text.startswith('*')}{text}".replace("[", "[[]"))


def wildcards(between: Iterable[str]) -> str:
    """Return regular expressions with any characters between them, which try no place again.

    Args:
        between: the expressions; what stands between two is taken where the next comes first.
    """
    first, *rest = between
    if not rest:
        return first
    *inner, last = rest
    found = "".join(f"(?>[^/]*?{each})" for each in inner if each)
    return f"{first}{found}[^/]*{last}"
