"""What changed between two manifests, and what the change rules say of it."""
