"""List what each manifest asks people to agree to: `python consent.py FILE...`."""

import sys
from pathlib import Path

import manifestkit

for file in map(Path, sys.argv[1:]):
    loaded = manifestkit.load(file.read_bytes(), file)
    if loaded.manifest is None:
        print(f"{file}: {loaded.result.findings[0].message}")
        continue
    for index, permission in enumerate(loaded.manifest["permissions"]):
        print(f"{file}:{loaded.locate(f'/permissions/{index}').line}: {permission}")
