"""What two libraries import and a short run has no use for, held back.

Only for a process of our own with one thread: another one could meet the stand-ins.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any


def import_click() -> None:
    """Import `click` without `inspect`, a tenth of a run over one file.

    click needs it for generators and for texts of many lines; it is imported then.
    """
    with _standing_in("inspect", cleandoc=_without_margin):
        import click  # noqa: F401, PLC0415 - see above


def import_validator() -> None:
    """Import `jsonschema_rs` without what it imports to read the date of its own build.

    That would be a fifth of a run over one file, and nothing here asks for the date.
    """
    with _standing_in("email.utils", parsedate_to_datetime=str):
        import jsonschema_rs  # noqa: F401, PLC0415 - see above


@contextmanager
def _standing_in(name: str, **members: Any) -> Iterator[None]:
    """Let an import of the module get a stand-in with these members.

    The module itself is imported for any other member, then or later.
    """
    if name in sys.modules:
        yield
        return

    def of_the_module(member: str) -> Any:
        if member.startswith("__"):  # asked by the import system
            raise AttributeError(member)
        _forget(stand_in)
        return getattr(importlib.import_module(name), member)

    stand_in = ModuleType(name)
    vars(stand_in).update(members, __getattr__=of_the_module)
    sys.modules[name] = stand_in
    try:
        yield
    finally:
        _forget(stand_in)


def _forget(stand_in: ModuleType) -> None:
    if sys.modules.get(stand_in.__name__) is stand_in:
        del sys.modules[stand_in.__name__]


def _without_margin(text: str) -> str:
    if "\n" not in text:
        return text.strip()
    import inspect  # noqa: PLC0415 - see import_click

    return inspect.cleandoc(text)
