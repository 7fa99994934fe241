remove /permissions/host.timer
