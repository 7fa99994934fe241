"""The editor server: the linter's own engine over the Language Server Protocol.

`server` speaks the protocol, `documents` keeps what is open and judges it, `text` converts
positions; the others answer: `findings` diagnostics and their fixes, `cursor` where the cursor is
in a text that need not be whole, `completion` and `structure` from there.
"""
