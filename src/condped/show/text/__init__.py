"""Results as text: what ``print(result)`` shows."""

from importlib import import_module

# The module and the function of each kind of result; loaded when one is printed.
_TEXTS = {
    "Advice": ("advice", "advice_text"),
    "Branches": ("branches", "branches_text"),
    "Comparison": ("comparison", "comparison_text"),
    "ImportanceResult": ("importance", "importance_text"),
    "JointEffects": ("joint", "joint_text"),
    "Report": ("report", "report_text"),
    "Robustness": ("robustness", "robustness_text"),
    "SweepResult": ("sweep", "sweep_text"),
}


def text_of(result: object) -> str:
    """Return a result as text, in as many columns as there are."""
    kind = next(base.__name__ for base in type(result).__mro__ if base.__name__ in _TEXTS)
    module, function = _TEXTS[kind]
    text: str = getattr(import_module(f"{__name__}.{module}"), function)(result)
    return text
