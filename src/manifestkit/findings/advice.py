"""The message, help, place and fixes of a validation error."""

from __future__ import annotations

from manifestkit.findings.fixes import needed_fix, remove_fix
from manifestkit.findings.members import describe_alternatives, describe_missing, describe_unknown
from manifestkit.findings.messages import (
    alternative_members,
    cause,
    message_and_help,
    own_text,
    why_applied,
)
from manifestkit.findings.values import describe_type, describe_value
from manifestkit.findings.words import named
from manifestkit.model.finding import Description, Related
from manifestkit.model.location import Location
from manifestkit.model.pointer import format_pointer
from manifestkit.schema.drafts import BRANCHES, CLOSED
from manifestkit.schema.manifest import Manifest
from manifestkit.schema.validation_error import ValidationError


def describe_error(manifest: Manifest, error: ValidationError) -> Description:
    """Describe a validation error of a manifest; what its schema says comes before our texts."""
    annotations = error.requirement.annotations
    reason = why_applied(manifest, error)
    message, help_text = own_text(error, "message"), own_text(error, "help")
    texts = (message, help_text) if message and help_text else message_and_help(error)
    if reason and error.keyword == "required":  # what is said beside it has another reason
        texts = (f"{texts[0]}, because {reason}", texts[1])
    said = _described(manifest, error, Description(*texts))
    if said.location is None:
        said = said._replace(location=_location(manifest, cause(error)))
    if message is None and reason and error.keyword != "required":
        said = said._replace(message=f"{said.message}, because {reason}")
    if annotations.keys().isdisjoint(("message", "help")):
        return said
    own_fix = needed_fix(manifest, *annotations["needed"]) if "needed" in annotations else None
    # Ours would be in English, and is not what the schema's author wanted to say.
    return said._replace(
        message=message or said.message,
        help=help_text if message or help_text else said.help,
        fixes=(own_fix,) if own_fix else said.fixes,
    )


def _described(manifest: Manifest, error: ValidationError, said: Description) -> Description:
    """Return what there is to say beside what the keyword alone tells."""
    reference = error.instance.get("$ref") if isinstance(error.instance, dict) else None
    if isinstance(reference, str) and error.keyword in ("required", "type"):
        do = f"references are not followed: write here what {named(reference)} has"
        return said._replace(help=do)
    if error.keyword == "required":
        return describe_missing(manifest, error, said)
    if error.keyword == "type":
        return describe_type(manifest, error, said)
    if error.keyword in CLOSED:
        return describe_unknown(manifest, error, said)
    if error.keyword in ("enum", "not", *BRANCHES):
        if found := describe_value(manifest, error, said):
            return found
        if error.keyword in BRANCHES and (needed := alternative_members(error)):
            names = [name for names in needed for name in names]
            return describe_alternatives(manifest, error, said, names)
    if error.first is not None:
        place = manifest.document.locate(error.first)
        first = Related("first listed here", format_pointer(error.first), place)
        return said._replace(fixes=(remove_fix(error.path, "safe"),), related=(first,))
    return said


def _location(manifest: Manifest, error: ValidationError) -> Location:
    document, path = manifest.document, error.path
    if error.keyword in ("required", "propertyNames", *CLOSED):
        return document.locate_key(path)
    return document.locate(path)
