"""On the path of a Python, this keeps it from importing jsonschema-rs."""

import sys

sys.modules["jsonschema_rs"] = None  # type: ignore[assignment]
