"""The `manifest` command: only here are arguments read, texts printed and processes ended.

Start with `main.py`, which imports a command when it is called: each is a file in `commands/`,
whose signature declares its options. `options.py` has the groups of options that commands share,
`inputs.py` reads the files that are named, `console.py` and `output.py` write to the terminal and
to files, and `exit_codes.py` names the codes. What a command does is a function of a room below.
"""
