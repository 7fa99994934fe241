"""Document and schemas to findings: one file per rule."""
