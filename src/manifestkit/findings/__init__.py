"""Violations as findings: what is wrong, what to do about it, and where."""
