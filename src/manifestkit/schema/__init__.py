"""The schemas, their registry and a typed view of what they say."""
