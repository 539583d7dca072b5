"""Several methods on the same trials."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Unpack, get_args

from condped.analyse.importance.importance import importance as own_importance
from condped.analyse.importance.result import ImportanceResult
from condped.analyse.importance.ties import Tie
from condped.analyse.options import TRIALS, Options, open_table
from condped.analyse.result import Result
from condped.comparison.baselines.forests import scores_of
from condped.comparison.baselines.methods import ABSENT, METHODS, BaselineOptions, Forest
from condped.comparison.baselines.methods import importance as baseline_importance
from condped.errors import DataError, MissingLibraryError, SettingsError, not_found
from condped.estimate.settings import BaselineSettings, Method, Settings, TrialSettings
from condped.options import declared, takes
from condped.progress import report
from condped.safe_text import brief

_OWN: tuple[Method, ...] = get_args(Method)
# All methods; a baseline's name by itself means both ways to treat absences.
NAMES = (*_OWN, *(f"{method}/{absent}" for method in METHODS for absent in ABSENT))


@dataclass(frozen=True)
class Comparison(Result):
    """Results by the names of the methods, in a fixed order.

    Attributes
    ----------
    results
        A :class:`condped.ImportanceResult` by each method; ``comparison[method]`` is one of them.
    notes
        Which methods were left out, and why.

    Examples
    --------
    >>> import condped
    >>> table = condped.problems.get("activation-disjoint").sample(500, seed=0)
    >>> found = condped.compare(table, methods=["paper", "ped-anova"])
    >>> found["paper"]["y"].importance, found["ped-anova/filtering"]["y"].importance > 0.2
    (0.0, True)
    """

    schema: ClassVar[str] = "condped.compare/1"

    results: Mapping[str, ImportanceResult]
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters' names, in the order of the first method."""
        first = next(iter(self.results.values()), None)
        return () if first is None else first.names

    def __getitem__(self, method: str) -> ImportanceResult:
        """Return the result by one method."""
        if method not in self.results:
            raise not_found("method", method, self.results)
        return self.results[method]

    def __contains__(self, method: object) -> bool:
        return method in self.results

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    @property
    def tie(self) -> Tie | None:
        """The tie at the end of the target set, of the first method that has one."""
        return next((self[method].tie for method in self if self[method].tie), None)

    @property
    def columns(self) -> tuple[str, ...]:
        """The fields of :meth:`rows`."""
        return ("parameter", *self.results)

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat record per parameter: its importance by each method.

        None where a method's result is undetermined.
        """
        return [
            {
                "parameter": name,
                **{
                    method: result[name].importance if result.status == "ok" else None
                    for method, result in self.results.items()
                },
            }
            for name in self.names
        ]

    def _readable(self) -> dict[str, Any]:
        return {
            "methods": [
                {
                    "name": method,
                    "explains": _subject_of(result),
                    "status": result.status,
                    "reason": result.reason,
                    "unattributed": result.unattributed,
                }
                for method, result in self.results.items()
            ],
            "parameters": self.rows(),
            "notes": self.notes,
            "results": {method: result.to_data() for method, result in self.results.items()},
        }


def _subject_of(result: ImportanceResult) -> str:
    whole = isinstance(result.settings, BaselineSettings) and result.settings.forest
    return "objective" if whole else "best trials"


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
    """Compare several methods on the same trials.

    Parameters
    ----------
    source, target_quantile
        As for :func:`condped.importance`.
    methods
        ``paper`` and ``calibrated``, condped's own; ``ped-anova``, ``f-anova``, ``mdi`` and
        ``shap``, or one of them with one way to treat absences, such as ``shap/imputation``. By
        default all that are applicable; the rest is noted.
    **options
        As for :func:`condped.importance` and :func:`condped.baselines.importance`.

    Examples
    --------
    >>> import condped
    >>> table = condped.problems.get("nested").sample(300, seed=0)
    >>> list(condped.compare(table, methods=["paper", "ped-anova"]))
    ['paper', 'ped-anova/filtering', 'ped-anova/imputation']
    """
    requested = _requested_methods(methods)
    parsed, forest = Options.of(compare, options), asdict(declared(Forest, options))
    if methods is not None:
        _require_libraries(requested)
    table = open_table("Comparing methods", source, **parsed.reading)
    shared: dict[str, Any] = {
        "target_quantile": target_quantile,
        "region_quantile": parsed.settings.region_quantile,
        **asdict(parsed.handling),
    }
    own = {"sampling": parsed.settings.sampling, "pooling": parsed.settings.pooling}
    results: dict[str, ImportanceResult] = {}
    refused: dict[str, list[str]] = {}  # why, and which methods
    for done, name in enumerate(requested):
        report(f"Estimating by {name}", done, len(requested))
        method, _, absent = name.partition("/")
        try:
            if absent:
                results[name] = baseline_importance(
                    table, **{"method": method, "absent": absent, **forest, **shared}
                )
            else:
                results[name] = own_importance(table, **{"method": method, **own, **shared})
        except (DataError, MissingLibraryError, SettingsError) as error:
            # Not requested by name: the others may still apply.
            if methods is not None or not absent:
                raise
            refused.setdefault(str(error), []).append(name)
    return Comparison(results, tuple(f"{', '.join(n)}: {why}" for why, n in refused.items()))


def _requested_methods(methods: Sequence[str] | None) -> tuple[str, ...]:
    """Return the requested methods, each once, in the order of :data:`NAMES`."""
    if methods is None:
        return NAMES
    if isinstance(methods, str):
        raise SettingsError(f"methods must be a list of names (got the text {brief(methods)}).")
    if not methods:
        raise SettingsError("methods must name at least one method (got none).")
    found = set()
    for method in methods:
        named = [name for name in NAMES if method in (name, name.partition("/")[0])]
        if not named:
            raise not_found("method", method, (*_OWN, *METHODS, *NAMES[len(_OWN) :]))
        found.update(named)
    return tuple(name for name in NAMES if name in found)


def _require_libraries(names: Sequence[str]) -> None:
    """Raise if a library is not installed, before any work is done."""
    for method in METHODS:
        if method != "ped-anova" and any(name.startswith(f"{method}/") for name in names):
            scores_of(method)
