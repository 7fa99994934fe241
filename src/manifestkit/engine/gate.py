"""Whether there is anything to say of a manifest at all, decided fast.

Most manifests are clean. For those one pass of a compiled validator and a few cheap looks are all;
only what does not get through is judged by the engine that explains, and only by the rules
that may have something to say. The gate may stop a manifest of which there is nothing to
say, but it never lets one through of which there is: a property test holds the two to that.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from manifestkit.engine.selection import Selection
from manifestkit.rules.catalogue import catalogue
from manifestkit.rules.rule import Manifest, Rule
from manifestkit.schema.fast import FastValidator
from manifestkit.schema.model import Schema


class Gate:
    """Lets manifests through of which there is nothing to say.

    Attributes:
        schema: what a manifest must be.
        profiles: what a host demands beyond it.
    """

    def __init__(self, schema: Schema, profiles: tuple[Schema, ...], selection: Selection) -> None:
        self.schema = schema
        self.profiles = profiles
        self._schemas = (schema, *profiles)
        self._rules = [rule for rule in catalogue().values() if selection.runs(rule)]
        self._checks = {rule.id: rule for rule in self._rules if rule.check and not rule.demand}

    def passes(self, manifest: Manifest) -> bool:
        """Whether it is certain that there is nothing to say of a manifest."""
        if not self._whole.knows_valid(manifest.document.value):
            return False
        for rule in self._checks.values():
            if rule.check and next(rule.check(rule, manifest), None):
                return False
        return True

    def suspects(self, manifest: Manifest) -> list[Rule]:
        """The rules that may have something to say of a manifest that does not get through."""
        value = manifest.document.value
        return [
            rule
            for rule in self._rules
            if rule.id in self._checks
            or (rule.id in self._demands and not self._demands[rule.id].knows_valid(value))
        ]

    @cached_property
    def _whole(self) -> FastValidator:
        """One validator for everything."""
        if not all(schema.is_compilable for schema in self._schemas):
            return self._compiled(contents=False)
        schemas = [{"$ref": schema.uri} for schema in self._schemas]
        demands = [_demand(rule, self.schema) for rule in self._rules]
        return self._compiled({"allOf": [*schemas, *filter(None, demands)]})

    @cached_property
    def _demands(self) -> dict[str, FastValidator]:
        """For each rule that says what it demands, a validator of that alone."""
        demands = {rule.id: _demand(rule, self.schema) for rule in self._rules}
        return {rule: self._compiled(demand) for rule, demand in demands.items() if demand}

    def _compiled(self, contents: Any) -> FastValidator:
        return FastValidator(contents, self._resource)

    def _resource(self, uri: str) -> Any:
        found = (schema.resource(uri) for schema in self._schemas)
        return next((contents for contents in found if contents is not None), None)


def _demand(rule: Rule, schema: Schema) -> Any:
    """What a manifest meets in which a rule finds nothing; None when no schema says that."""
    if rule.schema is not None:
        return rule.schema.contents
    return rule.demand(schema) if rule.demand else None
