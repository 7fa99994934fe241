"""Errors about the members that an object lacks, and about those that it may not have."""

from __future__ import annotations

import re
from itertools import islice

from manifestkit.findings.elsewhere import describe_found
from manifestkit.findings.fixes import moving_fix, remove_fix, rename_fix
from manifestkit.findings.readings import ShapeReader
from manifestkit.findings.shapes import shape_text
from manifestkit.findings.words import listed, look_alike, meaning, member_excerpt, named
from manifestkit.model.finding import Description, Related
from manifestkit.model.pointer import Path, format_pointer
from manifestkit.schema.engines import ENGINE
from manifestkit.schema.manifest import Manifest
from manifestkit.schema.model import Field
from manifestkit.schema.suggest import is_near, is_path_of, nearest
from manifestkit.schema.validation_error import ValidationError

_MOST_COMPARED = 100
_REFERRING = ("extends", "$extends", "$ref", "include", "$include", "import", "inherits")


def describe_missing(manifest: Manifest, error: ValidationError, said: Description) -> Description:
    """Describe an object without a required member, whose value may stand elsewhere."""
    path, name, target = error.path, str(error.member), (*error.path, str(error.member))
    at, field = _misspelt(manifest, path, name), manifest.schema.field(target) or Field()
    is_other = at is not None and not field.allows_type(manifest.document.value_at(at))
    found = describe_found(manifest, path, name) if at is None or is_other else None
    if at and found is None:
        return _misspelling(manifest, at, name, "it", said)
    if found is None:
        owner = manifest.document.value_at(path)
        if tight := next((each for each in owner if each.startswith(f"{name}:")), None):
            do = f"put a space after the colon: {named(tight.replace(':', ': ', 1))}"
            return Description(
                said.message, do, location=manifest.document.locate_key((*path, tight))
            )
        if reference := _reference(manifest, path):
            at, file = reference
            do = f"copy it from {named(file)}: a manifest is one file without {named(at[-1])}"
            return said._replace(help=do, location=manifest.document.locate_key(at))
        blank, purpose = ShapeReader(manifest).blank(target), meaning(field)
        written = shape_text(manifest, target, blank, name)
        is_told = not purpose or "; put in your own" in written
        help_text = f"add {written}" + ("" if is_told else f" ({purpose})")
        return Description(said.message, help_text)
    return found


def describe_alternatives(
    manifest: Manifest, error: ValidationError, said: Description, names: list[str]
) -> Description:
    """Describe an object that has none of several members, of which one would do."""
    for name in names:
        if at := _misspelt(manifest, error.path, name):
            found = _misspelling(manifest, at, name, named(name), said)
            return found._replace(location=manifest.document.locate(error.path))
    return said


def describe_unknown(manifest: Manifest, error: ValidationError, said: Description) -> Description:
    """Describe a member that its object does not allow."""
    path, owner_path = error.path, error.path[:-1]
    field = manifest.schema.field(owner_path)
    renames = manifest.renames(owner_path) if field and field.members else {}
    if (meant := renames.get(str(error.member))) is not None:
        return _meant(manifest, said, path, meant)
    if field and error.member in field.required:
        return said._replace(help="allow it in the schema, because it is required")
    allowed, name = _allowed_beside(error), str(path[-1])
    owner = manifest.document.value_at(owner_path)
    known_as = {**ShapeReader.known_by(manifest.schema, owner_path, owner), **renames}
    becomes = {each: written for written, each in known_as.items() if written != name}
    absent = [each for each in allowed if each not in owner and each not in becomes]
    if near := nearest(name, absent):
        return _meant(manifest, said, path, near)
    meant = ShapeReader.known_by(manifest.schema, owner_path, [name]).get(name)
    if meant in absent:
        return _synonym(manifest, path, meant, said)
    if meant in allowed:
        same = becomes.get(meant, meant)
        return said._replace(help=f"keep one of the two: {named(same)} means the same")
    reader, is_wanted = ShapeReader(manifest), _is_wanted(manifest, path)
    files = [(each, reader.files_in((*owner_path, each), error.instance)) for each in absent]
    if written := [member_excerpt(name, each) for name, found in files for each in found]:
        said = said._replace(help=f"write {listed(written)}, or {said.help}")
    elif is_wanted:
        said = said._replace(help=f"{said.help}, unless it is meant as another member")
    if field and field.members and allowed:
        taken = (each for each in becomes if reader.files_in((*owner_path, each), error.instance))
        told = (f"{named(becomes[each])} becomes {named(each)}" for each in taken)
        verb = "is" if len(allowed) == 1 else "are"
        only = next(told, f"only {listed(allowed, 'and', named)} {verb} allowed")
        said = said._replace(help=f"{said.help}; {only}")
    return said if is_wanted else said._replace(fixes=(remove_fix(path),))


def _meant(manifest: Manifest, said: Description, path: Path, name: str) -> Description:
    fix = rename_fix(manifest, path, name)
    return Description(said.message, f"did you mean {named(name)}?", name, (fix,))


def _synonym(manifest: Manifest, path: Path, name: str, said: Description) -> Description:
    """Describe a member under another name for the same thing; its value may have to change."""
    target = (*path[:-1], name)
    reading = ShapeReader(manifest).move(path, target)
    if reading is None:
        field = manifest.schema.field(target) or Field()
        files = ShapeReader(manifest).files_in(target, manifest.document.value_at(path))
        written = [member_excerpt(name, each) for each in files or field.examples[:1]]
        purpose = meaning(field)
        do = f"write {listed(written) or named(name)}" + (f" ({purpose})" if purpose else "")
        return said._replace(help=do)
    fix = moving_fix(manifest, [path], target, reading.value)
    return Description(said.message, fix.message, name, (fix,))


def _misspelling(
    manifest: Manifest, at: Path, name: str, of: str, said: Description
) -> Description:
    written = str(at[-1])
    why = look_alike(written, name)
    place, fix = manifest.document.locate_key(at), rename_fix(manifest, at, name)
    return Description(
        message=f"{said.message}; {named(written)} looks like a misspelling of {of}",
        help=fix.message.replace("rename it to", "write") + (f"; {why}" if why else ""),
        suggestion=name,
        fixes=(fix,),
        related=(Related(f"did you mean {named(name)}?", format_pointer(at), place),),
        location=place,
    )


def _reference(manifest: Manifest, path: Path) -> tuple[Path, str] | None:
    """Return the member with the file of what an object lacks, in it or around it, and the file."""
    for depth in range(len(path), -1, -1):
        around = manifest.document.value_at(path[:depth])
        for other in _REFERRING if isinstance(around, dict) else ():
            found = around.get(other)
            file = found[0] if isinstance(found, list) and found else found
            if isinstance(file, str) and file.endswith((".json", ".yaml", ".yml")):
                return (*path[:depth], other), file
    return None


def _misspelt(manifest: Manifest, path: Path, name: str) -> Path | None:
    pairs = manifest.renames(path).items()
    written = next((written for written, meant in pairs if meant == name), None)
    if written is None and name not in (manifest.schema.field(path) or Field()).members:
        written = nearest(name, _undescribed(manifest, path))
    return None if written is None else (*path, written)


def _undescribed(manifest: Manifest, path: Path) -> list[str]:
    """Return the first members of an object that neither the schema nor a profile names."""
    owner = manifest.document.value_or_none(path)
    if not isinstance(owner, dict):
        return []
    fields = (manifest.schema.field(path), *(each.field(path) for each in manifest.profiles))
    known = {name for each in fields if each for name in each.members}
    unknown = [each for each in islice(owner, _MOST_COMPARED) if each not in known]
    named = [each for each in unknown if not _is_named(manifest, each)]
    return [each for each in named if not is_path_of(each, re.split(r"[.\[]", each)[0])]


def _is_named(manifest: Manifest, name: str) -> bool:
    """Return whether a schema names a member so, wherever that may be."""
    for schema in (manifest.schema, *manifest.profiles):
        names, patterns = schema.names_anywhere
        if name in names or any(ENGINE.matches(each, name) for each in patterns):
            return True
    return False


def _is_wanted(manifest: Manifest, path: Path) -> bool:
    """Return whether an unknown member may be what a schema describes, here or elsewhere.

    It has such a name, or almost such; or its object lacks a member that it may stand for.
    """
    owner, name = manifest.document.value_or_none(path[:-1]), str(path[-1])
    schemas = (manifest.schema, *manifest.profiles)
    return _is_named(manifest, name) or any(
        not owner.keys() >= set((each.field(path[:-1]) or Field()).required)
        or is_near(name, each.names_anywhere[0])
        for each in schemas
    )


def _allowed_beside(error: ValidationError) -> list[str]:
    """Return the members that a closed object may have, if one schema names them all."""
    closed = error.requirement.schema
    is_all = error.keyword == "additionalProperties" and "patternProperties" not in closed
    return list(closed.get("properties", ())) if is_all else []
