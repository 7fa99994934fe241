"""The editor server: the linter's own engine over the Language Server Protocol.

`server` answers requests and sends the rest; `documents` keeps what is open and judges it,
and `text` converts positions. The others know what to answer:
`findings` diagnostics and their fixes, `cursor` what may be written at a place of a text that need
not be whole, `completion` and `hover` from there.
"""
