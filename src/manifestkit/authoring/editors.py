"""Settings of editors for the server and for the schema."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

from manifestkit.authoring.changes import additions
from manifestkit.decode import decode
from manifestkit.edits.editor import Editor
from manifestkit.edits.patch import apply_patch, require_editable, verify
from manifestkit.model.document import Document
from manifestkit.model.errors import ConfigurationError, EditRefusedError
from manifestkit.model.pointer import Path, format_pointer

_JSON, _YAML = "json.schemas", "yaml.schemas"
_PLAIN = "settings.json"


class Association(NamedTuple):
    """Files that have a schema.

    Attributes:
        schema: where the schema is.
        files: patterns of the files' names.
    """

    schema: str
    files: tuple[str, ...]

    @property
    def json(self) -> tuple[str, ...]:
        """The files in JSON."""
        return tuple(each for each in self.files if not each.endswith(_YAML_ENDINGS))

    @property
    def yaml(self) -> tuple[str, ...]:
        """The files in YAML."""
        return tuple(each for each in self.files if each.endswith(_YAML_ENDINGS))

    @property
    def uri(self) -> str:
        """The schema's URI."""
        return PurePath(self.schema).as_uri()


_YAML_ENDINGS = (".yaml", ".yml")


def vscode(known: Sequence[Association]) -> str:
    """Return settings of VS Code, to stand in `.vscode/settings.json`."""
    settings = {
        _JSON: [_json_entry(each) for each in known if each.json],
        _YAML: {each.schema: list(each.yaml) for each in known if each.yaml},
    }
    return json.dumps(settings, indent=4) + "\n"


def neovim(known: Sequence[Association]) -> str:
    """Return a configuration of Neovim's own client (0.11 or later), for its `init.lua`."""
    of_json = ", ".join(
        f"{{ fileMatch = {_lua(each.json)}, url = {json.dumps(each.uri)} }}"
        for each in known
        if each.json
    )
    of_yaml = ", ".join(
        f"[{json.dumps(each.uri)}] = {_lua(each.yaml)}" for each in known if each.yaml
    )
    return f"""\
vim.lsp.config("jsonls", {{
  settings = {{ json = {{
    validate = {{ enable = true }},
    schemas = {{ {of_json} }},
  }} }},
}})
vim.lsp.config("yamlls", {{
  settings = {{ yaml = {{ schemas = {{ {of_yaml} }} }} }},
}})
vim.lsp.enable({{ "jsonls", "yamlls" }})
"""


def helix(known: Sequence[Association]) -> str:
    """Return settings of Helix, for `.helix/languages.toml`."""
    of_json = ", ".join(
        f"{{ fileMatch = {json.dumps(each.json)}, url = {json.dumps(each.uri)} }}"
        for each in known
        if each.json
    )
    of_yaml = "\n".join(
        f"{json.dumps(each.uri)} = {json.dumps(each.yaml)}" for each in known if each.yaml
    )
    return f"""\
[language-server.vscode-json-language-server.config.json]
schemas = [{of_json}]

[language-server.yaml-language-server.config.yaml.schemas]
{of_yaml}
"""


SCHEMA_SETTINGS: dict[str, Callable[[Sequence[Association]], str]] = {
    "vscode": vscode,
    "neovim": neovim,
    "helix": helix,
}
"""Makes the settings of an editor, given where the schemas are."""

SERVER_SETTINGS = {
    "vscode": """\
{
    "manifestkit.command": ["manifest", "lsp"]
}
""",
    "neovim": """\
vim.lsp.config("manifestkit", {
  cmd = { "manifest", "lsp" },
  filetypes = { "json", "jsonc", "yaml" },
  root_markers = { "manifestkit.toml", "pyproject.toml", ".git" },
})
vim.lsp.enable("manifestkit")
""",
    "helix": """\
[language-server.manifestkit]
command = "manifest"
args = ["lsp"]

[[language]]
name = "json"
language-servers = ["manifestkit", "vscode-json-language-server"]

[[language]]
name = "yaml"
language-servers = ["manifestkit", "yaml-language-server"]
""",
    "emacs": """\
(with-eval-after-load 'eglot
  (dolist (mode '(js-json-mode json-mode json-ts-mode yaml-mode yaml-ts-mode))
    (add-to-list 'eglot-server-programs (list mode "manifest" "lsp"))))
""",
    "zed": """\
{
  "lsp": {
    "json-language-server": { "binary": { "path": "manifest", "arguments": ["lsp"] } },
    "yaml-language-server": { "binary": { "path": "manifest", "arguments": ["lsp"] } }
  }
}
""",
}
"""The settings with which an editor starts the server."""


def merged_into_vscode(name: str, text: str, known: Sequence[Association]) -> str:
    """Return settings of VS Code with the schemas in them, and all else as it was.

    Raises:
        EditRefusedError: they are no plain JSON: comments, for example, are for people to edit.
        ConfigurationError: something else stands where schemas belong.
    """
    if not text.strip("\ufeff \t\r\n"):
        return vscode(known)
    decoded = decode(text.encode(), _PLAIN)
    if not decoded.readable:
        first = decoded.findings[0]
        place = f"line {first.location.line}, column {first.location.column}"
        raise EditRefusedError(f"--write needs plain JSON: {first.message} ({place})")
    document = require_editable(decoded)
    for path, value in list(additions(document.value, _merged(document, name, known))):
        is_there = document.value_or_none(path) is not None
        kind = "replace" if is_there else "add"
        operation = {"op": kind, "path": format_pointer(path), "value": value}
        edits = Editor(document).patch([operation])
        document = verify(document, edits, apply_patch(document.value, [operation])).document
    return document.text


def _merged(document: Document, name: str, known: Sequence[Association]) -> dict[str, Any]:
    """Return settings that have the schemas; a person's own patterns stay."""
    settings = document.value
    if not isinstance(settings, dict):
        raise ConfigurationError(f"{name}:1:1: settings must be an object")
    for key, kind, noun in ((_JSON, list, "an array"), (_YAML, dict, "an object")):
        if not isinstance(settings.get(key, kind()), kind):
            raise _misplaced(document, name, (key,), f"`{key}` is {noun} in VS Code")

    def patterns(path: Path, owner: dict[str, Any], added: tuple[str, ...]) -> list[Any]:
        given = owner.get(str(path[-1]), [])
        given = [given] if isinstance(given, str) else given
        if not isinstance(given, list):
            raise _misplaced(document, name, path, "patterns of files are a list in VS Code")
        return [*given, *(each for each in added if each not in given)]

    of_json, of_yaml = [*settings.get(_JSON, ())], {**settings.get(_YAML, {})}
    for each in known:
        urls = [entry.get("url") if isinstance(entry, dict) else None for entry in of_json]
        if each.json and each.schema in urls:
            index = urls.index(each.schema)
            entry = of_json[index]
            found = patterns((_JSON, index, "fileMatch"), entry, each.json)
            of_json[index] = {**entry, "fileMatch": found}
        elif each.json:
            of_json.append(_json_entry(each))
        if each.yaml:
            of_yaml[each.schema] = patterns((_YAML, each.schema), of_yaml, each.yaml)
    added = {_JSON: of_json, _YAML: of_yaml}
    return {**settings, **{key: value for key, value in added.items() if value}}


def _misplaced(document: Document, name: str, path: Path, why: str) -> ConfigurationError:
    at = document.locate(path)
    return ConfigurationError(f"{name}:{at.line}:{at.column}: {why}")


def _json_entry(known: Association) -> dict[str, Any]:
    return {"fileMatch": list(known.json), "url": known.schema}


def _lua(patterns: tuple[str, ...]) -> str:
    return f"{{ {', '.join(json.dumps(each) for each in patterns)} }}"
