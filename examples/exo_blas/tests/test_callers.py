"""The library as programs meet it: its header in C and C++, next to those of others, wrong arguments, threads, forks,
and what the environment says."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backends.toolchain import cache_dir
from examples.exo_blas.binding import Cblas
from examples.exo_blas.builder.dispatch import dispatch
from examples.exo_blas.builder.interface import FOLDER, header
from examples.exo_blas.builder.routines import Routine, routines
from examples.exo_blas.tests.conftest import Version
from examples.exo_blas.tests.test_random import COMPLEX

HEADER = header()
STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")
FEW = ("gemv", "iamax")
AVX2 = Version("avx2", "s")
"""The version whose functions may be entry points."""
BANDED = ("gbmv", "sbmv", "tbmv", "tbsv", "spmv", "spr", "spr2", "tpmv", "tpsv")
LEVEL3 = ("gemm", "gemv", "ger", "symm", "syrk", "syr2k", "trmm", "trsm")
LEVELS_2_AND_3 = re.compile(r"cblas_[sdcz](?:ge|gb|s[ybp]|h[ebp]|t[rbp])")


def compiled(tmp_path: Path, command: str, text: str, *flags: str | Path) -> Path:
    """A program, or an object file; skips if there is no such compiler."""
    if not shutil.which(command):
        pytest.skip(f"there is no {command}")
    source = tmp_path / ("program.cpp" if command.endswith("++") else "program.c")
    source.write_text(text)
    done = subprocess.run(
        [command, *STRICT, source, "-o", tmp_path / "program", *flags], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return tmp_path / "program"


def header_of(name: str) -> Path:
    """A header of another library, installed or in the cache, where `make blas-test` puts it."""
    found = [p for place in (Path("/usr/include"), cache_dir() / "callers") for p in sorted(place.rglob(name))]
    if not found:
        pytest.skip(f"{name} isn't installed; make blas-test gets it")
    return found[0]


# -- the header ---------------------------------------------------------------------------------------


def shown(language: str) -> str:
    """The program in README.md."""
    text = (FOLDER.parent / "README.md").read_text()
    return text.partition(f"```{language}\n")[2].partition("```")[0]


@pytest.mark.parametrize("command", ["gcc", "clang", "g++", "clang++"])
def test_a_program_in_c_or_cpp_is_linked(command, blas_of, plain, tmp_path):
    library = Path(blas_of(FEW, plain).library._name)
    (tmp_path / "exo_blas.h").write_text(HEADER)
    program = compiled(tmp_path, command, shown("c"), f"-I{tmp_path}", f"-L{library.parent}", f"-l:{library.name}")
    done = subprocess.run(
        [program], capture_output=True, text=True, check=True, env={"LD_LIBRARY_PATH": str(library.parent)}
    )
    assert done.stdout == "6 15 5\n"


def test_a_program_in_python_loads_it(blas_of, plain, tmp_path):
    (tmp_path / "build/blas").mkdir(parents=True)
    shutil.copy(blas_of(FEW, plain).library._name, tmp_path / "build/blas/libexo_blas.so")
    command = [sys.executable, "-c", shown("python")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == "[ 6. 15.]\n"


def declared_after(path: Path) -> str:
    """A program that includes another library's header, and then declares our functions with its enumerations."""
    theirs = path.read_text()
    declared = HEADER[HEADER.index("// Level 1") : HEADER.index("#ifdef __cplusplus\n}")]
    layout = "LAYOUT" if "CBLAS_LAYOUT" in theirs else "ORDER"
    words = {"LAYOUT": layout, **{w: w for w in ("TRANSPOSE", "UPLO", "DIAG", "SIDE")}}
    kinds = "\n".join(f"#define CBLAS_{ours} enum CBLAS_{name}" for ours, name in words.items())
    # BLIS says an index by an int, against netlib
    index = "int" if "f77_int cblas_isamax" in theirs else "size_t"
    integer = f"#undef CBLAS_INT\n#define CBLAS_INT int\n#undef CBLAS_INDEX\n#define CBLAS_INDEX {index}"
    return f"#include <stddef.h>\n#include <{path.name}>\n#undef CBLAS_ORDER\n{kinds}\n{integer}\n{declared}"


@pytest.mark.parametrize("other", ["cblas*netlib.h", "cblas.h", "gsl_cblas.h"])
def test_functions_have_the_types_that_other_headers_give_them(other, tmp_path):
    """A function that is declared twice in one program must have the same type; enumerations are those of the other.
    What the compiler thinks of the other header itself is nothing to us (-isystem)."""
    path = header_of(other)
    folders = ("-isystem", path.parent, "-isystem", path.parent.parent)
    compiled(tmp_path, "gcc", declared_after(path), "-c", *folders, "-Wno-strict-prototypes")


def test_a_function_of_another_type_than_in_another_header_is_told(tmp_path):
    (tmp_path / "other.h").write_text("static int unused(void) { return 0; }\nfloat cblas_sasum(int, float *, int);\n")
    with pytest.raises(AssertionError, match=r"conflicting types for .cblas_sasum"):
        compiled(tmp_path, "gcc", declared_after(tmp_path / "other.h"), "-c", "-isystem", str(tmp_path))


@pytest.mark.parametrize("integers", ["-UEXO_BLAS_64", "-DEXO_BLAS_64"])
def test_the_entry_points_are_a_program_without_warnings(integers, tmp_path):
    everything = [p.name for p in routines()]
    compiled(tmp_path, "gcc", dispatch(everything, {"c": ()}, second_cache=1 << 20), "-c", "-std=gnu11", integers)


# -- wrong arguments ----------------------------------------------------------------------------------

FLAGS = {"LAYOUT": 101, "TRANSPOSE": 111, "UPLO": 121, "DIAG": 131, "SIDE": 141}
SIZES = {"m": 3, "n": 3, "k": 3, "kl": 1, "ku": 1}


def transposes(p: Routine) -> tuple[int, ...]:
    """The transpositions that a function takes."""
    only = {"her": (111, 113), "syr": (111, 112)}
    found = re.fullmatch(r"cblas_[cz](her|syr)2?k", p.name)
    return only[found[1]] if found else (111, 112, 113)


def wrong_calls(p: Routine) -> Iterator[tuple[int, list[Any]]]:
    """For each argument that can be wrong its position, and arguments that are right but for that one. Sizes are 3, the
    distance of rows 9. Addresses are None: nothing may be touched."""
    params = [q.rsplit(" ", 1) for q in p.params.split(", ")]
    right: list[Any] = []
    for kind, name in params:
        if name.startswith("*"):
            right.append(None)
        elif kind.startswith("CBLAS_") and kind != "CBLAS_INT":
            right.append(FLAGS[kind.removeprefix("CBLAS_")])
        else:
            right.append(SIZES.get(name, 9 if name.startswith("ld") else 1))
    for at, (kind, name) in enumerate(params):
        values: tuple[int, ...] = ()
        if kind == "CBLAS_INT":
            values = (0, 2) if name.startswith("ld") else (0,) if name.startswith("inc") else (-1,)
        elif kind.startswith("CBLAS_"):
            values = (0, right[at] - 1, 200)
        if kind == "CBLAS_TRANSPOSE":
            values += tuple({111, 112, 113} - {*transposes(p)})
        for value in values:
            yield at + 1, [*right[:at], value, *right[at + 1 :]]


RECORD = """
#include <string.h>
#include <stdio.h>
static char told[64];
const char *exo_told(void) { return told; }
void exo_forget(void) { told[0] = 0; }
void cblas_xerbla(int position, const char *routine, const char *form, ...) {
    (void)form;
    if (!told[0]) snprintf(told, sizeof told, "%d %s", position, routine);
}
"""

TELL = """
import ctypes, json, sys
from pathlib import Path
from examples.exo_blas.binding import Cblas
own = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
own.exo_told.restype = ctypes.c_char_p
blas = Cblas(Path(sys.argv[2]))
for name, position, args in json.load(sys.stdin):
    own.exo_forget()
    getattr(blas, name)(*args)
    if own.exo_told().decode() != f"{position} {name}":
        print(name, args, "position", position, "told", own.exo_told())
"""


@pytest.mark.parametrize("wrappers", [BANDED, LEVEL3])
def test_every_wrong_argument_is_told_to_the_program_and_nothing_is_touched(wrappers, version, blas_of, tmp_path):
    """Of all functions of levels 2 and 3 that the library has. Addresses are 0, so a write would end the program."""
    found = wrong_arguments_are_told(blas_of(wrappers, version), version.letter, tmp_path)
    assert {name[7:] for name in found} >= set(wrappers)


def test_every_wrong_argument_is_told_of_complex_numbers(complex_version, blas_of, tmp_path):
    """Scalars go by address, and are not read either."""
    found = wrong_arguments_are_told(blas_of(COMPLEX, complex_version), complex_version.letter, tmp_path)
    assert len(found) == 27 and {name[7:] for name in found} >= {"gerc", "hpr2", "tbsv", "her2k"}


def wrong_arguments_are_told(blas: Cblas, letter: str, tmp_path: Path) -> list[str]:
    """The functions of levels 2 and 3 that a library has, all of which tell each of their wrong arguments."""
    exported = [p for p in routines() if LEVELS_2_AND_3.match(p.name) and hasattr(blas.library, p.name)]
    calls = [(p.name, at, args) for p in exported for at, args in wrong_calls(p)]
    assert len(calls) > 100
    record = tmp_path / "record.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", record], input=RECORD, text=True, check=True)
    command, env = [sys.executable, "-c", TELL, record, blas.library._name], {**os.environ, "LD_PRELOAD": str(record)}
    done = subprocess.run(command, input=json.dumps(calls), capture_output=True, text=True, check=False, env=env)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return [p.name for p in exported if p.name[6] == letter]


NO_MEMORY = """
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include "exo_blas.h"

#ifdef RETURNS
void cblas_xerbla(CBLAS_INT position, const char *routine, const char *form, ...) {
    fprintf(stderr, "%d %s %s", (int)position, routine, form);
}
#endif
enum { N = 1 << 20 };

int main(void) {
    double *a = calloc(N, sizeof *a), *x = calloc(2 * N, sizeof *x);
    const struct rlimit none = {1 << 20, 1 << 20};
    setrlimit(RLIMIT_AS, &none);
    cblas_dtbmv(CblasRowMajor, CblasUpper, CblasNoTrans, CblasNonUnit, N, 0, a, 1, x, 2);
    return 0;
}
"""


@pytest.mark.parametrize("own", [False, True])
def test_that_there_is_no_memory_for_a_copy_is_told(own, blas_of, plain, tmp_path):
    """The program ends, whatever a handler of its own does."""
    library = Path(blas_of(BANDED, plain).library._name)
    (tmp_path / "exo_blas.h").write_text(HEADER)
    flags = (f"-I{tmp_path}", f"-L{library.parent}", f"-l:{library.name}", *["-DRETURNS"] * own)
    program = compiled(tmp_path, "gcc", NO_MEMORY, *flags)
    env = {"LD_LIBRARY_PATH": str(library.parent)}
    done = subprocess.run([program], capture_output=True, text=True, check=False, env=env)
    told = re.fullmatch(r"(0 exo_blas )?exo_blas: out of memory, no (\d+|%zu) bytes for a copy\n", done.stderr)
    assert told and bool(told[1]) == own
    assert done.returncode == (-signal.SIGABRT if own else 255)


# -- programs with functions of the same names --------------------------------------------------------

OTHER_CBLAS = """
#include <stdio.h>
#include <stdlib.h>
int isamax_(const int *n, const float *x, const int *incx);

// As in netlib's CBLAS, which calls by Fortran names.
size_t cblas_isamax(int n, const float *x, int incx);
size_t cblas_isamax(int n, const float *x, int incx) {
    static int calls;
    if (calls++) abort();
    return (size_t)isamax_(&n, x, &incx) - 1;
}

int main(void) {
    const float x[4] = {1, -2, 4, -3};
    printf("%zu\\n", cblas_isamax(4, x, 1));
    return 0;
}
"""


def test_another_cblas_may_call_it_by_fortran_names(blas_of, tmp_path):
    library = Path(blas_of(FEW, AVX2).library._name)
    flags = (f"-L{library.parent}", f"-l:{library.name}", "-rdynamic")
    program = compiled(tmp_path, "gcc", OTHER_CBLAS, *flags)
    env = {"LD_LIBRARY_PATH": str(library.parent)}
    done = subprocess.run([program], capture_output=True, text=True, check=True, env=env)
    assert done.stdout == "2\n"


def test_it_calls_none_of_its_functions_by_a_name_that_others_may_have(blas_of):
    """But for those that tell what is wrong, which a program may define."""
    if not shutil.which("readelf"):
        pytest.skip("there is no readelf")
    library = blas_of(FEW, AVX2).library._name
    told = subprocess.run(["readelf", "-rW", library], capture_output=True, text=True, check=True).stdout
    own = {f"{p.fortran}_" for p in routines()} | {p.name for p in routines()}
    called = {line.split()[4] for line in told.splitlines() if re.match(r"[0-9a-f]{16} .* \+ ", line)}
    assert "cblas_xerbla" in called and not called & own


# -- threads and processes ----------------------------------------------------------------------------

THREADS = """
#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "exo_blas.h"

enum { M = 203, N = 301, K = 157 };
static T a[M * K], b[K * N];
static double x[N];

static double wrong(const T *c) {
    double most = 0;
    for (int i = 0; i < M; i += 7)
        for (int j = 0; j < N; j++) {
            double want = 0;
            for (int l = 0; l < K; l++) want += (double)a[i * K + l] * b[l * N + j];
            most = fmax(most, fabs(want - c[i * N + j]));
        }
    return most;
}

// A product and two with vectors; what is large enough is shared by threads.
static void *work(void *result) {
    T *c = malloc(sizeof(T[M * N])), *y = calloc(1000, sizeof *y), *ones = calloc(1000 * 700, sizeof *ones);
    for (int i = 0; i < 1000 * 700; i++) ones[i] = 1;
    for (int i = 0; i < M * N; i++) c[i] = 0.0 / 0.0;
    CBLAS(gemm)(CblasRowMajor, CblasNoTrans, CblasNoTrans, M, N, K, 1, a, K, b, N, 0, c, N);
    double most = wrong(c);
    for (int t = 0; t < 2; t++) {
        int rows = t ? 700 : 1000;
        CBLAS(gemv)(CblasRowMajor, t ? CblasTrans : CblasNoTrans, 1000, 700, 1, ones, 700, ones, 1, 0, y, 1);
        for (int i = 0; i < rows; i++) most = fmax(most, fabs(y[i] - (1700 - rows)));
    }
    free(c), free(y), free(ones);
    *(double *)result = most;
    return NULL;
}

static double many(void) {
    pthread_t threads[8];
    double results[8], most = 0;
    for (int i = 0; i < 8; i++) pthread_create(&threads[i], NULL, work, &results[i]);
    for (int i = 0; i < 8; i++) pthread_join(threads[i], NULL), most = fmax(most, results[i]);
    return most;
}

int main(void) {
    for (int i = 0; i < M * K; i++) a[i] = sin(i);
    for (int i = 0; i < K * N; i++) b[i] = cos(i);
    double results[4] = {0}, most = many();  // the first calls of all, at once
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 4; i++) work(&results[i]);
    for (int i = 0; i < 4; i++) most = fmax(most, results[i]);
    work(&x[0]);
    most = fmax(most, x[0]);
    if (fork() == 0) {  // the threads of the parent aren't here
        alarm(60);
        work(&x[1]);
        _exit(!(x[1] < BOUND));
    }
    int status;
    wait(&status);
    printf("%s %s\\n", most < BOUND ? "right" : "wrong", status ? "the child failed" : "right");
    return 0;
}
"""


@pytest.mark.parametrize("threads", ["1", "3", "64"])
@pytest.mark.parametrize("nested", ["1", "2"])
def test_threads_and_forked_processes_call_at_once(threads, nested, version, letter, blas_of, tmp_path):
    library = Path(blas_of(LEVEL3, version).library._name)
    (tmp_path / "exo_blas.h").write_text(HEADER)
    precision = ("-DT=double", "-DBOUND=1e-10") if letter == "d" else ("-DT=float", "-DBOUND=1e-3")
    given = (f"-DCBLAS(f)=cblas_{letter}##f", *precision, "-fopenmp", "-O1", f"-I{tmp_path}")
    flags = (*given, f"-L{library.parent}", f"-l:{library.name}", "-lm", "-pthread")
    program = compiled(tmp_path, "gcc", THREADS, *flags)
    env = {"LD_LIBRARY_PATH": str(library.parent), "EXO_NUM_THREADS": threads, "OMP_MAX_ACTIVE_LEVELS": nested}
    done = subprocess.run([program], capture_output=True, text=True, check=True, timeout=120, env=env)
    assert done.stdout == "right right\n"


CLOSED = """
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

static double ones[600 * 600], y[600];
typedef void Gemv(int, int, int, int, double, const double *, int, const double *, int, double, double *, int);

int main(int count, char **names) {
    for (int i = 0; i < 600 * 600; i++) ones[i] = 1;
    for (int i = 0; i < 3 && count == 2; i++) {
        void *library = dlopen(names[1], RTLD_NOW);
        Gemv *gemv;
        *(void **)&gemv = dlsym(library, "cblas_dgemv");
        gemv(101, 111, 600, 600, 1, ones, 600, ones, 1, 0, y, 1);
        dlclose(library);
        usleep(20000);  // the other threads find out that there is nothing more to do
    }
    printf("%g\\n", y[599]);
    return 0;
}
"""


def test_a_program_closes_the_library_after_threads_worked(blas_of, plain, tmp_path):
    library = blas_of(FEW, plain).library._name
    program = compiled(tmp_path, "gcc", CLOSED, "-ldl")
    done = subprocess.run(
        [program, library], capture_output=True, text=True, check=False, env={"EXO_NUM_THREADS": "2"}, timeout=60
    )
    assert (done.returncode, done.stdout) == (0, "600\n")


# -- the environment ----------------------------------------------------------------------------------


def told(blas: Cblas, isa: str) -> tuple[str, str]:
    """The instruction set that the library uses, and what it says."""
    program = (
        "import ctypes, sys; l = ctypes.CDLL(sys.argv[1]); f = l.exo_blas_isa; f.restype = ctypes.c_char_p;"
        "print(f().decode())"
    )
    command = [sys.executable, "-c", program, blas.library._name]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "EXO_BLAS_ISA": isa})
    return done.stdout.strip(), done.stderr


def test_a_wrong_instruction_set_is_told_and_ignored(blas_of, best):
    blas = blas_of(FEW, best)
    assert told(blas, "") == (best.isa, "")
    used, said = told(blas, "avx1024")
    assert used == best.isa
    assert re.fullmatch(r"EXO_BLAS_ISA is avx1024, not one of c, avx(2|512|2, avx512): ignored\n", said)
    assert told(blas, "c") == ("c", "")


@pytest.mark.parametrize(
    ("given", "threads"),
    [("banana", "1"), ("-3", "1"), ("0", "1"), ("2x", "2"), ("99999999999999", "1024"), ("3", None), ("", None)],
)
def test_what_is_no_number_of_threads_is_told(given: str, threads: str | None, blas_of, best) -> None:
    blas = blas_of(FEW, best)
    command = [sys.executable, "-c", "import ctypes, sys; ctypes.CDLL(sys.argv[1])", blas.library._name]
    environment = {**os.environ, "EXO_NUM_THREADS": given}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    told = f"EXO_NUM_THREADS is {given}, not a number from 1 to 1024: taken for {threads}\n"
    assert done.stderr == (told if threads else "")


def test_an_instruction_set_is_used_only_if_the_processor_and_the_system_have_it(tmp_path):
    """The entry points ask `__builtin_cpu_supports`, for all features, and that asks the system by `xgetbv`."""
    text = dispatch(["cblas_sasum"], {"c": (), "avx512": ("avx512f", "avx512vl")}, second_cache=1 << 20)
    assert '__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")' in text
    if not shutil.which("objdump") or not shutil.which("gcc"):
        pytest.skip("there is no gcc or no objdump")
    body = "float cblas_sasum_%s(int n, const float *x, int i) { return n + *x + i; }\n"
    bodies = "".join(body % target for target in ("c", "avx512"))
    source, library = tmp_path / "entries.c", tmp_path / "entries.so"
    source.write_text(text + bodies)
    subprocess.run(["gcc", "-shared", "-fPIC", source, "-o", library], check=True)
    assert "xgetbv" in subprocess.run(["objdump", "-d", library], capture_output=True, text=True, check=True).stdout


# -- matrices of one row ------------------------------------------------------------------------------


def test_a_transposed_matrix_of_one_row_has_leading_dimension_one(
    version: tuple[str, str], letter: str, blas_of: Callable[..., Cblas]
) -> None:
    """Its elements and its rows are at distance 1, which a product with a vector must not take for a wrong argument."""
    blas = blas_of(LEVEL3, version)
    a, b, c = (np.arange(1, 6, dtype="f4" if letter == "s" else "f8") for _ in range(3))
    at = [v.ctypes.data for v in (a, b, c)]
    getattr(blas, f"cblas_{letter}gemm")(101, 112, 111, 1, 1, 5, 1.0, at[0], 1, at[1], 1, 0.0, at[2], 1)
    assert c[0] == 55
    getattr(blas, f"cblas_{letter}syrk")(101, 121, 112, 1, 5, 1.0, at[0], 1, 1.0, at[2], 1)
    assert c[0] == 110
