remove /activities/walk/surfaces
