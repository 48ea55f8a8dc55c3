"""The Procs and strategies of a Python file, for the command line.

The file is run as Python runs a script (its folder first on the module path; of a package's file, the folder
that holds the package), but under another name, so that a block under `if __name__ == "__main__"` stays out.
"""

from __future__ import annotations

import inspect
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, replace
from importlib.util import module_from_spec, spec_from_file_location
from keyword import iskeyword
from pathlib import Path
from tempfile import TemporaryDirectory
from traceback import StackSummary, TracebackException, extract_tb
from types import FunctionType, ModuleType
from typing import Final, TypeAlias, TypeGuard, cast

from .. import exports, plugins, primitives
from ..cursors.proc import InvalidCursorError, Proc
from ..frontend.errors import FrontendError
from ..machine import Machine
from ..ops.failure import SchedulingError
from ..ops.strategy import NOTE, Op, schedule
from ..shadow import shadows
from .hints import focus_hint

Schedule: TypeAlias = Callable[[Machine], Proc]
Importer: TypeAlias = Callable[..., str]
"""What makes a Python file's text of a file, a function in it and the pointers that are never null. Raises
`ValueError`, with all that it has to say. Where none is named and there are several, the names are in its `several`."""
Options: TypeAlias = Mapping[str, Sequence[str] | None]
"""What is handed to an importer, by name; None is not."""
PUBLIC: Final = {n: getattr(m, n) for m in (exports, primitives) for n in m.__all__}
"""What an expression may name beside what is in the file, so that `at` is there without an import."""

_FUTURE: Final = "from __future__ import annotations"
CPLUSPLUS: Final = (".cpp", ".cc", ".cxx", ".c++", ".C", ".hpp")
"""How names of files in C++ end."""
OURS: Final = Path(__file__).resolve().parents[1]
"""The folder of this package."""


class FileError(ValueError):
    """A file that can't be read or run, or that has no such Proc."""


class RefusedImportError(ValueError):
    """A function that is not imported, with all the reasons."""


@dataclass(frozen=True)
class Source:
    """A Python file that was run: its Procs, and its schedules, which make a Proc for a machine."""

    path: Path
    module: ModuleType
    exports: tuple[str, ...]
    text: str = ""
    """If it was imported from another language: the file in Python that it became."""

    def value(self, name: str, machine: Machine | None) -> Proc | None:
        """The Proc of this name, made for `machine` if the name is a schedule's; None if it is neither."""
        value = getattr(self.module, name, None)
        if isinstance(value, Proc):
            return value
        if not _is_schedule(value):
            return None
        if machine is None:
            raise FileError(f"{name} in {self.path} is a schedule for a machine: choose one with --target")
        with _run_by_user(self.path):
            made = value(machine)
        if not isinstance(made, Proc):
            raise FileError(f"{name} in {self.path} gave a {type(made).__name__}, expected a Proc")
        return made

    def proc(self, name: str, machine: Machine | None = None) -> Proc:
        """The Proc of this name; instructions and private ones too."""
        found = self.value(name, machine)
        if found is not None:
            return found
        what = "is no Proc" if hasattr(self.module, name) else "does not exist"
        hint = ""
        if isinstance(getattr(self.module, name, None), FunctionType):
            hint = (
                "; a schedule is a function of one parameter, annotated Machine: def f(machine: Machine) -> Proc; "
                f"a function of NumPy arrays is imported first: exo-strat import {self.path}:{name} -o OTHER.py"
            )
        raise FileError(f"{name} {what} in {self.path}; its Procs: {', '.join(self.exports) or 'none'}{hint}")

    def is_schedule(self, name: str) -> bool:
        """Whether this is the name of a schedule."""
        return _is_schedule(getattr(self.module, name, None))

    def op(self, expression: str, machine: Machine | None = None) -> Op:
        """The Op that an expression over the file's names and those of `exo_strat` gives: a name, or a call such as
        `tile(4, 8)`. The name of a function that needs no arguments, or only a machine, will do in the place of its
        call."""
        given = f"<{expression}>"
        with _run_by_user(self.path, given):
            try:
                value = eval(compile(expression, given, "eval"), {**PUBLIC, **vars(self.module)})
                if _is_schedule(value):
                    if machine is None:
                        raise FileError(f"{expression} makes a strategy for a machine: choose one with --target")
                    value = value(machine)
                elif not isinstance(value, Op | Proc) and callable(value):
                    value = value()
            except TypeError as e:
                how = _how_to_call(expression, str(e))
                raise FileError(f"{expression!r} gives no strategy in {self.path}: {e}{how}") from e
            except (SyntaxError, NameError, AttributeError) as e:
                why = f"{type(e).__name__}: {e}; its strategies: {', '.join(self.strategies()) or 'none'}"
                raise FileError(f"{expression!r} gives no strategy in {self.path}: {why}") from e
        if not isinstance(value, Op):
            raise FileError(f"{expression} in {self.path} is a {type(value).__name__}, expected a strategy (an Op)")
        return value

    def running(self) -> AbstractContextManager[None]:
        """Where strategies of the file run: the user's mistakes are reported as a `FileError`."""
        return _run_by_user(self.path)

    def strategies(self) -> tuple[str, ...]:
        """The names of the file's own Ops and of functions that make them."""
        here = self.module.__name__
        own = {n: v for n, v in vars(self.module).items() if not n.startswith("_") and v is not PUBLIC.get(n)}
        made = (n for n, v in own.items() if isinstance(v, Op) or (hasattr(v, "__wrapped__") and v.__module__ == here))
        return tuple(sorted(made))

    def scheduled(self, expression: str, p: Proc, machine: Machine | None = None) -> Proc:
        """What a strategy makes of a procedure. Raises `FileError` with the reason if it is refused."""
        op = self.op(expression, machine)
        with _run_by_user(self.path):
            try:
                return schedule(op, p)
            except SchedulingError as e:
                hint = focus_hint(e.failure, p, op)
                raise FileError(f"{self.path}: {e}\n{hint}".rstrip()) from e

    @contextmanager
    def importable(self) -> Iterator[None]:
        """The file's module under its name, where pickle looks for classes that processes send each other."""
        name = self.module.__name__
        before = sys.modules.get(name)
        sys.modules[name] = self.module
        try:
            yield
        finally:
            sys.modules.pop(name)
            if before is not None:
                sys.modules[name] = before

    def nothing(self) -> str:
        """What was looked for, in a file that exports no Proc."""
        names = "those in __all__" if hasattr(self.module, "__all__") else "those without a _ in front"
        what = "a Proc, made by @proc, or a function of one parameter, annotated Machine"
        lines = [f"{self.path} exports no Proc: none of its names ({names}) is {what}"]
        others = [n for n, v in vars(self.module).items() if isinstance(v, Proc)]
        lines += [f"it has Procs that are not exported: {', '.join(others)}"] if others else []
        if any(
            isinstance(v, FunctionType) and v.__module__ == self.module.__name__ for v in vars(self.module).values()
        ):
            lines.append(f"functions of NumPy arrays are imported first: exo-strat import {self.path}:NAME -o OTHER.py")
        strategies = self.strategies()
        lines += [f"it has strategies, for `exo-strat explain`: {', '.join(strategies)}"] if strategies else []
        return "\n".join(lines)


def procs_of(source: Source, names: Sequence[str], machine: Machine | None) -> list[Proc]:
    """The Procs of these names, made for a machine, as one C file has them. Raises `FileError` if there are none, or
    two of one name."""
    if not names:
        raise FileError(source.nothing())
    found: dict[str, str] = {}
    procs = [source.proc(name, machine) for name in names]
    for name, p in zip(names, procs, strict=True):
        other = found.setdefault(p.name(), name)
        if other != name:
            raise FileError(
                f"{other} and {name} in {source.path} are both called {p.name()}, which a C file can't have: "
                f"name the one to build ({source.path}:{name}), list the ones to build in __all__, or rename one"
            )
    return procs


def split(reference: str) -> tuple[Path, str | None]:
    """The file and the name in `FILE` or `FILE:NAME`.

    >>> path, name = split("kernels/gemm.py:sgemm")
    >>> path.name, name
    ('gemm.py', 'sgemm')
    """
    head, dot_py, name = reference.partition(".py:")
    if dot_py and not name.isidentifier() and not Path(reference).is_file():
        raise FileError(f"{name!r} in {reference} is no name of a Proc: write {head}.py:NAME, or {head}.py alone")
    head, colon, name = reference.rpartition(":")
    return (Path(head), name) if colon and head and name.isidentifier() else (Path(reference), None)


def split_proc(where: str) -> tuple[Path, str]:
    """The file and the name in `FILE:NAME`, where a name is needed."""
    path, name = split(where)
    if name is None:
        raise FileError(f"{where} names no Proc: write {where}:NAME; `exo-strat show {where}` lists the names")
    return path, name


def split_program(where: str) -> tuple[Path, str]:
    """The file and the name in `FILE:NAME`; of a file that is no Python the name may be left out, and is empty then."""
    path, name = split(where)
    return (path, name or "") if path.suffix not in ("", ".py") else split_proc(where)


def split_expression(reference: str) -> tuple[Path, str]:
    """The file and the expression in `FILE.py:EXPRESSION`.

    >>> path, expression = split_expression("kernels/gemm.py:at('for i in _: _', tile(4))")
    >>> path.name, expression
    ('gemm.py', "at('for i in _: _', tile(4))")
    """
    head, colon, expression = reference.partition(".py:")
    if not colon or not expression.strip():
        raise FileError(f"{reference} names no strategy: write FILE.py:STRATEGY, a name or a call such as 'tile(4)'")
    return Path(f"{head}.py"), expression.strip()


def read(path: Path) -> Source:
    """Run a Python file. Raises `FileError` if it can't be read or doesn't parse, if an import in it
    fails, or if it holds object code or a schedule that is refused."""
    if not path.is_file():
        raise FileError(f"{path} {'is a folder' if path.is_dir() else 'does not exist'}: expected a Python file")
    name = ".".join((*_packages(path), f"{RUN_AS}{path.stem}"))
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise FileError(f"{path} is not a Python file: its name must end in .py")
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        with _run_by_user(path):
            _check_depth(path)
            spec.loader.exec_module(module)
    finally:
        sys.modules.pop(name, None)  # a file may empty it
    return Source(path, module, tuple(_exports(module)))


TOO_DEEP: Final = "it is nested too deeply for Python"


def _check_depth(path: Path) -> None:
    """Raises `FileError` for a file that Python has no room to compile. All else is told when it is run."""
    try:
        with warnings.catch_warnings(action="ignore"):
            compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
    except (MemoryError, RecursionError):
        raise FileError(f"{path} can't be run: {TOO_DEEP}") from None
    except (SyntaxError, ValueError):
        return


def no_longer_first(folder: str) -> None:
    """Take a folder from the module path, from which the code of a file may have taken it already."""
    if folder in sys.path:
        sys.path.remove(folder)


RUN_AS: Final = "exo_file_"
"""What stands before the name of a file that is run here, in the name of its module."""


def file_of(fn: Callable[..., object]) -> str:
    """The file that was run here and has a function in it; an empty text if the function is of another module."""
    code = getattr(inspect.unwrap(fn), "__code__", None)
    if code is None or not str(fn.__module__).rpartition(".")[2].startswith(RUN_AS):
        return ""
    return str(Path(code.co_filename).resolve())


def package_root(path: Path) -> Path:
    """The folder from which Python finds a file's module: that of the outermost package around it, or its own."""
    return path.resolve().parents[len(_packages(path))]


def importable(path: Path) -> str:
    """The name by which Python imports a file. Raises `FileError` if it has none."""
    names = (*_packages(path), path.stem)
    if not all(n.isidentifier() and not iskeyword(n) for n in names):
        raise FileError(f"{path} can't be imported, as {path.stem!r} is no name in Python: give the file another one")
    return ".".join(names)


def importer_of(path: Path) -> Importer:
    """What imports files of this kind, by the end of the name. Raises `FileError` if nothing does."""
    known = plugins.names(plugins.IMPORTERS)
    if known and path.suffix.removeprefix(".") not in known:
        ends = " or ".join(f".{name}" for name in known)
        more = ". A function that is C, too, may go into a file of its own, named .c" * (path.suffix in CPLUSPLUS)
        raise FileError(f"{path} is of no kind that is imported: its name must end in {ends}{more}")
    return cast(Importer, plugins.load(plugins.IMPORTERS, path.suffix.removeprefix(".")))


def options_of(importer: Importer, path: Path, given: Options) -> dict[str, Sequence[str]]:
    """The options that were given. Raises `FileError` for one that the importer doesn't know."""
    found = {k: v for k, v in given.items() if v}
    for k in found:
        if k not in inspect.signature(importer).parameters:
            shown = {"shapes": "--shape", "flags": "-I and -D"}.get(k, f"--{k}")
            raise FileError(f"{shown}: the importer of {path.name} has no such option")
    return found


def flags_of(include: Sequence[str] | None, define: Sequence[str] | None) -> list[str]:
    """The flags of a preprocessor, of folders with headers and of macros."""
    return [*(f"-I{d}" for d in include or ()), *(f"-D{d}" for d in define or ())]


def split_names(reference: str) -> tuple[Path, tuple[str, ...]]:
    """The file and the names in `FILE`, `FILE:NAME` or `FILE:NAME,NAME`.

    >>> split_names("kernels.c:product,scale")[1]
    ('product', 'scale')
    """
    head, colon, listed = reference.rpartition(":")
    names = listed.split(",")
    if colon and head and len(names) > 1 and all(name.isidentifier() for name in names):
        return Path(head), tuple(dict.fromkeys(names))
    path, name = split(reference)
    return path, (name,) if name else ()


def program_names(path: Path, names: Sequence[str], given: Options) -> tuple[str, ...]:
    """The programs of a file that are meant: those that are named, or all that it exports; in C, all functions that no
    other one calls. Raises as `read_program` does."""
    if names:
        return tuple(names)
    _is_there(path)
    if path.suffix == ".py":
        source = read(path)
        if not source.exports:
            raise FileError(source.nothing())
        return source.exports
    importer = importer_of(path)
    try:
        importer(path, None, **options_of(importer, path, given))
    except ValueError as e:
        several: Sequence[str] = getattr(e, "several", ())
        if not several:
            raise RefusedImportError(str(e)) from e
        return tuple(several)
    return ("",)


def read_program(path: Path, name: str, given: Options) -> tuple[Source, str]:
    """A file and the name of a Proc in it. A file that is no Python, such as one in C, is imported, and its function
    then is the Proc, maybe under another name; an empty name means the only one.

    Raises `FileError` for what can't be read, and `RefusedImportError` for what is not imported."""
    _is_there(path)
    if path.suffix == ".py":
        return read(path), name
    importer = importer_of(path)
    try:
        text = importer(path, name or None, **options_of(importer, path, given))
    except ValueError as e:
        raise RefusedImportError(str(e)) from e
    with TemporaryDirectory() as folder:
        file = Path(folder, f"{path.stem}.py")
        file.write_text(text)
        made = read(file)
    return replace(made, path=path, text=text), made.exports[-1]


def _is_there(path: Path) -> None:
    """Raises `FileError` for a path at which there is no file."""
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        raise FileError(f"{path} {what}: expected a file in Python or C")


def _packages(path: Path) -> tuple[str, ...]:
    """The packages that hold a file, outermost first."""
    folder, names = path.resolve().parent, list[str]()
    while (folder / "__init__.py").is_file():
        names.append(folder.name)
        folder = folder.parent
    return tuple(reversed(names))


def _exports(module: ModuleType) -> Iterator[str]:
    """The names of the Procs and schedules that a module exports, in the file's order: those in
    `__all__`, else all public ones. Imported schedules and all instructions stay out; of several names for
    one Proc the first counts."""
    listed = getattr(module, "__all__", None)
    seen: list[object] = []
    for name in vars(module) if listed is None else listed:
        value = getattr(module, name, None)
        is_proc = isinstance(value, Proc) and not value.is_instr()
        is_schedule = _is_schedule(value) and (listed is not None or value.__module__ == module.__name__)
        public = listed is not None or not name.startswith("_")
        if public and (is_proc or is_schedule) and not any(value is s for s in seen):
            seen.append(value)
            yield name


def _is_schedule(value: object) -> TypeGuard[Schedule]:
    """Whether it is a function of one parameter, annotated `Machine`."""
    if not isinstance(value, FunctionType):
        return False
    kinds = [p.annotation for p in inspect.signature(value).parameters.values()]
    return kinds in ([Machine], ["Machine"])


def _how_to_call(expression: str, error: str) -> str:
    """What to write in the place of a function's name, where arguments are missing."""
    if not expression.isidentifier() or "missing" not in error:
        return ""
    if "'machine'" in error:
        return (
            f"; annotate the parameter: a function of one parameter, `def {expression}(machine: Machine)`, gets the "
            "machine of --target. Or import a machine in the file and write a call with it"
        )
    return f"; write a call, such as {expression}(4)"


@contextmanager
def _run_by_user(path: Path, given: str = "") -> Iterator[None]:
    """Run code of the file as a script's, and report the user's mistakes as a `FileError`. `given` is what an
    expression on the command line was compiled as."""
    folder = str(package_root(path))
    sys.path.insert(0, folder)
    try:
        yield
    except (SyntaxError, ImportError) as e:  # Python's message of the former says where
        told = _told(path, e, given) if isinstance(e, ImportError) else None
        reasons = [told or f"{path} can't be run: {type(e).__name__}: {e}", *map(str, shadows())]
        raise FileError("\n".join(reasons)) from e
    except (FrontendError, SchedulingError, InvalidCursorError) as e:
        raise FileError(f"{path}{_line(path, e)}: {e}") from e
    except SystemExit as e:
        raise FileError(f"{path} can't be run: it ends the program, by exit({e.code!r})") from e
    except Exception as e:  # whatever the file's code may raise; what our own code raises goes on
        told = _told(path, e, given)
        if told is None:
            raise
        raise FileError(told) from e
    finally:
        no_longer_first(folder)


def _line(path: Path, e: Exception) -> str:
    """The line of the file in which something is wrong, unless the message has a place in the file."""
    place = e.place if isinstance(e, FrontendError) else None
    if place is not None and Path(place.file).resolve() == path.resolve():
        return ""
    frames = extract_tb(e.__traceback__)
    lines = [f.lineno for f in frames if Path(f.filename).resolve() == path.resolve()]
    return f", line {lines[-1]}" if lines else ""


def _told(path: Path, e: Exception, given: str) -> str | None:
    """Where the user's code failed, and why, without the frames that called it, and without those of this library in
    which it ended; None if none of them is the user's."""
    told = TracebackException.from_exception(e)
    first = next((k for k, f in enumerate(told.stack) if _is_theirs(f.filename, path, given)), None)
    frames = [] if first is None else told.stack[first:]
    while frames and _is_ours(frames[-1].filename):
        frames = frames[:-1]
    if frames:
        told.__notes__ = []  # frames say it better
    elif not (isinstance(e, TypeError | ValueError) and any(n.startswith(NOTE) for n in getattr(e, "__notes__", ()))):
        return None
    lines = [*StackSummary.from_list(frames).format(), *told.format_exception_only()]
    text = f"{path} can't be run:\n" + "".join(lines).rstrip()
    if isinstance(e, NameError) and _FUTURE not in path.read_text():
        text += f"\nif this stands in the head of a @proc: begin the file with `{_FUTURE}`"
    return text


def _is_theirs(filename: str, path: Path, given: str) -> bool:
    """Whether a file is the user's: the one that is run, or a neighbour of it that is not installed; or the command
    line's expression."""
    there = Path(filename).resolve()
    if filename == given or there == path.resolve():
        return True
    beside = there.is_relative_to(package_root(path)) and there.is_file()
    return beside and not _is_ours(filename) and not there.is_relative_to(Path(sys.prefix).resolve())


def _is_ours(filename: str) -> bool:
    """Whether a file is one of this package."""
    return Path(filename).resolve().is_relative_to(OURS)


def check_apart(out: Path, *inputs: Path) -> None:
    """Raise `FileError` if a file that is to be written is one that is read: it would be lost."""
    if out.exists() and any(out.samefile(path) for path in inputs):
        raise FileError(f"--out {out}: that is the file that is read; give another name")


def write_whole(files: Mapping[Path, bytes]) -> None:
    """Write files beside their places first, then put all in place: what can't be written leaves nothing."""
    partial = {path: path.with_name(f".{path.name}.{os.getpid()}") for path in files}
    try:
        for path, content in files.items():
            try:
                partial[path].write_bytes(content)
            except OSError as e:
                raise FileError(f"{path} can't be written: {e.strerror}") from e
        for path in files:
            try:
                partial[path].replace(path)
            except OSError as e:
                raise FileError(f"{path} can't be written: {e.strerror}") from e
    finally:
        for path in partial.values():
            with suppress(FileNotFoundError, NotADirectoryError):
                path.unlink()
