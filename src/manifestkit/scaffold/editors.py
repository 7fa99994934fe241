"""What editors want to hear of the schema, each in its own settings."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import PurePath
from typing import Any

from manifestkit.errors import ConfigurationError
from manifestkit.pointer import Path
from manifestkit.scaffold.jsonc import Settings

JSON_FILES = ("*.activity-provider.json",)
YAML_FILES = ("*.activity-provider.yaml", "*.activity-provider.yml")

_JSON, _YAML = "json.schemas", "yaml.schemas"


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
    """A settings file of VS Code with the schema in it, and all else as it was.

    Args:
        name: the file, as it is named to the user.
        text: what it holds, which may be nothing.
        schema: where the schema is, counted from the workspace's folder.

    Raises:
        ConfigurationError: the file cannot be read, or has something else where schemas belong.
    """
    settings = Settings(name, text)
    for key, kind, noun in ((_JSON, list, "an array"), (_YAML, dict, "an object")):
        if not isinstance(settings.value.get(key, kind()), kind):
            raise ConfigurationError(f"{settings.place((key,))}: `{key}` is {noun} in VS Code")
    known = settings.value.get(_JSON)
    ours = (
        index
        for index, each in enumerate(known or ())
        if isinstance(each, dict) and each.get("url") == schema
    )
    index = next(ours, None)
    if known is None:
        settings = settings.with_member((_JSON,), [_json_entry(schema)])
    elif index is None:
        settings = settings.with_item((_JSON,), _json_entry(schema))
    else:
        settings = _with_patterns(settings, (_JSON, index, "fileMatch"), JSON_FILES)
    if _YAML not in settings.value:
        return settings.with_member((_YAML,), {schema: list(YAML_FILES)}).text
    return _with_patterns(settings, (_YAML, schema), YAML_FILES).text


def _with_patterns(settings: Settings, path: Path, patterns: tuple[str, ...]) -> Settings:
    """Settings in which a list of patterns has these too; a person's own ones stay."""
    owner = settings.value_at(path[:-1])
    if path[-1] not in owner:
        return settings.with_member(path, list(patterns))
    given = owner[path[-1]]
    if isinstance(given, str):
        return settings.with_member(path, list(dict.fromkeys((given, *patterns))))
    if not isinstance(given, list):
        raise ConfigurationError(f"{settings.place(path)}: patterns of files are a list in VS Code")
    for pattern in patterns:
        if pattern not in given:
            settings = settings.with_item(path, pattern)
    return settings


def _json_entry(schema: str) -> dict[str, Any]:
    return {"fileMatch": list(JSON_FILES), "url": schema}


def _text(value: Any) -> str:
    return json.dumps(value, indent=4) + "\n"


def _lua(patterns: tuple[str, ...]) -> str:
    return f"{{ {', '.join(json.dumps(each) for each in patterns)} }}"
