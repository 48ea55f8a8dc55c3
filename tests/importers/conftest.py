"""A C function and what was imported from it, run beside each other."""

from __future__ import annotations

import ctypes
import re
import subprocess
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from exo_strat import Control, Proc, Tensor, names_at, print_expr
from importers.c.syntax import Unit

PLAIN = ("-O0", "-ffp-contract=off")
NAMES = ("f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
DTYPES = {name: np.dtype(f"{name[0]}{int(name[1:]) // 8}") for name in NAMES}
CTYPES = {
    "f32": ctypes.c_float, "f64": ctypes.c_double, "i8": ctypes.c_int8, "i16": ctypes.c_int16, "i32": ctypes.c_int32,
    "i64": ctypes.c_int64, "u8": ctypes.c_uint8, "u16": ctypes.c_uint16, "u32": ctypes.c_uint32, "u64": ctypes.c_uint64,
}  # fmt: skip


def load(text: str, path: Path) -> ModuleType:
    """The module that an imported text is."""
    import importlib.util

    path.write_text(text)
    spec = importlib.util.spec_from_file_location(f"imported_{path.stem}_{zlib.crc32(text.encode())}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def shape(p: Proc, t: Tensor, sizes: Mapping[str, int]) -> tuple[int, ...]:
    """The extents of an argument for some sizes."""
    texts = [print_expr(e, names_at(p.tree)).replace("/", "//") for e in t.shape]
    return tuple(eval(e, dict(sizes)) for e in texts)


def drawn(p: Proc, sizes: Mapping[str, int], rng: np.random.Generator, limit: int) -> dict[str, object]:
    """Arguments by name: sizes as given, numbers that are given with them, and random data."""
    given: dict[str, object] = {}
    claims = re.findall(r"assert within\((\w+), (.+), (.+)\)", str(p))
    for a in p.tree.args:
        t = a.type
        if isinstance(t, Control):
            given[a.sym.name] = sizes[a.sym.name]
            continue
        base = t.base.name if isinstance(t, Tensor) else t.name
        extents = shape(p, t, sizes) if isinstance(t, Tensor) else ()
        if a.sym.name in sizes:
            data = np.full(extents or (1,), sizes[a.sym.name])
        elif base[0] == "f":
            data = rng.uniform(-2, 2, extents or (1,))
        else:
            ends = [(eval(lo, dict(sizes)), eval(hi, dict(sizes))) for name, lo, hi in claims if name == a.sym.name]
            lo = max([-limit, *(lo for lo, _ in ends)])
            hi = min([limit, *(hi for _, hi in ends)])
            data = rng.integers(max(lo, 0) if base[0] == "u" else lo, hi, extents or (1,))
        given[a.sym.name] = np.ascontiguousarray(np.asarray(data).astype(DTYPES[base]))
    return given


@cache
def _compiled(source: str, folder: Path) -> tuple[ctypes.CDLL, Unit]:
    """A C file without optimisation, and what the importer reads of it."""
    from importers.c.preprocess import preprocessed
    from importers.c.reader import read

    name = f"original_{zlib.crc32(source.encode())}"
    file, library = folder / f"{name}.c", folder / f"{name}.so"
    file.write_text(source)
    command = ["cc", *PLAIN, "-w", "-std=gnu11", "-fPIC", "-shared", "-o", str(library), str(file), "-lm"]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(library)), read(preprocessed(file), file)


class Original:
    """A C function as it is; each file is compiled once."""

    def __init__(self, source: str, function: str, folder: Path) -> None:
        self.library, unit = _compiled(source, folder)
        self.function = getattr(self.library, function)
        self.c = unit.functions[function]
        self.outer = {v.c_name for v in unit.variables}

    def __call__(self, given: Mapping[str, object]) -> None:
        """Call it with the arguments of the imported one; what it returns goes to `result`."""
        from importers.c.syntax import Array, Pointer
        from importers.c.types import Float, Int, Void, precision

        args: list[object] = []
        for v in self.c.args:
            value = given[v.name]
            if isinstance(v.type, Array | Pointer):
                args.append(value.ctypes.data_as(ctypes.c_void_p))  # type: ignore[attr-defined]
            else:
                assert isinstance(v.type, Int | Float)
                args.append(CTYPES[precision(v.type)](value if isinstance(value, int) else value.item()))  # type: ignore[attr-defined]
        outer = {n: a for n, a in given.items() if n in self.outer and isinstance(a, np.ndarray)}
        for name, a in outer.items():
            ctypes.memmove(self._address(name), a.ctypes.data, a.nbytes)
        if not isinstance(self.c.result, Void):
            assert isinstance(self.c.result, Int | Float)
            self.function.restype = CTYPES[precision(self.c.result)]
        found = self.function(*args)
        for name, a in outer.items():
            ctypes.memmove(a.ctypes.data, self._address(name), a.nbytes)
        if "result" in given:
            given["result"][...] = found  # type: ignore[index]

    def _address(self, name: str) -> int:
        return ctypes.addressof(ctypes.c_char.in_dll(self.library, name))


def differences(
    p: Proc, original: Original, sizes: Mapping[str, int], limit: int, run: Callable[[dict[str, object]], None]
) -> list[str]:
    """The arguments that the imported procedure leaves other than the C function does."""
    rng = np.random.default_rng(zlib.crc32(repr(sorted(sizes.items())).encode()))
    given = drawn(p, sizes, rng, limit)
    here, there = ({k: v.copy() if isinstance(v, np.ndarray) else v for k, v in given.items()} for _ in range(2))
    original({**sizes, **there})
    run(here)
    single = {a.sym.name for a in p.tree.args if not isinstance(a.type, Control | Tensor)}
    numbers = single - {"result", *original.outer}
    arrays = [k for k, v in given.items() if isinstance(v, np.ndarray) and k not in numbers]
    return [f"{k}: {here[k]} here, {there[k]} in C" for k in arrays if not _equal(here[k], there[k])]


def runner(p: Proc, interpreted: bool) -> Callable[[dict[str, object]], None]:
    """What runs a procedure on arguments, which it changes: compiled, or in the reference interpreter."""
    from backends.jit import jit

    if interpreted:
        return lambda given: _interpret(p, given)
    compiled = jit(p, flags=PLAIN)
    return lambda given: compiled(**{k: _passed(p, k, v) for k, v in given.items()})


def _equal(a: object, b: object) -> bool:
    assert isinstance(a, np.ndarray) and isinstance(b, np.ndarray)
    if a.dtype.kind != "f" or not np.array_equal(a, b, equal_nan=True):
        return a.tobytes() == b.tobytes()
    return np.array_equal(np.signbit(a) | np.isnan(a), np.signbit(b) | np.isnan(b))


def _passed(p: Proc, name: str, value: object) -> object:
    """A number that is only read is passed as one."""
    written = re.search(rf"^\s+{name} [+*]?= ", str(p), re.MULTILINE) or name == "result"
    scalar = any(a.sym.name == name and not isinstance(a.type, Control | Tensor) for a in p.tree.args)
    return value.item() if scalar and not written and isinstance(value, np.ndarray) else value


def _interpret(p: Proc, given: dict[str, object]) -> None:
    """Run the reference interpreter."""
    from exo_strat import interp

    scalars = {a.sym.name for a in p.tree.args if not isinstance(a.type, Control | Tensor)}
    plain = {k: v if isinstance(v, int) else v.item() if k in scalars else v.tolist() for k, v in given.items()}  # type: ignore[attr-defined]
    outcome = interp.run(p, plain)
    assert outcome.trap is None, outcome.trap
    for k, found in outcome.outputs.items():
        array = given[k]
        assert isinstance(array, np.ndarray)
        array[...] = np.array(_filled(found), dtype=array.dtype).reshape(array.shape)


def _filled(found: object) -> object:
    if isinstance(found, tuple | list):
        return [_filled(x) for x in found]
    return 0 if found is None else found


def admitted(p: Proc, sizes: Mapping[str, int]) -> bool:
    """Whether a procedure's assertions allow sizes."""
    texts = [print_expr(e, names_at(p.tree)).replace("/", "//") for e in p.tree.preds]
    return all(eval(t, dict(sizes)) for t in texts)


RoundTrip = Callable[..., str]


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the compiled C files: each is compiled once."""
    return tmp_path_factory.mktemp("compiled")


@pytest.fixture
def roundtrip(tmp_path: Path, compiled: Path) -> RoundTrip:
    """`roundtrip(source, function, sizes, ..)`: import a function, run it and the original for each of the sizes, and
    compare what they leave; the imported text. `through` is a function that calls the original with plain arguments.
    `whole` is a file that has the function beside others. `interpreted` takes the reference interpreter; `some` passes
    over sizes that assertions forbid, which were added."""
    from importers.c import from_c

    def run(
        source: str,
        function: str,
        sizes: Sequence[Mapping[str, int]] = ({},),
        limit: int = 100,
        interpreted: bool = False,
        nonnull: Sequence[str] = (),
        some: bool = False,
        through: str = "",
        ignore: Sequence[str] = (),
        whole: str = "",
    ) -> str:
        file = tmp_path / f"{function}.c"
        file.write_text(source)
        text = from_c(file, function, nonnull, ignore)
        module = load(text, tmp_path / f"{function}_imported.py")
        p = next(v for v in reversed(list(vars(module).values())) if isinstance(v, Proc))
        original = Original(whole or source, through or function, compiled)
        does = runner(p, interpreted)
        for s in sizes:
            if some and not admitted(p, s):
                continue
            found = differences(p, original, s, limit, does)
            assert not found, f"{dict(s)}: {found}\n{text}"
        return text

    return run


@pytest.fixture
def refused(tmp_path: Path) -> Callable[..., str]:
    """`refused(source)`: what is said of a program that isn't taken."""
    from importers.c import ImportRefusedError, from_c

    def run(source: str, function: str | None = None, nonnull: Sequence[str] = ()) -> str:
        file = tmp_path / "program.c"
        file.write_text(source)
        with pytest.raises(ImportRefusedError) as found:
            from_c(file, function, nonnull)
        return str(found.value).replace(str(file), "program.c")

    return run
