"""Manifests in YAML, and scraps of such, with something odd in them."""

from __future__ import annotations

import json
from random import Random

_MANIFEST = """\
schema_version: "1.0"
provider:
  id: com.example.box
  name: 'Box Breathing'  # shown to people
  version: 1.2.3
  homepage: https://example.com/a?b=c#d

runtime: {entrypoint: dist/index.js, sdk_version: "1.0"}
activities:
- id: box
  name: Box
  description: >-
    Four counts
    each way

    again
  duration_minutes: 5
  ratio: -1.5
- id: two
  text: |
    one
     two
  surfaces: [phone, "watch", 'tv']
  note: a text
    of two lines
  open: true
  none: ~
permissions: [
  host.clock,
  host.audio
  ]
capabilities: []
x-list:
  - - a
    - b
  - ? key
    : value
"""
_CHARACTERS = "ab01279_.:-+eExoTZnyYN ~=<>#,[]{}?!&*'\"|%@`\t\\/()$^;é"
_ODD_CHARACTERS = "\t\x7f\x85\xa0\u2028\u2029\ufeff\x01\x1b\x9f\ud800\U0001f600\ufffe"
_SCALARS = [
    *("no", "on", "y", "N", "yes", "Off", "true", "True", "TRUE", "tRue", "~", "null", "Null", ""),
    *(
        "1",
        "+1",
        "-1",
        "-0",
        "00",
        "010",
        "08",
        "0o7",
        "-0o7",
        "+0o7",
        "0x1F",
        "-0x1f",
        "0b1",
        "_1",
    ),
    *("1_0", "1__0", "0_", "1_", "_", "1.", ".5", "-.5", "+.5", "._5", "1_0.5", "1.5_0", "1e3"),
    *("1.5e3", "1.5e+3", "1e+3", "1E-3", ".5e1", ".5e+1", ".", "..", "-", "--", "+", "-.", ".e1"),
    *("1:30", "1:30.5", "-1:30", "01:30", "1:60", "190:20:30", "1:30:", "0:0", "12:30:45", "1:3e1"),
    *("2026-11-20", "2026-1-5", "2026-13-40", "2026-11-20T10:00:00Z", "2026-11-20 10:00:00"),
    *("2026-1-5 1:00:00", "2026-11-20t10:00:00.5 +01:00", "2026-11-20\n    10:00:00", "2026-11"),
    *(
        "=",
        "<<",
        "<",
        "<<:",
        "!",
        "! no",
        "! 12",
        "!!int 010",
        "!!str 1",
        "!!int 0o7",
        "!!bool yes",
    ),
    *(
        "!!float 1",
        "!!null ~",
        "!!str",
        "!x a",
        "!!binary aGk=",
        "!!set {a}",
        "!!timestamp 2026-01-01",
    ),
    *(
        "!!float .5",
        "!!float 1e3",
        "!!int -1",
        "!!int 0x1F",
        "!!str no",
        "!!bool true",
        "!!null ''",
    ),
    *(
        "&a b",
        "*a",
        "&a",
        "& a",
        "?a",
        ":a",
        "-a",
        "a:b",
        "a#b",
        "a: b",
        "a #b",
        "a?b",
        "a,b",
        "a[b",
    ),
    *(
        "'it''s'",
        '"a\\/b"',
        '"\\x41"',
        '"\\u00e9"',
        '"\\ud83d\\ude00"',
        '"\\U0001F600"',
        '"\\e\\_\\N"',
    ),
    *(
        "'a\n    b'",
        '"a\n    b"',
        '"a \\\n    b"',
        "|\n    a",
        ">\n    a\n    b",
        "|2\n      a",
        "|+\n    a\n",
    ),
    *(
        "[a]",
        "[?a]",
        "[a?]",
        "[a, b,]",
        "[,]",
        "{a}",
        "{a: b}",
        "{a: b,}",
        "{a:b}",
        '{"a":b}',
        "[a: b]",
    ),
    *(
        "[? a]",
        "{? a: b}",
        "[[a], {b: c}]",
        "[\n    a\n    ]",
        "[\n  a\n  ]",
        "{a\n    : b}",
        "{}",
        "[ ]",
    ),
    *("__proto__", "constructor", "9007199254740993", "1" * 25, "1e400", "-1e-400", ".inf", ".NaN"),
    *(
        "@a",
        "`a",
        "%a",
        "|",
        ">",
        "> a",
        "a\tb",
        "a \t",
        "\ta",
        "- a",
        "? a",
        "a:",
        "a:\tb",
        "http://x/?a",
    ),
    *(
        "0x",
        "0o",
        "0b",
        "0o8",
        "0x_1",
        "0b_1",
        "0.",
        "-1.",
        "+1.5",
        "1.e5",
        "1.e+5",
        "0e0",
        "00.5",
        "0_7",
    ),
]
_SCRAPS = [
    *(
        "\n",
        " ",
        "  ",
        "\n  ",
        "\t",
        "\r\n",
        "\r",
        " #",
        "# c\n",
        "\n\n",
        "- ",
        "-",
        "? ",
        ": ",
        ":",
    ),
    *(
        "[",
        "]",
        "{",
        "}",
        ",",
        '"',
        "'",
        "''",
        "\\",
        "|",
        ">",
        "&a ",
        "*a",
        "!",
        "!!str ",
        "! ",
        "<<: ",
    ),
    *(
        "%",
        "@",
        "---\n",
        "\n---\n",
        "--- ",
        "\n...\n",
        "%YAML 1.2\n---\n",
        "\ufeff",
        "\x85",
        "\u2028",
    ),
    *(
        "\t# c",
        " \n",
        "\n#c\n",
        ": &a\n",
        "~",
        "?",
        "#",
        "a: ",
        "\n  b: ",
        "[a, b]",
        "{a: b}",
        '"a": ',
    ),
]


def odd_text(random: Random) -> str:
    """A manifest or a scrap of one, with something odd in it."""
    if random.random() < 0.45:
        return _spoilt(random, _scrap(random))
    lines = _MANIFEST.splitlines(keepends=True)
    start = random.randrange(len(lines))
    text = "".join(lines if random.random() < 0.2 else lines[start : start + random.randint(1, 8)])
    for _ in range(random.choice([1, 1, 2, 3])):
        text = random.choice([_put_value, _put_key, _spoilt, _move_line])(random, text)
    return text


def odd_scalar(random: Random) -> str:
    """A scalar that someone may read otherwise than someone else."""
    if random.random() < 0.6:
        return random.choice(_SCALARS)
    return _characters(random, random.randint(1, 7))


def _characters(random: Random, count: int) -> str:
    of = _CHARACTERS if random.random() < 0.8 else _CHARACTERS + _ODD_CHARACTERS
    made = "".join(random.choice(of) for _ in range(count))
    return random.choice([made, made, made, f'"{made}"', f"'{made}'"])


def _scrap(random: Random) -> str:
    one, two, three = (odd_scalar(random) for _ in range(3))
    return random.choice(
        [
            f"k: {one}\n",
            f"k: {one}\nl: {two}\n",
            f"{one}: {two}\n",
            f"- {one}\n- {two}\n",
            f"k: [{one}, {two}]\n",
            f"k: {{{one}: {two}, l: {three}}}\n",
            f"{{{one}: {two}}}\n",
            f"? {one}\n: {two}\n",
            f"k:\n- {one}: {two}\n  l: {three}\n",
            f"k:\n  {one}\nl: {two}",
            f"k: &a {one}\nl: *a\n",
            f"k: |\n  {one}\n  {two}",
            f"k: >\n  {one}\n\n  {two}\n",
            f'k: "{one}\n  {two}"\n',
            f"{{k: {one}}}\n",
            f"k: {{{one}, {two}: }}\n",
            f"k: [{one}: {two}, {{{three}}}]\n",
            f"k:\n  [{one}\n  , {two}\n  ]\n",
            f"k: >-\n    {one}\n  {two}\n# c\nl: {three}\n",
            f"{one}: # c\n  - {two}\n  # d\n  - {three}\n",
            f"--- # c\nk: {one}\n...\n",
            f"k: !!str {one}\nl: &b {two}\n*b : {three}\n",
            f"? {one}\n? |\n  {two}\n: - {three}\n",
            f"k: {one}\r\nl: |\r\n  {two}\r\n",
            json.dumps({one: [two, {three: 1.5e3}]}, indent=random.choice([None, 1, "\t"])),
        ]
    )


def _spoilt(random: Random, text: str) -> str:
    for _ in range(random.choice([0, 1, 1, 2])):
        start = random.randint(0, len(text))
        end = min(len(text), start + random.choice([0, 0, 0, 1, 1, 3]))
        put = random.choice([random.choice(_SCRAPS), _characters(random, 1), ""])
        text = text[:start] + put + text[end:]
    return text


def _put_value(random: Random, text: str) -> str:
    lines = text.splitlines(keepends=True)
    number = random.randrange(len(lines)) if lines else 0
    head, colon, _ = lines[number].partition(": ") if lines else ("", "", "")
    if colon:
        lines[number] = f"{head}: {odd_scalar(random)}\n"
    return "".join(lines)


def _put_key(random: Random, text: str) -> str:
    lines = text.splitlines(keepends=True)
    number = random.randrange(len(lines)) if lines else 0
    head, colon, tail = lines[number].partition(":") if lines else ("", "", "")
    if colon:
        indent = head[: len(head) - len(head.lstrip(" -"))]
        lines[number] = f"{indent}{odd_scalar(random)}:{tail}"
    return "".join(lines)


def _move_line(random: Random, text: str) -> str:
    lines = text.splitlines(keepends=True)
    if not lines:
        return text
    number = random.randrange(len(lines))
    line = lines[number]
    lines[number] = random.choice(
        [" " + line, "  " + line, line[1:], line + line, line.rstrip("\n")]
    )
    return "".join(lines)
