"""A real local service of API v1, to rehearse deploys with: nothing of it leaves this machine.

`service` answers requests and serves sites, from what `store` keeps.
"""
