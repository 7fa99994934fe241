"""The compiled validator, imported for a process that is over at once."""

from __future__ import annotations

import sys
from types import ModuleType

_OF_BUILD_DATE = "email.utils"


def import_validator() -> None:
    """Import `jsonschema_rs` without what it imports to read the date of its own build.

    That would be a fifth of a run over one file, and nothing here asks for the date. Only for a
    process of our own with one thread: another one could meet the stand-in.
    """
    if _OF_BUILD_DATE in sys.modules:
        return
    stand_in = ModuleType(_OF_BUILD_DATE)
    vars(stand_in)["parsedate_to_datetime"] = str
    sys.modules[_OF_BUILD_DATE] = stand_in
    try:
        import jsonschema_rs  # noqa: F401, PLC0415 - see above
    finally:
        del sys.modules[_OF_BUILD_DATE]
