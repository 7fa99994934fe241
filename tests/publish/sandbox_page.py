"""The page of the sandbox in Chromium: `python tests/publish/sandbox_page.py [PICTURES]`.

What a person sees and clicks, and what a page of another site can do to it. It ends with 1 where
something is wrong; it needs a Chromium on the path, and `pip install playwright`.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from rehearsal import DOMAIN, EMAIL, UNKNOWN, Sandbox, User, sandbox, site

PATH = "/_sandbox/"
SIZES = ((390, 844), (1280, 800))
OVERFLOW = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
STRANGER = "<script>document.title = 'taken'</script><img src=x onerror=\"document.title='taken'\">"
ATTACK = """<iframe src="{page}"></iframe>
<form id="f" method="post" action="{page}faults">
<input name="operation" value="sites"><input name="fault" value="denied">
<input name="times" value="1"><input name="seconds" value="1"></form>
<script>
const seen = [];
const tell = () => {{ document.title = "done " + JSON.stringify(seen) }};
fetch("{page}").then(r => r.text()).then(t => seen.push(t.length), e => seen.push("refused"))
  .then(() => fetch("{page}clear", {{method: "POST", mode: "no-cors"}}))
  .then(tell, tell)
</script>
"""


@contextmanager
def other_site(text: str) -> Iterator[str]:
    """A page of somebody else, on another port of this machine."""

    class Attacker(BaseHTTPRequestHandler):
        def log_message(self, format: str, *arguments: object) -> None:
            del format, arguments

        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(text.encode())

    with ThreadingHTTPServer(("127.0.0.1", 0), Attacker) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}/"
        server.shutdown()


def send_strange(running: Sandbox) -> None:
    """A deploy to a domain that is no name."""
    body = (
        f'--x\r\nContent-Disposition: form-data; name="domain"\r\n\r\n{STRANGER}\r\n'
        '--x\r\nContent-Disposition: form-data; name="archive"\r\n\r\nno zip\r\n--x--\r\n'
    )
    connection = HTTPConnection("127.0.0.1", running.port, timeout=30)
    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    connection.request("POST", "/v2/cli/deploy", body.encode(), kind)
    connection.getresponse().read()
    connection.close()


def used(tab: Page, running: Sandbox, user: User, dist: Path) -> Iterator[str]:
    """What does not work for somebody who uses the page."""
    tab.goto(f"{running.url}{PATH}")
    if tab.title() != "manifest sandbox" or not tab.get_by_text(STRANGER).count():
        yield "what a stranger sent is not shown as it is"
    tab.get_by_label("Operation").select_option("deploy")
    tab.get_by_label("Fault").select_option("drop-after")
    tab.get_by_label("Times").fill("2")
    tab.get_by_role("button", name="Simulate").click()
    table = tab.get_by_role("table", name="Faults to come")
    if table.get_by_role("row").filter(has_text="drop-after").count() != 2:
        yield "the two faults are not shown"
    if user.deploy(dist, "--force").code != UNKNOWN:
        yield "the fault is not played"
    tab.get_by_role("button", name="Clear all faults").click()
    if table.get_by_role("row").filter(has_text="drop-after").count():
        yield "the faults are not cleared"
    arrived = tab.get_by_role("table", name="Receipts")
    if not arrived.get_by_role("row").filter(has_text="fault drop-after").count():
        yield "the deploy with the fault is not shown"
    tab.get_by_role("link", name=DOMAIN).click()
    if tab.get_by_role("heading", name="calm").count() != 1:
        yield "the link to the site does not lead there"


def looked_at(browser: Browser, url: str, pictures: Path) -> Iterator[str]:
    """What is wrong with its looks."""
    for width, height in SIZES:
        for scheme in ("light", "dark"):
            size: ViewportSize = {"width": width, "height": height}
            with browser.new_context(viewport=size, color_scheme=scheme) as context:
                tab = context.new_page()
                tab.goto(url)
                tab.screenshot(path=pictures / f"sandbox-{width}-{scheme}.png", full_page=True)
                if tab.evaluate(OVERFLOW):
                    yield f"wider than the window at {width}"


def attacked(tab: Page, running: Sandbox, user: User, folder: Path) -> Iterator[str]:
    """What another site can do: one on another port, and one that is deployed here."""
    running.play("login=503")
    left = running.service.faults.left
    text = ATTACK.format(page=f"http://localhost:{running.port}{PATH}")
    evil = site(folder / "evil", **{"index.html": text.encode()})
    user("deploy", evil, "--domain", "evil.localhost")
    with other_site(text) as elsewhere:
        for url in (elsewhere, f"http://evil.localhost:{running.port}/"):
            tab.goto(url)
            tab.wait_for_function("document.title.startsWith('done')")
            if tab.title() != 'done ["refused"]':
                yield f"{url} reads the page: {tab.title()}"
            if any(EMAIL in frame.content() for frame in tab.frames):
                yield f"{url} shows the page in a frame"
            with tab.expect_navigation():
                tab.evaluate("document.getElementById('f').submit()")
            if "forbidden" not in tab.content():
                yield f"{url} sends the form: {tab.content()[:200]}"
            if running.service.faults.left != left:
                yield f"{url} changes the faults"


def main(into: str | None = None) -> int:
    """Try everything; print what is wrong, 1 where something is."""
    names = ("chromium", "chromium-browser", "google-chrome")
    executable = next(filter(None, map(shutil.which, names)), None)
    with (
        tempfile.TemporaryDirectory() as name,
        sandbox(Path(name) / "data") as running,
        sync_playwright() as playwright,
    ):
        folder = Path(name)
        pictures = Path(into or folder / "pictures")
        pictures.mkdir(parents=True, exist_ok=True)
        user = User(folder / "home", running.url)
        user.login()
        dist = site(folder / "dist")
        user.deploy(dist)
        send_strange(running)
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        tab = browser.new_page()
        problems: list[str] = []
        tab.on("console", lambda said: problems.extend([said.text][: PATH in said.location["url"]]))
        tab.on("pageerror", lambda error: problems.append(f"error: {error}"))
        problems += used(tab, running, user, dist)
        problems += looked_at(browser, f"{running.url}{PATH}", pictures)
        attacker = browser.new_page()
        problems += attacked(attacker, running, user, folder)
        browser.close()
    for problem in problems:
        print(problem)
    print(f"the page of the sandbox in Chromium: {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
