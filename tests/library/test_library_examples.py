"""Each name that the library exports explains itself by an example that runs."""

from __future__ import annotations

import doctest
import inspect
from pathlib import Path
from types import ModuleType

import pytest

import manifestkit
from command import EXAMPLES
from rows import rows

MANIFEST = (EXAMPLES / "valid" / "minimal.activity-provider.json").read_text("utf-8")
PROFILE = EXAMPLES / "profiles" / "host-catalogue.schema.json"
NAMES = [name for name in manifestkit.__all__ if name != "__version__"]


@rows("name", NAMES)
def test_the_example_of_a_name_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "manifest.json").write_text(MANIFEST, "utf-8")
    (tmp_path / "host.schema.json").write_bytes(PROFILE.read_bytes())
    exported = getattr(manifestkit, name)
    names = {"manifestkit": manifestkit, "MANIFEST": MANIFEST, "Path": Path}
    example = doctest.DocTestParser().get_doctest(
        inspect.getdoc(exported) or "", names, name, None, 0
    )
    assert example.examples, "no example"
    said: list[str] = []
    outcome = doctest.DocTestRunner(verbose=False).run(example, out=said.append)
    assert not outcome.failed, "".join(said)


def test_no_module_stands_among_the_names() -> None:
    assert not [name for name in NAMES if isinstance(getattr(manifestkit, name), ModuleType)]
