"""`manifest mcp`, by the client of the protocol's own package."""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import anyio
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from command import EXAMPLES, environment, manifest
from test_command import VALID

pytestmark = pytest.mark.slow

T = TypeVar("T")
SLIP = VALID.replace(b'"version"', b'"versoin"').decode()


def talk(folder: Path, what: Callable[[ClientSession], Awaitable[T]]) -> T:
    """Start the server in a folder, and do something with it."""

    async def run() -> T:
        server = StdioServerParameters(
            command=sys.executable, args=["-m", "manifestkit", "mcp"], cwd=folder, env=environment()
        )
        async with stdio_client(server) as streams, ClientSession(*streams) as session:
            await session.initialize()
            return await what(session)

    return anyio.run(run)


def calls(folder: Path, *wanted: tuple[str, dict[str, Any]]) -> list[tuple[str, bool]]:
    """Return the text of each answer of a tool, and whether it is an error."""

    async def ask(session: ClientSession) -> list[tuple[str, bool]]:
        answers = [await session.call_tool(tool, arguments) for tool, arguments in wanted]
        texts = [[part.text for part in each.content if part.type == "text"] for each in answers]
        return [
            ("".join(said), bool(each.is_error)) for said, each in zip(texts, answers, strict=True)
        ]

    return talk(folder, ask)


def test_it_offers_the_tools_the_schema_and_the_rules(tmp_path: Path) -> None:
    async def ask(session: ClientSession) -> tuple[Any, ...]:
        tools = await session.list_tools()
        schema = await session.read_resource("manifest://schema")
        rule = await session.read_resource("manifest://rules/wrong-type")
        return {each.name for each in tools.tools}, schema.contents[0], rule.contents[0]

    tools, schema, rule = talk(tmp_path, ask)
    assert tools == {"lint", "fix", "explain", "diff", "new"}
    assert json.loads(schema.text)["title"] == "Activity provider manifest"
    assert rule.text == manifest("explain", "wrong-type", cwd=tmp_path).out


def test_each_tool_says_what_the_command_says(tmp_path: Path) -> None:
    file = tmp_path / "manifest.json"
    file.write_text(SLIP, "utf-8")
    host = EXAMPLES / "profiles" / "host-catalogue.schema.json"
    (tmp_path / "host.json").write_bytes(host.read_bytes())
    linted = manifest("lint", "--output-format", "json", "manifest.json", cwd=tmp_path).out
    explained = manifest("explain", "host.haptics", cwd=tmp_path).out
    newer = json.loads(VALID)
    newer["runtime"]["sdk_version"] = "2.0"
    newer["permissions"].append("context.goals")
    (tmp_path / "old.json").write_bytes(VALID)
    (tmp_path / "new.json").write_text(json.dumps(newer), "utf-8")

    answers = calls(
        tmp_path,
        ("lint", {"path": "manifest.json"}),
        ("lint", {"text": json.dumps(newer), "profile": ["host.json"]}),
        ("fix", {"text": SLIP}),
        ("explain", {"topic": "host.haptics"}),
        ("diff", {"old": "old.json", "new": "new.json"}),
        ("new", {"values": json.loads(VALID)}),
    )

    assert [text for text, is_error in answers if is_error] == []
    one, held, fixed, said, compared, created = (text for text, _ in answers)
    assert json.loads(one) == json.loads(linted)
    assert "host-sdk-version" in {each["rule"] for each in json.loads(held)["findings"]}
    assert json.loads(fixed)["text"] == VALID.decode()
    assert said == explained
    assert "permission-added" in {each["rule"] for each in json.loads(compared)["findings"]}
    assert json.loads(created) == json.loads(VALID)


def test_fix_writes_only_when_told(tmp_path: Path) -> None:
    file = tmp_path / "manifest.json"
    file.write_text(SLIP, "utf-8")
    ((said, _),) = calls(tmp_path, ("fix", {"path": "manifest.json"}))
    assert json.loads(said)["text"] == VALID.decode()
    assert file.read_text("utf-8") == SLIP
    ((said, _),) = calls(tmp_path, ("fix", {"path": "manifest.json", "write": True}))
    assert json.loads(said) == {"text": VALID.decode(), "remaining": ""}
    assert file.read_bytes() == VALID


def test_what_is_outside_or_wrong_is_an_error(tmp_path: Path) -> None:
    outside = tmp_path / "outside.json"
    outside.write_text(SLIP, "utf-8")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "manifest.json").write_text(SLIP, "utf-8")
    (inside / "link.json").symlink_to("../outside.json")
    wrong: list[tuple[str, dict[str, Any]]] = [
        ("lint", {"path": "../outside.json"}),
        ("lint", {"path": "/etc"}),
        ("lint", {"path": "link.json"}),
        ("lint", {"path": "a\0b"}),
        ("lint", {"path": "gone.json"}),
        ("lint", {"text": "{}", "profile": ["../outside.json"]}),
        ("lint", {"text": "{}", "path": "manifest.json"}),
        ("lint", {}),
        ("fix", {"path": "../outside.json", "write": True}),
        ("fix", {"path": "link.json", "write": True}),
        ("fix", {"path": "gone.json"}),
        ("diff", {"old": "../outside.json", "new": "manifest.json"}),
        ("explain", {"topic": "--help"}),
        ("explain", {"topic": "x" * 300_000}),
        ("new", {"values": {"provider": {"id": "com.example.a"}}}),
    ]
    for (tool, arguments), (said, is_error) in zip(wrong, calls(inside, *wrong), strict=True):
        assert is_error, (tool, arguments, said)
        assert "Traceback" not in said
    assert outside.read_text("utf-8") == SLIP
    assert (inside / "manifest.json").read_text("utf-8") == SLIP
