"""Reports and previews in Chromium, opened from disk: `python tests/chromium/pages.py [PICTURES]`.

Each page loads nothing, says nothing on the console, has no violation that axe-core finds in either
colour scheme, is used by keyboard alone, fits 360 pixels and prints; what is injected into one is
blocked. With a folder, pictures and prints of the pages are left in it. It needs a Chromium on the
path, `pip install playwright`, and `npm ci` in this folder.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

_HERE = Path(__file__).parent
sys.path[:0] = [str(_HERE.parent), str(_HERE.parent.parent / "tools")]

import manifestkit
from command import EXAMPLES, REPOSITORY, manifest
from injections import INJECTIONS
from look import BROWSERS, SCHEMES
from manifestkit import Report
from report_cases import GOOD, made_up

_AXE = _HERE / "node_modules" / "axe-core" / "axe.min.js"
_WIDTHS = (360, 800, 1600)
_HEIGHT = 900
_PROFILE = EXAMPLES / "profiles" / "capabilities-need-permissions.schema.json"
_COMPLETE = EXAMPLES / "valid" / "complete-wellbeing.activity-provider.json"
_SMALLEST_TEXT = 12

_TOO_WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
_ALL_VISIBLE = """document.querySelectorAll('.file, .finding').forEach(
  each => { each.style.contentVisibility = 'visible' })"""
_SMALL_TEXT = """least => [...document.querySelectorAll('body *')]
  .filter(each => [...each.childNodes].some(one => one.nodeType == 3 && one.data.trim()))
  .filter(each => parseFloat(getComputedStyle(each).fontSize) < least)
  .map(each => each.outerHTML.slice(0, 80))"""
_FOCUSED = """() => {
  const each = document.activeElement
  if (each === document.body) return null
  const box = each.getBoundingClientRect()
  return {
    name: each.outerHTML.slice(0, 80),
    outlined: getComputedStyle(each).outlineStyle != 'none',
    seen: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
  }
}"""
_FOCUSABLE = "document.querySelectorAll('a[href], [tabindex=\"0\"]').length"
_VIOLATIONS = """() => axe.run().then(found => found.violations.map(
  each => `${each.id}: ${each.nodes.map(one => one.target.join(' ')).slice(0, 3).join('; ')}`))"""
_PAINTED = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
_INJECTED = """<script>document.title = 'acted'</script>
<img src="{address}picture.png" onerror="document.title = 'acted'">
<img src="data:," onerror="document.title = 'acted'">
<link rel="stylesheet" href="{address}style.css">
<style>body {{ display: none }}</style>
<p style="background: url({address}back.png)">a style</p>
<iframe src="{address}frame"></iframe>
<form action="{address}form"><button id="send">send</button></form>
"""


def pages(folder: Path) -> dict[str, Path]:
    """A page of each kind, made by the command or by what it is made of."""
    made = {name: folder / f"{name}.html" for name in ("lint", "diff", "preview")}
    manifest(
        *("lint", "examples", "--exit-zero", f"--output-format=html={made['lint']}"), cwd=REPOSITORY
    )
    contents = json.loads(_COMPLETE.read_bytes())
    old, new = folder / "published.json", folder / "manifest.json"
    older = contents | {"permissions": contents["permissions"][:5]}
    old.write_text(json.dumps(older, indent=2), "utf-8")
    fewer = [each for each in contents["capabilities"] if not each.startswith("host.timer")]
    newer = contents | {"capabilities": fewer, "duration": 5}
    new.write_text(json.dumps(newer, indent=2), "utf-8")
    manifest("diff", old, new, f"--output-format=html={made['diff']}", cwd=folder)
    options = (f"--profile={_PROFILE}", f"--against={old}", f"--output={made['preview']}")
    manifest("preview", new, *options, cwd=folder)
    reports = {
        "hostile": Report.of(manifestkit.lint("{", text) for text in INJECTIONS.values()),
        "injected": Report.of(
            each._replace(path=f"{number} {text}", findings=each.findings[:1])
            for number, text in enumerate(INJECTIONS.values())
            for each in made_up(text).results[:1]
        ),
    }
    for name, report in reports.items():
        made[name] = _written(folder, name, manifestkit.render(report, "html"))
    text = "".join(each for each in INJECTIONS.values() if "\ud800" not in each)
    strange = GOOD | {
        "provider": {"id": text, "name": text[:250], "version": text, text: text},
        "activities": [{"id": each, "name": each, each: each} for each in INJECTIONS.values()],
        "permissions": [*INJECTIONS.values()],
    }
    _written(folder, "strange", json.dumps(strange), ".json")
    made["strange"] = folder / "strange.html"
    manifest("preview", "strange.json", f"--output={made['strange']}", cwd=folder)
    return made


def _written(folder: Path, name: str, text: str, suffix: str = ".html") -> Path:
    file = folder / f"{name}{suffix}"
    file.write_text(text, "utf-8")
    return file


@contextmanager
def opened(
    browser: Browser, file: Path, scheme: Literal["light", "dark"] = "light"
) -> Iterator[tuple[Page, list[str]]]:
    """A page in a window, and what it asks for and says: nothing."""
    size: ViewportSize = {"width": _WIDTHS[-1], "height": _HEIGHT}
    with browser.new_context(viewport=size, color_scheme=scheme) as context:
        tab = context.new_page()
        noticed: list[str] = []
        own_request = f"asks for {file.as_uri()}"
        tab.on("request", lambda each: noticed.extend({f"asks for {each.url}"} - {own_request}))
        tab.on("console", lambda each: noticed.append(f"says {each.text}"))
        tab.on("pageerror", lambda each: noticed.append(f"fails with {each}"))
        tab.on("dialog", lambda each: noticed.append(f"shows a dialog: {each.message}"))
        tab.goto(file.as_uri())
        tab.evaluate(_PAINTED)
        yield tab, noticed


def looked_at(browser: Browser, name: str, file: Path, pictures: Path | None) -> Iterator[str]:
    """What is wrong with a page at each width, and for axe-core, in each scheme."""
    for scheme in SCHEMES:
        with opened(browser, file, scheme=scheme) as (tab, noticed):
            for width in _WIDTHS:
                tab.set_viewport_size({"width": width, "height": _HEIGHT})
                tab.evaluate(_PAINTED)
                if tab.evaluate(_TOO_WIDE):
                    yield f"is wider than {width} pixels"
                if pictures:
                    tab.screenshot(path=pictures / f"{name}-{width}-{scheme}.png")
            tab.evaluate(_ALL_VISIBLE)
            tab.evaluate(_AXE.read_text("utf-8"))
            yield from (f"{scheme}: {each}" for each in tab.evaluate(_VIOLATIONS))
            small = tab.evaluate(_SMALL_TEXT, _SMALLEST_TEXT)
            yield from (f"has small text: {each}" for each in small[:3])
            yield from noticed


def by_keyboard(browser: Browser, file: Path) -> Iterator[str]:
    """What a user without a mouse meets: each stop is seen, and none is left out."""
    with opened(browser, file) as (tab, _):
        stops = tab.evaluate(_FOCUSABLE)
        tab.keyboard.press("Tab")
        first = tab.evaluate(_FOCUSED)
        if "Skip to" not in first["name"]:
            yield f"the first stop is {first['name']}"
        seen: list[dict[str, Any]] = []
        while (stop := tab.evaluate(_FOCUSED)) and len(seen) <= stops:
            seen.append(stop)
            tab.keyboard.press("Tab")
            tab.evaluate(_PAINTED)
        if len(seen) != stops:
            yield f"{len(seen)} stops of {stops}"
        yield from (f"not seen: {each}" for each in seen if not (each["outlined"] and each["seen"]))
        tab.reload()
        tab.keyboard.press("Tab")
        tab.keyboard.press("Enter")
        if tab.evaluate("document.activeElement.id") != "main":
            yield "the skip link leads nowhere"


def printed(browser: Browser, name: str, file: Path, pictures: Path | None) -> Iterator[str]:
    """What is wrong with a page on paper, which has no dark scheme."""
    with opened(browser, file, scheme="dark") as (tab, _):
        tab.emulate_media(media="print", color_scheme="dark")
        paper = tab.evaluate("getComputedStyle(document.body).backgroundColor")
        if paper != "rgb(255, 255, 255)":
            yield f"is printed on {paper}"
        pdf = tab.pdf(format="A4", print_background=True)
        if not re.search(rb"/Type */Page\b", pdf):
            yield "has no page of paper"
        if pictures:
            (pictures / f"{name}.pdf").write_bytes(pdf)


class _Server(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Counting)
        self.asked: list[str] = []


class _Counting(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        self.send_error(404)

    def log_message(self, format: str, *args: Any) -> None:
        del format, args


def injected(browser: Browser, file: Path, folder: Path) -> Iterator[str]:
    """What acts of what is put into a page by hand, behind its policy."""
    with _Server() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        text = file.read_text("utf-8").replace("<main", f"{_INJECTED.format(address=address)}<main")
        changed = _written(folder, "changed", text)
        with opened(browser, changed) as (tab, noticed):
            tab.evaluate("document.getElementById('send').click()")
            tab.evaluate(_PAINTED)
            if tab.title() == "acted":
                yield "a script acts"
            if tab.evaluate("getComputedStyle(document.body).display") != "block":
                yield "a style acts"
            blocked = " ".join(noticed)
            for directive in ("script-src", "img-src", "style-src", "frame-src", "form-action"):
                if directive not in blocked and f"'{directive}" not in blocked:
                    yield f"{directive} is not seen to block: {blocked}"
        yield from (f"a request is made: {each}" for each in server.asked)
        server.shutdown()


def _many(folder: Path) -> Path:
    """A page of 20,000 findings in 1,000 files."""
    wrong = GOOD | {"permissions": [f"host.{number}" for number in range(20)]}
    result = manifestkit.lint(json.dumps(wrong, indent=2), "m")
    results = (result._replace(path=f"providers/{number:04}.json") for number in range(1_000))
    report = Report.of(results)
    assert len(report.findings) == 20_000
    return _written(folder, "many", manifestkit.render(report, "html"))


def print_opening(browser: Browser, file: Path) -> None:
    """Print how long it takes until a page is painted."""
    started = time.perf_counter()
    with opened(browser, file):
        seconds = time.perf_counter() - started
    print(f"20,000 findings, {file.stat().st_size / 1e6:.1f} MB: {seconds:.2f} s")


def main(into: str | None = None) -> int:
    """Look at the pages; print what is wrong, 1 where something is."""
    pictures = Path(into) if into else None
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)
    problems: list[str] = []
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        folder = Path(made)
        executable = next(filter(None, map(shutil.which, BROWSERS)), None)
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        found = pages(folder)
        for name, file in found.items():
            problems += (f"{name} {each}" for each in looked_at(browser, name, file, pictures))
        for name in ("lint", "diff", "preview"):
            problems += (f"{name}: {each}" for each in by_keyboard(browser, found[name]))
            problems += (f"{name} {each}" for each in printed(browser, name, found[name], pictures))
            problems += (f"{name}: {each}" for each in injected(browser, found[name], folder))
        print_opening(browser, _many(folder))
        browser.close()
    print(*problems, sep="\n")
    print(f"{len(found)} pages, {len(_WIDTHS)} widths, {len(SCHEMES)} schemes", end="; ")
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
