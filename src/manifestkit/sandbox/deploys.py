"""A deploy request's body, received part by part, in whatever order."""

from __future__ import annotations

import hashlib
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import BodyPartReader, web

from manifestkit.publish.names import collisions, name_problems, utf8_name
from manifestkit.publish.wire import ARCHIVE_PART, DOMAIN_PART, SITE_TOKEN_PARTS, TOKEN
from manifestkit.sandbox.responses import ApiError

_CHUNK = 64 * 1024
_MOST_TEXT = 64 * 1024
_KNOWN = frozenset({*SITE_TOKEN_PARTS, DOMAIN_PART, TOKEN})


@dataclass(slots=True)
class Received:
    """Contents of a deploy request.

    Attributes:
        file: where the archive is put.
        texts: the other parts, by name.
        sha256: the digest of the archive, in hex; None while there is none.
    """

    file: Path
    texts: dict[str, str] = field(default_factory=dict)
    sha256: str | None = None

    @property
    def site_token(self) -> str | None:
        """The site token, however its part is spelt."""
        given = (self.texts.get(name) for name in SITE_TOKEN_PARTS)
        return next((each for each in given if each is not None), None)


async def receive(request: web.Request, received: Received) -> None:
    """Take in the body.

    Raises:
        ApiError: it is no multipart form, or not one that a deploy has.
    """
    if not request.content_type.startswith("multipart/"):
        raise ApiError(400, "invalid_request", "a deploy must be multipart form data")
    try:
        async for part in await request.multipart():
            if not isinstance(part, BodyPartReader):
                raise ApiError(400, "invalid_request", "parts cannot contain parts")
            name = part.name or ""
            if name == ARCHIVE_PART and received.sha256 is None:
                received.sha256 = await _save(part, received.file)
            elif name in _KNOWN and name not in received.texts:
                received.texts[name] = await _text(part)
            else:
                raise ApiError(400, "invalid_part", "an unknown or repeated part", part=name)
    except ValueError:
        raise ApiError(400, "invalid_request", "the multipart form is damaged") from None
    if len(received.texts.keys() & set(SITE_TOKEN_PARTS)) > 1:
        raise ApiError(400, "invalid_part", "the site token appears twice")
    if received.sha256 is None:
        raise ApiError(422, "archive_missing", "the archive is missing", part=ARCHIVE_PART)
    problem = _problem(received.file)
    if problem is not None:
        raise ApiError(422, "invalid_archive", problem, part=ARCHIVE_PART)


async def _save(part: BodyPartReader, path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("wb") as file:
        while chunk := await part.read_chunk(_CHUNK):
            digest.update(chunk)
            file.write(chunk)
    return digest.hexdigest()


async def _text(part: BodyPartReader) -> str:
    text = bytearray()
    while chunk := await part.read_chunk(_CHUNK):
        text += chunk
        if len(text) > _MOST_TEXT:
            raise ApiError(413, "too_large", "a part is too long", part=part.name)
    return text.decode(errors="replace")


def _problem(path: Path) -> str | None:
    """Why the pages of an archive cannot be served, by the names in it; None when they can."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = [utf8_name(each) or each.orig_filename for each in archive.infolist()]
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return "the archive is not a zip file"
    problems = [each for name in names for each in name_problems(name.removesuffix("/"))]
    problems += collisions(names)
    return next((str(each) for each in problems if not each.is_warning), None)
