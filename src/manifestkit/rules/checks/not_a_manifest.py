"""Files named like a manifest that are manifests of something else."""

from typing import Any

from manifestkit.files import other_tools
from manifestkit.findings.words import label, with_article
from manifestkit.model.finding import Description
from manifestkit.model.report import STDIN
from manifestkit.model.violation import Violation
from manifestkit.rules.catalogue import catalogue
from manifestkit.schema.manifest import Manifest
from manifestkit.schema.model import Field
from manifestkit.schema.packaged import base_schema, foreign_kind, likely_kind

ID = "not-a-manifest"
_LONGEST_URL = 80
_FEW = 3  # a format with fewer required members is not recognised by them


def find(manifest: Manifest) -> Violation | None:
    """Find what tells of all violations of what has none of the required members.

    It is evidently of another format, or inside a member, or has nothing that tells what it is.
    """
    document, schema = manifest.document, manifest.schema
    # A schema that a user brings may describe what has the marks of another format.
    kind = None if schema.is_unbounded else foreign_kind(document.value, schema, document.name)
    around = schema.inside(document.value)
    if kind is None and around is None and (schema.is_unbounded or _has_some(manifest)):
        return None
    span = None if around is None else document.spans(around)[0]
    return catalogue()[ID].violation((), (kind, around), span=span)


def describe(manifest: Manifest, violation: Violation) -> Description:
    """Say what it is, and what it becomes as a manifest."""
    import shlex  # noqa: PLC0415 - rarely needed

    from manifestkit.findings.elsewhere import draft  # noqa: PLC0415 - likewise
    from manifestkit.findings.fixes import replace_fix  # noqa: PLC0415 - likewise

    (kind, around), document = violation.about, manifest.document
    if around is not None:
        place, value = label(around), document.value_at(around)
        message, do = f"the manifest is inside {place}", f"keep only the value of {place}"
        is_one = isinstance(value, dict) and isinstance(around[-1], str)
        if not is_one or foreign_kind({}, manifest.schema, document.name):
            return Description(message, "write what stands there into another file")
        return Description(message, do, fixes=(replace_fix((), value, "unsafe"),))
    root = manifest.schema.field(()) or Field()
    own = with_article((root.title or "manifest").lower())
    if _is_schema(document.value):
        by_it = f"manifest lint --profile {shlex.quote(document.name)}"
        return Description(
            f"this is a JSON Schema, not {own}", f"to check manifests by it, run `{by_it}`"
        )
    kind = kind or likely_kind(document.value)
    if kind is not None:
        message = f"this is {kind}, not {own}"
    elif document.value:
        message = f"this is not {own}: it has none of the required members"
    else:
        message = "the manifest is empty"
    options, moving = draft(manifest) or ("", None)
    if kind != foreign_kind(document.value, manifest.schema, "") and violation.about[0]:
        return Description(message, other_tools("leave-out"))
    if moving is not None:
        do = "lint your manifest instead, or make this file one: move its values to their members"
        return Description(message, do, fixes=(moving,))
    if manifest.schema is base_schema() and options:
        do = f"`manifest new{options} --yes` writes one with these values and examples"
        return Description(message, f"lint your manifest instead; {do}" if kind else do)
    if kind is not None:
        return Description(message)
    is_known = document.name != STDIN and not document.name.startswith("/")
    file = shlex.quote(document.name) if is_known else "FILE"
    return Description(message, f"run `manifest new {file} --fill --yes` to fill this file")


def _is_schema(value: Any) -> bool:
    return isinstance(value, dict) and "json-schema.org" in str(value.get("$schema"))[:_LONGEST_URL]


def _has_some(manifest: Manifest) -> bool:
    """Return whether there is a required member, or one that is probably meant as one."""
    root = manifest.schema.field(()) or Field()
    here = {*manifest.document.value, *manifest.renames(()).values()}
    return len(root.required) < _FEW or not here.isdisjoint(root.required)
