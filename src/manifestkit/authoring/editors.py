"""What editors want to hear of the schema, each in its own settings."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import PurePath
from typing import Any

from manifestkit.edits import END, Editor, Operation, patched, proven, sound
from manifestkit.model.document import Document
from manifestkit.model.errors import ConfigurationError
from manifestkit.model.pointer import Path, format_pointer

JSON_FILES = ("*.activity-provider.json",)
YAML_FILES = ("*.activity-provider.yaml", "*.activity-provider.yml")

_JSON, _YAML = "json.schemas", "yaml.schemas"
_PLAIN = "settings.json"


def vscode(schema: str) -> str:
    """Settings of VS Code, to stand in `.vscode/settings.json`."""
    return _text({_JSON: [_json_entry(schema)], _YAML: {schema: list(YAML_FILES)}})


def neovim(schema: str) -> str:
    """A configuration of Neovim's own client (0.11 or later), for its `init.lua`."""
    uri = PurePath(schema).as_uri()
    return f"""\
vim.lsp.config("jsonls", {{
  settings = {{ json = {{
    validate = {{ enable = true }},
    schemas = {{ {{ fileMatch = {_lua(JSON_FILES)}, url = {json.dumps(uri)} }} }},
  }} }},
}})
vim.lsp.config("yamlls", {{
  settings = {{ yaml = {{ schemas = {{ [{json.dumps(uri)}] = {_lua(YAML_FILES)} }} }} }},
}})
vim.lsp.enable({{ "jsonls", "yamlls" }})
"""


def helix(schema: str) -> str:
    """Settings of Helix, for `.helix/languages.toml`."""
    uri = PurePath(schema).as_uri()
    entry = f"{{ fileMatch = {json.dumps(JSON_FILES)}, url = {json.dumps(uri)} }}"
    return f"""\
[language-server.vscode-json-language-server.config.json]
schemas = [{entry}]

[language-server.yaml-language-server.config.yaml.schemas]
{json.dumps(uri)} = {json.dumps(YAML_FILES)}
"""


EDITORS: dict[str, Callable[[str], str]] = {"vscode": vscode, "neovim": neovim, "helix": helix}
"""What prints the settings of each editor, given where the schema is."""


def merged_into_vscode(name: str, text: str, schema: str) -> str:
    """Settings of VS Code with the schema in them, and all else as it was.

    Args:
        name: the file, as it is named to the user.
        text: what it holds, which may be nothing.
        schema: where the schema is, counted from the workspace's folder.

    Raises:
        EditRefusedError: they are no plain JSON: comments, for example, are for people to edit.
        ConfigurationError: something else stands where schemas belong.
    """
    if not text.strip("\ufeff \t\r\n"):
        return vscode(schema)
    document = sound(text.encode(), _PLAIN)
    while operation := _next_change(document, name, schema):
        edits = Editor(document).patch([operation])
        document = proven(document, edits, patched(document.value, [operation]))
    return document.text


def _next_change(document: Document, name: str, schema: str) -> Operation | None:
    """The next change towards settings that have the schema; None when they do."""
    value = document.value
    if not isinstance(value, dict):
        raise ConfigurationError(f"{name}:1:1: settings are one object in braces")
    for key, kind, noun in ((_JSON, list, "an array"), (_YAML, dict, "an object")):
        if not isinstance(value.get(key, kind()), kind):
            raise _misplaced(document, name, (key,), f"`{key}` is {noun} in VS Code")
    if _JSON not in value:
        return _add((_JSON,), [_json_entry(schema)])
    index = next((i for i, each in enumerate(value[_JSON]) if _is_for(each, schema)), None)
    if index is None:
        return _add((_JSON, END), _json_entry(schema))
    change = _with_patterns(document, name, (_JSON, index, "fileMatch"), JSON_FILES)
    if change or _YAML in value:
        return change or _with_patterns(document, name, (_YAML, schema), YAML_FILES)
    return _add((_YAML,), {schema: list(YAML_FILES)})


def _is_for(entry: Any, schema: str) -> bool:
    return isinstance(entry, dict) and entry.get("url") == schema


def _with_patterns(
    document: Document, name: str, path: Path, patterns: tuple[str, ...]
) -> Operation | None:
    """What gives a list of patterns the next of these; a person's own ones stay."""
    owner = document.value_at(path[:-1])
    if path[-1] not in owner:
        return _add(path, list(patterns))
    given = owner[path[-1]]
    if isinstance(given, str):
        value = list(dict.fromkeys((given, *patterns)))
        return {"op": "replace", "path": format_pointer(path), "value": value}
    if not isinstance(given, list):
        raise _misplaced(document, name, path, "patterns of files are a list in VS Code")
    missing = next((each for each in patterns if each not in given), None)
    return _add((*path, END), missing) if missing else None


def _add(path: Path, value: Any) -> Operation:
    return {"op": "add", "path": format_pointer(path), "value": value}


def _misplaced(document: Document, name: str, path: Path, why: str) -> ConfigurationError:
    at = document.locate(path)
    return ConfigurationError(f"{name}:{at.line}:{at.column}: {why}")


def _json_entry(schema: str) -> dict[str, Any]:
    return {"fileMatch": list(JSON_FILES), "url": schema}


def _text(value: Any) -> str:
    return json.dumps(value, indent=4) + "\n"


def _lua(patterns: tuple[str, ...]) -> str:
    return f"{{ {', '.join(json.dumps(each) for each in patterns)} }}"
