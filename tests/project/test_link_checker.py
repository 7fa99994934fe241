"""Dead links are found before anybody follows them."""

from __future__ import annotations

from pathlib import Path

import links
from manifestkit.rules.catalogue import SITE
from rows import rows

PAGE = "<html><body><h2 id='here'>Here</h2><a href='{}'>a link</a></body></html>"
BLOB = "https://github.com/manifestkit/manifestkit/blob/main/"
DEAD = [
    "gone/",
    "../gone/",
    "#gone",
    "other/#gone",
    "gone.svg",
    f"{SITE}gone/",
    "../../schemas/configuration.schema.json",
    f"{BLOB}schemas/gone.json",
    "http://example.org/",
]
ALIVE = [
    "other/",
    "#here",
    "other/#here",
    "picture.svg",
    f"{SITE}other/",
    f"{BLOB}schemas/configuration.schema.json",
    "https://example.org/gone",
    "http://calm.localhost:8080/",
]


def problems(link: str, folder: Path) -> list[str]:
    (folder / "other").mkdir()
    (folder / "index.html").write_text(PAGE.format(link))
    (folder / "other" / "index.html").write_text(PAGE.format("../picture.svg"))
    (folder / "picture.svg").write_text("<svg/>")
    (folder / "assets").mkdir()
    (folder / "assets" / "style.css").write_text("")
    found = links.Site(folder).problems()
    return [each for each in found if "index.html: " in each and "no page leads" not in each]


@rows("link", DEAD)
def test_a_dead_link_is_found(link: str, tmp_path: Path) -> None:
    (problem,) = problems(link, tmp_path)
    assert f": {link}: " in problem


@rows("link", ALIVE)
def test_a_link_that_leads_somewhere_is_none(link: str, tmp_path: Path) -> None:
    assert problems(link, tmp_path) == []


def test_a_file_that_no_page_leads_to_is_found(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(PAGE.format("index.html"))
    (tmp_path / "reference.py").write_text("")
    (problem,) = links.Site(tmp_path).problems()
    assert problem.endswith("reference.py: no page leads here")


def test_no_page_in_markdown_has_a_dead_link(tmp_path: Path) -> None:
    found = [each for each in links.of_markdown(links.Site(tmp_path)) if SITE not in each]
    assert found == []
