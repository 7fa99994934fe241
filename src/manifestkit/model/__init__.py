"""The values that every room shares; the standard library is all they import."""
