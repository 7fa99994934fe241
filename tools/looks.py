"""Take the pictures of the HTML report and of the preview: `python tools/looks.py`.

They show what the command writes, in both colour schemes, and are kept in `docs/pictures/`. It
needs a Chromium on the path, and `pip install playwright`.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import ViewportSize, sync_playwright

from look import BROWSERS, SCHEMES

_ROOT = Path(__file__).parent.parent
_PICTURES = _ROOT / "docs" / "pictures"
_SIZE: ViewportSize = {"width": 880, "height": 1130}
_PROFILE = _ROOT / "examples" / "profiles" / "capabilities-need-permissions.schema.json"
_EXAMPLE = _ROOT / "examples" / "valid" / "complete-wellbeing.activity-provider.json"


def _report(folder: Path) -> Path:
    """Return the report on README's manifest."""
    readme = (_ROOT / "README.md").read_text("utf-8")
    (source,) = re.findall(r"^```json\n((?:.*\n)+?)```$", readme, re.MULTILINE)[:1]
    (folder / "manifest.json").write_text(source, "utf-8")
    _manifest(folder, "lint", "--exit-zero", "--output-format=html=report.html")
    return folder / "report.html"


def _preview(folder: Path) -> Path:
    """Return the preview of an example, against one that asked for less."""
    new = json.loads(_EXAMPLE.read_bytes())
    new["capabilities"] = [each for each in new["capabilities"] if "timer" not in each]
    (folder / "wellbeing.json").write_text(json.dumps(new, indent=2), "utf-8")
    asked = [each for each in new["permissions"] if each not in ("context.goals", "host.timer")]
    (folder / "published.json").write_text(json.dumps(new | {"permissions": asked}), "utf-8")
    shutil.copy(_PROFILE, folder / "host.schema.json")
    options = ("--against=published.json", "--profile=host.schema.json", "--output=preview.html")
    _manifest(folder, "preview", "wellbeing.json", *options)
    return folder / "preview.html"


def _manifest(folder: Path, *arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "manifestkit", *arguments], cwd=folder, check=True)


def main() -> None:
    """Take the pictures."""
    _PICTURES.mkdir(exist_ok=True)
    executable = next(filter(None, map(shutil.which, BROWSERS)), None)
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        for page in (_report(Path(made)), _preview(Path(made))):
            for scheme in SCHEMES:
                with browser.new_context(viewport=_SIZE, color_scheme=scheme) as context:
                    tab = context.new_page()
                    tab.goto(page.as_uri())
                    tab.screenshot(path=_PICTURES / f"{page.stem}-{scheme}.png")
        browser.close()


if __name__ == "__main__":
    main()
