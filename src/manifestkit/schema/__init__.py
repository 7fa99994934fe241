"""The schemas, their registry and a typed view of what they say."""

from __future__ import annotations

from manifestkit.schema.faults import ANNOTATION, CLOSED, Fault
from manifestkit.schema.fields import Field
from manifestkit.schema.loading import (
    BASE_ID,
    base_schema,
    load_schema,
    packaged_rules,
    packaged_schema,
)
from manifestkit.schema.model import Schema

__all__ = [
    "ANNOTATION",
    "BASE_ID",
    "CLOSED",
    "Fault",
    "Field",
    "Schema",
    "base_schema",
    "load_schema",
    "packaged_rules",
    "packaged_schema",
]
