"""The tests of every level again, on a library that watches its addresses and its arithmetic (`make soak`)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from examples.exo_blas.builder.library import build

CHECKS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g", "-O1", "-fexpensive-optimizations")
"""The last one is what fuses products with sums, as at -O3: so vectors and what is left over stay the same."""
CC = os.environ.get("CC", "cc")
OTHERS = [p for p in sorted(Path(__file__).parent.glob("test_*.py")) if p != Path(__file__)]
LEVELS = [p.name for p in OTHERS if "guarded" in p.read_text()]
LONGEST = 1200  # seconds that the tests of a level may take


def runtime() -> str | None:
    """Where the C compiler has the library that watches addresses."""
    if not shutil.which(CC):
        return None
    found = subprocess.run([CC, "-print-file-name=libasan.so"], capture_output=True, text=True).stdout.strip()
    return found if Path(found).is_absolute() else None


@pytest.fixture(scope="session")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole library, for all instruction sets."""
    return build(tmp_path_factory.mktemp("sanitized"), flags=CHECKS)


@pytest.mark.sanitize
@pytest.mark.parametrize("level", LEVELS)
def test_no_level_reads_or_writes_beyond_what_it_has(level, request):
    library = runtime()
    if library is None:
        pytest.skip(f"{CC} has no address sanitizer; on Debian: apt install libasan8")
    env = {
        **os.environ,
        "EXO_BLAS_LIBRARY": str(request.getfixturevalue("watched")),
        "LD_PRELOAD": library,
        "ASAN_OPTIONS": "detect_leaks=0",  # Python keeps memory until it ends
    }
    tests = str(Path(__file__).with_name(level))
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not sanitize", tests]
    run = subprocess.run(command, env=env, capture_output=True, text=True, timeout=LONGEST)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-5000:]
