"""The configuration of a folder, and the policy that follows: which violations count.

Start with `Policy` in `policy.py`: the violations of a manifest go in, a `Verdict` comes out,
with those that count, their severities, and those that are suppressed. `file.py` reads a
configuration file into a `Configuration`; a workspace finds the nearest one. A violation is
suppressed by the configuration or a baseline (`baseline.py`). `exclude.py` reads
patterns in the form of `.gitignore`.
"""
