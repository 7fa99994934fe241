"""Store of the sandbox: accounts, sites and their versions, in SQLite and in folders of pages."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
import sqlite3
import zipfile
import zlib
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

from manifestkit.model.errors import ConfigurationError
from manifestkit.publish.names import collisions, entry_name, name_problem

DOMAIN = "localhost"
"""The hosting domain: browsers take every name under it for this machine."""

_DATABASE = "sandbox.sqlite3"
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_OURS = re.compile(rf"incoming-[0-9a-f]{{16}}|{_LABEL.pattern}-[0-9]+")
_SCHEMA = """
create table if not exists account (
  email text primary key, name text not null, salt blob not null, hash blob not null,
  token text not null unique
);
create table if not exists site (
  name text primary key, email text not null references account (email),
  token text not null unique
);
create table if not exists version (
  site text not null references site (name), number integer not null,
  primary key (site, number)
);
"""
_SITE = """
select s.name, s.email, s.token,
  coalesce((select max(number) from version where site = s.name), 0) from site s
"""
MOST_BYTES = 4 * 1024**3
"""Bytes of an archive, packed or not."""


class Site(NamedTuple):
    """A site: its name, whose it is, its token, and its latest version; 0 before the first."""

    name: str
    email: str
    token: str
    version: int

    @property
    def domain(self) -> str:
        """Its host name."""
        return f"{self.name}.{DOMAIN}"


class Store:
    """The data folder, a context; what is in it is there again at the next start.

    Nobody but its user can read it, and one process at a time uses it.

    Raises:
        ConfigurationError: the folder cannot be used, or another process uses it.
    """

    def __init__(self, folder: Path) -> None:
        self._sites = folder / "sandbox-sites"
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if (folder / _DATABASE).exists():
                folder.chmod(0o700)  # it is ours
            os.close(os.open(folder / _DATABASE, os.O_RDWR | os.O_CREAT, 0o600))
            (folder / _DATABASE).chmod(0o600)
            self._sites.mkdir(mode=0o700, exist_ok=True)
            self._database = sqlite3.connect(folder / _DATABASE, timeout=0.1)
            self._database.execute("pragma locking_mode = exclusive")
            self._database.execute("begin exclusive")
            self._database.commit()
            self._database.executescript(_SCHEMA)
            self._remove_leftovers()
        except (OSError, sqlite3.Error) as error:
            reason = str(error)
            if "locked" in reason:
                reason = "another sandbox uses this folder; stop it, or choose another with --data"
            raise ConfigurationError(f"{folder}: {reason}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def _remove_leftovers(self) -> None:
        """Remove what a process left that was killed: pages of no version."""
        rows = self._database.execute("select site, number from version")
        kept = {f"{name}-{number}" for name, number in rows}
        for path in self._sites.iterdir():
            if path.name not in kept and _OURS.fullmatch(path.name):
                shutil.rmtree(path)

    def emails(self) -> list[str]:
        """Return the accounts."""
        return [email for (email,) in self._database.execute("select email from account")]

    def add_account(self, email: str, password: str | None = None) -> str | None:
        """Have an account; return its password when it is new and none was given, else None.

        A password that is given takes the place of the one before.
        """
        known = self._one("select 1 from account where email = ?", email)
        if known and password is None:
            return None
        made = None if password is not None else secrets.token_urlsafe(12)
        salt = secrets.token_bytes(16)
        digest = _hash(password or made or "", salt)
        row = email, email.partition("@")[0], salt, digest, secrets.token_urlsafe(24)
        with self._database:
            self._database.execute(
                "insert into account values (?, ?, ?, ?, ?) on conflict (email) "
                "do update set salt = excluded.salt, hash = excluded.hash",
                row,
            )
        return made

    def login(self, email: str, password: str) -> tuple[str, str] | None:
        """Return the name and the token of an account, if the password is its own."""
        row = self._one("select salt, hash, name, token from account where email = ?", email)
        if row is None or not secrets.compare_digest(_hash(password, row[0]), row[1]):
            return None
        return row[2], row[3]

    def email(self, token: str) -> str | None:
        """Return the account of a token."""
        row = self._one("select email from account where token = ?", token)
        return row[0] if row else None

    def sites(self, email: str) -> list[Site]:
        """Return the sites of an account, by name."""
        rows = self._database.execute(f"{_SITE} where s.email = ? order by s.name", (email,))
        return [Site(*row) for row in rows]

    def site(self, name: str) -> Site | None:
        """Return the site of a name."""
        return self._site("s.name = ?", name)

    def site_of_token(self, token: str) -> Site | None:
        """Return the site that a site token identifies."""
        return self._site("s.token = ?", token)

    def _site(self, condition: str, value: str) -> Site | None:
        row = self._one(f"{_SITE} where {condition}", value)
        return Site(*row) if row else None

    def create_site(self, name: str, email: str) -> Site:
        """Create a site of an account."""
        site = Site(name, email, secrets.token_urlsafe(16), 0)
        with self._database:
            self._database.execute("insert into site values (?, ?, ?)", site[:3])
        return site

    def incoming(self) -> Path:
        """Return a new folder to unpack an archive in."""
        path = self._sites / f"incoming-{secrets.token_hex(8)}"
        path.mkdir(mode=0o700)
        return path

    def add_version(self, site: Site, folder: Path) -> int:
        """Make unpacked pages the latest version of a site; return the version's number."""
        latest = self.site(site.name)
        number = 1 + (latest.version if latest else 0)
        folder.rename(self.pages(site._replace(version=number)))
        with self._database:
            self._database.execute("insert into version values (?, ?)", (site.name, number))
        return number

    def pages(self, site: Site) -> Path:
        """Return the folder with the pages of the version of a site."""
        return self._sites / f"{site.name}-{site.version}"

    def _one(self, query: str, value: str) -> Any:
        return self._database.execute(query, (value,)).fetchone()


def site_name(domain: str) -> str:
    """Return the name of a site under the hosting domain.

    Raises:
        ValueError: it is not under the hosting domain.
    """
    name = domain.lower().partition(":")[0].removesuffix(f".{DOMAIN}")
    if not _LABEL.fullmatch(name):
        raise ValueError(f"a domain must be NAME.{DOMAIN}")
    return name


def unpack(archive: IO[bytes], folder: Path) -> None:
    """Unpack an archive into a new folder.

    Raises:
        ValueError: it is no archive, or one whose pages cannot be served.
    """
    folder.mkdir(mode=0o700)
    try:
        with zipfile.ZipFile(archive) as opened:
            entries = [(entry_name(each) or each.orig_filename, each) for each in opened.infolist()]
            names = [name for name, _ in entries]
            if sum(each.file_size for each in opened.infolist()) > MOST_BYTES:
                raise ValueError("the archive is too large")
            found = [name_problem(name.removesuffix("/")) for name in names]
            for problem in (*filter(None, found), *collisions(names)):
                if not problem.is_warning:
                    raise ValueError(str(problem))
            for name, each in entries:
                target = folder / name
                if name.endswith("/"):
                    target.mkdir(parents=True, exist_ok=True)
                    continue
                target.parent.mkdir(parents=True, exist_ok=True)
                with opened.open(each) as source, target.open("xb") as file:
                    shutil.copyfileobj(source, file)
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, RuntimeError):
        raise ValueError("the archive cannot be unpacked") from None


def _hash(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(password.encode(), salt=salt, n=2**12, r=8, p=1)
