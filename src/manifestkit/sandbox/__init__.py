"""A real local service of API v1, to rehearse deploys with: nothing of it leaves this machine."""
