"""Configuration: which rules count, what is left out, what is suppressed."""
