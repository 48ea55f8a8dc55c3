"""What code reads, writes and accumulates, in which order, on which conditions, and what is known where it stands.

`accesses` and `summaries` list what code touches; `context` has the facts at a place, `config_state` and `config_data`
those of config fields; `dependence` and `coverage` compare accesses; `contents` and `liveness` follow what buffers
hold; `same_value` and `determined` tell which values are equal.
"""

from .accesses import windows_at
from .config_state import asks_config, asks_itself, conditions_at, depends_on_fields, field_facts, values_at
from .context import branch_facts, declared_facts, entry_facts, env_of, flatten, range_facts, show_model, stable_facts
from .dependence import SAFE, Clash, Verdict

__all__ = [
    "Clash",
    "SAFE",
    "Verdict",
    "asks_config",
    "asks_itself",
    "branch_facts",
    "conditions_at",
    "declared_facts",
    "depends_on_fields",
    "entry_facts",
    "env_of",
    "field_facts",
    "flatten",
    "range_facts",
    "show_model",
    "stable_facts",
    "values_at",
    "windows_at",
]
