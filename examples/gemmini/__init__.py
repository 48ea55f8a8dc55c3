"""Kernels for the Gemmini accelerator: the naive program, the schedule, and what the model says of the result."""
