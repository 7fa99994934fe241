"""The values that every floor shares; the standard library is all they import."""
