"""Procedures as a Python module that needs neither this library nor a compiler: a wheel with a shared library for
several instruction sets, its header, and functions on NumPy arrays that check their arguments.

`library` makes the shared library, `contract` the text of the module, `wheel` the files; `runtime` goes along.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from .. import targets
from ..c import NameClashError
from ..kernel import Machine, Proc
from ..native import check_assertions
from ..toolchain import UnsupportedTargetError
from .contract import NAMES, Contract, contract, module_text, plans_text
from .library import Version, architecture, build, header, obstacle, version
from .wheel import About, Files, write_folder, write_wheel

__all__ = ["package", "usual_machines"]


def usual_machines() -> tuple[Machine, ...]:
    """The machines that a package has code for, unless others are asked for; the plainest first."""
    x86 = (targets.avx2, targets.avx512) if architecture() == "x86_64" else ()
    return (targets.PLAIN_C, *x86)


def package(
    versions: Sequence[tuple[Machine, Sequence[Proc]]],
    name: str,
    release: str,
    folder: Path,
    unpacked: bool = False,
) -> Path:
    """Make a module `name` of procedures, given for each machine, the plainest first; write it into a folder as a wheel
    of this `release`, or `unpacked`. Returns the wheel, or the module's folder.

    The procedures of all machines have the same names, in the same order, take the same arguments and assert the same:
    which code runs is nothing that a caller sees.

    Raises `UnsupportedTargetError` for a machine that a library can't have code for here, and for procedures that ask
    more of a processor than their machine; a `BackendError` for what can't be C, can't be checked by Python, or isn't
    the same for all machines; another `ToolchainError` if it can't be compiled; `OSError` if it can't be written.
    """
    machines = [m for m, _ in versions]
    _check_machines(machines)
    for p in (p for _, procs in versions for p in procs):
        _check_name(p.name(), name)
        check_assertions(p)
    made = [version(m, k, procs, name) for k, (m, procs) in enumerate(versions)]
    contracts = _same_for_all(made)
    with tempfile.TemporaryDirectory() as scratch:
        library = Path(scratch, f"lib{name}.so")
        build(made, name, library)
        files = _files(made, contracts, name, library.read_bytes())
    summary = f"Compiled functions: {', '.join(c.name for c, _ in contracts)}"
    about = About(name, release, summary, _readme(made, contracts, name))
    return (write_folder if unpacked else write_wheel)(files, about, folder)


def _check_machines(machines: Sequence[Machine]) -> None:
    for m in machines:
        if why := obstacle(m):
            raise UnsupportedTargetError(why)
    for k, m in enumerate(machines):
        for other in machines[:k]:
            if set(other.cpu_flags) == set(m.cpu_flags):
                what = "the same of a processor, so there is no telling which to use: take one of them"
                raise UnsupportedTargetError(f"{other} and {m} ask {what}")


def _check_name(function: str, name: str) -> None:
    if function in NAMES or function == f"{name}_isa":
        raise NameClashError(f"{function} is a name that the package itself has: rename the procedure")


def _same_for_all(versions: Sequence[Version]) -> list[tuple[Contract, int]]:
    """The contract of each function, with the largest integer that all versions can be given."""
    first, *others = versions
    found = [contract(f) for f in first.plain.functions]
    most = [c.most() or 0 for c in found]
    for v in others:
        for k, (c, f) in enumerate(zip(found, v.plain.functions, strict=True)):
            _check_same(c, contract(f), first, v)
            if (first.declared[k].params, first.declared[k].name) != (v.declared[k].params, v.declared[k].name):
                raise NameClashError(f"{c.name} has another prototype in C for {v.machine} than for {first.machine}")
            most[k] = min(most[k], contract(f).most() or 0)
    return list(zip(found, most, strict=True))


def _check_same(a: Contract, b: Contract, first: Version, v: Version) -> None:
    """Raises a `NameClashError` if two machines have other functions."""
    for what, x, y in (
        ("is called", (a.name,), (b.name,)),
        ("takes", a.takes(), b.takes()),
        ("asserts", tuple(sorted(t for t, _, _ in a.assertions)), tuple(sorted(t for t, _, _ in b.assertions))),
    ):
        if x != y:
            one = ", ".join(t for t in x if t not in y) or "less"
            other = ", ".join(t for t in y if t not in x) or "less"
            raise NameClashError(
                f"{a.name} {what} {one} for {first.machine} and {other} for {v.machine}: which code runs must make no"
                " difference to a caller"
            )


def _files(versions: Sequence[Version], contracts: Sequence[tuple[Contract, int]], name: str, library: bytes) -> Files:
    sets = [v.machine.name for v in versions]
    texts = {
        "__init__.py": module_text(contracts, name, sets),
        "__main__.py": _MAIN.replace("NAME", name),
        "_plans.py": plans_text(contracts, name, _wanted(versions)),
        "_runtime.py": Path(__file__).with_name("runtime.py").read_text(),
        f"include/{name}.h": header(versions, name),
        "py.typed": "",
    }
    return {f"{name}/{path}": text.encode() for path, text in texts.items()} | {f"{name}/lib/lib{name}.so": library}


def _wanted(versions: Sequence[Version]) -> str:
    """In words, what it takes of a processor to run any of the code."""
    return " or ".join(", ".join(v.features) or "nothing in particular" for v in versions)


_MAIN = '''\
"""Print the flags with which a C compiler finds the header and the library: `cc main.c $(python -m NAME)`."""

from pathlib import Path

here = Path(__file__).parent
print(f"-I{here / 'include'} -L{here / 'lib'} -Wl,-rpath,{here / 'lib'} -lNAME")
'''


def _readme(versions: Sequence[Version], contracts: Sequence[tuple[Contract, int]], name: str) -> str:
    sets = ", ".join(v.machine.name for v in versions)
    calls = "".join(f"* `{name}.{c.name}({', '.join(c.parameters)})`\n" for c, _ in contracts)
    text = f"Compiled functions on NumPy arrays, for {sets}. `help({name})` tells what each takes."
    return f"# {name}\n\n{text}\n\n{calls}"
