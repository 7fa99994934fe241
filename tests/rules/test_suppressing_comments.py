"""Comments suppress nothing; one that looks as if it did is told with the entry to write."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import manifestkit
from manifestkit import FileResult, Finding
from rows import rows

LINES = [
    "schema_version: 1.0",
    "provider:",
    "  id: com.example.box",
    "  name: no",
    "  version: '1.0.0'",
    "runtime: { entrypoint: dist/index.js, sdk_version: '1.4' }",
    "activities:",
    "  - duration_minutes: '5'",
    "    id: box",
    "    name: ''",
    "  - { id: walk }",
    "permissions: [host.timer, host.nothing]",
    "capabilities: []",
]
COMMENTS = [
    "# manifest: ignore[wrong-type] the host reads numbers",
    "# manifest:disable:next [wrong-type]",
    "# manifest-disable-line",
    "#manifest:ignore[ unknown-permission ]",
    "# manifestkit: ignore[empty-text] granted",
    "# Manifest ignore",
]


def lint(text: str, config: Path | None = None) -> FileResult:
    folder = config.parent if config else Path()
    return manifestkit.lint(text, folder / "app" / "manifest.yaml", config=config)


def told(text: str) -> list[Finding]:
    """What is said of the comments of a text."""
    return [each for each in lint(text).findings if each.rule == "unused-suppression"]


def others(result: FileResult) -> list[tuple[str, str, str | None]]:
    found = (each for each in result.findings if each.rule != "unused-suppression")
    return [(each.rule, each.pointer, each.property) for each in found]


@given(
    st.lists(
        st.tuples(st.sampled_from(["", *COMMENTS]), st.sampled_from(["", *COMMENTS])),
        min_size=len(LINES),
        max_size=len(LINES),
    )
)
def test_comments_change_no_verdict_and_each_is_told_at_its_place(
    comments: list[tuple[str, str]],
) -> None:
    lines = [
        f"{above}\n{line} {behind}" if above else f"{line} {behind}"
        for line, (above, behind) in zip(LINES, comments, strict=True)
    ]
    result, text = lint("\n".join(lines)), "\n".join(lines)
    assert others(result) == others(lint("\n".join(LINES)))
    assert (result.fails, result.suppressed) == (True, ())
    written = [each for pair in comments for each in pair if each]
    marked = [text[slice(*each.location.span)].rstrip() for each in told(text)]
    assert marked == written


@rows(
    ("line", "above", "pointer", "rule"),
    [
        ("schema_version: 1.0", False, "/schema_version", "wrong-type"),
        ("schema_version: 1.0", True, "/schema_version", "wrong-type"),
        ("  name: no", False, "/provider/name", "yaml-ambiguous-scalar"),
        ("  - duration_minutes: '5'", False, "/activities/0/duration_minutes", "wrong-type"),
        ("    name: ''", True, "/activities/0/name", "empty-text"),
        ("  - { id: walk }", True, "/activities/1", "missing-field"),
        ("permissions: [host.timer, host.nothing]", False, "/permissions/1", "unknown-permission"),
        ("permissions: [host.timer, host.nothing]", True, "/permissions/1", "unknown-permission"),
    ],
)
def test_the_entry_suppresses_what_the_comment_is_about(
    line: str, above: bool, pointer: str, rule: str, tmp_path: Path
) -> None:
    comment = f'# manifest: ignore[{rule}] the "host" grants it'
    commented = f"{comment}\n{line}" if above else f"{line} {comment}"
    text = "\n".join(LINES).replace(line, commented)
    (found,) = told(text)
    assert pointer.startswith(found.pointer)
    assert found.severity.value == "warning"
    assert found.message.startswith("a comment suppresses nothing: ")
    members = re.findall(r"`(\w+ = .*?)`(?:,| and|$)", found.help or "")
    config = tmp_path / "manifestkit.toml"
    config.write_text("\n".join(["[[suppress]]", *members]), "utf-8")
    result = lint(text, config)
    hidden = {(each.finding.rule, each.finding.pointer, each.reason) for each in result.suppressed}
    assert hidden == {(rule, pointer, 'the "host" grants it')}
    assert (rule, pointer) not in {each[:2] for each in others(result)}


def test_an_entry_says_what_is_missing() -> None:
    (found,) = told("schema_version: '1.0' # manifest: ignore")
    path = '`path = "manifest.yaml"`, `pointer = "/schema_version"` and `reason ='
    assert found.help == (
        f'write a `[[suppress]]` there with `rule = "RULE"`, {path} "why this is acceptable"`'
    )


@rows(
    "text",
    [
        "x: 'a # manifest: ignore[b] c'",
        "x: |\n  # manifest: ignore[wrong-type] a name",
        "'# manifest: ignore[b] c': x",
        "x: a#manifest: ignore[b] c",
        "x: a # manifest: ignored",
        "x: a # this manifest ignores it",
        "x: a # ignore[wrong-type] c",
    ],
)
def test_what_is_no_such_comment_is_not_told(text: str) -> None:
    assert told(text) == []


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_byte_order_mark_hides_no_comment(mark: str) -> None:
    assert len(told(f"{mark}# manifest: ignore[wrong-type] why\nx: 1")) == 1


def test_json_has_no_comments() -> None:
    result = manifestkit.lint('{"x": "# manifest: ignore[wrong-type] why"}', "manifest.json")
    assert "unused-suppression" not in {each.rule for each in result.findings}


def test_the_rule_can_be_turned_off_and_suppressed_as_any_other(tmp_path: Path) -> None:
    config = tmp_path / "manifestkit.toml"
    text = "x: 1 # manifest: ignore[wrong-type] why"
    entry = 'suppress = [{ rule = "unused-suppression", pointer = "/x", reason = "history" }]'
    for settings in ('ignore = ["unused-suppression"]', entry):
        config.write_text(settings)
        rules = {each.rule for each in lint(text, config).findings}
        assert "unused-suppression" not in rules
