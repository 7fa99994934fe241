remove activity box
