"""Python syntax to trees: parsing, static checks, patterns."""
