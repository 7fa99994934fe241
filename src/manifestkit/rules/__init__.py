"""A manifest to violations: what breaks a schema, and what rules in Python find."""
