"""New manifests from a schema: what to ask, what to make of the answers, how to write them."""
