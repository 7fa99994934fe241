"""Find dead links: `python tools/links.py SITE`, the folder that `zensical build` wrote.

Looks at every page of the site, at every page in Markdown of the repository, and at the addresses
in the texts of the package. Addresses of this project, on the site or on GitHub, are looked up in
the tree; others are not asked for. A file of the site that no page leads to is told too.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from subprocess import run
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from manifestkit.rules.catalogue import SITE

ROOT = Path(__file__).parent.parent
_GITHUB = re.compile(
    r"https://github\.com/manifestkit/manifestkit/(?:blob|tree|raw)/main/([^#\s\"')]+)"
)
_LINK = re.compile(r"\]\(([^()\s]+)\)|^\[[^\]]+\]: (\S+)", re.MULTILINE)
_FENCE = re.compile(r"^(```+|~~~+).*?^\1", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_ADDRESS = re.compile(rf"{re.escape(SITE)}[\w./#-]*|{_GITHUB.pattern}")
_ATTRIBUTES = {"a": "href", "img": "src", "script": "src", "link": "href", "source": "src"}
_SCHEMES = ("https", "mailto", "data")
_OF_PAGE = "playground/"  # its script loads the others
_OF_THEME = ("assets/", "search.json", "sitemap.xml", "404.html", "objects.inv")


class _Page(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note where a tag leads, and what it is called."""
        named = dict(attrs)
        self.anchors.update(filter(None, [named.get("id"), named.get("name")]))
        target = named.get(_ATTRIBUTES.get(tag, ""))
        if target and named.get("rel") not in ("preconnect", "canonical"):
            self.links.append(target)


class Site:
    """A built site."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.led_to: set[Path] = set()
        self.pages = {file: _Page(file.read_text("utf-8")) for file in folder.rglob("*.html")}

    def problems(self) -> Iterator[str]:
        """Yield the dead links of the site, then the files that no page leads to."""
        for file, page in self.pages.items():
            here = SITE + file.relative_to(self.folder).as_posix().removesuffix("index.html")
            for link in page.links:
                why = self.dead(urljoin(here, link))
                if why:
                    yield f"{file}: {link}: {why}"
        for file in sorted(self.folder.rglob("*")):
            name = file.relative_to(self.folder).as_posix()
            if (
                file.is_file()
                and not name.startswith((*_OF_THEME, _OF_PAGE))
                and file not in self.led_to
            ):
                yield f"{file}: no page leads here"

    def dead(self, address: str) -> str | None:
        """Why an address leads nowhere; None where it leads somewhere, or is not this project's."""
        on_github = _GITHUB.fullmatch(urldefrag(address).url)
        if on_github:
            return None if unquote(on_github[1]).rstrip("/") in _tracked() else "no such file"
        if not address.startswith(SITE):
            parts = urlsplit(address)
            if f"{parts.scheme}://{parts.netloc}/" == urljoin(SITE, "/"):
                return "outside the site"
            is_here = (parts.hostname or "").endswith("localhost")
            return None if is_here or parts.scheme in _SCHEMES else "no https address"
        target, anchor = urldefrag(address.removeprefix(SITE))
        file = self.folder / unquote(target)
        file = file / "index.html" if target.endswith("/") or not target else file
        if not file.is_file():
            return "no such page"
        self.led_to.add(file)
        page = self.pages.get(file)
        if anchor and page and unquote(anchor) not in page.anchors:
            return "no such place in the page"
        return None


def of_markdown(site: Site) -> Iterator[str]:
    """Yield the dead links of the pages in Markdown, read as a forge does."""
    for name in sorted(each for each in _tracked() if each.endswith(".md")):
        text = _CODE.sub("", _FENCE.sub("", (ROOT / name).read_text("utf-8")))
        for found in _LINK.finditer(text):
            link = found[1] or found[2]
            path, anchor = urldefrag(link)
            if urlsplit(link).scheme:
                why = site.dead(link)
            elif not path:
                why = _no_anchor(ROOT / name, anchor)
            else:
                why = _dead_file((ROOT / name).parent / unquote(path), anchor)
            if why:
                yield f"{name}: {link}: {why}"


def _dead_file(path: Path, anchor: str) -> str | None:
    name = path.resolve().relative_to(ROOT.resolve()).as_posix()
    if name not in _tracked():
        return "no such file"
    return _no_anchor(path, anchor) if path.suffix == ".md" else None


def _no_anchor(path: Path, anchor: str) -> str | None:
    text = _FENCE.sub("", path.read_text("utf-8"))
    headings = re.findall(r"^#+ (.*?)\s*$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings}
    return "no such heading" if anchor and unquote(anchor) not in slugs else None


def of_texts(site: Site) -> Iterator[str]:
    """Yield the dead addresses in the package's texts and in files of settings."""
    for name in sorted(_tracked()):
        if Path(name).suffix in (".py", ".json", ".toml", ".yml") and not name.startswith("tests/"):
            for found in _ADDRESS.finditer((ROOT / name).read_text("utf-8")):
                why = site.dead(found[0])
                if why:
                    yield f"{name}: {found[0]}: {why}"


@cache
def _tracked() -> frozenset[str]:
    """Return the files and folders of the tree that are, or are about to be, committed."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    files = [Path(name) for name in listed if (ROOT / name).exists()]
    return frozenset(
        each.as_posix() for file in files for each in (file, *file.parents) if each != Path()
    )


def main(folder: str) -> int:
    """Print each dead link; 1 when there is one."""
    site = Site(Path(folder))
    problems = [*site.problems(), *of_markdown(site), *of_texts(site)]
    for each in problems:
        print(each)
    links = sum(len(page.links) for page in site.pages.values())
    print(f"{len(site.pages)} pages, {links} links; {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
