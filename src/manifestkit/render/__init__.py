"""A report as text: one file per output format."""
