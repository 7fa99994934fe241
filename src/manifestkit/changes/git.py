"""Files of a git repository at a revision."""

from __future__ import annotations

import hashlib
import os
import posixpath
import re
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import suppress
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
_LEFT_OUT = "is a link that this work tree leaves out"
_BACK = re.compile(r"[^./]/+(?:\./+)*\.\.(?:/|$)")  # what is before it may be a link, too
_BRANCH = re.compile(r"(?!.*\.\.|(?:HEAD|FETCH_HEAD|[0-9a-f]{7,})$)[\w./-]+")
_RANGE = re.compile(r"([\w/][\w/.^~@{}-]*?|)(\.{2,3})([\w/][\w/.^~@{}-]*|)")
_MOST_TARGET = 4096  # bytes of what a link stands for
_MOST_STEPS = 40  # from link to link, as of Linux
_BLOCK = 64 * 1024
_SHA1 = 40  # digits


class _TreeEntry(NamedTuple):
    """Entry of a tree."""

    mode: str  # tells whether it is a file, a link or a submodule
    digest: str  # the name of its content


class RevisionFile(NamedTuple):
    """A file of a revision, by one of its paths."""

    digest: str  # the name of its content
    problem: str | None = None  # why it has no content

    def has(self, data: bytes) -> bool:
        """Return whether it has this content: whether git gives that its name."""
        named = hashlib.new(
            "sha1" if len(self.digest) == _SHA1 else "sha256",
            b"blob %d\0" % len(data),
            usedforsecurity=False,
        )
        named.update(data)
        return named.hexdigest() == self.digest


class Revision:
    """All that a repository holds at a revision; its contents are read in one process.

    Attributes:
        name: the revision, as it was named.
        root: the top of the work tree.
        entries: what stands at each path, counted from there.
        left_out: what the index has where the work tree may have nothing, as a sparse checkout.
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
        self._submodules: dict[str, Revision | None] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._said: IO[bytes] | None = None
        top = self._git.output("rev-parse", "--show-toplevel").removesuffix(b"\n")
        self.root = Path(os.path.realpath(os.fsdecode(top)))
        tree = self._tree()
        listed = self._listed("ls-tree", "-r", "-z", "--full-tree", tree) if tree else ()
        self.entries = {path: _TreeEntry(mode, digest) for path, (mode, _, digest) in listed}
        listed = self._listed("ls-files", "-s", "-t", "-z", "--full-name", ":/")
        self.left_out = {
            path: RevisionFile(digest, _LEFT_OUT if mode in {_LINK, _SUBMODULE} else None)
            for path, (tag, mode, digest, _) in listed
            if tag == "S"
        }

    def path_of(self, path: Path) -> str | None:
        """Return the path of a file, counted from the root; None when it is outside.

        It is behind the links that the revision has, and not behind others.
        """
        path = path.absolute()
        if path.is_relative_to(self.root):
            given = path.relative_to(self.root).as_posix()
            if given in self.entries or any(self._links(given)):
                return given
        # A link is compared as a file of its own: only the folder it stands in is followed.
        real = Path(os.path.realpath(path.parent)) / path.name
        return real.relative_to(self.root).as_posix() if real.is_relative_to(self.root) else None

    def _links(self, path: str) -> Iterator[tuple[str, _TreeEntry]]:
        """Yield the links that the revision has on the way along a path."""
        for each in (path, *_folders(path)):
            if (entry := self.entries.get(each)) and entry.mode == _LINK:
                yield each, entry

    def new_files(self) -> list[str]:
        """Return the paths of files that git tracks or would add, and the revision has not."""
        which = ("--cached", "--others", "--exclude-standard")
        listed = self._git.output("ls-files", "-z", *which, "--full-name", ":/").split(b"\0")[:-1]
        return [each for each in map(os.fsdecode, listed) if each not in self.entries]

    def close(self) -> str:
        """End the process that reads contents; return why, if it is over already."""
        for inner in filter(None, self._submodules.values()):
            inner.close()
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

    def file(self, path: str) -> RevisionFile | None:
        """Return the file at a path, through links on the way; None for none."""
        entry = self.entries.get(path)
        if entry and entry.mode not in {_LINK, _SUBMODULE}:
            return RevisionFile(entry.digest)
        if any(self._links(path)):
            try:
                end = self._end(path)
            except UnreadableFileError as error:
                return RevisionFile("", error.reason)
            return self.file(end) if end else RevisionFile("", _ELSEWHERE)
        for folder in (path, *_folders(path)):
            if (entry := self.entries.get(folder)) and entry.mode == _SUBMODULE:
                inner = self._submodule(folder, entry.digest)
                file = inner.file(path.removeprefix(f"{folder}/")) if inner else None
                return RevisionFile(file.digest if file else "", _IN_SUBMODULE)
        return None

    def _end(self, path: str) -> str | None:
        """Return the path that the links on a path lead to; None for none in the repository."""
        for _ in range(_MOST_STEPS):
            links = list(self._links(path))
            if not links:
                return path
            link, entry = links[-1]
            target = os.fsdecode(self.content(RevisionFile(entry.digest), link, _MOST_TARGET))
            whole = posixpath.join(posixpath.dirname(link), target) + path[len(link) :]
            path = posixpath.normpath(whole)
            if f"{path}/".startswith(("/", "../")) or _BACK.search(target):
                return None
        return None

    def behind_changed_links(self) -> Iterator[str]:
        """Yield the paths that the revision has behind links that lead elsewhere now."""
        for path, entry in self.entries.items():
            if entry.mode == _LINK:
                with suppress(UnreadableFileError):
                    end = self._end(path)
                    if end and os.path.realpath(self.root / path) != str(self.root / end):
                        for each in self.entries:
                            if each.startswith(f"{end}/"):
                                yield path + each[len(end) :]

    def is_same(self, path: str) -> bool:
        """Return whether what is at a path is as it was, though its content cannot be read."""
        if path in self.left_out and not os.path.lexists(self.root / path):
            entry = self.entries.get(path)
            return entry is not None and entry.digest == self.left_out[path].digest
        file = self.file(path)
        if file is None or file.problem != _ELSEWHERE:
            return False
        with suppress(OSError):  # a Path is no text
            links = ((each, os.readlink(self.root / at)) for at, each in self._links(path))  # noqa: PTH115
            return all(RevisionFile(each.digest).has(os.fsencode(to)) for each, to in links)
        return False

    def _submodule(self, folder: str, commit: str) -> Revision | None:
        """Return a submodule at a commit; None if it is not checked out, or lacks the commit."""
        if folder not in self._submodules:
            top = self.root / folder
            try:
                inner = Revision(commit, top)
            except ConfigurationError:
                inner = None
            self._submodules[folder] = inner if inner and inner.root == top else None
        return self._submodules[folder]

    def in_submodules(self) -> Iterator[str]:
        """Yield the paths that the submodules of the revision have in their own revisions."""
        for folder, entry in self.entries.items():
            if entry.mode == _SUBMODULE and (inner := self._submodule(folder, entry.digest)):
                for path in (*inner.entries, *inner.in_submodules()):
                    yield f"{folder}/{path}"

    def content(self, file: RevisionFile, name: str, at_most: int) -> bytes:
        """Return the content of a file, or its first `at_most` + 1 bytes if it has more.

        Raises:
            UnreadableFileError: it has none, or the repository lacks it.
        """
        if file.problem is not None:
            raise UnreadableFileError(name, file.problem)
        try:
            if self._process is None:
                self._said = TemporaryFile()  # noqa: SIM115 - it is closed with the process
                self._process = self._git.start("cat-file", "--batch", stderr=self._said)
            asks, answers = self._process.stdin, self._process.stdout
            assert asks is not None  # noqa: S101 - both are pipes
            assert answers is not None  # noqa: S101
            asks.write(f"{file.digest}\n".encode())
            asks.flush()
            reply = answers.readline().split()
            if len(reply) == 2:  # noqa: PLR2004 - digest and `missing`
                raise UnreadableFileError(name, _LACKING)
            size = int(reply[2]) if reply else 0
            content = answers.read(min(size, at_most + 1))
            if not reply or len(content) < min(size, at_most + 1):
                raise UnreadableFileError(name, self.close() or _ENDED)
            left = size - len(content) + 1
            while left > 0 and (piece := answers.read(min(left, _BLOCK))):
                left -= len(piece)
        except OSError as error:
            reason = self.close() or _ENDED if self._process else reason_of(error)
            raise UnreadableFileError(name, reason) from None
        return content

    def _tree(self) -> str | None:
        # A name is given on standard input, where it can be no option.
        if not self.name or not self.name.isprintable():
            advice = "" if self.name else "; is a variable unset, or the clone shallow?"
            raise ConfigurationError(f"`{self.name!r}` is not the name of a revision{advice}")
        name, found = self.name, _RANGE.fullmatch(self.name)
        if found and found[1] and found[2] == "..." and found[3] in ("", "HEAD"):
            with suppress(ConfigurationError):  # then it is as unknown as it stands
                name = self._git.output("merge-base", found[1], "HEAD").decode().strip()
        asked = f"{name}^{{tree}}\n".encode(errors="surrogateescape")
        reply = self._git.output("cat-file", "--batch-check", stdin=asked).split()
        if len(reply) == 3 and reply[1] == b"tree":  # noqa: PLR2004 - digest, kind and size
            return reply[0].decode()
        if self.name == "HEAD" and not self._git.output("for-each-ref", "--count=1"):
            return None  # before the first commit all is new
        raise ConfigurationError(f"unknown revision `{self.name}` in this repository{self._hint()}")

    def _hint(self) -> str:
        """Return what may be wrong with a name that the repository does not know."""
        if found := _RANGE.fullmatch(self.name):
            start, dots, end = (each or "HEAD" for each in found.groups())
            with suppress(ConfigurationError):
                self._git.output("merge-base", start, end)
                base = start if dots == ".." else f'"$(git merge-base {start} {end})"'
                return f"; a range has two: give `--base {base}`"
        if "$" in self.name:
            return ": variables are not replaced here; write it without single quotes around it"
        name = next(filter(None, re.split(r"\.{2,3}", self.name)), self.name)
        dots = "..." if "..." in self.name else ""
        remotes, (remote, _, branch) = self._git.output("remote").split(), name.rpartition("/")
        is_gone = bool(remote) and remote.encode() not in remotes
        likely = [f"refs/remotes/*/{name}", *[f"refs/*/{branch}", f"refs/*/*/{branch}"] * is_gone]
        if known := self._git.output("for-each-ref", "--format=%(refname:short)", *likely).split():
            return f"; write `--base {shlex.quote(known[0].decode(errors='replace'))}{dots}`"
        end = f"`--base FETCH_HEAD{dots}`"
        if self._git.output("rev-parse", "--is-shallow-repository").strip() == b"true":
            own, depth = name.removeprefix("origin/"), "--unshallow" if dots else "--depth 1"
            is_branch = _BRANCH.fullmatch(own)
            fetch = f"{depth} origin {own}` and give {end}" if is_branch else "--unshallow`"
            then = f" (a branch is `--base origin/{own}{dots}` then)" if own == name else ""
            return (
                f": the clone is shallow; run `git fetch {fetch}, or in GitHub Actions set "
                "`fetch-depth: 0` for actions/checkout, in GitLab `GIT_DEPTH: 0`"
            ) + (then if is_branch else "")
        if remote and not is_gone:
            return f": run `git fetch {remote} {shlex.quote(branch)}` and give {end}"
        others = "--format=%(if:notequals=*)%(HEAD)%(then)%(refname:short)%(end)"
        names = self._git.output("for-each-ref", others).split()[:5] or [b"HEAD"]
        such = b"`, `".join(names).decode(errors="replace")
        get = f"; `git fetch origin {name if _BRANCH.fullmatch(name) else 'BRANCH'}` gets a branch"
        fetch = f"{get}, which is {end} then" if remotes else ""
        return f"; give one commit, tag or branch, such as `{such}`{fetch}"

    def _listed(self, *command: str) -> Iterator[tuple[str, list[str]]]:
        """Yield each path that a command lists, with the words before it."""
        for line in self._git.output(*command).split(b"\0")[:-1]:
            about, _, path = line.partition(b"\t")
            yield os.fsdecode(path), about.decode().split(" ")


def _folders(path: str) -> Iterator[str]:
    while path := posixpath.dirname(path):
        yield path
