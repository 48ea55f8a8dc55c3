"""The tree: nodes, types, names, printing. Imports pyrsistent only."""
