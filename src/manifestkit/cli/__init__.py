"""The `manifest` command: only here are arguments read, texts printed and processes ended.

Start with `main.py`, which imports a command when it is called: each is a file in `commands/`,
whose signature declares its options. `options.py` has the groups of options that commands share,
`inputs.py` reads the file that is named, `runs.py` says what becomes of many, `reports.py` writes
reports, `console.py` has the streams, and `exit_codes.py` the codes. What a command does is a
function of a room below.
"""
