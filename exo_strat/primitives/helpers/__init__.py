"""What primitives share besides `framework`, and what only helps them."""
