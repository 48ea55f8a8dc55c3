"""Measurements beside other systems. Each module is a command.

NumPy's BLAS reads how many threads to use when NumPy is first imported, and much of the project imports it; so that is
said here, before anything else.
"""

from __future__ import annotations

import os

os.environ |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1")
