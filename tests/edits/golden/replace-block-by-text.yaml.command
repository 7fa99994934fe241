set --force /runtime '"x"'
