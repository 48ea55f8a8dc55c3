"""The numbers that decide which way a routine goes: results are right whichever they are, and profiles set them."""

from __future__ import annotations

import doctest
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

from backends.families import find_family
from examples.exo_blas.binding import Cblas, load
from examples.exo_blas.builder.dispatch import families_read, profile_of
from examples.exo_blas.builder.interface import FOLDER
from examples.exo_blas.tests import test_random
from examples.exo_blas.tests.test_random import COMPLEX, COMPLEX_KINDS, COMPLEX_ROUTINES, DENSE, KINDS, LEVEL3, Lab

PRODUCT = FOLDER.parent / "product"
WRAPPERS = (*dict.fromkeys((*DENSE, *LEVEL3)), "copy", "axpy", "scal")
PROFILES = int(os.environ.get("EXO_BLAS_PROFILES", "12"))
CASES = 12
LINE = re.compile(r"\w+ (\w+) (\d+)  # (\d+) to (\d+)")


def lines_of(blas: Cblas) -> list[str]:
    """What a library tells of its numbers."""
    text = bytearray(1 << 14)
    room = (np.ctypeslib.ctypes.c_char * len(text)).from_buffer(text)
    size = blas.library.exo_blas_choices(room, len(text))
    assert 0 < size < len(text)
    return text[:size].decode().splitlines()


def told(blas: Cblas) -> dict[str, tuple[int, int, int]]:
    """The numbers that a library uses, each with its bounds."""
    found = [LINE.fullmatch(line) for line in lines_of(blas)[1:]]
    return {m[1]: (int(m[2]), int(m[3]), int(m[4])) for m in found if m}


def chosen(rng: np.random.Generator, known: Mapping[str, tuple[int, int, int]]) -> dict[str, int]:
    """Numbers as they fall: the least, the most, those that small matrices reach, and others."""
    found = {}
    for name, (value, least, most) in known.items():
        small, other = (int(2 ** rng.uniform(0, bits)) for bits in (14, 30))
        found[name] = min(max((least, most, value, small, small, other)[rng.integers(6)], least), most)
    return found


@pytest.fixture
def with_profile(blas_of, tmp_path: Path, monkeypatch) -> Callable[..., Cblas]:
    """`with_profile(wrappers, version, text)`: a library that has read such a profile."""

    def make(wrappers, version, text: str) -> Cblas:
        library = Path(blas_of(wrappers, version).library._name)
        copy = Path(shutil.copy(library, tmp_path / f"{len(list(tmp_path.iterdir()))}.so"))
        profile = copy.with_suffix(".profile")
        profile.write_bytes(text.encode())
        monkeypatch.setenv("EXO_BLAS_PROFILE", str(profile))
        return load(copy, version.isa)

    return make


def profile(isa: str, values: Mapping[str, int]) -> str:
    return "".join(f"{isa} {name} {value}\n" for name, value in values.items())


@pytest.mark.parametrize("seed", range(PROFILES))
def test_results_are_right_whichever_numbers_are_chosen(
    seed, version, letter, blas_of, with_profile, guarded, monkeypatch
):
    rng = np.random.default_rng(seed)
    values = chosen(rng, told(blas_of(WRAPPERS, version)))
    blas = with_profile(WRAPPERS, version, profile(version.isa, values))
    assert {name: value for name, (value, _, _) in told(blas).items()} == values
    monkeypatch.setenv("EXO_NUM_THREADS", str(rng.integers(1, 4)))
    for routine in dict.fromkeys((*DENSE, *LEVEL3)):
        lab = Lab(guarded, letter, seed)
        test_random.hold(
            lab, getattr(blas, f"cblas_{letter}{routine}"), KINDS, routine, lab.rng.permutation(144)[:CASES]
        )


@pytest.mark.parametrize("seed", range(PROFILES // 2))
def test_so_are_those_of_complex_numbers(seed, complex_version, blas_of, with_profile, guarded, monkeypatch):
    rng = np.random.default_rng(seed + 100)
    values = chosen(rng, told(blas_of(COMPLEX, complex_version)))
    blas = with_profile(COMPLEX, complex_version, profile(complex_version.isa, values))
    monkeypatch.setenv("EXO_NUM_THREADS", str(rng.integers(1, 4)))
    for routine in COMPLEX_ROUTINES:
        lab = Lab(guarded, complex_version.letter, seed)
        function = getattr(blas, f"cblas_{complex_version.letter}{routine}")
        test_random.hold(lab, function, COMPLEX_KINDS, routine, lab.rng.permutation(144)[: CASES // 2])


def test_what_a_profile_says_wrongly_is_told_and_left_out(best, blas_of, with_profile, capfd):
    known = told(blas_of(WRAPPERS, best))
    text = f"""\
        # numbers of a test
        {best.isa} gemm_slim 33   # taken
        {best.isa} gemm_slim 1000
        {best.isa} gemm_thin 3
        {best.isa} gemm_dots many
        {best.isa} gemm_dots 300 400
        c gemm_dots 77
        sse gemm_dots 77
        av gemm_dots 77
        {best.isa} gemm_far {" " * 250} 1310720
        {best.isa} gemm_slim no limit
        {best.isa} gemm_far no limits
        {best.isa} gemm_large	no  limit   # taken
    """
    found = told(with_profile(WRAPPERS, best, text))
    assert found == known | {"gemm_slim": (33, *known["gemm_slim"][1:]), "gemm_large": (1 << 60, 0, 1 << 60)}
    lines = capfd.readouterr().err.splitlines()
    assert [line.partition(", line ")[2] for line in lines] == [
        "3: less or more than exo_blas_choices says: left out",
        "4: there is no such choice: left out",
        "5: not an instruction set, a name and a number: left out",
        "6: not an instruction set, a name and a number: left out",
        "8: there is no such instruction set: left out",
        "9: there is no such instruction set: left out",
        "10: too long: left out",
        "11: less or more than exo_blas_choices says: left out",
        "12: not an instruction set, a name and a number: left out",
    ]


@pytest.mark.parametrize(
    "begin", ["processor: {}\n{}", "{1}processor: {0}\n", " processor:\t{} \n{}", "\ufeffprocessor: {}\n{}"]
)
def test_a_profile_of_another_processor_is_left_out(begin, best, blas_of, with_profile, capfd):
    text = begin.format("of another make", f"{best.isa} gemm_slim 33\n")
    assert told(with_profile(WRAPPERS, best, text)) == told(blas_of(WRAPPERS, best))
    assert "is for of another make, and this is " in capfd.readouterr().err


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_of_a_profile_end_as_any_editor_ends_them(end, best, with_profile, capfd):
    text = end.join((f"{best.isa} gemm_slim 33", f"{best.isa} gemm_dots 300", "processors: none", ""))
    now = told(with_profile(WRAPPERS, best, text))
    assert (now["gemm_slim"][0], now["gemm_dots"][0]) == (33, 300)
    assert "line 3: not an instruction set" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("made", "why"),
    [(None, "can't be opened"), (b"a\0b", "is no profile"), (b"x" * (1 << 17), "is no profile"), ("", "is no file")],
)
def test_a_file_that_is_no_profile_is_told(made, why, best, blas_of, tmp_path, monkeypatch, capfd):
    library = Path(blas_of(WRAPPERS, best).library._name)
    path = tmp_path / "given.profile"
    if made:
        path.write_bytes(made)
    elif made is not None:
        path.mkdir()
    monkeypatch.setenv("EXO_BLAS_PROFILE", str(path))
    blas = load(Path(shutil.copy(library, tmp_path / "again.so")), best.isa)
    assert told(blas) == told(blas_of(WRAPPERS, best))
    assert f"{path} {why}" in capfd.readouterr().err


@pytest.fixture
def package(best, blas_of, monkeypatch, capfd):
    """The Python package, with the library under test."""
    blas = blas_of(WRAPPERS, best)
    library = Path(blas.library._name)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(PRODUCT)
        patch.setenv("EXO_BLAS_ISA", best.isa)
        import exo_blas
        from exo_blas import choices, trials, tuning

        patch.setattr(choices, "choices", lambda: choices.read(lines_of(blas)))
        patch.setattr(tuning, "library", lambda _: library)
        yield exo_blas, choices, trials, tuning
        for name in [name for name in sys.modules if name.partition(".")[0] == "exo_blas"]:
            del sys.modules[name]


def test_every_number_is_measured_or_said_not_to_be(package):
    _, choices, trials, _ = package
    known = set(choices.choices().numbers)
    assert set(trials.TRIALS) <= known
    for name in known - set(trials.TRIALS):
        assert f"`{name}`" in Path(trials.__file__).read_text()


def test_the_command_tells_what_each_number_is_about_and_what_it_tells_is_a_profile(
    package, best, with_profile, blas_of, capfd, monkeypatch
):
    _, choices, *_ = package
    from exo_blas import __main__ as command
    from exo_blas.meanings import MEANINGS

    now = choices.choices()
    assert list(now.numbers) == list(MEANINGS)
    numbers = now.numbers | {"gemm_reach": now.numbers["gemm_reach"]._replace(value=choices.NO_LIMIT)}
    monkeypatch.setattr(command, "choices", lambda: now._replace(numbers=numbers))
    assert command.main(["choices"]) == 0
    text = capfd.readouterr().out
    assert f"\n{best.isa} gemm_reach no limit  # 0 or more: {MEANINGS['gemm_reach']}\n" in text
    assert f"\n{best.isa} gemm_slim 64  # 0 to 256: rows or columns up to which " in text
    assert str(choices.NO_LIMIT) not in text
    known = told(blas_of(WRAPPERS, best))
    assert told(with_profile(WRAPPERS, best, text)) == known | {"gemm_reach": (1 << 60, 0, 1 << 60)}
    assert not capfd.readouterr().err


AT = {10: -0.2, 20: -0.1, 40: 0.1, 80: 0.3}
"""What the second way gains, by quantity."""


@pytest.mark.parametrize("now", [5, 1000])
def test_a_threshold_is_put_where_the_second_way_begins_to_gain(now, package, tmp_path, monkeypatch):
    _, choices, trials, tuning = package
    trial = trials.Threshold(tuple(AT), lambda letter, q: (q,))
    monkeypatch.setattr(tuning, "mean_of", lambda one, other, calls, threads, seconds: AT[calls[0]])
    copies = tuning.Copies(tmp_path, choices.choices(), {}, "gemm_few_rows")
    value, gain = tuning.threshold(copies, trial, now, (1,), 0.0)
    assert value == 28 and gain == pytest.approx(np.exp(0.15 if now == 5 else 0.2))
    monkeypatch.setattr(tuning, "mean_of", lambda *given: 0.01)  # by chance
    assert tuning.threshold(copies, trial, now, (1,), 0.0) == (now, 1.0)


def test_of_amounts_the_fastest_is_taken(package, tmp_path, monkeypatch):
    _, choices, _, tuning = package
    copies = tuning.Copies(tmp_path, choices.choices(), {}, "triangle_near")
    times = {64: 3.0, 128: 1.0, 256: 2.0, 512: 2.0}

    def mean_of(one, other, calls, threads, seconds):
        took = [next(times[v] for v, made in copies.made.items() if made is library) for library in (one, other)]
        return float(np.log(took[1] / took[0]))

    monkeypatch.setattr(tuning, "mean_of", mean_of)
    trial = tuning.TRIALS["triangle_near"]
    assert tuning.amount(copies, trial, 512, (1,), 0.0) == (128, pytest.approx(2.0))
    assert tuning.amount(copies, trial, 128, (1,), 0.0) == (128, 1.0)


@pytest.mark.parametrize(
    ("found", "left"),
    [
        (("gemm_slim", 42, 1.1), ["gemm_slim 42", "gemm_dots 300"]),
        (("gemm_slim", 64, 1.0), ["gemm_dots 300"]),
        (("gemm_far", 1, 1.0), ["gemm_slim 33", "gemm_dots 300"]),
        ("gemm_slim", ["gemm_slim 33", "gemm_dots 300"]),
    ],
)
def test_a_profile_keeps_what_it_says_of_other_numbers(found, left, package, tmp_path, monkeypatch, best):
    *_, choices, _, tuning = package
    from exo_blas import __main__ as command

    output = tmp_path / "own.profile"
    output.write_text(f"{best.isa} gemm_slim 33  # before\n{best.isa} gemm_dots 300\n")
    told = found if isinstance(found, str) else tuning.Found(*found)
    monkeypatch.setattr(command, "tuned", lambda *given: iter([told]))
    status = command.tune(choices.choices(), 1.0, (), output)
    assert status == (1 if isinstance(found, str) else 0)
    numbers = [line.partition("#")[0].split(" ", 1) for line in output.read_text().splitlines()]
    assert [rest.strip() for isa, rest in (n for n in numbers if len(n) == 2) if isa == best.isa] == left


def test_a_search_that_is_terminated_keeps_what_it_found(package, tmp_path, monkeypatch):
    *_, tuning = package
    from exo_blas import __main__ as command

    def ended(*given):
        yield tuning.Found("gemm_slim", 42, 1.1)
        os.kill(os.getpid(), signal.SIGTERM)
        yield tuning.Found("gemm_dots", 42, 1.1)

    monkeypatch.setattr(command, "tuned", ended)
    output, before = tmp_path / "own.profile", [(n, signal.getsignal(n)) for n in (signal.SIGTERM, signal.SIGPIPE)]
    try:
        assert command.main(["tune", "-o", str(output)]) == 130
    finally:
        for number, handler in before:
            signal.signal(number, handler)
    assert "gemm_slim 42" in output.read_text() and "gemm_dots" not in output.read_text()


def test_the_search_takes_the_way_that_is_faster(package):
    *_, tuning = package
    assert tuning.best_place([-1, 2, 1], 0) == 1 and tuning.best_place([-1], 0) == 1 and tuning.best_place([1], 1) == 0
    assert tuning.best_place([0.01, -0.01, 0.015, 0.1, 0.1], 5) == 3  # what gains by chance doesn't move it
    assert [tuning.place((10, 40, 90), at) for at in range(4)] == [10, 20, 60, 180]


def test_the_examples_in_docstrings_are_true(package):
    _, choices, _, tuning = package
    from exo_blas import __main__ as command

    for module in (choices, tuning, command):
        found = doctest.testmod(module)
        assert found.attempted and not found.failed


FAMILIES_READ = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char exo_cpu_vendor[13];
static unsigned exo_cpu_family, exo_cpu_model;
static void exo_read_profile(const char *source, const char *text) { printf("%s %zu", source, strlen(text)); }
BODY
int main(int n, char **words) {
    strcpy(exo_cpu_vendor, words[1]);
    exo_cpu_family = atoi(words[2]), exo_cpu_model = atoi(words[3]);
    exo_read_families();
}
"""


@pytest.mark.parametrize(
    ("vendor", "family", "model", "name"),
    [
        ("AuthenticAMD", 25, 1, "zen-3"),
        ("AuthenticAMD", 25, 17, "zen-4"),
        ("AuthenticAMD", 25, 0x61, "zen-4"),
        ("AuthenticAMD", 24, 17, ""),
        ("GenuineIntel", 25, 17, ""),
    ],
)
def test_the_profile_of_the_processors_family_is_read(vendor, family, model, name, tmp_path):
    compiler = shutil.which("gcc") or pytest.skip("there is no gcc")
    source, program = tmp_path / "families.c", tmp_path / "families"
    source.write_text(FAMILIES_READ.replace("BODY", families_read()))
    subprocess.run([compiler, "-Wall", "-Werror", "-o", program, source], check=True)
    said = subprocess.run([program, vendor, str(family), str(model)], capture_output=True, text=True, check=True).stdout
    assert said.split()[:1] == [name] * bool(name)
    assert not name or int(said.split()[1]) > 0


def test_a_library_uses_the_numbers_of_its_processors_family(blas_of, version, monkeypatch):
    monkeypatch.delenv("EXO_BLAS_PROFILE", raising=False)
    blas = blas_of(WRAPPERS, version)
    numbers = re.search(r"\((\d+)\.(\d+)\)$", lines_of(blas)[0]) or pytest.skip("the processor has no numbers")
    family = find_family("AuthenticAMD", int(numbers[1]), int(numbers[2])) or pytest.skip("it is of no family of AMD's")
    path = profile_of(family)
    if not path.exists():
        pytest.skip(f"{family.processor.name} has no profile")
    lines = [line.partition("#")[0].split() for line in path.read_text().splitlines()]
    wanted = {line[1]: " ".join(line[2:]) for line in lines if line and line[0] == version.isa}
    assert wanted or version.isa == "c"
    known = told(blas)
    assert {name: "no limit" if known[name][0] == 1 << 60 else str(known[name][0]) for name in wanted} == wanted
