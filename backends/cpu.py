"""What the processor at hand can do."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from .toolchain import NoCompilerError, probe

PROBED = ("sse4.2", "avx", "avx2", "fma", "f16c", "avx512f", "avx512vl", "avx512dq", "avx512bw")


@cache
def features() -> frozenset[str]:
    """The processor's features, as /proc/cpuinfo spells them; where there is no such file, those
    that a compiled probe finds; nothing where there is no C compiler either."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(errors="replace").splitlines():
            key, _, value = line.partition(":")
            if key.strip() in ("flags", "Features"):
                return frozenset(value.split())
        return frozenset()
    tests = "".join(f'    if (__builtin_cpu_supports("{f}")) puts("{f}");\n' for f in PROBED)
    try:
        return frozenset(probe(f"#include <stdio.h>\nint main(void) {{\n{tests}    return 0;\n}}\n").split())
    except NoCompilerError:
        return frozenset()
