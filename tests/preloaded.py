"""What each run of the command would import and work out, done before its process is forked."""

import gc
import importlib
from pathlib import Path

from lsprotocol.converters import get_converter

import manifestkit

_SOURCES = Path(manifestkit.__file__).parent
_RARE = {"fleet", "publish"}
"""What only few runs need, with what it imports from others."""
_NOT_ASIDE = {"__init__", "__main__", "interpreting"}
"""What a run imports by itself: the engine that interprets makes Python's own stack larger."""
_OF_OTHERS = ("click._textwrap", "click.shell_completion", "encodings.utf_8_sig", "ruamel.yaml")

for source in sorted(_SOURCES.rglob("*.py")):
    place = source.relative_to(_SOURCES)
    if place.parts[0] not in _RARE and place.stem not in _NOT_ASIDE:
        importlib.import_module(".".join(["manifestkit", *place.with_suffix("").parts]))
for name in _OF_OTHERS:
    importlib.import_module(name)
for name, text in (
    ("manifest.json", '{"permissions": ["host.haptic",]}'),
    ("manifest.yaml", "permissions: [host.haptic, host.timer] # why\nruntime: on\n"),
):
    manifestkit.lint(text, name)
    manifestkit.fix(text, name, unsafe=True)
get_converter()  # resolves the types of the protocol, once in a process
gc.freeze()  # a collection would copy all of it
