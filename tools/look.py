"""Look at the site in Chromium: `python tools/look.py SITE [PICTURES [PAGE ...]]`.

Each page is shown in both colour schemes at three widths. A page that is wider than the window, or
a landing page without its picture in the first screen, ends it with 1. With a folder, pictures of
all are left in it. It needs a Chromium on the path, and `pip install playwright`.
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

from playwright.sync_api import Browser, sync_playwright

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
    browser: Browser, address: str, pages: Iterable[str], pictures: Path | None
) -> Iterator[str]:
    """Yield what is wrong with pages in each scheme, at each size."""
    with browser.new_page() as tab:
        for scheme, page in product(SCHEMES, pages):
            tab.emulate_media(color_scheme=scheme)
            tab.goto(address + page)
            for width, height in _SIZES:
                tab.set_viewport_size({"width": width, "height": height})
                name = f"{page.strip('/').replace('/', '-') or 'index'}-{width}-{scheme}"
                if tab.evaluate(_OVERFLOW):
                    yield f"{name}: wider than the window"
                if page == "" and not 0 < tab.evaluate(_FIRST_PICTURE) <= height:
                    yield f"{name}: the picture is not in the first screen"
                if pictures:
                    tab.screenshot(path=pictures / f"{name}.png")


def _is_shown(page: str) -> bool:
    """Whether a page is looked at unless others are named: of the pages of rules, one is."""
    return not page.startswith("rules/") or page == "rules/missing-field"


def main(site: str, into: str = "", *chosen: str) -> int:
    """Look at the pages; print what is wrong, 1 where something is."""
    folder, pictures = Path(site), Path(into) if into else None
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)
    found = sorted(
        each.parent.relative_to(folder).as_posix() for each in folder.rglob("index.html")
    )
    pages = chosen or ["" if each == "." else f"{each}/" for each in found if _is_shown(each)]
    executable = next(filter(None, map(shutil.which, BROWSERS)), None)
    with served(folder) as address, sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=executable, args=options)
        problems = list(looked_at(browser, address, pages, pictures))
        browser.close()
    for problem in problems:
        print(problem)
    print(f"{len(pages)} pages, {len(_SIZES)} widths, {len(SCHEMES)} schemes", end="; ")
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
