"""The `manifest` command: the only place that prints and exits."""
