"""Gated deploys through the site publishing service's API, version 1.

`packing` lists a folder (`folder`) or an archive (`archive`), without what `ignoring` leaves out,
and refuses names by `names`. It writes the canonical archive to a private file: what is checked is
what is sent. `gate` lints the manifest in it, and `upload` makes the request.

`credentials` has the token, `client` each operation of the API as `wire` describes it, `transport`
one request, and `response` the meaning of what the service responds. `receipts` keeps what was
done, before it begins and after it ends. The sandbox shares `wire` and `names` with the client, and
nothing else.
"""
