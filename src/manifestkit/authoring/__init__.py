"""Writing and changing manifests: new, fill, add, set, remove, convert, editor settings."""
