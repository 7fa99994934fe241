set /provider/version 2.0
