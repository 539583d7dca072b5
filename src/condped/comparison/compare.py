"""Asking several methods about the same trials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Unpack, get_args

from condped.analyse.importance.importance import importance as ask_own
from condped.analyse.importance.result import ImportanceResult
from condped.analyse.question import TRIALS, Options, open_table
from condped.comparison.baselines.choices import ABSENT, METHODS, Forest
from condped.comparison.baselines.forests import scores_of
from condped.comparison.baselines.importance import BaselineOptions
from condped.comparison.baselines.importance import importance as ask_baseline
from condped.comparison.result import Comparison
from condped.errors import DataError, MissingLibraryError, SettingsError, not_found
from condped.estimate.settings import Method, Settings, TrialSettings
from condped.options import declared, takes
from condped.progress import report

_OWN: tuple[Method, ...] = get_args(Method)
# All that can be asked; a baseline's name by itself means it with both ways to treat absences.
NAMES = (*_OWN, *(f"{method}/{absent}" for method in METHODS for absent in ABSENT))


class ComparisonOptions(BaselineOptions, TrialSettings, total=False):
    """Options that :func:`compare` shares with the methods."""


@takes(ComparisonOptions, *TRIALS, Settings, Forest)
def compare(
    source: Any,
    *,
    methods: Sequence[str] | None = None,
    target_quantile: float = 0.1,
    **options: Unpack[ComparisonOptions],
) -> Comparison:
    """Compare what several methods say of the same trials.

    Parameters
    ----------
    source, target_quantile
        As for :func:`condped.importance`.
    methods
        ``paper`` and ``calibrated``, condped's own; ``ped-anova``, ``f-anova``, ``mdi`` and
        ``shap``, or one of them with one way to treat absences, such as ``shap/imputation``. By
        default all that can be asked; the rest is noted.
    **options
        As for :func:`condped.importance` and :func:`condped.baselines.importance`.

    Examples
    --------
    >>> import condped
    >>> table = condped.problems.get("nested").sample(300, seed=0)
    >>> list(condped.compare(table, methods=["paper", "ped-anova"]))
    ['paper', 'ped-anova/filtering', 'ped-anova/imputation']
    """
    chosen = _chosen(methods)
    asked, forest = Options.of(compare, options), asdict(declared(Forest, options))
    if methods is not None:
        _require_libraries(chosen)
    table = open_table("Comparing methods", source, **asked.reading)
    shared: dict[str, Any] = {
        "target_quantile": target_quantile,
        "region_quantile": asked.settings.region_quantile,
        **asdict(asked.handling),
    }
    own = {"sampling": asked.settings.sampling, "pooling": asked.settings.pooling}
    results: dict[str, ImportanceResult] = {}
    refused: dict[str, list[str]] = {}  # why, and which methods
    for done, name in enumerate(chosen):
        report(f"Asking {name}", done, len(chosen))
        method, _, absent = name.partition("/")
        try:
            if absent:
                results[name] = ask_baseline(
                    table, **{"method": method, "absent": absent, **forest, **shared}
                )
            else:
                results[name] = ask_own(table, **{"method": method, **own, **shared})
        except (DataError, MissingLibraryError, SettingsError) as error:
            # Nobody asked for this one: the others can answer.
            if methods is not None or not absent:
                raise
            refused.setdefault(str(error), []).append(name)
    return Comparison(results, tuple(f"{', '.join(n)}: {why}" for why, n in refused.items()))


def _chosen(methods: Sequence[str] | None) -> tuple[str, ...]:
    """Return the methods to ask, each once, in the order of :data:`NAMES`."""
    if methods is None:
        return NAMES
    if isinstance(methods, str):
        raise SettingsError(f"methods must be a list of names (got the text {methods!r}).")
    if not methods:
        raise SettingsError("methods must name at least one method (got none).")
    wanted = set()
    for method in methods:
        named = [name for name in NAMES if method in (name, name.partition("/")[0])]
        if not named:
            raise not_found("method", method, (*_OWN, *METHODS, *NAMES[len(_OWN) :]))
        wanted.update(named)
    return tuple(name for name in NAMES if name in wanted)


def _require_libraries(names: Sequence[str]) -> None:
    """Raise if a library is not installed, before any work is done."""
    for method in METHODS:
        if method != "ped-anova" and any(name.startswith(f"{method}/") for name in names):
            scores_of(method)
