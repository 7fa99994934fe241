"""The editor server: the linter's own engine over the Language Server Protocol.

`server` answers requests and sends the rest; `documents` keeps what is open and judges it,
`workspace` what is not open, and `text` converts positions. The others know what to answer:
`findings` diagnostics and their fixes, `tolerant` what a text that need not be whole is made of and
where the cursor is in it, `completion`, `hover` and `structure` from there.
"""
