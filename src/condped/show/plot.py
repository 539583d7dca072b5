"""Pictures of results, with plotly or matplotlib; made and returned, never shown or written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, Literal, Protocol

from condped.analyse.effects.result import Effects
from condped.analyse.importance.importance import ImportanceResult
from condped.analyse.importance.sweep import SweepResult
from condped.analyse.joint_effects import JointEffects
from condped.analyse.summary.result import Summary
from condped.comparison import Comparison
from condped.errors import SettingsError
from condped.optional import load_optional
from condped.show.views.bars import bars_view, breakdown_view
from condped.show.views.comparison import comparison_view
from condped.show.views.curves import curves_view
from condped.show.views.heat_maps import heat_view, joint_view
from condped.show.views.history import Over, history_view
from condped.show.views.panels import panels_view
from condped.show.views.slices import slices_view

Backend = Literal["plotly", "matplotlib"]
__all__ = [
    "comparison",
    "densities",
    "heatmap",
    "history",
    "importance",
    "joint",
    "regimes",
    "slice",
    "sweep",
]
_OF_PANELS = ("panels", "slices")  # pictures that take a whole figure


class HasTruth(Protocol):
    """A problem that knows its exact importances, such as those of ``condped.problems``."""

    def truth(self, target_quantile: float, region_quantile: float) -> Any: ...


def importance(result: ImportanceResult, *, backend: Backend = "plotly", on: Any = None) -> Any:
    """Draw the importances as bars, with their intervals and verdicts.

    Parameters
    ----------
    result
        What :func:`condped.importance` returned.
    backend
        ``plotly`` or ``matplotlib``.
    on
        What to draw on: axes of matplotlib or a figure of plotly. A new figure if not given.

    Returns
    -------
    The figure of plotly or matplotlib.

    Examples
    --------
    >>> import condped
    >>> result = condped.importance(condped.problems.get("nested").sample(200, seed=0))
    >>> figure = condped.plot.importance(result, backend="matplotlib")
    >>> figure.savefig("importance.png")  # doctest: +SKIP
    """
    _require(result, ImportanceResult, "importance")
    view = bars_view(result)
    return _drawn("bars", view, backend, on, (9.0, 1.6 + 0.32 * len(view.bars)))


def sweep(
    curve: SweepResult,
    *,
    truth: HasTruth | Mapping[str, Sequence[float]] | None = None,
    backend: Backend = "plotly",
    on: Any = None,
) -> Any:
    """Draw the importances over the target quantile as curves, with bands if there are some.

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
        truth = _exact(curve, truth)
    return _drawn("curves", curves_view(curve, truth), backend, on, (9.5, 4.2))


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
    return _drawn("breakdown", view, backend, on, (9.0, 1.6 + 0.55 * len(view.rows)))


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
    return _drawn("panels", view, backend, on, size)


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
        How many panels stand side by side, at most; for one column of a paper 1 or 2.
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
    return _drawn("slices", view, backend, on, size)


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
    return _drawn("history", history_view(summary, objective, over), backend, on, (9.0, 4.2))


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
    return _drawn("heat", view, backend, on, (9.0, 1.8 + 0.22 * max(len(view.labels), 5)))


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
    return _drawn("joint", view, backend, on, (max(side + 1.6, 7.0), side))


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
    return _drawn("comparison", view, backend, on, (9.5, 1.6 + 0.4 * max(len(view.labels), 3)))


def _exact(curve: SweepResult, problem: HasTruth) -> dict[str, list[float]]:
    """Return the exact importances at each target quantile of the curve."""
    found = [
        problem.truth(
            target_quantile=float(quantile), region_quantile=curve.settings.region_quantile or 1.0
        ).to_dict()
        for quantile in curve.target_quantiles
    ]
    names = [name for name in curve.names if found and name in found[0]]
    return {name: [values[name] for values in found] for name in names}


def _require(given: object, kind: type, function: str) -> None:
    if not isinstance(given, kind):
        makers = {
            SweepResult: "sweep",
            JointEffects: "joint_effects",
            Effects: "effects",
            Summary: "summary",
        }
        maker = makers.get(kind, "importance")
        raise SettingsError(
            f"condped.plot.{function} takes a result of condped.{maker} (got "
            f"{type(given).__name__})."
        )


def _drawn(picture: str, view: Any, backend: Backend, on: Any, size: tuple[float, float]) -> Any:
    """Draw a view on what is given, or on a new figure of a size in inches."""
    library = _library(backend)
    draw = getattr(library, picture)
    if on is not None:
        _check_on(library, picture, backend, on)
    if backend == "plotly":
        return draw(view, on)
    if on is None:
        on = library.figure(*size)
        draw(view, on if picture in _OF_PANELS else on.subplots())
        return on
    draw(view, on)
    return on if picture in _OF_PANELS else on.get_figure(root=True)


def _check_on(library: ModuleType, picture: str, backend: Backend, on: Any) -> None:
    """Raise if ``on`` is nothing that the library can draw on."""
    paper = library.FIGURE if backend == "plotly" or picture in _OF_PANELS else library.AXES
    if not isinstance(on, paper):
        wanted = "axes of matplotlib"
        if paper is library.FIGURE:
            wanted = f"a figure of {backend}"
        raise SettingsError(
            f"on must be {wanted} for this picture (got {type(on).__name__}). Give one, or leave "
            "it out for a new figure."
        )


def _library(backend: str) -> ModuleType:
    extras = {"plotly": "plotly", "matplotlib": "plot"}
    if backend not in extras:
        raise SettingsError(f"backend must be 'plotly' or 'matplotlib' (got {backend!r}).")
    return load_optional(
        f"condped.show.{backend}",
        feature=f"A picture with {backend}",
        library=backend,
        extra=extras[backend],
    )
