"""A space as code for Ray Tune: a ``param_space``, conditional parameters by ``sample_from``."""

from __future__ import annotations

from collections.abc import Iterable

from condped.analyse.advice.code.known_space import (
    Unknown,
    known_parameters,
    step_values,
    unknown_lines,
)
from condped.analyse.advice.code.python_text import literal, literals, python_test
from condped.space.domain import Categorical, Domain, Int
from condped.space.space import Space

_INACTIVE = "inactive"  # instead of None, if that is a choice


def ray_code(space: Space, unknown: Unknown | None = None) -> str:
    """Return the code of ``param_space``; parameters come after what they depend on."""
    unknown = unknown or {}
    names = known_parameters(space, unknown)
    conditional = {name for name in names if space[name][0].when is not None}
    lines = ["from ray import tune", ""]
    if conditional:
        lines += [
            f"# A parameter that is not active is None{_or_text(space, conditional)}.",
            "# Search algorithms other than random search cannot handle sample_from; for",
            "# OptunaSearch use the code for Optuna: OptunaSearch(space=suggest, ...).",
        ]
    lines += [*unknown_lines(space, unknown), "param_space = {"]
    for name in names:
        entries = space[name]
        if name not in conditional:
            lines.append(f"    {literal(name)}: {_domain(entries[0].domain)},")
            continue
        lines += [f"    {literal(name)}: tune.sample_from(", "        lambda config: ("]
        for entry in entries:
            assert entry.when is not None
            test = python_test(
                entry.when.root, _value, lambda gates: _guards(space, conditional, gates)
            )
            drawn = _domain(entry.domain)
            drawn += "" if entry.domain.single else ".sample()"
            lines += [f"            {drawn}", f"            if {test}", "            else"]
        lines[-1] += f" {literal(inactive_value(space, name))}"
        lines += ["        )", "    ),"]
    return "\n".join([*lines, "}"])


def _value(name: str) -> str:
    return f"config[{literal(name)}]"


def _guards(space: Space, conditional: set[str], names: Iterable[str]) -> list[str]:
    return [
        f"{_value(name)} is not None" if inactive_value(space, name) is None
        else f"{_value(name)} != {literal(inactive_value(space, name))}"
        for name in names
        if name in conditional
    ]  # fmt: skip


def inactive_value(space: Space, name: str) -> str | None:
    """Return the value that stands for a parameter that is not active."""
    return _INACTIVE if _has_none(space, name) else None


def _has_none(space: Space, name: str) -> bool:
    domains = [entry.domain for entry in space[name]]
    return any(isinstance(d, Categorical) and None in d.choices for d in domains)


def _or_text(space: Space, conditional: set[str]) -> str:
    named = [literal(name) for name in space if name in conditional and _has_none(space, name)]
    return f", or {literal(_INACTIVE)} where None is a choice ({', '.join(named)})" if named else ""


def _domain(domain: Domain) -> str:
    if domain.single:
        return literal(domain.choices[0] if isinstance(domain, Categorical) else domain.low)
    if isinstance(domain, Categorical):
        return f"tune.choice({literals(domain.choices)})"
    values = step_values(domain)
    if values is None:
        log, end = "log" if domain.log else "", domain.high
        if isinstance(domain, Int):  # excludes its upper end
            return f"tune.{log}randint({domain.low}, {end + 1})"
        return f"tune.{log}uniform({domain.low!r}, {end!r})"
    # Ray's quantized domains hold multiples of the step, whatever the lower end.
    if domain.step is None or abs(domain.low / domain.step % 1) > 1e-12:
        return f"tune.choice({literals(values)})"
    kind = "qrandint" if isinstance(domain, Int) else "quniform"
    return f"tune.{kind}({domain.low!r}, {domain.high!r}, {domain.step!r})"
