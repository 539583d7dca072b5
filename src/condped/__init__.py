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
from condped.advice.advise import advise
from condped.advice.result import Advice
from condped.branches.result import Branches
from condped.branches.tree import branches
from condped.count.long_table import LongTable
from condped.importance.joint import joint_effects
from condped.importance.loading import load
from condped.importance.point import importance
from condped.importance.result import ImportanceResult
from condped.importance.sweep import SweepResult, sweep
from condped.read import Reader, read
from condped.space import Categorical, Float, Int, Space, when
from condped.trials import TrialTable

if TYPE_CHECKING:
    from condped import baselines, optuna, plot
    from condped.comparison import Comparison, compare
    from condped.reporting import Report, report

__version__ = "0.1.0"

__all__ = [
    "Advice",
    "Branches",
    "Categorical",
    "Comparison",
    "Float",
    "ImportanceResult",
    "Int",
    "LongTable",
    "Reader",
    "Report",
    "Space",
    "SweepResult",
    "TrialTable",
    "advise",
    "baselines",
    "branches",
    "compare",
    "errors",
    "importance",
    "joint_effects",
    "load",
    "optuna",
    "plot",
    "problems",
    "read",
    "report",
    "sweep",
    "when",
]


def __getattr__(name: str) -> Any:
    # condped.optuna imports Optuna, which takes its time: only when asked for. What not every
    # user needs waits with it.
    if name in ("baselines", "optuna", "plot"):
        return import_module(f"condped.{name}")
    if name in ("Comparison", "compare"):
        return getattr(import_module("condped.comparison"), name)
    if name in ("Report", "report"):
        return getattr(import_module("condped.reporting"), name)
    raise AttributeError(f"module 'condped' has no attribute {name!r}")
