"""Document and schemas to findings: what breaks a schema, and what rules look for themselves."""
