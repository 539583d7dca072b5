"""Results as text: what ``print(result)`` shows."""

from importlib import import_module

from condped.safe_text import visible
from condped.show.text.layout import printed_within, text_width

# The module and the function of each kind of result; loaded when one is printed.
_TEXTS = {
    "Across": ("several.across", "across_text"),
    "Advice": ("advice", "advice_text"),
    "Branches": ("branches", "branches_text"),
    "Budgets": ("budgets", "budgets_text"),
    "Comparison": ("comparison", "comparison_text"),
    "Difference": ("several.difference", "difference_text"),
    "Effects": ("effects", "effects_text"),
    "Forecast": ("forecast", "forecast_text"),
    "ImportanceResult": ("tables", "importance_text"),
    "JointEffects": ("tables", "joint_text"),
    "Prior": ("several.start", "prior_text"),
    "Report": ("tables", "report_text"),
    "Robustness": ("tables", "robustness_text"),
    "Sources": ("tables", "sources_text"),
    "StartSpace": ("several.start", "start_space_text"),
    "Starts": ("several.start", "starts_text"),
    "Studies": ("several.studies", "studies_text"),
    "Summary": ("summary", "summary_text"),
    "SweepResult": ("tables", "sweep_text"),
}


def text_of(result: object, width: int | None = None) -> str:
    """Return a result as text, in ``width`` columns; None: as wide as the caller allows."""
    kind = next(base.__name__ for base in type(result).__mro__ if base.__name__ in _TEXTS)
    module, function = _TEXTS[kind]
    with printed_within(width or text_width()):
        return visible(getattr(import_module(f"{__name__}.{module}"), function)(result))
