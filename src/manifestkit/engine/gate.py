"""Whether there is anything to say of a manifest at all, decided fast.

Most manifests are clean. For those one pass of a compiled validator and a few cheap looks are all;
only what does not get through is judged by the engine that explains. The gate may stop a manifest
of which there is nothing to say, but it never lets one through of which there is: a property test
holds the two to that.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jsonschema_rs

from manifestkit.engine.selection import Selection
from manifestkit.rules.catalogue import catalogue
from manifestkit.rules.rule import Manifest, Rule
from manifestkit.schema.model import Schema


class Gate:
    """Lets manifests through of which there is nothing to say."""

    def __init__(self, schema: Schema, profiles: tuple[Schema, ...], selection: Selection) -> None:
        rules = [rule for rule in catalogue().values() if selection.runs(rule)]
        self._checks = [rule for rule in rules if rule.check and not rule.demand]
        self._validator = _compiled((schema, *profiles), list(_demands(rules, schema)))

    def passes(self, manifest: Manifest) -> bool:
        """Whether it is certain that there is nothing to say of a manifest."""
        return self._is_valid(manifest.document.value) and all(
            _finds_nothing(rule, manifest) for rule in self._checks
        )

    def _is_valid(self, value: Any) -> bool:
        try:
            return self._validator is not None and self._validator.is_valid(value)
        except (ValueError, OverflowError, RecursionError):
            return False  # a lone surrogate, or a number that the engine cannot hold


def _demands(rules: list[Rule], schema: Schema) -> Iterator[Any]:
    for rule in rules:
        if rule.schema is not None:
            yield rule.schema.contents
        if rule.demand is not None:
            yield rule.demand(schema)


def _compiled(schemas: tuple[Schema, ...], demands: list[Any]) -> Any:
    """One validator for everything; None when the fast engine might see a schema otherwise."""
    if not all(schema.is_current_draft for schema in schemas):
        return None

    def retrieve(uri: str) -> Any:
        found = (schema.resource(uri) for schema in schemas)
        return next(contents for contents in found if contents is not None)

    whole = {"allOf": [*({"$ref": schema.uri} for schema in schemas), *demands]}
    try:
        return jsonschema_rs.Draft202012Validator(
            whole,
            retriever=retrieve,
            pattern_options=jsonschema_rs.RegexOptions(),
            validate_formats=True,
        )
    except Exception:  # noqa: BLE001 - whatever it cannot compile, the other engine judges
        return None


def _finds_nothing(rule: Rule, manifest: Manifest) -> bool:
    assert rule.check is not None  # noqa: S101 - the gate keeps only such rules
    return next(rule.check(rule, manifest), None) is None
