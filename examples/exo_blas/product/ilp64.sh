#!/bin/sh
# ilp64.sh LIBRARY OBJECTS FLAG..: a shared library of what libexo_blas64 is made of, objects or an archive, in which functions
# have the usual Fortran names (dgemm_, not dgemm_64_), as Fortran compiled with 64-bit integers calls them, and FlexiBLAS a
# backend. Those of CBLAS keep theirs, cblas_dgemm_64: FlexiBLAS calls cblas_dgemm with 32-bit integers always, and does
# it itself where the backend has none. The flags are for the linker; CC is the compiler that calls it.
set -e
library=$1
objects=$2
shift 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
ld -r --whole-archive $objects -o "$scratch/all.o"
nm -g "$scratch/all.o" | sed -n 's/.* \(\([a-z0-9_]*\)_64_\)$/\1 \2_/p' > "$scratch/names"
objcopy --redefine-syms="$scratch/names" "$scratch/all.o"
${CC:-cc} -shared -Wl,-soname,"$(basename "$library")" -o "$library" "$scratch/all.o" "$@"
