"""Git's plumbing, called so that it runs nothing else.

No file of the work tree and no index is touched. No hook, filter, pager, monitor or transport of a
repository's configuration runs: none of these commands has one, but for a fetch of what a partial
clone lacks, which is refused.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import IO

from manifestkit.model.errors import ConfigurationError

_OPTIONS = (
    "--no-replace-objects",
    "--no-optional-locks",
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
)
_PATIENCE = 120  # seconds


class NoRepositoryError(ConfigurationError):
    """A folder that is in no git repository."""


class Git:
    """Runs git in a folder, on the repository that holds it."""

    def __init__(self, folder: Path) -> None:
        program = shutil.which("git")
        if program is None:
            raise ConfigurationError("this needs `git`, which is not on the search path")
        self._start = (program, *_OPTIONS)
        self._folder = folder
        # What git takes from the environment may be of another repository, or of a hook's making.
        self._environment = {
            **{
                name: value
                for name, value in os.environ.items()
                if not name.startswith("GIT_") or name.startswith("GIT_CONFIG_")
            },
            "GIT_ALLOW_PROTOCOL": "none",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "LC_ALL": "C",
        }

    def output(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Return the output of a command.

        Raises:
            NoRepositoryError: the folder is in no repository.
            ConfigurationError: it fails.
        """
        try:
            done = subprocess.run(  # noqa: S603 - no shell, and no argument of a stranger
                [*self._start, *arguments],
                cwd=self._folder,
                env=self._environment,
                input=stdin,
                capture_output=True,
                timeout=_PATIENCE,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ConfigurationError(f"cannot run git: {error}") from None
        if done.returncode:
            if done.stderr.startswith(b"fatal: not a git repository (or any"):
                raise NoRepositoryError("not in a git repository")
            said = done.stderr or f"exit code {done.returncode}".encode()
            raise ConfigurationError(f"git: {self.reason_of_failure(said)}")
        return done.stdout

    def start(self, *arguments: str, stderr: IO[bytes]) -> subprocess.Popen[bytes]:
        """Start a command that answers what it is asked.

        Raises:
            OSError: it cannot be started.
        """
        return subprocess.Popen(  # noqa: S603 - likewise
            [*self._start, *arguments],
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
        )

    @staticmethod
    def reason_of_failure(said: bytes) -> str:
        """Return why git failed, and what to do, by what it said on standard error."""
        text = os.fsdecode(said)
        fatal = re.findall(r"^fatal: ([^\0]*)", text, re.MULTILINE)
        reason = " ".join((fatal[-1] if fatal else text).split())
        if "promisor remote" in text:
            return "this partial clone lacks what is needed; run `git fetch --refetch --no-filter`"
        return reason
