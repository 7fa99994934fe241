"""Texts that cannot be read and are evidently something else, told by what they are."""

from __future__ import annotations

import re

from manifestkit.decode.findings import Decoded, Reporter
from manifestkit.model.location import Span

_KINDS = r"""
(?m)^(?:<{7}|\|{7}|={7}|>{7})(?= |\r?$)[^\r\n]*
an unresolved merge conflict
keep one side, and remove the other lines from `<<<<<<<` to `>>>>>>>`
\A(?:diff --git |--- \S.*\n\+\+\+ |@@ -\d)[^\r\n]*
this is a diff, not {syntax}
apply it to the manifest, and lint that
(?m)^(?:```|~~~)[^\r\n]*
the manifest is in a code fence
keep only what is between its two lines
(?i)\A\s*<(?:!doctype\s+)?html\b
this is HTML, not {syntax}
save the manifest, not a page
(?m)(?:^|[:,{\[])[ \t]*(&(?:quot|nbsp|#\d+);)
this is the source of a page, not {syntax}
copy what the page shows: `"` for `&quot;`, a space for `&nbsp;`
\A\s*(?:<\?php|\[\s*['\"].*=>)
this is PHP, not {syntax}
print it with `json_encode`
(?i)\A\s*<(?s:.*?)(?<=<)(?:manifest\b[^>]*\bandroid|plist)\b
this is an Android or Apple app's manifest
lint your manifest instead; `manifest new` writes one
\A%YAML[^\r\n]*\s+%TAG !u![^\r\n]*
this is a Unity asset, not plain YAML
remove its first lines, to `MonoBehaviour:`, and unindent the rest
\A\s*\[(?=[^\S\n]*\n\s*\"[\w$-]+\"\s*:)
this is a literal of Swift or Groovy, not JSON
write `{` and `}` for each `[` and `]` that has names with `:` in it
\A\s*<[?\w]
this is XML, not {syntax}
write the manifest in JSON or YAML
\A\{\\rtf
this is RTF, not {syntax}
save the file as plain text
\A\s*(?:\"\s*\{\s*\"\"|\{\s*(?:\\n)?\s*\\\")[^\r\n]*
the manifest is escaped, as a string of another file
write `"` for each `""` or `\"`, and nothing around the object
\A\s*(?:(?:export|(?:const|let|var|import|from)\s+\w)[^\r\n:]*|&?[\w.]+(?:\s*=(?=\s*[{(])|(?=[({])))
this is a program, not {syntax}
keep only the object, as `JSON.stringify` or `json.dumps` writes it
\A([+>|])(?=[^\r\n]*[\r\n]+\1)
each line begins with the mark of a diff, a quotation or a table
remove that from each line, or copy the text without it
(?m)^(?:\+[ \t]*[\w\"{}\[\]-]|-[ \t]*(?:[}\]]|\"[^\r\n]*[,{\[]\s*$))[^\r\n]*
lines of a diff are in the manifest
keep the lines with `+` and remove their `+`; remove the lines with `-`
\A[ \t]*1[.:|)]?[ \t]+\S[^\r\n]*(?=[\r\n]+[ \t]*2[.:|)]?[ \t])
each line begins with its number
remove that from each line, or copy the text without it
(?m)^\[\[?[\w.-]+\]\]?(?=\s+[\w-]+[ \t]*=)
this is TOML, not {syntax}
write the manifest in JSON or YAML
\A\s*\w+(?: \"[^\"\r\n]*\")* \{(?=\s+\w+[ \t]*[={])
this is HCL, not {syntax}
write the manifest in JSON or YAML
(?m):[ \t]*(\{\{-? *[\w.$][^{}|\r\n\"]*\}\})(?=[ \t]*(?:[,}\]]|$))
a template that was not filled in
put it in `"` if it is text, fill it in, as `envsubst` or `helm template` does, and lint the result
(?m)(?:^|[:,\[]|^ *-)[ \t]*(\{\{-?[ \t]*[\w.$#^][^{}\r\n\"]*\}\}|\{%[^%\r\n]*%\}|(?<=\": )(?:\$\{[\w.:-]+\}|\$\(\w+\)|<%[^%\r\n]*%>|@\w+@))
a template that was not filled in
fill it in first, as `envsubst` or `helm template` does, and lint the result
(?m)^[ \t]*"compilerOptions"[ \t]*:
this configures TypeScript
lint your manifest instead; `manifest new` writes one
(?m)^[ \t]*"editor\.\w+"[ \t]*:
this configures an editor
lint your manifest instead; `manifest new` writes one
""".strip().split("\n")  # noqa: E501 - a pattern is one line
"""Patterns, each with the message for it and what to do, in three lines."""

_OBJECTS = (
    (
        re.compile(r"\A\s*\{(?:'|\s*'[^'\r\n]*'\s*:(?s:.*)[:,\[]\s*(?:True|False|None)\b)"),
        "a Python dict",
        "print it with `json.dumps`",
    ),
    (
        re.compile(r"\A\s*\{\s*(?://[^\r\n]*+\s*+)*(?:[A-Za-z_$][\w$]*|'[^'\r\n]*')\s*:"),
        "JavaScript",
        'put names and texts in `"`, or print the object with `JSON.stringify`',
    ),
)
"""Objects of other languages, which are read for what they mean."""

_FEW = 3
_OF_ANOTHER_KIND = re.compile(
    r"(?i)\A(?:[^\n]*/)?(?:(?:package(?:-lock)?|composer|[tj]sconfig[\w.-]*)\.json\n|"
    r"[^\n]*(?<!json)\n#!|(?!.*(?:manifest|activity))[^\n/]*\.(?!json|ya?ml|toml|xml|plist)\w+\n"
    r"\s*(?![\s{\[]|(?:---\s+)?[a-z]+_[a-z]+:))"
)
_LEAVE_OUT = "leave it out; in a hook, narrow the pattern to `*manifest.{json,yaml,yml}`"


def name_other_kind(decoded: Decoded) -> Decoded:
    """Return what was read; of a text of another kind, one finding that names the kind."""
    document = decoded.document
    is_yaml = document.syntax == "yaml"
    syntax, standard = ("YAML", "YAML 1.2") if is_yaml else ("JSON", "RFC 8259 (JSON)")
    if not is_yaml and _OF_ANOTHER_KIND.match(f"{document.name}\n{document.text}"):
        reporter, said = Reporter(document.name, document.text), "this is a file of another kind"
        reporter.report("not-a-manifest", Span(0, 0), said, help=_LEAVE_OUT)
        return reporter.unreadable()
    for pattern, message, do in zip(*[iter(_KINDS)] * 3, strict=True):
        if place := re.search(pattern, document.text):
            reporter = Reporter(document.name, document.text, standard=standard)
            said = message.format(syntax=syntax)
            reporter.report("syntax-error", Span(*place.span(place.lastindex or 0)), said, help=do)
            return reporter.unreadable()
    return decoded if is_yaml else _name_object(decoded)


def _name_object(decoded: Decoded) -> Decoded:
    """Return what was read; of an object of another language, what JSON spells otherwise as one."""
    slips = [each for each in decoded.findings if each.fixes]
    for pattern, what, do in _OBJECTS if len(slips) > _FEW else ():
        if pattern.match(decoded.document.text):
            edits = tuple(edit for each in slips for fix in each.fixes for edit in fix.edits)
            written = slips[0].fixes[0]._replace(message="write it as JSON", edits=edits)
            lead = slips[0]._replace(message=f"this is {what}, not JSON", help=do, fixes=(written,))
            others = (each for each in decoded.findings if each not in slips)
            return decoded._replace(findings=(lead, *others))
    return decoded
