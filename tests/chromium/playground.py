"""The playground in Chromium: `python tests/chromium/playground.py SITE [PICTURES]`.

SITE is what `tools/build_site.py` has built. Pyodide comes from its npm package and pure wheels
from the package index, both served on this machine; what the package index does not have is in
`stand_ins.py`. It needs a Chromium on the path, `pip install playwright`, and `npm ci` in this
folder.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, FilePayload, Page, sync_playwright

_HERE = Path(__file__).parent
sys.path[:0] = [str(_HERE.parent), str(_HERE.parent.parent / "tools")]

from build_site import CORE, EXAMPLES
from command import EXAMPLES as EXAMPLE_FILES
from command import GOLDEN, REPOSITORY, manifest
from injections import INJECTIONS
from look import BROWSERS, SCHEMES, served
from stand_ins import write_wheel

_AXE = _HERE / "node_modules" / "axe-core" / "axe.min.js"
_PYODIDE = REPOSITORY / "tools" / "playground" / "node_modules" / "pyodide"
_ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
_SIZES = ((360, 800), (1280, 800))
_MOST_OWN_BYTES = 400_000
_MOST_CLICKS = 8
_PATIENCE = 120_000  # milliseconds
_CHECKED = "body[data-state=checked]"
_TOO_WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
_VIOLATIONS = """() => axe.run().then(found => found.violations.map(
  each => `${each.id}: ${each.nodes.map(one => one.target.join(' ')).slice(0, 3).join('; ')}`))"""
_FOREIGN = "document.querySelectorAll('main img, main script, main iframe, main style').length"
_MARK = """length => new Promise(done => {
  const content = document.querySelector('#editor').shadowRoot.querySelector('.cm-content')
  content.focus()
  const start = performance.now()
  new MutationObserver((_, observer) => {
    if (document.body.dataset.state !== 'checked') return
    observer.disconnect()
    done(performance.now() - start)
  }).observe(document.body, { attributes: true })
  document.execCommand('insertText', false, ' ')
})"""


def on_loopback(site: Path, folder: Path) -> dict[str, str]:
    """Copy the site with Pyodide and wheels beside the page; return their addresses on the web."""
    shutil.copytree(site, folder, dirs_exist_ok=True)
    page = folder / "playground"
    (page / "runtime").mkdir()
    runtime = json.loads((page / "runtime.json").read_text("utf-8"))
    of_others = [*runtime["core"], *runtime["wheels"][:-1]]
    names = [each["url"].rpartition("/")[2] for each in of_others]
    _download([name for name in names if name.endswith("any.whl")], page / "runtime")
    published = {}
    for name, each in zip(names, of_others, strict=True):
        file = page / "runtime" / name
        published[f"/playground/runtime/{name}"] = each["url"]
        if name in CORE:
            shutil.copy(_PYODIDE / name, file)
        elif name.endswith("wasm32.whl"):
            write_wheel(file)
        each["url"] = f"runtime/{name}"
        if name not in CORE:  # Pyodide builds its wheels itself
            digest = sha256(file.read_bytes()).digest()
            each["integrity"] = f"sha256-{base64.b64encode(digest).decode()}"
    base, runtime["base"] = runtime["base"], "runtime/"
    (page / "runtime.json").write_text(json.dumps(runtime), "utf-8")
    html = (page / "index.html").read_text("utf-8")
    if html.count(base) != 1:
        raise SystemExit("the page allows other addresses than that of the runtime")
    (page / "index.html").write_text(html.replace(base, "'self'"), "utf-8")
    return published


def _download(wheels: list[str], folder: Path) -> None:
    """Download wheels of these names at once: to start pip takes longer than most of them take."""
    packages = ["==".join(each.split("-")[:2]) for each in wheels]
    pip = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder)
    subprocess.run([*pip, *packages], check=True)


def ready(page: Page) -> None:
    """Wait until the text of the page is checked."""
    page.wait_for_selector(_CHECKED, state="attached", timeout=_PATIENCE)


def after(page: Page, act: Callable[[], Any]) -> dict[str, Any]:
    """Return what the page finds after an action."""
    page.evaluate("document.body.dataset.state = 'before'")
    act()
    ready(page)
    found: dict[str, Any] = json.loads(page.evaluate("document.body.dataset.findings"))
    return found


def opened(page: Page, name: str, content: bytes) -> dict[str, Any]:
    """Return what the page finds in a file that is opened in it."""
    file: FilePayload = {"name": name, "mimeType": "text/plain", "buffer": content}
    return after(page, partial(page.set_input_files, "#file", [file]))


def of_command(contents: list[tuple[str, bytes]], folder: Path) -> list[list[Any]]:
    """Return what the command finds in each of some files."""
    for index, (name, content) in enumerate(contents):
        (folder / f"{index}").mkdir()
        (folder / f"{index}" / name).write_bytes(content)
    paths = [f"{index}/{name}" for index, (name, _) in enumerate(contents)]
    done = manifest("lint", "--isolated", "--output-format=json", *paths, cwd=folder)
    report = json.loads(done.out)
    found: dict[str, list[Any]] = {path: [] for path in paths}
    for each in report["findings"]:
        found[each.pop("path")].append(each)
    return list(found.values())


def check_findings(page: Page, folder: Path) -> Iterator[str]:
    """Yield the files in which the page finds something else than the command."""
    files = [
        file
        for root in (EXAMPLE_FILES / "valid", EXAMPLE_FILES / "broken", GOLDEN)
        for file in sorted(root.rglob("*"))
        if file.suffix in (".json", ".yaml", ".yml")
    ]
    contents = [(f"manifest{file.suffix}", file.read_bytes()) for file in files]
    for file, (name, content), there in zip(
        files, contents, of_command(contents, folder), strict=True
    ):
        here = opened(page, name, content)["findings"]
        for each in here:
            del each["path"]
        if here != there:
            yield f"{file.name}: the page finds {here}, the command {there}"
    print(f"{len(files)} files, as by the command")


def check_mistakes(page: Page) -> Iterator[str]:
    """Yield the examples that clicks alone do not fix."""
    for number, title in enumerate(EXAMPLES, start=1):
        found = after(page, partial(page.select_option, "#example", str(number)))
        if not found["summary"]["errors"]:
            yield f"{title}: no error"
        for _ in range(_MOST_CLICKS):
            if not found["summary"]["errors"]:
                break
            found = after(page, page.locator("#findings .apply").first.click)
        else:
            yield f"{title}: is not fixed"
    print(f"{len(EXAMPLES)} mistakes, fixed by clicks")


def check_buttons(page: Page) -> Iterator[str]:
    """Yield what the buttons and views do wrong."""
    after(page, lambda: page.select_option("#example", "10"))
    if after(page, lambda: page.click("#fix"))["findings"]:
        yield "Fix all leaves findings"
    if not after(page, lambda: page.click("#undo"))["findings"]:
        yield "Undo brings no finding back"
    after(page, lambda: page.click("#redo"))
    for syntax in ("yaml", "json"):
        if after(page, lambda: page.click("#convert"))["findings"]:
            yield f"conversion to {syntax} leaves findings"
        if page.input_value("#syntax") != syntax:
            yield f"conversion does not choose {syntax}"
    after(page, lambda: page.click("#format"))
    views = {"terminal": "no problems", "preview": "agree", "diff": "", "output": ""}
    for view, expected in views.items():
        after(page, partial(page.select_option, "#view", view))
        if expected not in page.inner_text("#text"):
            yield f"{view}: {page.inner_text('#text')}"
    after(page, lambda: page.select_option("#view", "diff"))
    old = json.loads(
        (EXAMPLE_FILES / "valid" / "minimal.activity-provider.json").read_text("utf-8")
    )
    after(page, lambda: page.fill("#old", json.dumps(old)))
    if "permission" not in page.inner_text("#text"):
        yield f"diff: {page.inner_text('#text')}"
    after(page, lambda: page.select_option("#view", "findings"))
    page.click("summary")
    demand = {"required": ["author"], "x-manifestkit": {"rule": "host-author"}}
    found = after(page, lambda: page.fill("#profile", json.dumps(demand)))
    if [each["rule"] for each in found["findings"]] != ["host-author"]:
        yield f"profile: {found}"
    after(page, lambda: page.fill("#profile", ""))


def check_syntax(page: Page) -> Iterator[str]:
    """Yield the texts whose syntax the page loses, and what it does not say of a syntax."""
    yaml = b"# one\nactivities: [] # two\n"
    after(page, lambda: page.select_option("#example", "0"))
    for click, syntax in (
        *(("#convert", "yaml"), ("#convert", "json"), ("#undo", "yaml"), ("#undo", "json")),
        *(("#redo", "yaml"), ("#redo", "json")),
    ):
        found = after(page, partial(page.click, click))
        if found["findings"] or page.input_value("#syntax") != syntax:
            yield f"{click} to {syntax}: {page.input_value('#syntax')}, {found['findings']}"
    found = opened(page, "manifest.yaml", yaml)
    if page.locator("#example option:checked").inner_text() != "Your text":
        yield "a file of the user is shown as an example"
    after(page, lambda: page.select_option("#example", "1"))
    again = after(page, lambda: page.click("#undo"))
    if again != found or page.input_value("#syntax") != "yaml":
        yield f"an example, undone: {page.input_value('#syntax')}, {again}"
    after(page, lambda: page.click("#convert"))
    if "its comments are left behind" not in page.inner_text("#status"):
        yield f"lost comments: {page.inner_text('#status')}"
    opened(page, "manifest.json", yaml)
    if "YAML needs the suffix `.yaml`" not in page.inner_text("#findings"):
        yield f"YAML as JSON: {page.inner_text('#findings')}"
    one, several = "broken/unknown-permission.manifest.json", "awkward-keys.json"
    for file, count in ((one, "1 fix"), (several, "5 fixes")):
        opened(page, "manifest.json", (GOLDEN / file).read_bytes())
        after(page, lambda: page.click("#fix"))
        if not page.inner_text("#status").startswith(f"{count} may lose something: apply"):
            yield f"unsafe fixes: {page.inner_text('#status')}"


def check_cut_link(browser: Browser, address: str) -> Iterator[str]:
    """Yield what a page that is opened by a broken link says of another text."""
    said = "This link cannot be read"
    with browser.new_page() as page:
        page.goto(f"{address}playground/#x")
        ready(page)
        after(page, lambda: page.select_option("#view", "terminal"))
        if said not in page.inner_text("#status") or "empty" not in page.inner_text("#text"):
            yield f"a broken link: {page.inner_text('#status')}, {page.inner_text('#text')}"
        after(page, lambda: page.select_option("#example", "0"))
        if said in page.inner_text("#status"):
            yield "another text after a broken link is not judged"


def check_links(page: Page) -> Iterator[str]:
    """Yield the texts that a link does not bring back, and the broken links that do something."""
    texts = [
        "",
        "{",
        '{"é": "\U0001f600"}',
        "a: [1, 2]\r\n",
        (GOLDEN / "controls.json").read_text("utf-8"),
    ]
    texts += ["x" * 100_000]
    for text in texts:
        found = opened(page, "manifest.yaml", text.encode())
        page.evaluate("location.hash = ''")
        page.click("#share")
        page.wait_for_url(re.compile("#."))
        link = page.evaluate("location.hash")
        opened(page, "manifest.json", b"{}")
        page.evaluate("location.hash = ''")
        again = after(page, partial(page.evaluate, "link => location.hash = link", link))
        if again["findings"] != found["findings"]:
            yield f"a link to {text[:20]!r} brings {again}"
    for link in ("#", "#x", "#%00", "#" + "A" * 10_000, "#<img src=x onerror=alert(1)>"):
        page.evaluate("link => location.hash = link", link)
        page.wait_for_timeout(200)
    print(f"{len(texts)} texts through links")


def check_reload(page: Page) -> Iterator[str]:
    """Yield the texts that are lost when the page is loaded again."""
    yaml = b"a: [1, 2]\r\nb: '"
    typed = opened(page, "manifest.yaml", yaml)
    again = after(page, page.reload)
    if again != typed or page.input_value("#syntax") != "yaml":
        yield f"a text, reloaded: {page.input_value('#syntax')}, {again}"
    page.click("#share")
    page.wait_for_url(re.compile("#."))
    if after(page, page.reload) != typed or not page.evaluate("location.hash"):
        yield "a link is not the text that is reloaded"
    changed = opened(page, "manifest.json", b"[]")
    if page.evaluate("location.hash"):
        yield "the link in the address is not the text that is shown"
    if after(page, page.reload) != changed:
        yield "a text behind a link is lost when it is reloaded"
    print("3 texts, kept when the page is loaded again")


def check_hostile(page: Page) -> Iterator[str]:
    """Yield the texts that act."""
    title = page.title()
    for view in ("findings", "preview"):
        after(page, partial(page.select_option, "#view", view))
        for injection in INJECTIONS.values():
            member = json.dumps(injection)
            text = f'{{"schema_version": {member}, {member}: 1, "permissions": [{member}]}}'
            opened(page, "manifest.json", text.encode())
            if page.title() != title or page.evaluate(_FOREIGN):
                yield f"{injection!r} acts in {view}"
    after(page, lambda: page.select_option("#view", "findings"))
    print(f"{len(INJECTIONS)} hostile texts, inert")


def check_looks(browser: Browser, address: str, pictures: Path | None) -> Iterator[str]:
    """Yield what axe-core finds in each scheme and width, and pages wider than the window."""
    with browser.new_page(bypass_csp=True) as page:
        page.goto(f"{address}playground/")
        page.select_option("#example", "10")
        ready(page)
        page.add_script_tag(path=_AXE)
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            for width, height in _SIZES:
                page.set_viewport_size({"width": width, "height": height})
                for each in page.evaluate(_VIOLATIONS):
                    yield f"{scheme}, {width}: {each}"
                if page.evaluate(_TOO_WIDE):
                    yield f"{scheme}, {width}: wider than the window"
                if pictures:
                    page.screenshot(
                        path=pictures / f"playground-{width}-{scheme}.png", full_page=True
                    )


def check_failures(browser: Browser, address: str, runtime: Path) -> Iterator[str]:
    """Yield what the page does wrong without its runtime, or with another than the one it names."""
    wheel = next(runtime.glob("attrs-*.whl"))
    kept = wheel.read_bytes()
    for content in (None, kept + b"\0"):
        wheel.unlink() if content is None else wheel.write_bytes(content)
        with browser.new_page() as page:
            page.goto(f"{address}playground/")
            page.wait_for_selector("body[data-state=failed]", state="attached", timeout=_PATIENCE)
            if "pip install manifestkit" not in page.inner_text("#status"):
                yield f"without its runtime, the page says {page.inner_text('#status')}"
    wheel.write_bytes(kept)


def measure(page: Page, site: Path) -> Iterator[str]:
    """Print how soon the page answers; yield it where its own files are too large."""
    clean = json.loads(
        (EXAMPLE_FILES / "valid" / "breathing.activity-provider.json").read_text("utf-8")
    )
    for size in (2_000, 100_000):
        large = {**clean, "activities": []}
        while len(json.dumps(large, indent=2)) < size:
            number = len(large["activities"])
            large["activities"].append({**clean["activities"][0], "id": f"a{number}"})
        opened(page, "manifest.json", json.dumps(large, indent=2).encode())
        took = sorted(page.evaluate(_MARK, size) for _ in range(3))[1]
        print(f"from a key to findings, {size:,} characters: {took:.0f} ms")
    own = [
        file for file in (site / "playground").iterdir() if file.is_file() and file.suffix != ".whl"
    ]
    sent = sum(len(gzip.compress(file.read_bytes())) for file in own)
    print(f"own files, compressed: {sent:,} bytes (at most {_MOST_OWN_BYTES:,})")
    if sent > _MOST_OWN_BYTES:
        yield f"own files have {sent:,} bytes"


def check(site: Path, pictures: Path | None) -> Iterator[str]:
    """Yield everything that is wrong with the page."""
    browser_path = next(filter(None, map(shutil.which, BROWSERS)))
    with (
        tempfile.TemporaryDirectory() as name,
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=browser_path, args=_ARGUMENTS) as browser,
    ):
        folder = Path(name)
        published = on_loopback(site, folder / "site")
        with served(folder / "site") as address:
            page = browser.new_page()
            requested: list[str] = []
            told: list[str] = []
            page.context.on("request", lambda request: requested.append(request.url))
            page.on("console", lambda message: told.append(message.text))
            page.on("pageerror", lambda error: told.append(str(error)))
            page.on("dialog", lambda dialog: told.append(dialog.message))
            start = time.monotonic()
            page.goto(f"{address}playground/")
            ready(page)
            print(f"first findings after {time.monotonic() - start:.1f} s")
            (folder / "texts").mkdir()
            yield from check_findings(page, folder / "texts")
            yield from check_mistakes(page)
            yield from check_buttons(page)
            yield from check_syntax(page)
            yield from check_links(page)
            yield from check_reload(page)
            yield from check_hostile(page)
            yield from measure(page, site)
            yield from told
            own = {
                "",
                "style.css",
                "page.js",
                "worker.js",
                "session.py",
                "examples.json",
                "runtime.json",
            }
            own |= {file.name for file in (site / "playground").glob("*.whl")}
            allowed = {f"/playground/{each}" for each in own} | {*published}
            for each in {url for url in requested if not url.startswith(("blob:", "data:"))}:
                if not each.startswith(address) or urlsplit(each).path not in allowed:
                    yield f"a request to {each}"
            loaded = {urlsplit(each).path for each in requested}
            yield from (f"{each} is not requested" for each in published if each not in loaded)
            print("requested on the web:", *sorted(published.values()), sep="\n  ")
            page.close()
            yield from check_cut_link(browser, address)
            yield from check_looks(browser, address, pictures)
            runtime = folder / "site" / "playground" / "runtime"
            first = sum(file.stat().st_size for file in runtime.iterdir())
            print(f"Pyodide and wheels of others: {first:,} bytes before compression")
            yield from check_failures(browser, address, runtime)


def main() -> int:
    """Check the page, and print what is wrong."""
    pictures = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    wrong = list(check(Path(sys.argv[1]), pictures))
    print(*wrong, sep="\n")
    print(f"{len(wrong)} things are wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
