add activity calm="It's calm"
