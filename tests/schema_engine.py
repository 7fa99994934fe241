"""The schema engine that the tests run on; see `portable/`."""

import pytest

from manifestkit.schema.engines import ENGINE

needs_jsonschema_rs = pytest.mark.skipif(
    ENGINE.NAME != "jsonschema-rs", reason="what `jsonschema` refuses, as docs/profiles.md says"
)
