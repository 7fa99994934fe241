"""Hostile YAML: what each text is, and its bytes."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from itertools import pairwise

from hostile_json import Case
from report_cases import GOOD

GOOD_YAML = """\
schema_version: "1.0"
provider:
  id: com.example.box
  name: Box
  version: 1.0.0
runtime:
  entrypoint: urn:example:box
  sdk_version: "1.0"
activities:
  - id: box
    name: Box breathing
permissions: []
capabilities: []
"""
_LETTERS = "abcdefghij"


def yaml_texts() -> Iterator[Case]:
    """Every case, each a file."""
    for number, (what, text) in enumerate(_all(), 1):
        data = text if isinstance(text, bytes) else text.encode()
        yield f"y{number:03}.yaml", what, data


def _all() -> Iterator[tuple[str, str | bytes]]:
    yield from _whole()
    for what, raw in _MEMBERS.items():
        yield what, f"{GOOD_YAML}extra: {raw}\n"
    for what, raw in _TRAPS.items():
        yield what, GOOD_YAML.replace("name: Box\n", f"name: {raw}\n")
    yield from _aliases()
    yield from _deep()
    yield from _large()


def _whole() -> Iterator[tuple[str, str | bytes]]:
    yield "an empty file", ""
    yield "a comment and nothing else", "# nothing"
    yield "a document mark and nothing else", "---\n"
    yield "two document marks", "---\n---\n"
    yield "a manifest", GOOD_YAML
    yield "a manifest in JSON", json.dumps(GOOD)
    yield "a byte order mark", codecs.BOM_UTF8 + GOOD_YAML.encode()
    yield "UTF-16 with a mark", GOOD_YAML.encode("utf-16")
    yield "a byte that is no UTF-8", GOOD_YAML.encode() + b"extra: \xff\n"
    yield "a zero", GOOD_YAML + "extra: \0\n"
    yield "an end mark", GOOD_YAML + "...\n"
    yield "text behind the end mark", GOOD_YAML + "...\nmore\n"
    yield "two documents", f"{GOOD_YAML}---\n{GOOD_YAML}"
    yield "a second document that is empty", GOOD_YAML + "---\n"
    yield "YAML 1.1", f"%YAML 1.1\n---\n{GOOD_YAML}"
    yield "YAML 1.2", f"%YAML 1.2\n---\n{GOOD_YAML}"
    yield "YAML 9.9", f"%YAML 9.9\n---\n{GOOD_YAML}"
    yield "two YAML directives", f"%YAML 1.2\n%YAML 1.2\n---\n{GOOD_YAML}"
    yield "a tag directive", f"%TAG !e! tag:example.com,2026:\n---\n{GOOD_YAML}extra: !e!x 1\n"
    yield "a reserved directive", f"%FOO bar\n---\n{GOOD_YAML}"
    yield "a directive without a document", "%YAML 1.2\n"
    yield "a tab for indentation", GOOD_YAML.replace("  id: com", "\tid: com")
    yield "a tab behind the indentation", GOOD_YAML.replace("  id: com", "  \tid: com")
    yield "bad indentation", GOOD_YAML.replace("  name: Box\n", "   name: Box\n")
    yield "line ends of an old Mac", GOOD_YAML.replace("\n", "\r")
    yield "line ends of Windows", GOOD_YAML.replace("\n", "\r\n")
    yield "next lines (U+0085)", GOOD_YAML.replace("\n", "\x85")
    yield "line separators (U+2028)", GOOD_YAML.replace("\n", "\u2028")
    yield "no space behind the colons", GOOD_YAML.replace(": ", ":")
    yield "a list", "- a\n- b\n"
    yield "a text", "just a text\n"
    yield "a conflict of git", f"<<<<<<< ours\n{GOOD_YAML}=======\n>>>>>>> theirs\n"
    yield "JSON with comments", json.dumps(GOOD, indent=1).replace("{", "{ # c", 1)
    yield "JSON with single quotes", json.dumps(GOOD).replace('"', "'")
    yield "JSON with a trailing comma", json.dumps(GOOD)[:-1] + ",}"
    yield "cut off in a flow", json.dumps(GOOD)[:-2]
    yield "cut off in a quoted text", GOOD_YAML + 'extra: "text'
    yield "cut off behind a key", GOOD_YAML + "extra"
    yield "cut off behind an escape", GOOD_YAML + 'extra: "\\'
    yield "a template", GOOD_YAML.replace("Box breathing", "{{ name }}")
    yield "a member given twice", GOOD_YAML + "schema_version: '2'\n"
    yield "a member given twice, once in quotes", GOOD_YAML + '"schema_version": "2"\n'


_MEMBERS = {
    "a tag for a Python object": "!!python/object/apply:os.system ['id']",
    "a tag for a Python name": "!!python/name:os.system",
    "a tag for a Ruby object": "!ruby/object:Gem::Installer {i: x}",
    "a tag for a Java class": '!!javax.script.ScriptEngineManager [!!java.net.URL ["http://x"]]',
    "a tag of one's own": "!secret x",
    "a verbatim tag": "!<tag:example.com,2026:x> y",
    "a verbatim core tag": "!<tag:yaml.org,2002:str> 1",
    "the tag that means none": "! 1",
    "a core tag that fits": "!!str 1",
    "a core tag that does not fit": "!!int x",
    "a tag for binary data": "!!binary aGk=",
    "a tag for a set": "!!set {a, b}",
    "a tag for ordered members": "!!omap [a: 1]",
    "a tag for a time": "!!timestamp 2026-11-20",
    "a tag handle that is not declared": "!e!x y",
    "two tags": "!!str !!str x",
    "an anchor without a use": "&a x",
    "two anchors": "&a &b x",
    "an anchor given twice": "[&a x, &a y, *a]",
    "an alias": "[&a x, *a]",
    "an alias of nothing": "*a",
    "an alias with a tag": "[&a x, !!str *a]",
    "an alias of itself": "&a [*a]",
    "an alias of itself, further down": "&a {b: [{c: *a}]}",
    "a key that is an alias": "{&a x: 1, *a : 2}",
    "a merge key": "{<<: {a: 1}}",
    "a merge key in quotes": '{"<<": {a: 1}}',
    "the value key": "{=: 1}",
    "a key that is a list": "{[a]: 1}",
    "a key that is a mapping": "{{a: b}: 1}",
    "a key that is a number": "{1: 2}",
    "a key that is null": "{~: 2}",
    "a key that is true": "{true: 2}",
    "a key that is empty": "{: 2}",
    "a key that is given explicitly": "\n  ? a\n  : b",
    "a key over several lines": "\n  ? |\n    a\n  : b",
    "not a number": ".nan",
    "infinity": "-.inf",
    "5,000 digits": "9" * 5_000,
    "5,000 hexadecimal digits": "0x" + "f" * 5_000,
    "5,000 octal digits": "0o" + "7" * 5_000,
    "beyond a double": "1e400",
    "a lone surrogate": r'"\ud800"',
    "a pair of surrogates": r'"\ud83d\ude00"',
    "a zero, escaped": r'"\0"',
    "an escape, escaped": r'"\e[31m"',
    "an escape, raw": "\x1b[31m",
    "a C1 control, raw": "a\x9bb",
    "a delete, raw": "a\x7fb",
    "a next line in a text": "a\x85b",
    "a bidi override": "a\u202eb",
    "a byte order mark in a text": "a\ufeffb",
    "an escape that is none": r'"\q"',
    "an escape beyond U+10FFFF": r'"\UFFFFFFFF"',
    "a quoted text of 1 MB": "'" + "x" * 1_000_000 + "'",
    "a plain text of 1 MB": "x" * 1_000_000,
    "a block of text of 1 MB": "|\n" + ("  " + "x" * 98 + "\n") * 10_000,
    "a block of text with a digit that lies": "|9\n  text",
    "a block of text with two signs": "|++\n  text",
    "a block of text with a tab": "|\n\ttext",
    "a folded text": ">-\n  a\n\n  b",
    "a reserved sign": "@text",
    "a backquote": "`text`",
    "a percent sign": "%text",
    "a mapping in a line": "a: b: c",
    "a list in a line": "- a",
    "a closing bracket too many": "[]]",
    "a bracket that does not match": "[a}",
    "a comment without a space": "[a]#c",
    "a comment in a flow": "[a, # c\n  b]",
    "a flow that ends at the left": "[\na\n]",
    "two commas": "[a,,b]",
    "a trailing comma": "[a, b,]",
    "a pair in a list": "[a: 1, b: 2]",
    "a question mark": "?",
    "a dash": "-",
    "a tab for a space": "\ttext",
}

_TRAPS = {
    f"{word}, which others read as something else": word
    for word in (
        *("no", "yes", "on", "off", "y", "N", "True", "NULL", "~", "null", "=", "<<"),
        *("2026-11-20", "2026-11-20T10:00:00Z", "1:30", "190:20:30", "010", "0o10", "0x1F"),
        *("0b1", "1_000", ".5", "5.", "1e3", "+1", "-0", "1.10", "685_230.15", ".inf", ".NaN"),
        *("1,000", "0.", "0x", "12e03"),
    )
}


def _aliases() -> Iterator[tuple[str, str]]:
    bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{new}: &{new} [{','.join(['*' + old] * 9)}]\n" for old, new in pairwise(_LETTERS)
    )
    yield "a bomb of aliases", bomb
    yield (
        "a bomb of aliases, in objects",
        "a: &a {x: 1}\n"
        + "".join(
            f"{new}: &{new} {{{', '.join(f'k{n}: *{old}' for n in range(9))}}}\n"
            for old, new in pairwise(_LETTERS)
        ),
    )
    yield (
        "a bomb of merge keys",
        "- &m0 {k: v}\n"
        + "".join(f"- &m{n + 1}\n  <<: [{', '.join([f'*m{n}'] * 9)}]\n" for n in range(30)),
    )
    yield (
        "a ladder of aliases",
        "- &a0 [x]\n" + "".join(f"- &a{n + 1} [*a{n}]\n" for n in range(5_000)),
    )
    yield "one anchor, 10,001 aliases", "a: &a x\nb:\n" + "  - *a\n" * 10_001
    yield "50,000 anchors", "".join(f"- &a{n} x\n" for n in range(50_000))
    yield "an anchor of 1 MB", f"a: &{'n' * 1_000_000} x\n"
    yield "a big text, repeated", f"a: &a {'x' * 100_000}\nb: [{', '.join(['*a'] * 9_000)}]\n"


def _deep() -> Iterator[tuple[str, str]]:
    yield "100,000 lists in flow, none closed", "[" * 100_000
    yield "100,000 lists in flow", "[" * 100_000 + "]" * 100_000
    yield "100,000 mappings in flow", "{a: " * 100_000 + "}" * 100_000
    yield "100,000 lists in block", "- " * 100_000 + "x\n"
    yield "100,000 explicit keys", "? " * 100_000 + "x\n"
    yield "2,000 mappings in block", "".join(f"{' ' * n}a:\n" for n in range(2_000))
    yield "as deep as may be", GOOD_YAML + "extra: " + "[" * 199 + "]" * 199
    yield "one deeper than may be", GOOD_YAML + "extra: " + "[" * 200 + "]" * 200
    yield "deep where a string is due", f"schema_version: {'[' * 150}{']' * 150}\n"
    yield "100,000 blanks before a key", " " * 100_000 + "a: b\nc: d\n"


def _large() -> Iterator[tuple[str, str]]:
    wrong = "permissions:\n" + "  - nonsense\n" * 20_000
    yield "20,000 findings", GOOD_YAML.replace("permissions: []\n", wrong)
    ambiguous = "permissions:\n" + "  - no\n" * 20_000
    yield "20,000 traps", GOOD_YAML.replace("permissions: []\n", ambiguous)
    yield "20,000 tags", "".join(f"- !x {n}\n" for n in range(20_000))
    yield "100,000 open quotes", '- "\n' * 100_000
    yield "100,000 colons in a line", "a: b: " * 100_000
    yield "100,000 question marks", "? a\n" * 100_000
    yield "100,000 comments", "# c\n" * 100_000 + GOOD_YAML
    yield "1 MB of blanks in a comment", f"{GOOD_YAML}# manifest{' ' * 1_000_000}x ignore\n"
    yield "50,000 suppressions that end nowhere", GOOD_YAML + "# manifest: ignore[ " * 50_000
    yield "1,000,000 rules in a comment", f"{GOOD_YAML}# manifest: ignore[{',' * 1_000_000}]\n"
    yield "50,000 suppressions of a line", "# manifest: ignore[x] y\n" * 50_000 + GOOD_YAML
    yield "100,000 document marks", "---\n" * 100_000
    yield "one key, 50,000 times", "a: 1\n" * 50_000
    yield "20,000 keys", "".join(f"k{n}: v\n" for n in range(20_000))
    yield "keys that grow", "".join(f"{'k' * n}: v\n" for n in range(1, 1_400))
    yield "a flow over 100,000 lines", "a: [\n" + " x,\n" * 100_000 + " ]\n"
    yield "a plain text over 100,000 lines", "a: x\n" + " x\n" * 100_000
    yield "100,000 empty lines in a text", "a: x\n" + "\n" * 100_000 + " y\n"
    yield "100,000 brackets that close", "a: " + "]" * 100_000
    yield "a key of 1 MB", f"{'k' * 1_000_000}: v\n"
    yield "more values than may be", "- x\n" * 600_001
    yield "a line of 2 MB", f"{GOOD_YAML}extra: [{', '.join(['x' * 98] * 20_000)}]\n"
    yield "100,000 signs of a block of text", "a: " + "|" * 100_000
    yield "100,000 ampersands", "a: " + "&" * 100_000
    yield "100,000 exclamation marks", "a: " + "!" * 100_000
    yield "100,000 asterisks", "a: " + "*" * 100_000
    yield "1 MB of escapes that are none", 'a: "' + "\\q" * 500_000 + '"'
    yield "1 MB of quotes", "a: '" + "''" * 500_000 + "'"
