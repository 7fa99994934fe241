"""A `$ref` of a profile leads where `$id` and `$anchor` say, or the profile is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urldefrag, urljoin

from hypothesis import given, reject
from hypothesis import strategies as st

import manifestkit
from command import EXAMPLES
from manifestkit import ManifestkitError
from manifestkit.schema.drafts import Dialect

TEXT = (EXAMPLES / "valid" / "minimal.activity-provider.json").read_text("utf-8")
_IDS = ("urn:r", "urn:s", "https://x.test/r.json", "https://x.test/d/s.json", "other.json", "#")
_BASES = ("", "other.json", "host.json", "d/s.json", "s.json", *_IDS[:3])
_FRAGMENTS = ("", "#", "#/$defs/a", "#/$defs/b", "#n", "#m")
_REFERENCES = [base + fragment for base in _BASES for fragment in _FRAGMENTS]


@st.composite
def _schemas(draw: st.DrawFn, mark: str) -> dict[str, Any]:
    """A schema with two parts; each requires a member that tells it from all others."""
    names = st.fixed_dictionaries(
        {}, optional={"$id": st.sampled_from(_IDS), "$anchor": st.sampled_from("nm")}
    )
    parts = {each: {"required": [mark + each], **draw(names)} for each in "ab"}
    return {"$schema": Dialect.CURRENT.uri, "required": [mark], "$defs": parts, **draw(names)}


def _place(schemas: Mapping[str, dict[str, Any]], reference: str) -> Any:
    """Return what a reference in the first of some files leads to; None where it leads nowhere."""
    known: dict[str, Any] = {}
    bases = []
    for uri, schema in schemas.items():
        base = urljoin(uri, schema.get("$id", "")).rstrip("#")
        bases.append(base)
        for part in (schema, *schema["$defs"].values()):
            own = base if part is schema else urljoin(base, part.get("$id", "")).rstrip("#")
            for each in {uri, own} if own == base else {own}:
                if part is schema or own != base:
                    known.setdefault(each, part)
                anchor = f"{each}#{part['$anchor']}" if "$anchor" in part else None
                if anchor in known:
                    reject()  # nothing says which of the two is meant
                elif anchor:
                    known[anchor] = part
    is_here = reference.startswith("#")
    uri, fragment = urldefrag(bases[0] + reference if is_here else urljoin(bases[0], reference))
    if not fragment.startswith("/"):
        return known.get(f"{uri}#{fragment}" if fragment else uri)
    return known.get(uri, {}).get("$defs", {}).get(fragment[-1])


@given(_schemas("host"), _schemas("other"), st.sampled_from(_REFERENCES))
def test_a_reference_leads_where_ids_and_anchors_say(
    host: dict[str, Any], other: dict[str, Any], reference: str
) -> None:
    with TemporaryDirectory() as name:
        files = {"host.json": {**host, "allOf": [{"$ref": reference}]}, "other.json": other}
        paths = [Path(name) / each for each in files]
        for path, schema in zip(paths, files.values(), strict=True):
            path.write_text(json.dumps(schema), "utf-8")
        try:
            found = manifestkit.lint(TEXT, "m.json", profile=paths[0]).findings
        except ManifestkitError:
            return
        uris = [path.as_uri() for path in paths]
        place = _place(dict(zip(uris, files.values(), strict=True)), reference)
    assert place is not None
    assert {each.property for each in found} == {*host["required"], *place["required"]}
