"""Other readers of zips on what is sent: the names and bytes that Python reads in the original.

    python tests/publish/unpackers.py [COUNT] [SEED]

needs bsdtar, unzip, 7z, busybox, zip, git, jar and ruby with rubyzip on the path, and `npm ci` in
`tests/unpackers`. It ends with 0 when no reader reads anything else, when no archive of a usual
packer is refused, and when enough of the strange ones pass to prove something.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))


from command import EXAMPLES, environment
from hostile_zips import KINDS, mutated
from manifestkit.config.configuration import Publishing
from manifestkit.publish.archive import pack

NODE = Path(__file__).parent.parent / "unpackers"
COUNT, SEED = 5_000, 1
ALL = Publishing()
"""No archive here has what the defaults leave out."""
ODD_TO_UNZIP = re.compile(r";[0-9]*(?:/|$)|#[UL]")
"""Names that it alone changes."""
LEAST_SHARE = 0.25
PATIENCE = 120
WARNED = 1
READ = {"unzip": {0, WARNED}, "7z": {0, WARNED}}
"""Where a code beside 0 says that all was read, with a warning."""
UNORDERED = frozenset({"unzip-stream", "unzipper, streaming"})
"""Those that end at the first error, whichever files they have by then."""

COMMANDS: dict[str, list[str]] = {
    "bsdtar": ["bsdtar", "-xf", "{archive}"],
    "bsdtar, from a pipe": ["bsdtar", "-xf", "-"],
    "unzip": ["unzip", "-qq", "-o", "{archive}"],
    "7z": ["7z", "x", "-y", "-bd", "-bso0", "-bsp0", "{archive}"],
    "busybox": ["busybox", "unzip", "-q", "-o", "{archive}"],
}


@dataclass
class Contents:
    """What is in an archive: the digest of each file, and its folders with a slash."""

    files: dict[str, str]
    folders: set[str]
    error: str | None = None

    def disagrees(self, other: Contents) -> str | None:
        """How another reader takes the archive for something else.

        Names are compared as NFC, which bsdtar makes of them; a name that is not NFC is a warning.
        """
        if self.composed() != self:
            return self.composed().disagrees(other.composed())
        if other.error is None and other.files != self.files:
            return f"files: {sorted(self.files.items() ^ other.files.items())}"
        if other.error is not None and not other.files.keys() <= self.files.keys():
            return f"files, and then an error: {sorted(other.files.keys() - self.files.keys())}"
        known = self.folders | {
            name[: at + 1]
            for name in (*self.files, *self.folders)
            for at, letter in enumerate(name)
            if letter == "/"
        }
        if not other.folders <= known:
            return f"folders: {sorted(other.folders - known)}"
        return None

    def composed(self) -> Contents:
        """The same with names in NFC."""
        files = {unicodedata.normalize("NFC", name): data for name, data in self.files.items()}
        folders = {unicodedata.normalize("NFC", name) for name in self.folders}
        return Contents(files, folders, self.error)

    def skips(self, other: Contents) -> str | None:
        """What another reader leaves out, although it goes on behind it."""
        names = list(self.files)
        last = max((at for at, name in enumerate(names) if name in other.files), default=0)
        skipped = [name for name in names[:last] if name not in other.files]
        return f"files left out, and others behind them read: {skipped}" if skipped else None


def canonical(
    data: bytes, folder: Path, settings: Publishing | None = None
) -> tuple[bytes | None, str | None]:
    """What is sent of an archive; None and a reason where it is refused."""
    path = folder / "canonical.zip"
    path.write_bytes(data)
    listing, packed = pack(path, settings or Publishing())
    if packed is None:
        return None, "; ".join(str(each) for each in listing.problems if not each.is_warning)
    with packed.file:
        return b"".join(packed.chunks()), None


def seen_by_python(data: bytes) -> Contents:
    """What `zipfile` reads; of a name that is not marked as UTF-8 and is, the name; no `./`."""
    seen = Contents({}, set())
    try:
        with zipfile.ZipFile(BytesIO(data), metadata_encoding="utf-8") as file:
            for info in file.infolist():
                name = info.orig_filename.removeprefix("./")
                if name.endswith("/"):
                    seen.folders.add(name)
                else:
                    seen.files[name] = digest(file.read(info))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError) as error:
        seen.error = repr(error)
    return seen


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def seen_by_command(reader: str, archive: Path, folder: Path) -> Contents:
    """What a command unpacks in a folder."""
    folder.mkdir()
    command = [part.format(archive=archive) for part in COMMANDS[reader]]
    with archive.open("rb") as source:
        data = source.read() if "pipe" in reader else b""
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            input=data,
            env=environment(LC_ALL="C.UTF-8"),
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
        error = done.stderr.decode(errors="replace")
        is_read = done.returncode in READ.get(reader, {0})
    except subprocess.TimeoutExpired:
        is_read, error = False, "no end"
    seen = Contents({}, set(), None if is_read else error or "an error")
    for path in walk(folder):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            seen.files[name] = "no file"
        elif path.is_dir():
            seen.folders.add(f"{name}/")
        else:
            path.chmod(0o600)
            seen.files[name] = digest(path.read_bytes())
    shutil.rmtree(folder)
    return seen


def walk(folder: Path) -> Iterator[Path]:
    for name in os.listdir(folder):  # noqa: PTH208 - names as they are
        path = folder / name
        yield path
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o700)
            yield from walk(path)


@dataclass
class Tally:
    """What came of all of it."""

    disagreements: list[str] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    read: Counter[str] = field(default_factory=Counter)

    def compare(self, archive: str, reader: str, expected: Contents, seen: Contents) -> None:
        (self.refused if seen.error is not None else self.read)[reader] += 1
        skipped = None if reader in UNORDERED else expected.skips(seen)
        if difference := expected.disagrees(seen) or skipped:
            self.disagreements.append(f"{archive}: {reader}: {difference}"[:2000])


def compare_all(folder: Path, expected: dict[str, Contents]) -> Tally:
    """Every reader on every archive of a folder."""
    tally = Tally()
    with (
        subprocess.Popen(
            ["node", "--no-deprecation", NODE / "read.js", folder],
            stdout=subprocess.PIPE,
            text=True,
        ) as node,
        ThreadPoolExecutor(os.cpu_count()) as pool,
    ):
        jobs = [
            (
                name,
                reader,
                pool.submit(seen_by_command, reader, folder / name, folder / f"{name}.{n}"),
            )
            for name in expected
            for n, reader in enumerate(COMMANDS)
        ]
        for name, contents in expected.items():
            tally.compare(name, "Python", contents, seen_by_python((folder / name).read_bytes()))
        assert node.stdout is not None
        for line in node.stdout:
            said = json.loads(line)
            seen = Contents(said["files"], set(said["folders"]), said.get("error"))
            tally.compare(said["archive"], said["reader"], expected[said["archive"]], seen)
        for name, reader, job in jobs:
            tally.compare(name, reader, expected[name], job.result())
    assert node.returncode == 0
    assert len({sum(pair) for pair in zip_counts(tally)}) == 1, "a reader left archives out"
    return tally


def zip_counts(tally: Tally) -> list[tuple[int, int]]:
    return [(tally.read[name], tally.refused[name]) for name in tally.read | tally.refused]


def strange(count: int, seed: int) -> Iterator[bytes]:
    """Each hostile kind, and as many of them again, changed at random."""
    yield from (make() for make, _ in KINDS.values())
    yield from map(mutated, range(seed, seed + count))


def generated(folder: Path, count: int, seed: int) -> bool:
    """Each is refused, or what is sent is read alike, and is what Python reads in the original."""
    expected: dict[str, Contents] = {}
    passed = total = 0
    good = True
    for number, data in enumerate(strange(count, seed)):
        total += 1
        made, _ = canonical(data, folder.parent, ALL)
        if made is None:
            continue
        passed += 1
        contents, original = seen_by_python(made), seen_by_python(data)
        if original.error is not None or contents.files != original.files:
            print(f"archive {number}: not what Python reads in the original: {original}")
            good = False
        name = f"{digest(made)}.zip"
        is_odd = any(ODD_TO_UNZIP.search(each) for each in contents.files)
        if contents.files and not is_odd and name not in expected:  # equal ones are read once
            (folder / name).write_bytes(made)
            expected[name] = contents
    tally = compare_all(folder, expected)
    print(f"{total} archives: {passed} sent, {total - passed} refused; {len(expected)} different")
    for reader in sorted(tally.read | tally.refused):
        print(f"  {reader}: {tally.read[reader]} read, {tally.refused[reader]} refused")
    print(f"{len(tally.disagreements)} disagreements")
    for each in tally.disagreements[:40]:
        print(f"  {each}")
    is_read = not tally.refused.total()
    return good and is_read and not tally.disagreements and passed >= LEAST_SHARE * count


WRITERS = {
    "zip": 'zip -qr "$TARGET" .',
    "zip stored": 'zip -qr0 "$TARGET" .',
    "zip to a pipe": 'zip -qr - . | cat > "$TARGET"',
    "zip stored to a pipe": 'zip -qr0 - . | cat > "$TARGET"',
    "7z": '7z a -tzip -bd -bso0 "$TARGET" .',
    "7z with times": '7z a -tzip -bd -bso0 -mtc=on -mta=on "$TARGET" .',
    "bsdtar": 'bsdtar --format zip -c * > "$TARGET"',  # which pads it with zeros
    "bsdtar of a folder": 'bsdtar -acf "$TARGET" .',
    "bsdtar stored": 'bsdtar --format zip --options zip:compression=store -cf "$TARGET" *',
    "git": "git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -qm a && "
    'git archive --format=zip HEAD > "$TARGET"; rm -rf .git',
    "jar": 'jar -cMf "$TARGET" .',
    "Python": '"$PYTHON" -m zipfile -c "$TARGET" *',
    "rubyzip": "ruby -rzip -e 'Zip::File.open(ENV[%q(TARGET)], Zip::File::CREATE) { |zip| "
    "Dir[%q(**/*)].each { |name| zip.add(name, name) if File.file?(name) } }'",
}


def written(folder: Path) -> bool:
    """Archives by usual writers pass, and all of them are one archive as it is sent."""
    good = True
    for kind, names in (("ASCII", ["app/index.js"]), ("UTF-8", ["app/index.js", "élève.html"])):
        tree, target = folder / kind, folder / f"{kind} archives"
        target.mkdir()
        (tree / "app").mkdir(parents=True)
        shutil.copy(EXAMPLES / "valid" / "minimal.activity-provider.json", tree / "manifest.json")
        (tree / "app" / "empty.txt").write_bytes(b"")
        for name in names:
            (tree / name).write_text("// something\n" * 1000)
        for writer, line in WRITERS.items():
            env = environment(
                TARGET=str(target / f"{writer}.zip"), PYTHON=sys.executable, LC_ALL="C.UTF-8"
            )
            subprocess.run(["bash", "-euc", line], cwd=tree, check=True, env=env)
        subprocess.run(["node", NODE / "write.js", tree, target], check=True)
        digests: Counter[str] = Counter()
        for path in sorted(target.iterdir()):
            made, problem = canonical(path.read_bytes(), folder)
            digests[digest(made) if made else f"{path.stem}: {problem}"] += 1
        print(f"{digests.total()} writers with names in {kind}: {dict(digests)}")
        good = good and len(digests) == 1
    return good


def main(count: int = COUNT, seed: int = SEED) -> int:
    """Run all; the exit code."""
    with tempfile.TemporaryDirectory() as name:
        archives = Path(name, "archives")
        archives.mkdir()
        done = [written(Path(name)), generated(archives, count, seed)]
    return 0 if all(done) else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
