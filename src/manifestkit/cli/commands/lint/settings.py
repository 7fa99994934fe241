"""`manifest lint --show-settings`: the settings of a file, and where each is set."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from manifestkit.config.configuration import Configuration
from manifestkit.engine import OFF, Options, Target, Workspace
from manifestkit.files import is_folder, posix_name, relative_name
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.schema.engines import NOT_THE_FASTER
from manifestkit.schema.installed import profile_path

_DEFAULT = "default"
_DEFAULTS: dict[str, Any] = {"exclude": [], "profile": [], "change-profile": [], "fail-on": "error"}
_SLOWER = "# schema engine: jsonschema, since jsonschema-rs does not load\n"
_PATHS = frozenset({"schema", "profile", "change-profile", "baseline", "published-ids"})
_OPTIONS = (
    *("exclude", "schema", "profile", "change-profile", "select", "fail-on", "baseline"),
    *("published-ids", "published-owner"),
)


def settings_text(workspace: Workspace, path: Path) -> str:
    """Return the settings for a path, as a configuration with the origins in comments."""
    named = posix_name(path)
    folder = f"{named}/" if is_folder(path) else Target(named, found=False).folder
    folder = "" if named == "." else folder
    workspace.policy(folder)  # says what cannot be used
    configured = workspace.configuration(folder)
    lines = [
        (f"{name} = {_toml(value)}", where)
        for name, value, where in _settings(workspace, configured)
    ]
    width = min(max(len(line) for line, _ in lines), 60)
    return "".join(
        [
            f"# Settings of {named}\n",
            *(f"# {each}\n" for each in _files(configured)),
            *(_SLOWER if NOT_THE_FASTER else ""),
            "\n",
            *(f"{line:<{width}}  # {where}\n" for line, where in lines),
        ]
    )


def _files(configured: Configuration) -> list[str]:
    """Return the configuration file, and those that it extends."""
    if configured.source is None:
        return ["no configuration file"]
    first, *others = (relative_name(each) for each in reversed(list(configured.texts)))
    return [f"configuration: {first}", *(f"extends {each}" for each in others)]


def _settings(workspace: Workspace, configured: Configuration) -> Iterator[tuple[str, Any, str]]:
    given = _given(workspace.options)
    for name in _OPTIONS:
        if name in given:
            yield name, given[name], f"--{name}"
        elif name in configured.values:
            yield name, _value(configured, name), _where(configured, name)
        elif name in _DEFAULTS:
            yield name, _DEFAULTS[name], _DEFAULT
    ignored = configured.values.get("ignore", [])
    sources = [_where(configured, "ignore")] if ignored else []
    sources += ["--ignore"] if given["ignore"] else []
    yield "ignore", [*ignored, *given["ignore"]], " and ".join(sources) or _DEFAULT
    for name, defaults in (("severity", {}), ("limits", DEFAULT_LIMITS._asdict())):
        option = "--limit" if name == "limits" else "--severity"
        values = {**defaults, **configured.values.get(name, {}), **given[name]}
        for each, value in values.items():
            is_set = (name, each) in configured.origins
            where = _where(configured, name, each) if is_set else _DEFAULT
            yield f"{name}.{each}", value, option if each in given[name] else where
    for index, each in enumerate(configured.values.get("format", ())):
        yield f"format[{index}]", each, _where(configured, "format")
    entries = zip(configured.values.get("suppress", ()), configured.suppressions, strict=True)
    for index, (entry, known) in enumerate(entries):
        place = known.location
        yield f"suppress[{index}]", entry, f"{known.source}:{place.line}:{place.column}"


def _given(options: Options) -> dict[str, Any]:
    given: dict[str, Any] = {
        "ignore": options.ignore,
        "severity": {rule: each.value if each else OFF for rule, each in options.severity.items()},
        "limits": options.limits,
    }
    for name, path in (("schema", options.schema), ("baseline", options.baseline)):
        if isinstance(path, Path):
            given[name] = posix_name(path)
    if options.profiles:
        given["profile"] = [posix_name(each) for each in options.profiles if isinstance(each, Path)]
    if options.select is not None:
        given["select"] = options.select
    if options.fail_on is not None:
        given["fail-on"] = options.fail_on.value
    return given


def _value(configured: Configuration, name: str) -> Any:
    """Return the value of an option; paths count from the working folder."""
    value = configured.values[name]
    if name not in _PATHS:
        return value
    folder = configured.origins[(name,)].file.parent
    return (
        relative_name(folder / value)
        if isinstance(value, str)
        else [relative_name(folder / profile_path(each)) for each in value]
    )


def _where(configured: Configuration, *option: str) -> str:
    place = configured.origins[option].location
    return f"{configured.file_of(*option)}:{place.line}:{place.column}"


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{name} = {_toml(each)}" for name, each in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
