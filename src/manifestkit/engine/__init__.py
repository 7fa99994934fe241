"""Bytes and a name to a result; many files to a report."""
