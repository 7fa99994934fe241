remove /permissions/0
