"""How the library is made: wrappers and kernels become units, units become object files, and these a library."""
