"""Image pipelines as naive programs, and their schedules in Halide's words."""
