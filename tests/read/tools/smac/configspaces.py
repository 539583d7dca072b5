"""Random spaces of ConfigSpace, and what their hyperparameters are in our terms."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from ConfigSpace import (
    AndConjunction,
    BetaFloatHyperparameter,
    BetaIntegerHyperparameter,
    CategoricalHyperparameter,
    ConfigurationSpace,
    Constant,
    EqualsCondition,
    GreaterThanCondition,
    InCondition,
    LessThanCondition,
    NormalFloatHyperparameter,
    NormalIntegerHyperparameter,
    NotEqualsCondition,
    OrConjunction,
    OrdinalHyperparameter,
    UniformFloatHyperparameter,
    UniformIntegerHyperparameter,
)
from ConfigSpace.exceptions import ActiveHyperparameterNotSetError

from condped.space import Categorical, Domain, Float, Int

NAMES = (
    "lr", "a.b", "model:__choice__", "it's", 'say "x"', "back`tick", "``", "<b>", "a;b", "größe",
    "new\nline", "not", "None", "c\\n", "1st", " space ",
)  # fmt: skip
CHOICES: tuple[tuple[Any, ...], ...] = (
    ("x", "y", "z"), (True, False), (1, 2.5, 7), ("it's", 'a "b"', "c\\", "d\ne"),
    (None, "auto"), ("1", 1), ("none", "true", "3"), ((1, 2), (3, 2)), ("only",),
)  # fmt: skip


def random_spaces(count: int) -> Iterator[ConfigurationSpace]:
    """Make different spaces; those that ConfigSpace finds no default values for are passed over."""
    seeds = iter(range(100 * count))
    while count:
        with suppress(ActiveHyperparameterNotSetError):
            yield random_space(next(seeds))
            count -= 1


def random_space(seed: int) -> ConfigurationSpace:
    """Make a space of 4 to 12 hyperparameters of all types, conditions nested at random."""
    rng = random.Random(seed)
    space = ConfigurationSpace(seed=seed)
    names = rng.sample(NAMES, rng.randint(4, 12))
    made = [_hyperparameter(rng, name) for name in names]
    space.add(*made)
    for place, child in enumerate(made):
        if place and rng.random() < 0.7:
            space.add(_condition(rng, child, made[:place], rng.randint(0, 2)))
    return space


def domain_of(hyperparameter: Any) -> Domain:
    """Return the domain that a hyperparameter should become."""
    kind = type(hyperparameter).__name__
    if kind == "Constant":
        return Categorical([hyperparameter.value])
    if kind == "OrdinalHyperparameter":
        return Categorical(hyperparameter.sequence)
    if kind == "CategoricalHyperparameter":
        return Categorical(hyperparameter.choices)
    make = Int if "Integer" in kind else Float
    return make(hyperparameter.lower, hyperparameter.upper, hyperparameter.log)


def _hyperparameter(rng: random.Random, name: str) -> Any:
    low, wide = rng.choice([1, 3, 1e-3, 0.7]), rng.choice([1, 9, 1000])
    log, whole = rng.random() < 0.4, rng.randint(1, 5)
    high = low + wide
    makers: list[Callable[[], Any]] = [
        lambda: CategoricalHyperparameter(name, rng.choice(CHOICES)),
        lambda: OrdinalHyperparameter(name, rng.choice([["low", "mid", "high"], [8, 2, 4]])),
        lambda: Constant(name, rng.choice([1, "c", 0.5])),
        lambda: UniformFloatHyperparameter(name, low, high, log=log),
        lambda: UniformIntegerHyperparameter(name, whole, whole + wide, log=log),
        lambda: NormalFloatHyperparameter(name, low + wide / 2, wide, low, high),
        lambda: NormalIntegerHyperparameter(name, whole, wide + 1, whole, whole + wide + 1),
        lambda: BetaFloatHyperparameter(name, 3, 2, low, high),
        lambda: BetaIntegerHyperparameter(name, 3, 2, whole, whole + wide + 2),
    ]
    return rng.choice([makers[0], *makers])()  # categorical twice as often


def _condition(rng: random.Random, child: Any, parents: list[Any], depth: int) -> Any:
    if depth and rng.random() < 0.7:
        join = rng.choice([AndConjunction, OrConjunction])
        parts = rng.randint(2, 3)
        return join(*(_condition(rng, child, parents, depth - 1) for _ in range(parts)))
    parent = rng.choice(parents)
    values = _some_values(rng, parent)
    kinds = [EqualsCondition, NotEqualsCondition, InCondition]
    if parent.ORDERABLE:
        kinds += [LessThanCondition, GreaterThanCondition] * 2
    kind = rng.choice(kinds)
    return kind(child, parent, values if kind is InCondition else values[0])


def _some_values(rng: random.Random, parent: Any) -> list[Any]:
    domain = domain_of(parent)
    if isinstance(domain, Categorical):
        return rng.sample(domain.choices, rng.randint(1, len(domain.choices)))
    if isinstance(domain, Int):
        return [rng.randint(domain.low, min(domain.high, domain.low + 9)) for _ in range(2)]
    return [round(rng.uniform(domain.low, domain.high), 3)]
