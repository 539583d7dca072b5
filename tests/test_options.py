"""Options are declared once: functions, typed dictionaries and the command line agree."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import Any, get_type_hints

import click
import pytest

import condped
from condped.analyse.options import AnalysisOptions, IntervalOptions, Question
from condped.cli.app import app
from condped.comparison.baselines.methods import Forest, ForestOptions
from condped.comparison.compare import ComparisonOptions
from condped.estimate.settings import EstimatorOptions, Settings
from condped.options import options_of
from condped.optuna import CondPedAnovaImportanceEvaluator
from condped.read.options import Reading, ReadOptions
from condped.trials.outcome import OUTCOMES
from condped.trials.used_trials import Handling, HandlingOptions

PAIRS = [
    (ReadOptions, Reading),
    (Settings, EstimatorOptions),
    (Question, IntervalOptions),
    (Handling, HandlingOptions),
    (Forest, ForestOptions),
]
# Given in other forms than those that readers get.
PARSED = {"space", "budget", "failure_values", "where", "study"}
COMMANDS: dict[str, Callable[..., Any]] = {
    name: getattr(condped, name)
    for name in ("importance", "sweep", "branches", "advise", "compare", "report")
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    **COMMANDS,
    "read": condped.read,
    "joint_effects": condped.joint_effects,
    "baselines.importance": condped.baselines.importance,
    "baselines.sweep": condped.baselines.sweep,
    "evaluator": lambda _, **options: CondPedAnovaImportanceEvaluator(**options),
}


@pytest.mark.parametrize(("declaration", "given"), PAIRS)
def test_a_typed_dictionary_has_what_is_declared(declaration: type, given: type) -> None:
    """The same names and types; every option has a line of help."""
    declared = {one.name: one.metadata["help"] for one in fields(declaration) if one.metadata}
    types, own = get_type_hints(given), get_type_hints(declaration)
    assert set(types) == set(declared)
    assert all(len(text) > 10 and text.endswith(".") for text in declared.values())
    for name in set(declared) - PARSED:
        assert types[name] == own[name], name


@pytest.mark.parametrize("name", [*COMMANDS, "joint_effects"])
def test_docstrings_list_every_option(name: str) -> None:
    """So that help() shows them all; reading is described at length by read."""
    function = FUNCTIONS[name]
    text = inspect.getdoc(function) or ""
    for option in options_of(function):
        assert f"\n{option.name}\n" in text
    described = inspect.getdoc(condped.read) or ""
    assert all(f"\n{option}\n" in described for option in Reading.__annotations__)


@pytest.mark.parametrize(("name", "function"), COMMANDS.items())
def test_the_command_line_has_every_option(name: str, function: Callable[..., Any]) -> None:
    """With the function's own and shared ones, their defaults and their choices."""
    shared = {option.name: option for option in options_of(function)}
    dictionary = ComparisonOptions if name == "compare" else AnalysisOptions
    assert set(shared) == set(dictionary.__annotations__)
    parameters = {one.name: one for one in app.commands[name].params}
    own = [
        p.name for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY
    ]
    expected = {*own, *(n for n, option in shared.items() if not option.python_only)}
    expected -= {"target_quantiles"}  # a list of numbers is nothing for a command line
    assert expected <= set(parameters)
    assert set(parameters) - expected <= {
        "source", "as_json", "as_csv", "as_markdown", "as_latex", "output", "to_summary", "fail_if",
        "as_code", "as_space", "tool",
    }  # fmt: skip
    for field in set(shared) & set(parameters):
        option, found = shared[field], parameters[field]
        assert isinstance(found, click.Option)
        if not found.multiple:
            assert found.default == option.default
        if isinstance(found.type, click.Choice):
            assert option.default in (None, *found.type.choices)


def test_minus_o_is_the_output_of_every_command_that_has_one() -> None:
    """And nothing else."""
    without = ("demo", "completion", "mcp", "serve", "watch")
    for name, command in app.commands.items():
        short = {opt: one.name for one in command.params for opt in one.opts if len(opt) == 2}
        assert short.get("-o") == (None if name in without else "output")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_unknown_options_are_rejected_with_a_hint(name: str) -> None:
    """Before the source is looked at, by every function alike."""
    wrong, right = ("methot", "method") if name == "evaluator" else ("directoin", "direction")
    with pytest.raises(TypeError, match=rf"\(\) does not take '{wrong}'.*Did you mean '{right}'"):
        FUNCTIONS[name]("nowhere.csv", **{wrong: "x"})


@pytest.mark.parametrize("name", FUNCTIONS)
def test_bad_values_are_rejected_alike(name: str) -> None:
    """By the declaration, with what is allowed."""
    option = {"evaluator": "sampling", "read": "outside"}.get(name, "failed")
    with pytest.raises(condped.errors.SettingsError, match=f"{option} must be one of .*'nope'"):
        FUNCTIONS[name]({"loss": [1.0], "x": [1.0]}, **{option: "nope"})


def test_outcomes_are_the_endings_of_trials() -> None:
    """One list of them."""
    assert tuple(HandlingOptions.__annotations__) == OUTCOMES
