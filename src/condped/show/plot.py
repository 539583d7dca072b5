"""Pictures of results, with plotly or matplotlib; made and returned, never shown or written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from condped.analyse.across.result import Across
from condped.analyse.effects.result import Effects
from condped.analyse.importance.result import ImportanceResult
from condped.analyse.importance.sweep import SweepResult
from condped.analyse.joint_effects import JointEffects
from condped.analyse.summary.result import Summary
from condped.comparison import Comparison
from condped.errors import SettingsError
from condped.safe_text import brief
from condped.show.drawing import Backend, drawn
from condped.show.views.across import across_view
from condped.show.views.bars import bars_view, breakdown_view
from condped.show.views.comparison import comparison_view
from condped.show.views.curves import HasTruth, curves_view, exact_importances
from condped.show.views.heat_maps import heat_view, joint_view
from condped.show.views.history import Over, history_view
from condped.show.views.pairs import pairs_view
from condped.show.views.panels import panels_view
from condped.show.views.parallel import parallel_view
from condped.show.views.slices import slices_view

__all__ = [
    "across",
    "comparison",
    "densities",
    "heatmap",
    "history",
    "importance",
    "joint",
    "pairs",
    "parallel",
    "regimes",
    "slice",
    "sweep",
]


def importance(result: ImportanceResult, *, backend: Backend = "plotly", on: Any = None) -> Any:
    """Draw the importances as bars, with their intervals and verdicts.

    Parameters
    ----------
    result
        What :func:`condped.importance` returned.
    backend
        ``plotly`` or ``matplotlib``.
    on
        What to draw on: matplotlib axes or a plotly figure. A new figure if not given.

    Returns
    -------
    The plotly or matplotlib figure.

    Examples
    --------
    >>> import condped
    >>> result = condped.importance(condped.problems.get("nested").sample(200, seed=0))
    >>> figure = condped.plot.importance(result, backend="matplotlib")
    >>> figure.savefig("importance.png")  # doctest: +SKIP
    """
    _require(result, ImportanceResult, "importance")
    view = bars_view(result)
    return drawn("bars", view, backend, on, (9.0, 1.6 + 0.32 * len(view.bars)))


def sweep(
    curve: SweepResult,
    *,
    truth: HasTruth | Mapping[str, Sequence[float]] | None = None,
    backend: Backend = "plotly",
    on: Any = None,
) -> Any:
    """Draw the importances over the target quantile as curves, with bands if there are intervals.

    Parameters
    ----------
    curve
        What :func:`condped.sweep` returned.
    truth
        A problem of ``condped.problems``, or each parameter's exact importances at the curve's
        target quantiles; drawn as dotted lines.
    backend, on
        As for :func:`importance`.

    Examples
    --------
    >>> import condped
    >>> problem = condped.problems.get("nested")
    >>> curve = condped.sweep(problem.sample(200, seed=0))
    >>> figure = condped.plot.sweep(curve, truth=problem, backend="matplotlib")
    """
    _require(curve, SweepResult, "sweep")
    if truth is not None and not isinstance(truth, Mapping):
        if not hasattr(truth, "truth"):
            raise SettingsError(
                "truth must be a problem of condped.problems, or the exact importances by "
                f"parameter (got {brief(truth)})."
            )
        truth = exact_importances(curve, truth)
    return drawn("curves", curves_view(curve, truth), backend, on, (9.5, 4.2))


def regimes(result: ImportanceResult, *, backend: Backend = "plotly", on: Any = None) -> Any:
    """Draw what each regime contributes to the importance of its parameter, as stacked bars.

    Takes and returns what :func:`importance` does.

    Examples
    --------
    >>> import condped
    >>> result = condped.importance(condped.problems.get("three-way").sample(200, seed=0))
    >>> figure = condped.plot.regimes(result, backend="matplotlib")
    """
    _require(result, ImportanceResult, "regimes")
    view = breakdown_view(result)
    return drawn("breakdown", view, backend, on, (9.0, 1.6 + 0.55 * len(view.rows)))


def densities(
    result: ImportanceResult,
    parameters: str | Sequence[str] | None = None,
    *,
    backend: Backend = "plotly",
    on: Any = None,
) -> Any:
    """Draw where target trials lie among all, per regime, with good ranges and choices marked.

    Parameters
    ----------
    result
        What :func:`condped.importance` returned.
    parameters
        Which to draw; those with target trials if not given, the most important first.
    backend, on
        As for :func:`importance`, but with matplotlib a figure or subfigure to draw on.

    Examples
    --------
    >>> import condped
    >>> result = condped.importance(condped.problems.get("nested").sample(500, seed=0))
    >>> figure = condped.plot.densities(result, "x", backend="matplotlib")
    """
    _require(result, ImportanceResult, "densities")
    names = [parameters] if isinstance(parameters, str) else parameters
    view = panels_view(result, names)
    size = max(5.0, 3.9 * view.columns), 0.9 + 2.7 * max(view.rows, 1)
    return drawn("panels", view, backend, on, size)


def slice(
    effects: Effects,
    parameters: str | Sequence[str] | None = None,
    *,
    objective: str | int | None = None,
    columns: int | None = None,
    backend: Backend = "plotly",
    on: Any = None,
) -> Any:
    """Draw each trial's value against what it reached, per regime, with medians by value.

    Parameters
    ----------
    effects
        What :func:`condped.effects` returned.
    parameters
        Which to draw; the most important ones if not given.
    objective
        Which one to draw, by its name or position; the first if not given.
    columns
        The maximum number of panels side by side; 1 or 2 for one column of a paper.
    backend, on
        As for :func:`importance`, but with matplotlib a figure or subfigure to draw on.

    Examples
    --------
    >>> import condped
    >>> effects = condped.effects(condped.problems.get("nested").sample(300, seed=0))
    >>> figure = condped.plot.slice(effects, "x", backend="matplotlib")
    """
    _require(effects, Effects, "slice")
    names = [parameters] if isinstance(parameters, str) else parameters
    view = slices_view(effects, names, objective, columns)
    size = max(4.0, 3.6 * view.columns), 1.1 + 2.8 * max(view.rows, 1)
    return drawn("slices", view, backend, on, size)


def history(
    summary: Summary,
    *,
    objective: str | int | None = None,
    over: Over = "trials",
    backend: Backend = "plotly",
    on: Any = None,
) -> Any:
    """Draw what each trial reached, and the best so far.

    Parameters
    ----------
    summary
        What :func:`condped.summary` returned.
    objective
        Which one to draw, by its name or position; the first if not given.
    over
        ``trials``, or ``time`` where the source records when trials ended.
    backend, on
        As for :func:`importance`.

    Examples
    --------
    >>> import condped
    >>> summary = condped.summary(condped.problems.get("nested").sample(300, seed=0))
    >>> figure = condped.plot.history(summary, backend="matplotlib")
    """
    _require(summary, Summary, "history")
    return drawn("history", history_view(summary, objective, over), backend, on, (9.0, 4.2))


def heatmap(curve: SweepResult, *, backend: Backend = "plotly", on: Any = None) -> Any:
    """Draw the importances of many parameters over the target quantile as a heat map.

    Takes and returns what :func:`sweep` does.

    Examples
    --------
    >>> import condped
    >>> curve = condped.sweep(condped.problems.get("nested").sample(200, seed=0))
    >>> figure = condped.plot.heatmap(curve, backend="matplotlib")
    """
    _require(curve, SweepResult, "heatmap")
    view = heat_view(curve)
    return drawn("heat", view, backend, on, (9.0, 1.8 + 0.22 * max(len(view.labels), 5)))


def joint(effects: JointEffects, *, backend: Backend = "plotly", on: Any = None) -> Any:
    """Draw the joint effects of pairs of parameters as a heat map.

    Parameters
    ----------
    effects
        What :func:`condped.joint_effects` returned.
    backend, on
        As for :func:`importance`.

    Examples
    --------
    >>> import condped
    >>> effects = condped.joint_effects(condped.problems.get("nested").sample(300, seed=0))
    >>> figure = condped.plot.joint(effects, backend="matplotlib")
    """
    _require(effects, JointEffects, "joint")
    view = joint_view(effects)
    side = 2.4 + 0.34 * max(len(view.labels), 5)
    return drawn("joint", view, backend, on, (max(side + 1.6, 7.0), side))


def pairs(
    effects: JointEffects,
    pairs: Sequence[tuple[str, str]] | None = None,
    *,
    backend: Backend = "plotly",
    on: Any = None,
) -> Any:
    """Draw where target trials lie over the values of two parameters, with the pair's verdict.

    Parameters
    ----------
    effects
        What :func:`condped.joint_effects` returned.
    pairs
        Which to draw, by their names; the statistically significant ones if not given, or the
        strongest if there are none.
    backend, on
        As for :func:`importance`, but with matplotlib a figure or subfigure to draw on.

    Examples
    --------
    >>> import condped
    >>> effects = condped.joint_effects(condped.problems.get("nested").sample(300, seed=0))
    >>> figure = condped.plot.pairs(effects, [("c0", "x")], backend="matplotlib")
    """
    _require(effects, JointEffects, "pairs")
    view = pairs_view(effects, pairs)
    size = max(4.6, 3.1 * view.columns + 1.0), 0.9 + 3.0 * max(view.rows, 1)
    return drawn("pairs", view, backend, on, size)


def parallel(
    effects: Effects,
    parameters: Sequence[str] | None = None,
    *,
    objective: str | int | None = None,
    backend: Backend = "plotly",
    on: Any = None,
) -> Any:
    """Draw trials as lines over parallel axes, the target set on top; absent has its own place.

    Parameters
    ----------
    effects
        What :func:`condped.effects` returned.
    parameters
        Which to draw, from left to right; the most important ones if not given, at most nine.
    objective
        Which one to draw on the right, by its name or position; the first if not given.
    backend, on
        As for :func:`importance`.

    Examples
    --------
    >>> import condped
    >>> effects = condped.effects(condped.problems.get("nested").sample(300, seed=0))
    >>> figure = condped.plot.parallel(effects, backend="matplotlib")
    """
    _require(effects, Effects, "parallel")
    view = parallel_view(effects, parameters, objective)
    return drawn("parallel", view, backend, on, (max(4.5, 1.1 * len(view.axes) + 1.2), 4.6))


def comparison(
    results: Comparison | Mapping[str, ImportanceResult],
    *,
    backend: Backend = "plotly",
    on: Any = None,
) -> Any:
    """Draw the importances of several results side by side: methods, studies, target sets.

    Parameters
    ----------
    results
        What :func:`condped.compare` returned, or results by their labels; at most 8.
    backend, on
        As for :func:`importance`.

    Examples
    --------
    >>> import condped
    >>> table = condped.problems.get("nested").sample(200, seed=0)
    >>> both = {method: condped.importance(table, method=method)
    ...         for method in ("paper", "calibrated")}
    >>> figure = condped.plot.comparison(both, backend="matplotlib")
    """
    if isinstance(results, Comparison):
        results = results.results
    if isinstance(results, Mapping):
        for result in results.values():
            _require(result, ImportanceResult, "comparison")
    view = comparison_view(results)
    return drawn("comparison", view, backend, on, (9.5, 1.6 + 0.4 * max(len(view.labels), 3)))


def across(result: Across, *, backend: Backend = "plotly", on: Any = None) -> Any:
    """Draw the importances of several studies as a heat map, with the pooled ones beside it.

    Similar studies are drawn side by side. A parameter without evidence of an effect in a study
    is grey there, one that the study does not have is blank, and an odd one is outlined.

    Parameters
    ----------
    result
        What :func:`condped.across` returned.
    backend, on
        As for :func:`importance`, but with matplotlib a figure or subfigure to draw on.

    Examples
    --------
    >>> import condped
    >>> nested = condped.problems.get("nested")
    >>> result = condped.across([nested.sample(200, seed=seed) for seed in range(3)])
    >>> figure = condped.plot.across(result, backend="matplotlib")
    """
    _require(result, Across, "across")
    view = across_view(result)
    width = min(max(4.6, 3.4 + 0.3 * len(view.studies)), 9.5)
    return drawn("across", view, backend, on, (width, 1.9 + 0.24 * max(len(view.labels), 3)))


def _require(given: object, kind: type, function: str) -> None:
    if not isinstance(given, kind):
        makers = {
            SweepResult: "sweep",
            JointEffects: "joint_effects",
            Effects: "effects",
            Summary: "summary",
            Across: "across",
        }
        maker = makers.get(kind, "importance")
        raise SettingsError(
            f"condped.plot.{function} takes a result of condped.{maker} (got "
            f"{type(given).__name__})."
        )
