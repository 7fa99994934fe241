"""The rules in Python, by id; that of rules about a run of many manifests has none."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from manifestkit.model.finding import Description
from manifestkit.model.violation import Violation
from manifestkit.rules.checks import (
    control_character,
    cross_file,
    deprecated_value,
    duplicate_activity_id,
    empty_text,
    float_integer,
    ignored_member,
    lone_surrogate,
    missing_file,
    misspelt_field,
    not_a_manifest,
    version_mismatch,
    yaml_ambiguous_scalar,
)
from manifestkit.rules.rule import Rule
from manifestkit.schema.manifest import Manifest

CHECKS: dict[str, Callable[[Rule, Manifest], Iterator[Violation]]] = {
    "": cross_file.check,
    "control-character": control_character.check,
    "deprecated-value": deprecated_value.check,
    "duplicate-activity-id": duplicate_activity_id.check,
    "empty-text": empty_text.check,
    "float-integer": float_integer.check,
    "ignored-member": ignored_member.check,
    "lone-surrogate": lone_surrogate.check,
    "misspelt-field": misspelt_field.check,
    "missing-file": missing_file.check,
    "version-mismatch": version_mismatch.check,
    "yaml-ambiguous-scalar": yaml_ambiguous_scalar.check,
}
"""Finds the violations that JSON Schema cannot express."""

DESCRIPTIONS: dict[str, Callable[[Manifest, Violation], Description]] = {
    "": cross_file.describe,
    "control-character": control_character.describe,
    "deprecated-value": deprecated_value.describe,
    "duplicate-activity-id": duplicate_activity_id.describe,
    "empty-text": empty_text.describe,
    "float-integer": float_integer.describe,
    "ignored-member": ignored_member.describe,
    "lone-surrogate": lone_surrogate.describe,
    "misspelt-field": misspelt_field.describe,
    "missing-file": missing_file.describe,
    "not-a-manifest": not_a_manifest.describe,
    "version-mismatch": version_mismatch.describe,
    "yaml-ambiguous-scalar": yaml_ambiguous_scalar.describe,
}
"""Describes a violation of each."""
