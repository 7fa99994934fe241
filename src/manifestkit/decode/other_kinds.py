"""Texts that cannot be read and are evidently something else, told by what they are."""

from __future__ import annotations

import re

from manifestkit.decode.findings import Decoded, Reporter, excerpt
from manifestkit.files import other_tools
from manifestkit.model.location import Span

_FEW = 3


def name_other_kind(decoded: Decoded) -> Decoded:
    """Return what was read; of a text of another kind, one finding that names the kind."""
    document = decoded.document
    is_yaml = document.syntax == "yaml"
    syntax, standard = ("YAML", "YAML 1.2") if is_yaml else ("JSON", "RFC 8259 (JSON)")
    whole = f"{document.name}\n{document.text}"
    if not is_yaml and re.match(other_tools("another-kind"), whole):
        reporter, said = Reporter(document.name, document.text), "this is a file of another kind"
        reporter.report("not-a-manifest", Span(0, 0), said, help=other_tools("leave-out"))
        return reporter.unreadable()
    told = [each.location.span.start for each in decoded.findings if is_yaml]
    for pattern, message, *advice in other_tools("texts"):
        if place := re.search(pattern, document.text):
            reporter = Reporter(document.name, document.text, standard=standard)
            parts = place.groupdict()
            span = Span(*place.span(0 if parts else place.lastindex or 0))
            if "{shown}" in message and any("\n" in document.text[at : span.start] for at in told):
                continue  # the error above comes first
            parts |= {"shown": document.text[slice(*span)], "syntax": syntax}
            said, do = message, advice[-is_yaml]
            for name, text in parts.items():
                said, do = (each.replace(f"{{{name}}}", excerpt(text)) for each in (said, do))
            reporter.report("syntax-error", span, said, help=do)
            return reporter.unreadable()
    return decoded if is_yaml else _name_object(decoded)


def _name_object(decoded: Decoded) -> Decoded:
    """Return what was read; of an object of another language, what JSON spells otherwise as one."""
    slips = [each for each in decoded.findings if each.fixes]
    for pattern, *said in other_tools("objects") if len(slips) > _FEW else ():
        if found := re.match(pattern, decoded.document.text):
            edits = tuple(edit for each in slips for fix in each.fixes for edit in fix.edits)
            written = slips[0].fixes[0]._replace(message="write it as JSON", edits=edits)
            what, do = (each.format(**found.groupdict()) for each in said)
            lead = slips[0]._replace(message=f"this is {what}, not JSON", help=do, fixes=(written,))
            others = (each for each in decoded.findings if each not in slips)
            return decoded._replace(findings=(lead, *others))
    return decoded
