"""Programs that others wrote for any BLAS, run on this one."""
