"""The `manifest` command."""
