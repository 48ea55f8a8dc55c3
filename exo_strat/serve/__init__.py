"""A line protocol for programs that steer schedules: JSON, one object a line, over standard input and output.

docs/serve.md tells what goes over the lines, `schema.json` exactly.
"""

from .opening import Files, Source, Target
from .server import serve

__all__ = ["Files", "Source", "Target", "serve"]
