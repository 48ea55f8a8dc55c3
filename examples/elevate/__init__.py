"""ELEVATE's case studies; run as `python -m examples.elevate`."""
