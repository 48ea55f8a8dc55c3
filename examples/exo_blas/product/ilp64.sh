#!/bin/sh
# ilp64.sh LIBRARY OBJECTS FLAG..: a shared library of what libexo_blas64 is made of, objects or an archive, in which functions
# have the usual names (dgemm_ and cblas_dgemm, not dgemm_64_ and cblas_dgemm_64). Programs for 64-bit integers find it as
# Debian's libblas64.so.3, and FlexiBLAS as a backend. The flags are for the linker; CC is the compiler that calls it.
set -e
library=$1
objects=$2
shift 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
ld -r --whole-archive $objects -o "$scratch/all.o"
nm -g "$scratch/all.o" | sed -n 's/.* \(\([a-z0-9_]*\)_64\(_\{0,1\}\)\)$/\1 \2\3/p' > "$scratch/names"
objcopy --redefine-syms="$scratch/names" "$scratch/all.o"
${CC:-cc} -shared -Wl,-soname,"$(basename "$library")" -o "$library" "$scratch/all.o" "$@"
