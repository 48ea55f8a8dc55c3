"""Halide's scheduling operators as Ops, without an unchecked step.

Stages and loops go by names, as in Halide: a stage by the buffer that it writes, a loop by stage and name.

- `references`: what a name means;
- `stage_loops`: the loops of one stage;
- `placement`: where a stage is computed and stored;
- `inlining`: stages put in where they are used, and computed apart for one of several;
- `streaming`: a stage that passes the caches;
- `pixels`: refusals in coordinates of the image;
- `fluent`: `Func`, which collects the same Ops by Halide's method calls;
- `figure`: a schedule as a picture, by `drawing`, which makes boxes SVG.
"""

from __future__ import annotations

from .fluent import Func, pipeline
from .inlining import H_clone_in, H_compute_inline
from .placement import (
    H_compute_at,
    H_compute_root,
    H_compute_store_at,
    H_compute_with,
    H_fold_storage,
    H_store_at,
    H_store_in,
)
from .stage_loops import (
    H_bound,
    H_fuse,
    H_parallel,
    H_partition,
    H_reorder,
    H_split,
    H_tile,
    H_unroll,
    H_vectorize,
)
from .streaming import H_stream

__all__ = [
    "Func",
    "H_bound",
    "H_clone_in",
    "H_compute_at",
    "H_compute_inline",
    "H_compute_root",
    "H_compute_store_at",
    "H_compute_with",
    "H_fold_storage",
    "H_fuse",
    "H_parallel",
    "H_partition",
    "H_reorder",
    "H_split",
    "H_store_at",
    "H_store_in",
    "H_stream",
    "H_tile",
    "H_unroll",
    "H_vectorize",
    "pipeline",
]
