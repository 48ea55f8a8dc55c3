"""Image pipelines as naive programs, and their schedules in Halide's words.

Rows of strips, groups and tiles, and from how many pixels on stores pass the caches, are measured by
`python -m benchmarks.halide`.
"""
