"""What pyproject.toml cannot say: which packages there are, and builds that are always the same.

With SOURCE_DATE_EPOCH set, the bytes of an sdist and a wheel come from the tree, from Python and
from setuptools, and from nothing else: not from the folder, the user, the umask or the time.
"""

import gzip
import os
import tarfile
import time
from pathlib import Path
from typing import Any

from setuptools import find_packages, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.sdist import sdist

_FOLDER_MODE, _FILE_MODE = 0o755, 0o644


class PlainSdist(sdist):
    """An sdist whose members belong to nobody, and are all of one time."""

    def make_archive(self, base_name: str, *_: object, base_dir: str, **_owner: object) -> str:
        """Write `base_dir`, the folder of the sdist, to a .tar.gz; its name."""
        moment = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))

        def plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
            member.mtime, member.mode = moment, _FOLDER_MODE if member.isdir() else _FILE_MODE
            member.uid = member.gid = 0
            member.uname = member.gname = ""
            return member

        archive = Path(f"{base_name}.tar.gz")
        archive.parent.mkdir(parents=True, exist_ok=True)
        with (
            gzip.GzipFile(archive, "wb", mtime=moment) as packed,
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as members,
        ):
            members.add(base_dir, filter=plain)
        return str(archive)


class PlainWheel(bdist_wheel):
    """A wheel whose members have the same permissions whatever the tree's are."""

    def write_wheelfile(self, *arguments: Any, **options: Any) -> None:
        """Write the last file of the wheel's folder, which is packed next."""
        super().write_wheelfile(*arguments, **options)
        for path in Path(self.bdist_dir).rglob("*"):
            path.chmod(_FOLDER_MODE if path.is_dir() else _FILE_MODE)


setup(
    packages=[*find_packages("src"), "manifestkit.schemas"],
    cmdclass={"sdist": PlainSdist, "bdist_wheel": PlainWheel},
)
