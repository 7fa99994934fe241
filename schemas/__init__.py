"""The data of the package: JSON Schemas. They are the product; the code derives from them."""
