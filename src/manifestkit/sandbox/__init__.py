"""A real local service of API v1, to rehearse deploys with: nothing of it leaves this machine.

`service` answers requests, from what `store` keeps. `faults` lets things go wrong on purpose.
"""
