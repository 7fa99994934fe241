"""Changes between two manifests, and the findings of the change rules."""
