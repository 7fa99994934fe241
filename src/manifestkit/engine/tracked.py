"""Files that git tracks."""

from __future__ import annotations

import os
from bisect import bisect_left
from pathlib import Path

from manifestkit.files import is_there
from manifestkit.model.errors import ConfigurationError


class TrackedFiles:
    """The files that git tracks, read from the index of each repository that is asked about.

    Attributes:
        problems: why git cannot list them, by the top of the repository.
    """

    def __init__(self) -> None:
        self.problems: dict[Path, str] = {}
        self._tops: dict[Path, Path | None] = {}
        self._listed: dict[Path, list[bytes]] = {}

    def has(self, path: Path, *, is_folder: bool) -> bool:
        """Return whether git tracks a file, or anything in a folder; a submodule is tracked.

        Where git cannot say, it may.
        """
        real = Path(os.path.realpath(path if is_folder else path.parent))
        if not is_folder:
            real /= path.name
        top = self._top(real.parent)
        if top is None:
            return False
        listed = self._files(top)
        if top in self.problems:
            return True
        place = os.fsencode(real.relative_to(top).as_posix())
        if is_folder and _next(listed, place + b"/").startswith(place + b"/"):
            return True
        return _next(listed, place) == place

    def _top(self, folder: Path) -> Path | None:
        if folder not in self._tops:
            around = (folder, *folder.parents)
            self._tops[folder] = next((each for each in around if is_there(each / ".git")), None)
        return self._tops[folder]

    def _files(self, top: Path) -> list[bytes]:
        """Return the tracked files, in the order of their bytes."""
        from manifestkit.engine.git import Git, NoRepositoryError  # noqa: PLC0415 - slow, rare

        if top not in self._listed:
            self._listed[top] = []
            try:
                listed = Git(top).output("ls-files", "-z", "--cached")
                self._listed[top] = listed.split(b"\0")[:-1]
            except NoRepositoryError:
                pass  # `.git` is something else
            except ConfigurationError as error:
                self.problems[top] = str(error)
        return self._listed[top]


def _next(listed: list[bytes], place: bytes) -> bytes:
    at = bisect_left(listed, place)
    return listed[at] if at < len(listed) else b""
