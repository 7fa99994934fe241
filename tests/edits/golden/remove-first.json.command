remove /activities/box
