"""The editor server: the linter's own engine over the Language Server Protocol.

`server` answers requests and sends the rest; `documents` keeps what is open and judges it,
and `text` converts positions. The others know what to answer: `findings` diagnostics and their
fixes, `completion` what may be written at a place, and what stands there.
"""
