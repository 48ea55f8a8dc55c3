"""No function of a C module has a name that a header which it includes declares, or that the C library has: found by
`testing.renaming`, which called a procedure `va_list`."""

from __future__ import annotations

import json
import platform
import subprocess
from collections.abc import Callable
from pathlib import Path
from shutil import which

import pytest

from backends.c import NameClashError, compile
from backends.c.names import function_name
from exo_strat import Proc

Code = Callable[..., Proc]

HEADERS = ("stdbool", "stddef", "stdint", "math", "stdio", "stdlib", "string", "setjmp")
"""What generated C includes."""
LATEST = (2, 36)
"""The glibc from which our lists are: a later one may have more."""
glibc = pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc" or tuple(map(int, platform.libc_ver()[1].split("."))) > LATEST,
    reason="our lists are those of another C library",
)
KINDS = ("FunctionDecl", "TypedefDecl", "VarDecl", "EnumConstantDecl")


def kept(names: set[str]) -> list[str]:
    """Those that a function of a module could be called."""
    return sorted(n for n in names if function_name(n) == n)


@glibc
@pytest.mark.parametrize("flags", [(), ("-D_GNU_SOURCE",)], ids=["plain", "gnu"])
def test_what_headers_declare(tmp_path: Path, flags: tuple[str, ...]) -> None:
    """`g++` defines _GNU_SOURCE."""
    if which("clang") is None:
        pytest.skip("clang tells what headers declare, and is not there")
    source = tmp_path / "headers.c"
    source.write_text("".join(f"#include <{h}.h>\n" for h in HEADERS))
    command = ["clang", "-std=gnu11", *flags, "-fsyntax-only", "-Xclang", "-ast-dump=json", str(source)]
    nodes = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["inner"]
    nodes += [c for n in nodes if n["kind"] == "EnumDecl" for c in n.get("inner", ())]
    declared = {n["name"] for n in nodes if n["kind"] in KINDS and "name" in n}
    assert {"va_list", "FILE", "printf", "sqrt"} <= declared
    assert not kept(declared)


@glibc
@pytest.mark.parametrize("library", ["libc.so.6", "libm.so.6"])
def test_what_the_c_library_has(library: str) -> None:
    if which("gcc") is None or which("nm") is None:
        pytest.skip("there is no gcc or no nm")
    where = ["gcc", f"-print-file-name={library}"]
    path = Path(subprocess.run(where, capture_output=True, text=True, check=True).stdout.strip())
    if not path.is_absolute():
        pytest.skip(f"this system has no {library}")
    listed = ["nm", "-D", "--defined-only", str(path)]
    text = subprocess.run(listed, capture_output=True, text=True, check=True).stdout
    lines = [line.split() for line in text.splitlines()]
    has = {line[-1].partition("@")[0] for line in lines if len(line) == 3 and line[1] in "TWiVDBR"}
    assert len(has) > 500 and not kept(has)


@pytest.mark.parametrize("name", ["va_list", "FILE", "uint", "jmp_buf", "expf32", "f32addf64", "at_quick_exit"])
def test_a_procedure_of_such_a_name(code: Code, name: str) -> None:
    inner = code(f"def {name}(x: [f32][2]):\n    x[0] = sqrt(x[1])\n")
    source = compile([code(f"def p(x: f32[2]):\n    {name}(x[0:2])\n", **{name: inner})]).source
    assert f" {name}_(" in source and f" {name}(" not in source
    with pytest.raises(NameClashError, match="C or its library has the name"):
        compile([inner])
