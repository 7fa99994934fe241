"""The rules that look for themselves, because JSON Schema cannot say what they want."""
