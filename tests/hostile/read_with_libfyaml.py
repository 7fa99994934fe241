"""Read YAML texts, a JSON array on standard input, with libfyaml: one JSON line for each.

It is a process of its own, since a library in C may end it: ``read_with_libfyaml.py [FIRST]``.
"""

from __future__ import annotations

import json
import sys

import libfyaml


def read(text: str) -> object:
    """What is written for a text, in the form of `read-yaml.js`."""
    try:
        documents = libfyaml.loads_all(text)
        if len(documents) != 1:
            return {"documents": len(documents)}
        (only,) = documents
        return {"value": only.to_python() if hasattr(only, "to_python") else only}
    except Exception as error:  # noqa: BLE001 - whatever it raises, it has not read it
        return {"error": str(error)}


if __name__ == "__main__":
    for each in json.load(sys.stdin)[int(sys.argv[1]) :]:
        print(json.dumps(read(each)), flush=True)
