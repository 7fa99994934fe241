"""Schemas and templates are found however the package is installed, and nothing is left out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest
from filelock import FileLock

from checkout import copy_checkout
from command import FINDINGS, GOLDEN, REPOSITORY, environment

pytestmark = pytest.mark.slow

_SCHEMAS = {file.name for file in (REPOSITORY / "schemas").rglob("*.json")}


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A folder with a copy of the tree, and an sdist and the wheel made from it in `dist`.

    They are built once, by whichever test process comes first.
    """
    base = tmp_path_factory.getbasetemp()
    shared = (base if worker_id == "master" else base.parent) / "built"
    with FileLock(f"{shared}.lock"):
        if not (shared / "done").exists():
            _build(copy_checkout(shared / "tree"), shared / "dist")
            (shared / "done").touch()
    return shared


def _build(tree: Path, dist: Path, *, umask: int = 0o022, timezone: str = "UTC") -> None:
    """Build as a release is built by `.ci/build`: at a time that is told."""
    _run(
        *(sys.executable, "-m", "build", "--no-isolation", tree, "--outdir", dist),
        umask=umask,
        variables={"SOURCE_DATE_EPOCH": "1700000000", "TZ": timezone},
    )


def _run(
    *command: str | Path,
    cwd: Path | None = None,
    umask: int = -1,
    variables: dict[str, str] | None = None,
) -> str:
    done = subprocess.run(
        command,
        cwd=cwd,
        umask=umask,
        env=environment(**variables or {}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _the(pattern: str, folder: Path) -> Path:
    (file,) = folder.glob(pattern)
    return file


def _tree() -> set[str]:
    """The files of the package by their place in it."""
    parts = {"manifestkit": REPOSITORY / "src" / "manifestkit"}
    parts["manifestkit/schemas"] = REPOSITORY / "schemas"
    return {
        f"{place}/{file.relative_to(folder).as_posix()}"
        for place, folder in parts.items()
        for file in folder.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }


def test_the_wheel_holds_every_file_of_the_tree_and_no_other(built: Path) -> None:
    with zipfile.ZipFile(_the("*.whl", built / "dist")) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert names == _tree()


def test_the_sdist_holds_what_the_wheel_is_made_of(built: Path) -> None:
    with tarfile.open(_the("*.tar.gz", built / "dist")) as sdist:
        names = {name.split("/", 1)[1] for name in sdist.getnames() if "/" in name}
    sources = {
        name.replace("manifestkit/schemas/", "schemas/")
        if name.startswith("manifestkit/schemas/")
        else f"src/{name}"
        for name in _tree()
    }
    assert {*sources, "pyproject.toml", "setup.py", "LICENSE", "README.md"} <= names
    assert not any(name.startswith("tests") for name in names)


def test_a_build_elsewhere_in_another_time_zone_and_umask_is_the_same_to_the_byte(
    built: Path, tmp_path: Path
) -> None:
    tree = copy_checkout(tmp_path / "else" / "where")
    for path in tree.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)
        os.utime(path, (946_684_800, 946_684_800))
    _build(tree, tmp_path / "dist", umask=0o077, timezone="Asia/Tokyo")
    assert _contents(tmp_path / "dist") == _contents(built / "dist")


def _contents(folder: Path) -> dict[str, str]:
    return {file.name: sha256(file.read_bytes()).hexdigest() for file in folder.iterdir()}


def test_the_wheel_says_what_it_is(built: Path) -> None:
    with zipfile.ZipFile(_the("*.whl", built / "dist")) as wheel:
        (place,) = (name for name in wheel.namelist() if name.endswith("/METADATA"))
        metadata = wheel.read(place).decode()
        assert any(name.endswith("/licenses/LICENSE") for name in wheel.namelist())
    assert "\nName: manifestkit\n" in metadata
    assert "\nRequires-Python: >=3.11\n" in metadata
    assert "\nLicense-Expression: MIT\n" in metadata


def test_an_installed_command_has_its_schemas_and_templates(built: Path, tmp_path: Path) -> None:
    """From a wheel, an sdist and a checkout in turn; what it depends on is that of this Python.

    That what it names as such suffices, `.ci/run` tries: it installs the wheel with that.
    """
    python = _environment(tmp_path / "venv")
    wheel, sdist = _the("*.whl", built / "dist"), _the("*.tar.gz", built / "dist")
    _install(python, wheel)
    at = _run(python, "-c", "import manifestkit; print(manifestkit.__file__)", cwd=tmp_path)
    assert Path(at.strip()).is_relative_to(tmp_path / "venv")
    _has_its_data(python)
    _install(python, "--force-reinstall", sdist)
    _has_its_data(python)
    _install(python, "--force-reinstall", "--editable", built / "tree")
    _has_its_data(python)
    code = "import manifestkit; print(manifestkit.__file__)"
    assert Path(_run(python, "-c", code, cwd=tmp_path).strip()).is_relative_to(built / "tree")


def _install(python: Path, *what: str | Path) -> None:
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "--quiet")
    _run(*pip, "--no-deps", "--no-build-isolation", *what)


def _has_its_data(python: Path) -> None:
    page = python.with_name("page.html")
    formats = ("--output-format=json", f"--output-format=html={page}")
    done = subprocess.run(
        [python.with_name("manifest"), "lint", "broken", "valid", *formats],
        cwd=GOLDEN,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == FINDINGS, done.stderr
    broken = len(list((GOLDEN / "broken").glob("*.manifest.????")))
    assert json.loads(done.stdout)["summary"]["errors"] == broken
    assert "<title>manifest lint: " in page.read_text("utf-8")
    page.unlink()
    listing = (
        "from importlib import resources; root = resources.files('manifestkit.schemas'); "
        "print(*(file.name for file in root.rglob('*.json')))"
    )
    assert set(_run(python, "-c", listing, cwd=GOLDEN).split()) == _SCHEMAS


def _environment(folder: Path) -> Path:
    """A new virtual environment that finds what this one has installed; the path of its Python.

    By a plain line of a path: what stands there in other lines, as this checkout, it does not find.
    """
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    packages = Path(
        _run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    )
    ours = dict.fromkeys([sysconfig.get_path("purelib"), sysconfig.get_path("platlib")])
    (packages / "ours.pth").write_text("\n".join(ours), "utf-8")
    return python
