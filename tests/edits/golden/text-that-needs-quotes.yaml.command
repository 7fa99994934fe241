add activity no="1.10"
