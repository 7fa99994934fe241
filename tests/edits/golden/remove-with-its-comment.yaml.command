remove /permissions/profile.basic
