remove --force /activities/box/id
