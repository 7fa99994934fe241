"""What of Pyodide's packages is on its CDN only, in plain Python: for tests, not for the page.

`rpds` and the compiled parts of `markupsafe` and `yaml` have no wheels for WebAssembly on the
package index.
"""

from __future__ import annotations

import importlib.metadata
import zipfile
from pathlib import Path

_RPDS = """
class HashTrieMap(dict):
    @classmethod
    def convert(cls, value):
        return value if isinstance(value, cls) else cls(value)
    def insert(self, key, value):
        return HashTrieMap({**self, key: value})
    def remove(self, key):
        if key not in self:
            raise KeyError(key)
        return self.discard(key)
    def discard(self, key):
        return HashTrieMap((name, each) for name, each in self.items() if name != key)
    def update(self, *others, **more):
        made = dict(self)
        for other in others:
            made.update(other)
        return HashTrieMap({**made, **more})


class HashTrieSet(frozenset):
    def insert(self, value):
        return HashTrieSet(self | {value})
    def remove(self, value):
        if value not in self:
            raise KeyError(value)
        return self.discard(value)
    def discard(self, value):
        return HashTrieSet(self - {value})
    def update(self, *others):
        return HashTrieSet(self.union(*others))


class List(tuple):
    def __new__(cls, *items):
        return super().__new__(cls, items[0] if len(items) == 1 else items)
    @property
    def first(self):
        return self[0]
    @property
    def rest(self):
        return List(self[1:])
    def push_front(self, value):
        return List((value, *self))
    def drop_first(self):
        return self.rest
"""

_YAML = """
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner


class CParser(Reader, Scanner, Parser):
    def __init__(self, stream):
        Reader.__init__(self, stream)
        Scanner.__init__(self)
        Parser.__init__(self)


class CEmitter:
    pass
"""


def write_wheel(file: Path) -> None:
    """Write the stand-in for a wheel that is asked for by its name."""
    package = file.name.partition("-")[0]
    with zipfile.ZipFile(file, "w") as wheel:
        if package == "rpds_py":
            wheel.writestr("rpds/__init__.py", _RPDS)
        elif package == "pyyaml":
            wheel.writestr("yaml/_yaml.py", _YAML)
            folder = Path(str(importlib.metadata.distribution("pyyaml").locate_file("yaml")))
            for source in folder.glob("*.py"):
                wheel.writestr(f"yaml/{source.name}", source.read_bytes())
        else:
            distribution = importlib.metadata.distribution("markupsafe")
            for name in ("__init__.py", "_native.py"):
                source = Path(str(distribution.locate_file(f"markupsafe/{name}")))
                wheel.writestr(f"markupsafe/{name}", source.read_bytes())
        wheel.writestr(f"{package}-0.dist-info/METADATA", f"Name: {package}\nVersion: 0\n")
