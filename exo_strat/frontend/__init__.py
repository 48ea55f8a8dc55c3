"""Python syntax to trees: parsing, static checks, patterns. Imports ir and logic."""
