"""Take pictures of the site in Chromium: `python tools/look.py SITE PICTURES [PAGE ...]`.

Each page is shown at three widths in both colour schemes. A page that is wider than the window, or
a landing page without its picture in the first screen, ends it with 1. It needs a Chromium on the
path, and `pip install playwright`.
"""

from __future__ import annotations

import shutil
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Browser, ViewportSize, sync_playwright

_SIZES = ((390, 844), (820, 1180), (1280, 800))
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
_OVERFLOW = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
_FIRST_PICTURE = "document.querySelector('article img')?.getBoundingClientRect().bottom ?? 0"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing of each request."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Yield the address of a folder, on this machine only."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def looked_at(
    browser: Browser, address: str, pages: Iterable[str], pictures: Path
) -> Iterator[str]:
    """Yield what is wrong with pages at each size, in each scheme."""
    for (width, height), scheme in product(_SIZES, SCHEMES):
        size: ViewportSize = {"width": width, "height": height}
        with browser.new_context(viewport=size, color_scheme=scheme) as context:
            tab = context.new_page()
            for page in pages:
                tab.goto(address + page)
                name = f"{page.strip('/').replace('/', '-') or 'index'}-{width}-{scheme}"
                tab.screenshot(path=pictures / f"{name}.png")
                if tab.evaluate(_OVERFLOW):
                    yield f"{name}: wider than the window"
                if page == "" and not 0 < tab.evaluate(_FIRST_PICTURE) <= height:
                    yield f"{name}: the picture is not in the first screen"


def _is_shown(page: str) -> bool:
    """Whether a page is looked at unless others are named: of the pages of rules, one is."""
    return not page.startswith("rules/") or page == "rules/missing-field"


def main(site: str, into: str, *chosen: str) -> int:
    """Take the pictures; print what is wrong, 1 where something is."""
    folder, pictures = Path(site), Path(into)
    pictures.mkdir(parents=True, exist_ok=True)
    found = sorted(
        each.parent.relative_to(folder).as_posix() for each in folder.rglob("index.html")
    )
    pages = chosen or ["" if each == "." else f"{each}/" for each in found if _is_shown(each)]
    executable = next(filter(None, map(shutil.which, BROWSERS)), None)
    with served(folder) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        problems = list(looked_at(browser, address, pages, pictures))
        browser.close()
    for problem in problems:
        print(problem)
    print(f"{len(pages)} pages, {len(_SIZES)} widths, {len(SCHEMES)} schemes", end="; ")
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
