"""No text of a stranger acts in Markdown, as GitHub and GitLab read it."""

from __future__ import annotations

import json
import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import manifestkit
from command import CLEAN, EXAMPLES
from in_process import manifest_here
from manifestkit import Report
from manifestkit.rendering.escape import code, prose
from readers import rendered
from rows import rows

_READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
_INERT = {"text", "code_inline", "softbreak"}

# What a forge looks for in plain text, after Markdown: docs.github.com "Autolinked references and
# URLs", docs.gitlab.com "GitLab-specific references", and the extended autolinks of GFM.
_REFERENCE = re.compile(
    r"(?i)@\w|[#!$%&~^*]\w|gh-\d|[a-z]+-\d|\b[0-9a-f]{7,40}\b|\bwww\.|\w+://|mailto:|:\w+:|\[\w+:"
)


def outside_code(markdown: str) -> str:
    """The plain text of one line of Markdown; anything else but code in it is an error."""
    tokens = _READER.parse(f"- ❌ **1:1** {markdown} <sub>x</sub>\n")
    inline = [child for each in tokens for child in each.children or ()][4:]
    assert [each.type for each in inline[-3:]] == ["html_inline", "text", "html_inline"], inline
    assert {each.type for each in inline[:-3]} <= _INERT, inline
    return "\0".join(each.content for each in inline[:-3] if each.type == "text")


_ACTIVE = [
    *(
        "GH-1",
        "deadbeef1",
        "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "@octocat",
        "#1",
        "!1",
        "%1",
    ),
    *("octo/repo#1", "https://x.example", "www.x.example", "a@b.example", ":+1:", "JIRA-7", "~bug"),
    *(
        "<b>",
        "<!--",
        "[a](b)",
        "![a](b)",
        "|",
        "*",
        "_",
        "~~",
        "\\",
        "&amp;",
        "$x$",
        "^",
        "-",
        "1.",
    ),
]
_STRANGE = st.lists(
    st.sampled_from([*_ACTIVE, "`", "``", "```", " ", "  ", "a", "é", "\n", "\u202e"]), max_size=12
).map("".join)


@given(st.lists(_STRANGE, max_size=4).map(" ".join))
def test_a_sentence_has_nothing_active_outside_code(text: str) -> None:
    assert not _REFERENCE.search(outside_code(prose(text)))


@given(st.text(max_size=60))
def test_nothing_is_lost(text: str) -> None:
    shown = _READER.renderInline(code(text, 1000))
    assert shown.startswith("<code>")
    assert shown.endswith("</code>")


@given(_STRANGE)
def test_a_value_in_ticks_stays_in_code(value: str) -> None:
    result = manifestkit.lint(json.dumps({"permissions": [value], value: value}), f"{value}.json")
    for line in rendered(Report((result,)), "markdown").splitlines():
        text = re.sub(r"<details>|</?sub>|</?summary>|</details>|<!-- manifestkit -->", "", line)
        tokens = _READER.parse(text)
        inline = [child for each in tokens for child in each.children or ()]
        assert not [each for each in inline if each.type in {"html_inline", "image", "link_open"}]
        plain = "\0".join(each.content for each in inline if each.type == "text")
        plain = re.sub(r"^\d+:\d+$|\0\d+:\d+\0", "\0", plain)
        assert not _REFERENCE.search(plain), line


@rows("value", ["`GH-1`", "`deadbeef1`", "a`GH-1`b", "``GH-1", "%1", "JIRA-7"])
def test_a_reference_does_not_leave_its_code(value: str) -> None:
    said = f"`{value}` is not a permission"
    assert not _REFERENCE.search(outside_code(prose(said)))
    assert "is not a permission" in prose(said)


def test_a_sentence_of_ours_stays_a_sentence() -> None:
    for said in ("did you mean `profile.basic`?", "a text, 50% of it: (yes; no)"):
        assert prose(said).replace("`50%`", "50%") == said
    assert prose("name it *.x, y or *.z; or") == "name it `*.x`, y or `*.z`; or"


def test_a_table_of_rules_has_all_of_each_requirement(tmp_path: Path) -> None:
    bundled = EXAMPLES / "profiles" / "capabilities-need-permissions.schema.json"
    profile = json.loads(bundled.read_text("utf-8"))
    (table,) = profile["properties"]["capabilities"]["x-manifestkit"]["needs"].values()
    values = [f"value-{number}" for number in range(200)]
    profile["properties"]["x-listed"] = {"enum": values, "x-manifestkit": {"rule": "listed"}}
    (tmp_path / "host.json").write_text(json.dumps(profile))
    options = ("--output-format=markdown", "--profile=host.json")
    page = manifest_here("explain", *options, cwd=tmp_path).out
    needs = [f"`{name}` needs `{needed}`" for name, (needed,) in table.items()]
    for rule, told in (("listed", values), ("permission-for-capability", needs)):
        row = next(line for line in page.splitlines() if f"`{rule}`" in line)
        assert [each for each in told if each not in row] == []
        about = manifest_here("explain", rule, "--profile=host.json", cwd=tmp_path).out
        assert [each for each in told if each not in " ".join(about.split())] == []


def test_a_table_of_rules_keeps_its_columns(tmp_path: Path) -> None:
    title = "a | b <img src=x> @me `c|d` GH-1"
    profile = {"x-manifestkit": {"rule": "host-rule"}, "title": title, "minProperties": 1}
    (tmp_path / "host.json").write_text(json.dumps(profile))
    listed = manifest_here(
        "explain", "--output-format=markdown", "--profile=host.json", cwd=tmp_path
    )
    assert listed.code == CLEAN
    row = next(line for line in listed.out.splitlines() if "host-rule" in line)
    html = _READER.render(f"| a | b | c |\n| - | - | - |\n{row}\n")
    assert html.count("<td>") == 3
    assert "<img" not in html
    cell = html.split("<td>")[-1]
    assert not _REFERENCE.search(re.sub(r"<code>.*?</code>|<[^>]*>", "", cell))
