"""Files of a git repository at a revision."""

from __future__ import annotations

import hashlib
import os
import posixpath
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, NamedTuple

from manifestkit.engine.git import Git
from manifestkit.files import reason_of
from manifestkit.model.errors import ConfigurationError, UnreadableFileError

_LINK, _SUBMODULE = "120000", "160000"
_LACKING = "the repository lacks its content; `git fsck` lists what else is missing"
_ENDED = "git ended without a word; run `git fsck`"
_MOST_SAID = 64 * 1024  # bytes
_IN_SUBMODULE = "is in a submodule; compare it there"
_ELSEWHERE = "is a link out of this repository or in a circle"
_BRANCH = re.compile(r"[\w./-]+")
_FETCHED = "FETCH_HEAD"
_MOST_TARGET = 4096  # bytes of what a link stands for
_BLOCK = 64 * 1024
_SHA1 = 40  # digits
_MOST_STEPS = 40  # from link to link, as of Linux
_MOST_TEXT = 4096  # characters of the path and of what the links put in, as of one path on Linux


class _TreeEntry(NamedTuple):
    """Entry of a tree."""

    mode: str  # tells whether it is a file, a link or a submodule
    digest: str  # the name of its content


class _RevisionFile(NamedTuple):
    """A file of a revision, by one of its paths."""

    digest: str  # the name of its content
    is_linked: bool = False  # whether a link is on the path to it
    problem: str | None = None  # why it has no content
    is_same: bool = False  # whether the links that lead out of the repository are as they were


class Revision:
    """All that a repository holds at a revision; its contents are read in one process.

    Attributes:
        name: the revision, as it was named.
        root: the top of the work tree.
        entries: what stands at each path, counted from there.
        index: what the index has there, if the work tree may lack some of it.
        left_out: the paths that it may lack: a sparse checkout, or git told so, leaves them out.
    """

    def __init__(self, name: str, folder: Path) -> None:
        """Look a revision up.

        Args:
            name: a commit, a branch, a tag or whatever git takes for one.
            folder: a folder of the work tree.

        Raises:
            NoRepositoryError: the folder is in no repository.
            ConfigurationError: git is not installed, the folder is in no work tree, or the
                repository has no such revision.
        """
        self.name = name
        self._git = Git(folder)
        self._followed: list[tuple[str, _TreeEntry]] = []
        self._submodules: dict[str, Revision | None] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._said: IO[bytes] | None = None
        top = self._git.output("rev-parse", "--show-toplevel").removesuffix(b"\n")
        self.root = Path(os.path.realpath(os.fsdecode(top)))
        tree = self._tree()
        self.entries = dict(self._listed(tree)) if tree else {}
        self.index = dict[str, _TreeEntry]()
        self.left_out = set[str]()
        for path, entry, is_left_out in self._indexed():
            self.index[path] = entry
            if is_left_out:
                self.left_out.add(path)

    def path_of(self, path: Path) -> str | None:
        """Return the path of a file, counted from the root; None when it is outside.

        It is behind the links that the revision has, and not behind others.
        """
        path = path.absolute()
        given = self._within(path)
        if given is not None and (given in self.entries or self.has_link(given)):
            return given
        # A link is compared as a file of its own: only the folder it stands in is followed.
        real = Path(os.path.realpath(path.parent)) / path.name
        return real.relative_to(self.root).as_posix() if real.is_relative_to(self.root) else None

    def has_link(self, path: str) -> bool:
        """Return whether a path is a link, or behind one."""
        those = (self.entries.get(each) for each in (path, *_folders(path)))
        return any(each and each.mode == _LINK for each in those)

    def _within(self, path: Path) -> str | None:
        """Return a path as it is written, from the root on, to which a link may lead."""
        if path.is_relative_to(self.root):
            return path.relative_to(self.root).as_posix()
        for each in (path, *path.parents):
            if os.path.realpath(each) == str(self.root):
                return path.relative_to(each).as_posix()
        return None

    def new_files(self) -> list[str]:
        """Return the paths of files that git tracks or would add, and the revision has not."""
        which = ("--cached", "--others", "--exclude-standard")
        listed = self._git.output("ls-files", "-z", *which, "--full-name", ":/").split(b"\0")[:-1]
        return [each for each in map(os.fsdecode, listed) if each not in self.entries]

    def close(self) -> str:
        """End the process that reads contents; return why, if it is over already."""
        if self._process is None or self._said is None:
            return ""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):  # what was asked of a process that is over is lost
                if pipe:
                    pipe.close()
        self._process.wait()
        with self._said as said:
            said.seek(0)
            reason = Git.reason_of_failure(said.read(_MOST_SAID))
        self._process = self._said = None
        return reason

    def file(self, path: str, *, in_index: bool = False) -> _RevisionFile | None:
        """Return the file at a path, through links on the way; None for none."""
        entries = self.index if in_index else self.entries
        self._followed = []
        try:
            end = _follow_links(path, partial(self._target, entries))
        except UnreadableFileError as error:
            return _RevisionFile("", is_linked=True, problem=error.reason)
        if end is None:
            is_same = all(self._is_same_link(*each) for each in self._followed)
            return _RevisionFile("", is_linked=True, problem=_ELSEWHERE, is_same=is_same)
        if entry := entries.get(end):
            is_file = entry.mode != _SUBMODULE
            return _RevisionFile(entry.digest, end != path, None if is_file else _IN_SUBMODULE)
        for folder in _folders(end):
            if (entry := entries.get(folder)) and entry.mode == _SUBMODULE:
                digest = self._digest_in_submodule(folder, entry.digest, end)
                return _RevisionFile(digest, end != path, _IN_SUBMODULE)
        return None

    def _is_same_link(self, path: str, entry: _TreeEntry) -> bool:
        try:
            target = os.readlink(self.root / path)  # noqa: PTH115 - a Path is no text
        except OSError:
            return False
        return is_digest(entry.digest, os.fsencode(target))

    def _digest_in_submodule(self, folder: str, commit: str, path: str) -> str:
        """Return the name of the content of a file in a submodule; empty if that is not known."""
        if folder not in self._submodules:
            top = self.root / folder
            try:
                inner = Revision(commit, top)
            except ConfigurationError:  # it is not checked out, or lacks the commit
                inner = None
            self._submodules[folder] = inner if inner and inner.root == top else None
        if inner := self._submodules[folder]:
            with closing(inner):
                file = inner.file(path.removeprefix(f"{folder}/"))
            return file.digest if file else ""
        return ""

    def behind(self, link: str) -> str | None:
        """Return the folder that a link leads to; None for none that is known."""
        if self.entries[link].mode != _LINK:
            return None
        with suppress(UnreadableFileError):
            end = _follow_links(link, partial(self._target, self.entries))
            return None if end is None else end.removesuffix("/")
        return None

    def content(self, file: _RevisionFile, name: str, at_most: int) -> bytes:
        """Return the content of a file, or its first `at_most` + 1 bytes if it has more.

        Raises:
            UnreadableFileError: it has none, or the repository lacks it.
        """
        if file.problem is not None:
            raise UnreadableFileError(name, file.problem)
        return self._read(file.digest, name, at_most)

    def _target(self, entries: Mapping[str, _TreeEntry], path: str) -> str | None:
        """Return the target of the link at a path, from the root; None if there is no link."""
        entry = entries.get(path)
        if entry is None or entry.mode != _LINK:
            return None
        self._followed.append((path, entry))
        target = os.fsdecode(self._read(entry.digest, path, _MOST_TARGET))
        is_outside = target.startswith("/")
        return ".." if is_outside else f"{posixpath.dirname(path)}/{target}"

    def _read(self, digest: str, name: str, at_most: int) -> bytes:
        try:
            if self._process is None:
                self._said = TemporaryFile()  # noqa: SIM115 - it is closed with the process
                self._process = self._git.start("cat-file", "--batch", stderr=self._said)
            asks, answers = self._process.stdin, self._process.stdout
            assert asks is not None  # noqa: S101 - both are pipes
            assert answers is not None  # noqa: S101
            asks.write(f"{digest}\n".encode())
            asks.flush()
            reply = answers.readline().split()
            if len(reply) == 2:  # noqa: PLR2004 - digest and `missing`
                raise UnreadableFileError(name, _LACKING)
            size = int(reply[2]) if reply else 0
            content = answers.read(min(size, at_most + 1))
            if not reply or len(content) < min(size, at_most + 1):
                raise UnreadableFileError(name, self.close() or _ENDED)
            _skip(answers, size - len(content) + 1)
        except OSError as error:
            reason = self.close() or _ENDED if self._process else reason_of(error)
            raise UnreadableFileError(name, reason) from None
        return content

    def _tree(self) -> str | None:
        # A name is given on standard input, where it can be no option.
        if not self.name or not self.name.isprintable():
            raise ConfigurationError(f"`{self.name!r}` is not the name of a revision")
        asked = f"{self.name}^{{tree}}\n".encode(errors="surrogateescape")
        reply = self._git.output("cat-file", "--batch-check", stdin=asked).split()
        if len(reply) == 3 and reply[1] == b"tree":  # noqa: PLR2004 - digest, kind and size
            return reply[0].decode()
        if self.name == "HEAD" and not self._git.output("for-each-ref", "--count=1"):
            return None  # before the first commit all is new
        if ".." in self.name:
            first, _, last = self.name.partition("..")
            first, last = first or "HEAD", last.removeprefix(".") or "HEAD"
            raise ConfigurationError(
                f"`{self.name}` is a range; give one revision: `{first}`, or the common ancestor, "
                f"`$(git merge-base {first} {last})`"
            )
        raise ConfigurationError(f"unknown revision `{self.name}` in this repository{self._hint()}")

    def _hint(self) -> str:
        listed = self._git.output("for-each-ref", "--format=%(refname:short)", "refs/remotes")
        for name in os.fsdecode(listed).splitlines():
            if name.endswith(f"/{self.name}"):
                return f"; did you mean `{name}`?"
        fetch = None
        remotes = os.fsdecode(self._git.output("remote")).splitlines()
        if remotes and _BRANCH.fullmatch(self.name) and self.name != _FETCHED:
            own = next((each for each in remotes if self.name.startswith(f"{each}/")), "")
            named = f"{own or 'origin'} {self.name.removeprefix(f'{own}/')}"
            fetch = f"run `git fetch {named}` and compare with `--base {_FETCHED}`"
        if self._git.output("rev-parse", "--is-shallow-repository").strip() == b"true":
            return (
                f": the clone is shallow; {fetch or 'run `git fetch --unshallow`'}, or in GitHub "
                "Actions set `fetch-depth: 0` for actions/checkout, in GitLab `GIT_DEPTH: 0`"
            )
        return f"; check its name, or {fetch}" if fetch else "; check its name"

    def _listed(self, tree: str) -> Iterator[tuple[str, _TreeEntry]]:
        listed = self._git.output("ls-tree", "-r", "-z", "--full-tree", tree)
        for line in listed.split(b"\0")[:-1]:
            about, _, path = line.partition(b"\t")
            mode, _, digest = about.decode().split(" ")
            yield os.fsdecode(path), _TreeEntry(mode, digest)

    def _indexed(self) -> Iterator[tuple[str, _TreeEntry, bool]]:
        listed = self._git.output("ls-files", "-s", "-t", "-z", "--full-name", ":/").split(b"\0")
        if not any(line.startswith(b"S") for line in listed):
            return
        for line in listed[:-1]:
            about, _, path = line.partition(b"\t")
            tag, mode, digest, _ = about.decode().split(" ")
            yield os.fsdecode(path), _TreeEntry(mode, digest), tag == "S"


def is_digest(digest: str, data: bytes) -> bool:
    """Return whether a digest is the name that git gives to a content."""
    named = hashlib.new(
        "sha1" if len(digest) == _SHA1 else "sha256",
        b"blob %d\0" % len(data),
        usedforsecurity=False,
    )
    named.update(data)
    return named.hexdigest() == digest


def _folders(path: str) -> Iterator[str]:
    while path := posixpath.dirname(path):
        yield path


def _skip(stream: IO[bytes], size: int) -> None:
    while size > 0 and (piece := stream.read(min(size, _BLOCK))):
        size -= len(piece)


def _follow_links(path: str, target_at: Callable[[str], str | None]) -> str | None:
    """Return where a path leads by the links on its way, as a file system follows them.

    Args:
        path: a path from the root.
        target_at: what the link at a path stands for, a path from the root; None where no link is.

    Returns:
        A path without links, ``.`` and ``..``, with a ``/`` at its end if only a folder can be
        there; None if it leads out of the root, in a circle or through too many links.
    """
    done: list[str] = [""]  # each folder on the way, with a `/` behind
    parts = path.split("/")[::-1]
    left = _MOST_TEXT - len(path)
    steps = 0
    part = ""
    while parts and left >= 0 and steps <= _MOST_STEPS:
        part = parts.pop()
        if part == "..":
            done.pop()
        elif part not in ("", "."):
            here = done[-1] + part
            target = target_at(here)
            if target is None:
                done.append(f"{here}/")
            else:
                steps += 1
                left -= len(target)
                done = [""]
                parts += target.split("/")[::-1]
        if not done:
            return None
    if parts:
        return None
    return done[-1] if part in ("", ".", "..") else done[-1][:-1]
