add activity calm="Calm down"
