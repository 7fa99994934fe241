"""The editor server: the linter's own engine over the Language Server Protocol.

`handlers` answers requests and `server` sends the rest; `documents` keeps what is open and judges
it, `workspace` what is not open, and `text` converts positions. The others know what to answer:
`findings` diagnostics and their fixes, `cursor` where the cursor is in a text that need not be
whole, `completion` and `structure` from there, `outline` what such a text is made of.
"""
