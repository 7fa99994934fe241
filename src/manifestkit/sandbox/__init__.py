"""A real local service of API v1, to rehearse deploys with: nothing of it leaves this machine.

`server` reads requests and `service` answers them, from what `store` keeps. `faults` lets things go
wrong on purpose.
"""
