"""condped: which hyperparameters mattered, for conditional search spaces.

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

from condped import errors

# Bound here, since importing the package of that name would otherwise bind the package.
from condped.read import read

if TYPE_CHECKING:
    from condped import optuna, problems
    from condped.analyse.across.across import across
    from condped.analyse.across.difference import difference
    from condped.analyse.across.difference_result import Difference
    from condped.analyse.across.result import Across
    from condped.analyse.across.start.prior import Prior
    from condped.analyse.across.start.start_space import StartSpace
    from condped.analyse.across.start.starts import Starts
    from condped.analyse.advice.advise import advise
    from condped.analyse.advice.result import Advice
    from condped.analyse.branches.result import Branches
    from condped.analyse.branches.tree import branches
    from condped.analyse.budgets import Budgets, budgets
    from condped.analyse.effects.effects import effects
    from condped.analyse.effects.result import Effects
    from condped.analyse.importance.importance import importance
    from condped.analyse.importance.result import ImportanceResult
    from condped.analyse.importance.sweep import SweepResult, sweep
    from condped.analyse.joint_effects import JointEffects, joint_effects
    from condped.analyse.report.assemble import report
    from condped.analyse.report.result import Report
    from condped.analyse.saving.files import load
    from condped.analyse.sources import Sources, sources
    from condped.analyse.summary.result import Summary
    from condped.analyse.summary.summarise import summary
    from condped.comparison import Comparison, baselines, compare
    from condped.read.databases.long_table import LongTable
    from condped.read.registry import Reader
    from condped.show import plot
    from condped.space import Categorical, Float, Int, Space, when
    from condped.trials.table import TrialTable

__version__ = "0.1.0"

# Where each public name is; its module is imported when the name is first used.
_HOMES = {
    "Across": "condped.analyse.across.result",
    "Advice": "condped.analyse.advice.result",
    "Branches": "condped.analyse.branches.result",
    "Budgets": "condped.analyse.budgets",
    "Categorical": "condped.space",
    "Comparison": "condped.comparison.compare",
    "Difference": "condped.analyse.across.difference_result",
    "Effects": "condped.analyse.effects.result",
    "Float": "condped.space",
    "ImportanceResult": "condped.analyse.importance.result",
    "Int": "condped.space",
    "JointEffects": "condped.analyse.joint_effects",
    "LongTable": "condped.read.databases.long_table",
    "Prior": "condped.analyse.across.start.prior",
    "Reader": "condped.read.registry",
    "Report": "condped.analyse.report.result",
    "Sources": "condped.analyse.sources",
    "Space": "condped.space",
    "StartSpace": "condped.analyse.across.start.start_space",
    "Starts": "condped.analyse.across.start.starts",
    "Summary": "condped.analyse.summary.result",
    "SweepResult": "condped.analyse.importance.sweep",
    "TrialTable": "condped.trials.table",
    "across": "condped.analyse.across.across",
    "advise": "condped.analyse.advice.advise",
    "baselines": "condped.comparison",
    "branches": "condped.analyse.branches.tree",
    "budgets": "condped.analyse.budgets",
    "compare": "condped.comparison",
    "difference": "condped.analyse.across.difference",
    "effects": "condped.analyse.effects.effects",
    "importance": "condped.analyse.importance.importance",
    "joint_effects": "condped.analyse.joint_effects",
    "load": "condped.analyse.saving.files",
    "optuna": "condped",
    "plot": "condped.show",
    "problems": "condped",
    "report": "condped.analyse.report.assemble",
    "sources": "condped.analyse.sources",
    "summary": "condped.analyse.summary.summarise",
    "sweep": "condped.analyse.importance.sweep",
    "when": "condped.space",
}
_MODULES = ("baselines", "optuna", "plot", "problems")

__all__ = [
    "Across",
    "Advice",
    "Branches",
    "Budgets",
    "Categorical",
    "Comparison",
    "Difference",
    "Effects",
    "Float",
    "ImportanceResult",
    "Int",
    "JointEffects",
    "LongTable",
    "Prior",
    "Reader",
    "Report",
    "Sources",
    "Space",
    "StartSpace",
    "Starts",
    "Summary",
    "SweepResult",
    "TrialTable",
    "across",
    "advise",
    "baselines",
    "branches",
    "budgets",
    "compare",
    "difference",
    "effects",
    "errors",
    "importance",
    "joint_effects",
    "load",
    "optuna",
    "plot",
    "problems",
    "read",
    "report",
    "sources",
    "summary",
    "sweep",
    "when",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'condped' has no attribute {name!r}")
    found = (
        import_module(f"{home}.{name}") if name in _MODULES else getattr(import_module(home), name)
    )
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
