"""Pictures of Neovim and Emacs with `manifest lsp`: `python tests/lsp/pictures.py FOLDER`.

Each is started in a terminal of tmux, as a person starts it. What the terminal shows once the
findings are there becomes an SVG.
"""

from __future__ import annotations

import json
import os
import select
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

_HERE = Path(__file__).parent
sys.path.insert(0, str(_HERE.parents[1] / "tools"))

from picture import drawn  # noqa: E402 - beside this folder

_FILE = "box.activity-provider.json"
_COMMAND = [sys.executable, "-m", "manifestkit", "lsp"]
_NEOVIM = f"""\
vim.o.number = true
vim.o.signcolumn = "yes"
vim.cmd("edit {_FILE}")
local command = {{ {", ".join(map(json.dumps, _COMMAND))} }}
local id = vim.lsp.start_client({{ name = "manifest", cmd = command, root_dir = vim.fn.getcwd() }})
vim.lsp.buf_attach_client(0, id)
"""
_EMACS = f"""\
(setq inhibit-startup-screen t native-comp-async-report-warnings-errors nil)
(menu-bar-mode -1)
(require 'eglot)
(find-file "{_FILE}")
(add-to-list 'eglot-server-programs (cons major-mode '({" ".join(map(json.dumps, _COMMAND))})))
(call-interactively 'eglot)
(flymake-show-buffer-diagnostics)
"""
_EDITORS = {
    "neovim": (_NEOVIM, "nvim -u NONE -c 'luafile {}'", 13),
    "emacs": (_EMACS, "emacs -nw --load {}", 20),
}
_WANTED = ("host.timer.start` is listed", "host.haptic` is a capability")
_PATIENCE = 60


def _shown(editor: str) -> str:
    """What a terminal shows of an editor, with its colours."""
    script, command, rows = _EDITORS[editor]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "box"
        folder.mkdir()
        shutil.copy(_HERE / "vscode" / _FILE, folder)
        start = Path(name) / "start"
        start.write_text(script, "utf-8")
        tmux = ["tmux", "-u", "-S", str(Path(name) / "socket"), "-f", "/dev/null"]
        size = ["-x", "112", "-y", str(rows), "-c", str(folder)]
        run = f"HOME={name} TERM=tmux-256color {command.format(shlex.quote(str(start)))}"
        subprocess.run([*tmux, "new-session", "-d", *size, run], check=True)
        capture = [*tmux, "capture-pane", "-e", "-p"]
        try:
            pipe = Path(name) / "written"
            os.mkfifo(pipe)
            subprocess.run([*tmux, "pipe-pane", f"cat > {shlex.quote(str(pipe))}"], check=True)
            with pipe.open("rb", buffering=0) as written:
                while True:
                    shown = subprocess.run(
                        capture, capture_output=True, text=True, check=True
                    ).stdout
                    if all(each in shown for each in _WANTED):
                        return shown
                    if not (
                        select.select([written], [], [], _PATIENCE)[0] and written.read(65_536)
                    ):
                        raise AssertionError(f"{editor} shows no findings: {shown}")
        finally:
            subprocess.run([*tmux, "kill-server"], check=True)


if __name__ == "__main__":
    for each in _EDITORS:
        Path(sys.argv[1], f"{each}.svg").write_text(drawn(_shown(each)), "utf-8")
