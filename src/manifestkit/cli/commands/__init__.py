"""One file or folder per command; those that share much share one (see `cli/main.py`)."""
