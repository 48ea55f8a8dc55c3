"""The primitive rewrites, one module a section of the paper's appendix A. Imports everything below.

Each is a function from its parameters to an `Op`; see `framework`.
"""
