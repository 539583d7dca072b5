"""What the importances of the paper's method are, and whether Optuna's are the same."""

from __future__ import annotations

from dataclasses import asdict

from condped.analyse.importance.account import Account
from condped.estimate.settings import Settings
from condped.trials.used_trials import Handling

_MEASURES = {
    "standard": "with what lies between regimes added to what lies within them",
    "unweighted": "as the sum of divergences, without the shares of the regimes",
    "unconditional": "of PED-ANOVA, as if there were no conditions",
}


def definition(settings: Settings, account: Account) -> str:
    """Say what the importances of the paper's method are, and whether Optuna's are the same."""
    if settings.measure != "within":
        return (
            f"Importances by the measure '{settings.measure}': {_MEASURES[settings.measure]}. "
            "This is neither the measure of the condPED-ANOVA paper nor Optuna's."
        )
    paper = "Importances as the condPED-ANOVA paper defines them"
    local = "" if settings.reference == "region" else " with evaluate_on_local=False"
    other = [
        (account.outcome is not None, "it explains no outcomes"),
        (len(account.objectives) > 1, "it explains one objective at a time"),
        (bool(account.pooled), "domains that vary with other parameters were pooled here"),
        (_treated_otherwise(account), "trials that did not end well are treated otherwise here"),
    ]
    for differs, why in other:
        if differs:
            return f"{paper}. Optuna's would be others: {why}."
    return f"{paper}, equal to Optuna's{local} for the same trials and domains."


def _treated_otherwise(account: Account) -> bool:
    """Return whether there are trials that count here and not for Optuna, or the other way."""
    return any(
        getattr(account.handling, name) != getattr(Handling(), name)
        and getattr(account.trials, name)
        for name in asdict(account.handling)
    )
