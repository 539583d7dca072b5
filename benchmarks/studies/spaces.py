"""A search space written once, for Optuna, SMAC3, Hyperopt and condped."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import optuna
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

Value: TypeAlias = float | int | str
Params: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: its domain, and the gate and the gate's values that switch it on."""

    name: str
    kind: Literal["float", "int", "choice"]
    low: float = 0.0
    high: float = 1.0
    log: bool = False
    choices: tuple[str, ...] = ()
    gate: str | None = None
    gate_values: tuple[Value, ...] = ()

    @property
    def distribution(self) -> BaseDistribution:
        """The domain as Optuna has it."""
        if self.kind == "choice":
            return CategoricalDistribution(self.choices)
        if self.kind == "int":
            return IntDistribution(int(self.low), int(self.high), log=self.log)
        return FloatDistribution(self.low, self.high, log=self.log)

    def active(self, params: Params) -> bool:
        """Return whether the parameter is switched on, given those before it."""
        return self.gate is None or params.get(self.gate) in self.gate_values

    def suggest(self, trial: optuna.Trial) -> Value:
        """Return the value that an Optuna trial suggests."""
        value: Value
        if self.kind == "choice":
            value = trial.suggest_categorical(self.name, self.choices)
        elif self.kind == "int":
            value = trial.suggest_int(self.name, int(self.low), int(self.high), log=self.log)
        else:
            value = trial.suggest_float(self.name, self.low, self.high, log=self.log)
        return value

    def at(self, place: float) -> Value:
        """Return the value at a place in [0, 1) of the domain."""
        if self.kind == "choice":
            return self.choices[int(place * len(self.choices))]
        margin = 0.5 if self.kind == "int" else 0.0
        low, high = self.low - margin, self.high + margin
        if self.log:
            low, high = math.log(low), math.log(high)
        value = low + place * (high - low)
        value = math.exp(value) if self.log else value
        value = min(max(value, self.low), self.high)
        return round(value) if self.kind == "int" else value

    def place(self, value: Value) -> float:
        """Return the place in [0, 1] of a number in its domain."""
        low, high, own = float(self.low), float(self.high), float(value)
        if self.log:
            low, high, own = math.log(low), math.log(high), math.log(own)
        return (own - low) / (high - low)

    def plain(self) -> dict[str, Any]:
        """Return the domain as condped's space files have it."""
        if self.kind == "choice":
            domain: dict[str, Any] = {"type": "categorical", "choices": list(self.choices)}
        else:
            number = int if self.kind == "int" else float
            domain = {"type": self.kind, "low": number(self.low), "high": number(self.high)}
            domain |= {"log": True} if self.log else {}
        if self.gate is not None:
            options = ", ".join(repr(value) for value in self.gate_values)
            domain["when"] = f"{self.gate} in [{options}]"
        return domain


Space: TypeAlias = Sequence[Parameter]


def real(name: str, low: float, high: float, *, log: bool = False) -> Parameter:
    """Return a float parameter."""
    return Parameter(name, "float", low, high, log)


def integer(name: str, low: int, high: int, *, log: bool = False) -> Parameter:
    """Return an int parameter."""
    return Parameter(name, "int", low, high, log)


def choice(name: str, *choices: str) -> Parameter:
    """Return a categorical parameter."""
    return Parameter(name, "choice", choices=choices)


def inside(gate: str, values: tuple[Value, ...], *parameters: Parameter) -> Iterator[Parameter]:
    """Yield the parameters of a branch."""
    for own in parameters:
        yield Parameter(own.name, own.kind, own.low, own.high, own.log, own.choices, gate, values)


def suggested(trial: optuna.Trial, space: Space) -> dict[str, Value]:
    """Return the values that an Optuna trial suggests for all active parameters."""
    params: dict[str, Value] = {}
    for parameter in space:
        if parameter.active(params):
            params[parameter.name] = parameter.suggest(trial)
    return params


def drawn(space: Space, rng: np.random.Generator) -> dict[str, Value]:
    """Draw values uniformly over the domains."""
    params: dict[str, Value] = {}
    for parameter in space:
        if parameter.active(params):
            params[parameter.name] = parameter.at(rng.random())
    return params
