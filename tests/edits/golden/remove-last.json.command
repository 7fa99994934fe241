remove /activities/walk
