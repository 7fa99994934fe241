set /presentation/thumbnail provider.png
