"""Document and schemas to findings: one file per rule in Python, and what they share."""
