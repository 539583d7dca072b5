"""Methods without conditions, and the usual workarounds to apply them anyway.

PED-ANOVA, f-ANOVA, MDI and SHAP need one domain per parameter and a value in every trial. Domains
that switch are therefore joined into one that spans them, and where a parameter is absent, either
its trials are left out (``filtering``) or a value is imputed (``imputation``).
"""

from condped.comparison.baselines.methods import ABSENT, METHODS, Absent, importance, sweep
from condped.estimate.settings import BaselineMethod

__all__ = ["ABSENT", "METHODS", "Absent", "BaselineMethod", "importance", "sweep"]
