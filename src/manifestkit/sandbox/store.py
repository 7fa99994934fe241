"""Store of the sandbox: accounts, sites and their versions, in SQLite and a folder."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import sqlite3
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import filelock

from manifestkit.model.errors import ConfigurationError

_DATABASE = "sandbox.sqlite3"
_DIGESTS = "select distinct sha256 from version"
_OURS = re.compile(r"incoming-[0-9a-f]{16}|[0-9a-f]{64}\.zip")
_SCHEMA = """
create table if not exists account (
  email text primary key, name text not null, salt blob not null, hash blob not null,
  token text not null unique
);
create table if not exists site (
  name text primary key, email text not null references account (email),
  site_token text not null unique
);
create table if not exists version (
  site text not null references site (name), number integer not null,
  sha256 text not null, size integer not null, created real not null,
  primary key (site, number)
);
"""


@dataclass(frozen=True, slots=True)
class Account:
    """An account and its token."""

    email: str
    name: str
    token: str


@dataclass(frozen=True, slots=True)
class StoredSite:
    """A site: its name, whose it is, the token that identifies it, and its latest version.

    `version` is 0, and `sha256` empty, before the first deploy.
    """

    name: str
    email: str
    site_token: str
    version: int
    sha256: str


class Store:
    """The data folder; what is in it is there again at the next start.

    Nobody but its user can read it, and one process at a time uses it.

    Raises:
        ConfigurationError: the folder cannot be used, or another process uses it.
    """

    def __init__(self, folder: Path) -> None:
        self._archives = folder / "archives"
        self._lock = filelock.FileLock(folder / "sandbox.lock", timeout=0, mode=0o600)
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock.acquire()
            _make_private(folder, self._archives)
            self._database = sqlite3.connect(folder / _DATABASE)
            self._database.execute("pragma journal_mode = wal")
            self._database.execute("pragma synchronous = normal")
            self._database.executescript(_SCHEMA)
            self._remove_leftovers()
        except filelock.Timeout:
            raise ConfigurationError(
                f"{folder}: another sandbox uses this folder; stop it, or choose another folder "
                "with --data"
            ) from None
        except (OSError, sqlite3.Error) as error:
            self._lock.release()
            raise ConfigurationError(f"{folder}: cannot be used for the sandbox: {error}") from None

    def close(self) -> None:
        """Let the data folder go."""
        self._database.close()
        self._lock.release()

    def _remove_leftovers(self) -> None:
        """Remove what a process left that was killed: archives of no version."""
        kept = {f"{digest}.zip" for (digest,) in self._database.execute(_DIGESTS)}
        for path in self._archives.iterdir():
            if path.name not in kept and _OURS.fullmatch(path.name):
                path.unlink()

    def add_account(self, email: str, password: str | None = None) -> str | None:
        """Have an account; its password when it is new and none was given, else None.

        A password that is given takes the place of the one before.
        """
        known = self._one("select 1 from account where email = ?", email)
        if known and password is None:
            return None
        made = None if password is not None else secrets.token_urlsafe(12)
        salt = secrets.token_bytes(16)
        digest = _hash(password if password is not None else made or "", salt)
        name = email.partition("@")[0]
        with self._database:
            self._database.execute(
                "insert into account values (?, ?, ?, ?, ?) on conflict (email) "
                "do update set salt = excluded.salt, hash = excluded.hash",
                (email, name, salt, digest, secrets.token_urlsafe(24)),
            )
        return made

    def set_token(self, email: str, token: str) -> None:
        """Give an account a token of one's own choice."""
        with self._database:
            self._database.execute("update account set token = ? where email = ?", (token, email))

    def login(self, email: str, password: str) -> Account | None:
        """Return the account of an e-mail address and its password."""
        row = self._one("select salt, hash, name, token from account where email = ?", email)
        if row is None or not secrets.compare_digest(_hash(password, row[0]), row[1]):
            return None
        return Account(email, row[2], row[3])

    def by_token(self, token: str) -> Account | None:
        """Return the account of a token."""
        row = self._one("select email, name, token from account where token = ?", token)
        return Account(*row) if row else None

    def sites(self, email: str) -> list[StoredSite]:
        """Return the sites of an account, by name."""
        rows = self._database.execute(f"{_SITE} where s.email = ? order by s.name", (email,))
        return [StoredSite(*row) for row in rows]

    def accounts(self) -> list[Account]:
        """All accounts, by e-mail address."""
        rows = self._database.execute("select email, name, token from account order by email")
        return [Account(*row) for row in rows]

    def site(self, name: str) -> StoredSite | None:
        """Return the site of a name."""
        row = self._one(f"{_SITE} where s.name = ?", name)
        return StoredSite(*row) if row else None

    def by_site_token(self, token: str) -> StoredSite | None:
        """Return the site that a site token identifies."""
        row = self._one(f"{_SITE} where s.site_token = ?", token)
        return StoredSite(*row) if row else None

    def add_site(self, name: str, email: str) -> StoredSite:
        """Return a new site of an account."""
        site = StoredSite(name, email, secrets.token_urlsafe(16), 0, "")
        with self._database:
            self._database.execute(
                "insert into site values (?, ?, ?)", (name, email, site.site_token)
            )
        return site

    def have_site(self, name: str, email: str, token: str | None) -> StoredSite:
        """Have a site of an account, and with a token of one's own choice where one is given.

        Raises:
            ValueError: the site is another account's, or the token another site's.
        """
        site = self.site(name) or self.add_site(name, email)
        if site.email != email:
            raise ValueError(f"{name} belongs to {site.email}")
        if token is None or token == site.site_token:
            return site
        if self.by_site_token(token) is not None:
            raise ValueError(f"another site has the token of {name}")
        with self._database:
            self._database.execute("update site set site_token = ? where name = ?", (token, name))
        return replace(site, site_token=token)

    def incoming(self) -> Path:
        """Return a new file to receive an archive in."""
        return self._archives / f"incoming-{secrets.token_hex(8)}"

    def add_version(self, site: StoredSite, file: Path, sha256: str) -> int:
        """Make an archive that was received the latest version of a site; the version's number."""
        size = file.stat().st_size
        if not self.archive(sha256).exists():
            file.replace(self.archive(sha256))
        with self._database:
            number = site.version + 1
            self._database.execute(
                "insert into version values (?, ?, ?, ?, ?)",
                (site.name, number, sha256, size, time.time()),
            )
        return number

    def archive(self, sha256: str) -> Path:
        """Return the path of an archive."""
        return self._archives / f"{sha256}.zip"

    def _one(self, query: str, value: str) -> Any:
        return self._database.execute(query, (value,)).fetchone()


_SITE = """
select s.name, s.email, s.site_token, coalesce(v.number, 0), coalesce(v.sha256, '')
from site s left join version v
on v.site = s.name and v.number = (select max(number) from version where site = s.name)
"""


def _make_private(folder: Path, archives: Path) -> None:
    """Let nobody else read what is kept, whoever may read the folder that it is in."""
    archives.mkdir(mode=0o700, exist_ok=True)
    archives.chmod(0o700)
    for name in (_DATABASE, f"{_DATABASE}-wal", f"{_DATABASE}-shm"):
        if (folder / name).exists():
            (folder / name).chmod(0o600)
            folder.chmod(0o700)  # it is ours
    os.close(os.open(folder / _DATABASE, os.O_RDWR | os.O_CREAT, 0o600))


def _hash(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(password.encode(), salt=salt, n=2**12, r=8, p=1)
