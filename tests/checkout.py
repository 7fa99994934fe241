"""The files of this checkout, and git repositories made of them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from command import REPOSITORY, environment

_AUTHOR = ("-c", "user.name=A Tester", "-c", "user.email=tester@example.org")
_NO_UPKEEP = ("-c", "maintenance.auto=false")  # or each commit starts a process to look for work
_NO_GLOBAL = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def git(folder: Path, *arguments: str) -> str:
    """Run git, without the user's own configuration."""
    done = subprocess.run(
        ["git", *_AUTHOR, *_NO_UPKEEP, *arguments],
        cwd=folder,
        env=environment(**_NO_GLOBAL),
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def copy_checkout(to: Path) -> Path:
    """A copy of what git knows, or would add: so that no build leaves traces in the tree."""
    listed = git(REPOSITORY, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    for name in filter(None, listed.split("\0")):
        if (REPOSITORY / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(REPOSITORY / name, to / name)
    return to


def make_repository(folder: Path) -> Path:
    """All files of a folder, as the one commit of a new repository."""
    folder.mkdir(exist_ok=True)
    git(folder, "init", "-q", "-b", "main", "--template=")
    git(folder, "add", "--all")
    git(folder, "commit", "-q", "--allow-empty", "-m", "Everything")
    return folder
