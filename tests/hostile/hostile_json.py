"""Hostile JSON: what each text is, and its bytes."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from typing import Any

from report_cases import GOOD, GOOD_TEXT

Case = tuple[str, str, bytes]
"""A file's name, what it is, and its content."""

_HEAD = GOOD_TEXT.removesuffix("\n}")


def with_member(raw: str | bytes) -> bytes:
    """A valid manifest with one member more, on its last line but one."""
    value = raw.encode() if isinstance(raw, str) else raw
    return f'{_HEAD},\n  "extra": '.encode() + value + b"\n}\n"


def json_texts() -> Iterator[Case]:
    """Every case, each a file."""
    for number, (what, data) in enumerate(_all(), 1):
        yield f"j{number:03}.json", what, data


def _all() -> Iterator[tuple[str, bytes]]:
    yield from _empty()
    yield from _encodings()
    yield from _deep()
    yield from _numbers()
    yield from _strings()
    yield from _grammar()
    yield from _truncated()
    yield from _members()
    for what, text in _large():
        yield what, text.encode()
    for what, item in _wrong_items():
        yield what, json.dumps({**GOOD, "activities": item}).encode()


def _empty() -> Iterator[tuple[str, bytes]]:
    yield "an empty file", b""
    yield "a line end", b"\n"
    yield "white space of all four kinds", b" \t\r\n" * 100
    yield "a byte order mark and nothing else", codecs.BOM_UTF8
    yield "a form feed, which is no white space", b"\f"
    yield "a no-break space around a manifest", f"\u00a0{GOOD_TEXT}".encode()
    yield "null", b"null"
    yield "a string for a manifest", b'"manifest"'
    yield "an array of manifests", f"[{GOOD_TEXT}, {GOOD_TEXT}]".encode()
    yield "YAML in a file for JSON", b"schema_version: '1.0'\nprovider: {}\n"
    yield "a manifest", GOOD_TEXT.encode()


def _encodings() -> Iterator[tuple[str, bytes]]:
    text = GOOD_TEXT.replace("Box breathing", "Bóx 坐禅 😀")
    yield "UTF-8 with a byte order mark", codecs.BOM_UTF8 + text.encode()
    yield "two byte order marks", codecs.BOM_UTF8 * 2 + text.encode()
    yield "a byte order mark between tokens", with_member("\ufeff1")
    yield "a byte order mark in a string", with_member('"\ufeff"')
    for name in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"):
        order = {"le": "little", "be": "big"}[name[-2:]]
        mark = getattr(codecs, f"BOM_{name[:-3].replace('-', '').upper()}_{name[-2:].upper()}")
        yield f"{name[:6].upper()}, {order}-endian, with a mark", mark + text.encode(name)
        yield f"{name[:6].upper()}, {order}-endian, without a mark", text.encode(name)
    yield "UTF-7", text.encode("utf-7")
    yield "Latin-1", text.encode("latin-1", errors="replace")
    yield "Windows-1252", with_member('"„quoted“"'.encode("cp1252"))
    yield "EBCDIC", text.encode("cp500", errors="replace")
    yield "gzip", bytes.fromhex("1f8b0800000000000003abae05004353") + b"\x00" * 8
    for what, data in {
        "a lone continuation byte": b"\x80",
        "a sequence of two bytes cut short": b"\xc3",
        "a sequence of three bytes cut short": b"\xe2\x82",
        "a sequence of four bytes cut short": b"\xf0\x9f\x98",
        "an overlong slash": b"\xc0\xaf",
        "an overlong zero": b"\xc0\x80",
        "an overlong slash of three bytes": b"\xe0\x80\xaf",
        "an overlong quote of four bytes": b"\xf0\x80\x80\xa2",
        "a raw high surrogate": b"\xed\xa0\x80",
        "a raw pair of surrogates (CESU-8)": b"\xed\xa0\xbd\xed\xb8\x80",
        "a character beyond U+10FFFF": b"\xf4\x90\x80\x80",
        "a sequence of five bytes": b"\xf8\x88\x80\x80\x80",
        "a byte that is never UTF-8": b"\xff",
    }.items():
        yield what, with_member(b'"' + data + b'"')
    yield "a byte that is no UTF-8 after the end", GOOD_TEXT.encode() + b"\xff"
    yield "all bytes there are", bytes(range(256))


def _deep() -> Iterator[tuple[str, bytes]]:
    yield "100,000 arrays, none closed", b"[" * 100_000
    yield "100,000 arrays", b"[" * 100_000 + b"]" * 100_000
    yield "100,000 objects, none closed", b'{"a":' * 100_000
    yield "100,000 objects", b'{"a":' * 100_000 + b"1" + b"}" * 100_000
    yield "arrays and objects by turns, 100,000", b'[{"a":' * 50_000 + b"1" + b"}]" * 50_000
    yield "100,000 arrays in a member", with_member("[" * 100_000 + "]" * 100_000)
    yield "as deep as may be", with_member("[" * 199 + "]" * 199)
    yield "one deeper than may be", with_member("[" * 200 + "]" * 200)
    yield "100,000 closing brackets", b"]" * 100_000
    yield "deep where a string is due", f'{{"schema_version": {"[" * 150}{"]" * 150}}}'.encode()


def _numbers() -> Iterator[tuple[str, bytes]]:
    for what, raw in {
        "an integer of 1,000 digits": "9" * 1_000,
        "an integer of 5,000 digits": "9" * 5_000,
        "a negative integer of 5,000 digits": "-" + "9" * 5_000,
        "an integer of 1,000,000 digits": "9" * 1_000_000,
        "a fraction of 5,000 digits": "0." + "3" * 5_000,
        "an exponent of 5,000 digits": "1e" + "9" * 5_000,
        "beyond a double": "1e400",
        "beyond a double, downwards": "-1e400",
        "so small that it is nothing": "1e-400",
        "a huge exponent of nothing": "0e999999999",
        "the largest double": "1.7976931348623157e308",
        "the smallest double": "5e-324",
        "an integer that no double holds": "9007199254740993",
        "minus nothing": "-0",
        "minus nothing, as a fraction": "-0.0",
        "NaN": "NaN",
        "Infinity": "Infinity",
        "-Infinity": "-Infinity",
        "a leading plus": "+1",
        "a leading zero": "01",
        "a leading point": ".5",
        "a trailing point": "1.",
        "an exponent without digits": "1e",
        "an exponent with a sign only": "1e+",
        "a minus alone": "-",
        "hexadecimal": "0x1F",
        "digits of another script": "١٢٣",
        "digits in full width": "\uff11",
        "digits with underscores": "1_000",
        "a fraction sign": "½",
    }.items():
        yield what, with_member(raw)
    yield (
        "5,000 digits where a string is due",
        GOOD_TEXT.replace('"1.0"', "9" * 5_000, 1).encode(),
    )
    yield (
        "1,000 digits where a string is due",
        GOOD_TEXT.replace('"1.0"', "9" * 1_000, 1).encode(),
    )


def _strings() -> Iterator[tuple[str, bytes]]:
    for what, raw in {
        "a lone high surrogate": r'"\ud800"',
        "a lone low surrogate": r'"\udc00"',
        "a pair of surrogates the wrong way round": r'"\udc00\ud800"',
        "a pair of surrogates": r'"\ud83d\ude00"',
        "an escaped zero": r'"\u0000"',
        "a raw zero": '"\0"',
        "a raw tab": '"\t"',
        "a raw line end": '"a\nb"',
        "a raw carriage return": '"a\rb"',
        "a raw escape": '"\x1b[31m"',
        "a raw delete, which is legal": '"\x7f"',
        "a raw C1 control, which is legal": '"\x9b31m"',
        "a line separator, which is legal": '"\u2028\u2029"',
        "a bidi override, which is legal": '"\u202egnp.exe"',
        "a noncharacter, which is legal": '"\uffff\U0010ffff"',
        "combining marks, 10,000": '"a' + "\u0301" * 10_000 + '"',
        "an escape that is none": r'"\x41"',
        "an escape of capital U": r'"\U00000041"',
        "three hexadecimal digits": r'"\u12"',
        "a fullwidth digit in an escape": '"\\u123\uff14"',
        "an escaped end": '"\\',
        "single quotes": "'text'",
        "typographic quotes": "“text”",
        "backquotes": "`text`",
        "text without quotes": "text",
        "a string of 1 MB": '"' + "x" * 1_000_000 + '"',
        "1 MB of escapes": '"' + "\\u0041" * 170_000 + '"',
        "1 MB of escapes that are none": '"' + "\\q" * 500_000 + '"',
        "two strings side by side": '"a" "b"',
        "a string put together with a plus": '"a" + "b"',
    }.items():
        yield what, with_member(raw)


def _grammar() -> Iterator[tuple[str, bytes]]:
    for what, raw in {
        "a trailing comma in an array": "[1,]",
        "a trailing comma in an object": '{"a": 1,}',
        "a comma at the start": "[,1]",
        "two commas": "[1,,2]",
        "a comma alone": "[,]",
        "no comma": "[1 2]",
        "no colon": '{"a" 1}',
        "two colons": '{"a":: 1}',
        "an equals sign": '{"a" = 1}',
        "no value": '{"a":}',
        "a number for a name": "{1: 2}",
        "a name without quotes": "{a: 1}",
        "null for a name": "{null: 1}",
        "a bracket that does not match": '{"a": [1}',
        "a closing bracket too many": "[]]",
        "a line comment": "1 // c",
        "a block comment": "/* c */ 1",
        "a block comment that is not closed": "1 /* c",
        "a hash comment": "1 # c",
        "True": "True",
        "None": "None",
        "undefined": "undefined",
        "true in capitals": "TRUE",
        "a semicolon": "1;",
        "parentheses": "(1)",
        "a function": "function () { return 1 }",
        "a template": "{{ value }}",
        "an include": '!include "file"',
        "a vertical tab between tokens": "\v1",
        "a no-break space between tokens": "\u00a01",
        "a zero between tokens": "\x001",
        "a line separator between tokens": "\u20281",
        "a bidi override between tokens": "\u202e1",
        "an escape between tokens": "\x1b[0m1",
    }.items():
        yield what, with_member(raw)
    yield "a second value", GOOD_TEXT.encode() + b"{}"
    yield "JSON lines", (json.dumps(GOOD) + "\n").encode() * 3
    yield "a zero at the end", GOOD_TEXT.encode() + b"\x00"
    yield "a DOS end of file at the end", GOOD_TEXT.encode() + b"\x1a"
    yield "HTML", b"<!doctype html><title>404</title>"
    yield "a conflict of git", f"<<<<<<< ours\n{GOOD_TEXT}\n=======\n{{}}\n>>>>>>> theirs".encode()
    yield "JSONP", f"callback({GOOD_TEXT});".encode()
    yield "a prefix against hijacking", f")]}}',\n{GOOD_TEXT}".encode()


def _truncated() -> Iterator[tuple[str, bytes]]:
    for token in ("{", '"', '"sch', '"schema_version"', '"schema_version":', '"1', '"1.0"'):
        at = GOOD_TEXT.index(token) + len(token)
        yield f"cut off after {token}", GOOD_TEXT[:at].encode()
    for end in ("[", "[1", "[1,", "[tr", "[-", "[1.", "[1e", '["\\', '["\\u1', '{"a": {', "[//"):
        yield f"cut off after {end}", end.encode()
    yield "cut off in a character", with_member('"坐"').split("坐".encode())[0] + b"\xe5\x9d"


def _members() -> Iterator[tuple[str, bytes]]:
    yield "a member given twice", GOOD_TEXT.replace('"id"', '"name"', 1).encode()
    yield "a member given twice, once with escapes", with_member(r'{"a": 1, "\u0061": 2}')
    yield "a member given 20,000 times", with_member("{" + ",".join(['"a": 1'] * 20_000) + "}")
    yield "50,000 members", with_member(json.dumps({f"m{n}": n for n in range(50_000)}))
    yield "an empty name", with_member('{"": {"": 1}}')
    yield "a name of 1 MB", with_member('{"' + "k" * 1_000_000 + '": 1}')
    yield (
        "a name of 1 MB given twice",
        with_member('{"' + "k" * 1_000_000 + '": 1, "' + "k" * 1_000_000 + '": 1}'),
    )
    yield (
        "names that Python or JavaScript know",
        with_member('{"__proto__": 1, "constructor": 2, "__class__": 3, "hasOwnProperty": 4}'),
    )
    yield "names that are pointers", with_member('{"/": 1, "~": 2, "~1": 3, "a/b~c": {"%2f": 4}}')
    yield "names alike but for composition", with_member('{"\u00e9": 1, "e\u0301": 2}')
    yield "names with controls given twice", with_member(r'{"\u001b\u202e": 1, "\u001b\u202e": 2}')
    yield "a lone surrogate for a name", with_member(r'{"\ud800": 1}')
    yield "schema keywords as members", with_member('{"$ref": "#", "$id": "urn:x", "allOf": [0]}')
    yield (
        "a schema to fetch",
        GOOD_TEXT.replace("{", '{"$schema": "http://127.0.0.1:9/x",', 1).encode(),
    )


def _large() -> Iterator[tuple[str, str]]:
    wrong = ", ".join(["7"] * 20_000)
    yield "20,000 findings", GOOD_TEXT.replace('"permissions": []', f'"permissions": [{wrong}]')
    same = ", ".join(['"host.timer"'] * 20_000)
    yield "20,000 items alike", GOOD_TEXT.replace('"permissions": []', f'"permissions": [{same}]')
    yield "20,000 activities with one id", _activities(["box"] * 20_000)
    yield "20,000 activities", _activities([f"a{number}" for number in range(20_000)])
    yield "20,000 comments", "/**/" * 20_000 + GOOD_TEXT
    yield "100,000 commas", "[" + "," * 100_000 + "]"
    yield "100,000 open strings", '"\n' * 100_000
    yield "100,000 single quotes", "['" + "\\'" * 100_000
    yield "a line of 5 MB", json.dumps({**GOOD, "extra": ["x" * 98] * 50_000})
    yield "a line of 5 MB with a fault at its end", json.dumps({"extra": ["x" * 98] * 50_000})
    yield "1,000,000 line ends", "\n" * 1_000_000 + GOOD_TEXT
    yield "1,000,000 carriage returns and a fault", "\r" * 1_000_000 + "{}"
    yield "more bytes than may be", " " * (32 * 1024 * 1024) + GOOD_TEXT
    yield "more values than may be", "[" + "0," * 2_000_000 + "0]"
    for begin in ("//...", "# rest of it", "/* \u2026"):
        yield f"200,000 blanks in a comment after {begin}", f"{begin}{' ' * 200_000}!\n{GOOD_TEXT}"


def _wrong_items() -> Iterator[tuple[str, list[Any]]]:
    yield "a number beside an activity without a name", [{"id": "a"}, 5]
    yield "a yes beside an activity without a name", [{"id": "a"}, True]
    yield "an empty array for a name", [{"name": []}]
    yield "an empty object for a name", [{"name": {}}]
    yield "null for a name", [{"name": None}]


def _activities(ids: list[str]) -> str:
    return json.dumps({**GOOD, "activities": [{"id": each, "name": "x"} for each in ids]})
