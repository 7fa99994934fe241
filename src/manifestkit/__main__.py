"""`python -m manifestkit` is `manifest`."""

from manifestkit.cli import main

main()
