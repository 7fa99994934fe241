set /activities/box/surfaces '["tv"]'
