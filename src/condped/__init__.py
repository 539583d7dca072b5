"""condped: which hyperparameters mattered, when the search space has ifs in it.

Examples
--------
>>> import condped
>>> table = condped.problems.get("nested").sample(1000, seed=0)
>>> result = condped.importance(table, target_quantile=0.1)
>>> result["x"].importance > 0.5
True
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from condped import errors, problems
from condped.importance.joint import joint_effects
from condped.importance.point import importance
from condped.importance.result import ImportanceResult
from condped.importance.sweep import SweepResult, sweep
from condped.read import Reader, read
from condped.space import Categorical, Float, Int, Space, when
from condped.trials import TrialTable

if TYPE_CHECKING:
    from condped import baselines, optuna
    from condped.comparison import Comparison, compare

__version__ = "0.1.0"

__all__ = [
    "Categorical",
    "Comparison",
    "Float",
    "ImportanceResult",
    "Int",
    "Reader",
    "Space",
    "SweepResult",
    "TrialTable",
    "baselines",
    "compare",
    "errors",
    "importance",
    "joint_effects",
    "optuna",
    "problems",
    "read",
    "sweep",
    "when",
]


def __getattr__(name: str) -> Any:
    # condped.optuna imports Optuna, which takes its time: only when asked for. What not every
    # user needs waits with it.
    if name in ("baselines", "optuna"):
        return import_module(f"condped.{name}")
    if name in ("Comparison", "compare"):
        return getattr(import_module("condped.comparison"), name)
    raise AttributeError(f"module 'condped' has no attribute {name!r}")
