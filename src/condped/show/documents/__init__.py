"""Results as documents: headline, tables and sentences, for Markdown and LaTeX."""

from __future__ import annotations

from importlib import import_module

from condped.show.documents.parts import Code, Document
from condped.show.text import text_of
from condped.show.text.layout import printed_within

# The module and the function of each kind of result; loaded when one is written.
_DOCUMENTS = {
    "Across": ("several", "across_document"),
    "Advice": ("advice", "advice_document"),
    "Branches": ("branches", "branches_document"),
    "Budgets": ("tables", "budgets_document"),
    "Comparison": ("tables", "comparison_document"),
    "Difference": ("several", "difference_document"),
    "Effects": ("effects", "effects_document"),
    "Forecast": ("tables", "forecast_document"),
    "ImportanceResult": ("importance", "importance_document"),
    "JointEffects": ("tables", "joint_document"),
    "Prior": ("start", "prior_document"),
    "Report": ("importance", "report_document"),
    "Robustness": ("tables", "robustness_document"),
    "Sources": ("tables", "sources_document"),
    "StartSpace": ("start", "start_space_document"),
    "Starts": ("start", "starts_document"),
    "Studies": ("several", "studies_document"),
    "Summary": ("summary", "summary_document"),
    "SweepResult": ("importance", "sweep_document"),
}
_ENDLESS = 10**6  # columns: nothing is cut or broken to fit a line


def document_of(result: object) -> Document:
    """Return a result as a document; one without tables as its text."""
    kinds = (base.__name__ for base in type(result).__mro__)
    kind = next((kind for kind in kinds if kind in _DOCUMENTS), None)
    if kind is None:
        return Document("", [Code(text_of(result))])
    module, function = _DOCUMENTS[kind]
    with printed_within(_ENDLESS):
        found: Document = getattr(import_module(f"{__name__}.{module}"), function)(result)
    return found
