"""Texts that mean something to a terminal, a build service, a browser or a reader of XML.

Each is put in the name of a file, of a member, in values, ids, the source, what a profile says, a
configuration and an argument; no output may let one of them act.
"""

from __future__ import annotations

INJECTIONS: dict[str, str] = {
    # GitHub Actions, Azure Pipelines, TeamCity, GitLab, Buildkite, Travis
    "a command of GitHub": "::error::forged",
    "a command of GitHub behind space": " \t::warning file=x,line=1::forged",
    "a command of GitHub on its own line": "b\n::error file=x::forged.json",
    "a command of GitHub after a return": "b\r::add-mask::a\r",
    "an end of commands for GitHub": "\n::stop-commands::x\n",
    "an output for GitHub": "\n::set-output name=a::b",
    "an old command of GitHub": "##[error]forged",
    "one of them on its own line": "c\r\n##[group]forged",
    "escapes of GitHub": "a%0A::error ::x,y:z%25%3A%2C",
    "a command of Azure": "##vso[task.setvariable variable=x]y",
    "a command of Azure in a line": "a ##vso[task.complete result=Succeeded;]b",
    "a command of TeamCity": "##teamcity[buildStatus status='SUCCESS']",
    "a section of GitLab": "section_start:1:x\r\x1b[0Kforged",
    "a group of Buildkite": "\n--- forged\n^^^ +++",
    "a fold of Travis": "travis_fold:start:x\r",
    "another finding": "x.json:1:1: error wrong-type forged\ny.json:1:1: error",
    # terminals
    "colours": "d\x1b[31mred\x1b[0m",
    "a cleared screen": "\x1b[2J\x1b[H\x1bc",
    "a title": "\x1b]0;forged\x07",
    "a link of a terminal": "\x1b]8;;https://example.com\x1b\\here\x1b]8;;\x1b\\",
    "the clipboard": "\x1b]52;c;ZXZpbA==\x07",
    "a request that a terminal answers": '\x1b[6n\x1bP$q"p\x1b\\\x05',
    "C1 controls": "\x9b31m\x9d0;forged\x9c\x85\x90",
    "backspaces": "bad\b\b\bgood\x7f",
    "returns to the start of the line": "error\rnothing wrong",
    "bells, tabs and feeds": "\x07\t\v\f",
    "a zero": "a\x00b",
    "line ends of Unicode": "a\u2028b\u2029c\x85d",
    # what is seen
    "bidi overrides": "\u202egpj.\u2066tcerid",
    "bidi marks": "\u200e\u200f\u061c\u2069",
    "nothing to see": "a\u200bb\u2060c\ufeffd\u00ade\u180ef",
    "letters without a shape": "a\u3164\u115f\u1160\uffa0\u17b4\u17b5\u034f",
    "a text in tags": "a\U000e0041\U000e0042\U000e007f",
    "notes between lines": "\ufff9a\ufffab\ufffb",
    "letters of two parts": "😀é\u0301" * 60,
    "many marks on one letter": "a" + "\u0301" * 200,
    # HTML, XML, JSON
    "HTML": "<img src=x onerror=alert(1)>",
    "the end of a script": "</script><script>alert(1)</script>",
    "the end of what is folded": "`</details><script>alert(1)</script>`",
    "the ends of comments and sections": "--> -- <!-- x ]]> <![CDATA[",
    "entities": "&amp;&lt;&#x1b;&lol9;'\"",
    "what is no character of XML": "\ufffe\uffff",
    "a half of a pair": "lone\ud800",
    "a byte that is no UTF-8": "raw\udcff byte",
    "quotes and backslashes": "\\`\\\"'\\u001b",
    "a backslash": "\\",
    # Markdown
    "a picture of Markdown": "![x](https://example.com/x.png)",
    "a link of Markdown": "[a](http:b) ](http://x)",
    "mentions": "@everyone @org/team",
    "what a forge makes links of": "www.example.com http://a.b/ user@example.com #1 GH-1 !1",
    "ticks": "`tick``ticks```",
    "a table": "|a|b|\n|-|-|",
    "a heading and a list": "\n# forged\n\n- [x] forged",
    "a tilde fence": "\n~~~\nforged",
    # names and addresses
    "a drive": "c:/d:e",
    "an absolute path": "/absolute/f:g",
    "a path upwards": "../../../etc/passwd",
    "an address": "https://user:secret@example.com/?a=b#c",
    "an address that runs": "javascript:alert(1)",
    "a formula": '=HYPERLINK("http://example.com")',
    "a format": "%s{0}${x}$(id)`id`{{x}}<%=x%>",
    "a leading dash": "--output-format=json",
    "nothing": "",
    "a space": " ",
}
"""By what they are."""
