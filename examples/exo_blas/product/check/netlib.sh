#!/bin/sh
# netlib.sh LIBRARY [FOLDER]: netlib's test programs that call by Fortran names, as Debian's libblas-test has them, on a
# library. They find it as their libblas.so.3.
folder=$2 # the programs are called from elsewhere
[ ! -d "$folder" ] || folder=$(cd "$folder" && pwd)
programs=$(find ${folder:-/usr/lib/*/blas} -name 'xblat[123][sdcz]' 2>/dev/null | sort)
if [ -z "$programs" ] && [ "$2" ]; then
  echo "there are no test programs of netlib (xblat1s and so on) below $2"
  exit 1
elif [ -z "$programs" ]; then
  echo "netlib's tests are not installed (Debian: libblas-test): left out"
  exit 0
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$1" "$scratch/libblas.so.3"
for program in $programs; do
  name=${program##*/}
  letter=${name#xblat?}
  level=${name%?}
  level=${level#xblat}
  given=/dev/null
  [ "$level" = 1 ] || given=${program%/*}/${letter}blat$level.in
  # from level 2 on, the results are in a file
  (cd "$scratch" && LD_LIBRARY_PATH="$scratch:$LD_LIBRARY_PATH" "$program" < "$given" > told 2>&1; cat ./*.[Ss][Uu][Mm][Mm] ./*.out >> told 2>/dev/null)
  if grep -Eq 'FAIL|\*{5,}|ABANDONED|undefined|cannot open' "$scratch/told" || ! grep -q 'PASS' "$scratch/told"; then
    cat "$scratch/told"
    echo "$name FAILED"
    exit 1
  fi
  echo "$name passed"
  rm -f "$scratch"/[!l]*
done
