"""The schema engine that the tests run on; see `portable/`."""

import pytest

from manifestkit.schema.engines import NOT_THE_FASTER

needs_jsonschema_rs = pytest.mark.skipif(
    NOT_THE_FASTER is not None, reason="what `jsonschema` refuses, as docs/profiles.md says"
)
