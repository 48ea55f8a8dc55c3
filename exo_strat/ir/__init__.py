"""The tree: nodes, types, names, printing."""
