"""Parameters that are explained together: a group is one parameter, whose values are joint cells.

Everything that works for parameters works for groups, except replays of a sampler: joint cells were
not drawn, so the members are replayed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from condped.arrays import BoolArray, IntArray
from condped.errors import SettingsError, not_found
from condped.safe_text import brief, text_of
from condped.space.domain import Categorical
from condped.trials.table import ABSENT, Parameter, TrialTable

# Joint cells of a group: one for this many trials, within these limits.
_TRIALS_PER_CELL, _FEWEST, _MOST = 10, 4, 32
_FINEST = 6  # cells of one numeric member
_OTHERS = "others"


def with_groups(table: TrialTable, groups: Mapping[str, Sequence[str]]) -> TrialTable:
    """Return the table with groups in place of their members, each where its first member was.

    The values of a group are the joint cells of its members: every choice, and ranges of numbers
    with about equally many trials each, so coarse that there are enough trials in a joint cell. A
    group is absent where all of its members are.
    """
    known = {parameter.name: parameter for parameter in table.parameters}
    owner = _group_of_each(groups, known)
    made: dict[str, Parameter] = {}
    notes = []
    for name, parameter in known.items():
        group = owner.get(name)
        if group is None:
            made[name] = parameter
        elif group not in made:
            members = [known[member] for member in dict.fromkeys(groups[group])]
            made[group], note = _join_members(group, members)
            notes.append(note)
    whole = {} if table.whole is not None else {"whole": table, "rows": np.arange(len(table))}
    return replace(
        table.with_notes(notes),
        parameters=tuple(made.values()),
        space=None,  # no condition names a group
        groups={
            group: tuple(known[member] for member in dict.fromkeys(members))
            for group, members in groups.items()
        },
        **whole,  # type: ignore[arg-type]
    )


def check_groups(groups: object) -> None:
    """Raise if ``groups`` is not a mapping from names to lists of names."""
    if not isinstance(groups, Mapping) or not all(
        isinstance(name, str)
        and isinstance(members, Sequence)
        and not isinstance(members, str)
        and all(isinstance(member, str) for member in members)
        for name, members in groups.items()
    ):
        raise SettingsError(
            "groups must map a name to a list of parameters, such as "
            f"{{'architecture': ['layers', 'units']}} (got {brief(groups)})."
        )
    for name, members in groups.items():
        if not name or len(set(members)) < 2:
            raise SettingsError(
                f"The group {brief(name)} must have a name and at least two parameters (got "
                f"{brief(list(members))})."
            )


def _group_of_each(
    groups: Mapping[str, Sequence[str]], known: Mapping[str, Parameter]
) -> dict[str, str]:
    """Return the group of each member; raises if groups overlap or members are unknown."""
    owner: dict[str, str] = {}
    for group, members in groups.items():
        for member in dict.fromkeys(members):
            if member not in known:
                raise not_found(f"parameter for the group {group!r}", member, known)
            if member in owner:
                raise SettingsError(
                    f"{member!r} is in two groups, {owner[member]!r} and {group!r}. Leave it out "
                    "of one of them."
                )
            owner[member] = group
    for group in groups:
        if group in known and group not in owner:
            raise SettingsError(
                f"The group {group!r} has the name of a parameter. Give it another name."
            )
    return owner


@dataclass(frozen=True, slots=True, eq=False)
class _Member:
    """The cells of one member: (trials,) their places, -1 where absent, and their labels."""

    name: str
    cells: IntArray
    labels: tuple[str, ...]


def _join_members(group: str, members: Sequence[Parameter]) -> tuple[Parameter, str]:
    """Return a group as a parameter, and a note on its cells."""
    trials = len(members[0].domain_ids)
    present = np.zeros(trials, dtype=bool)
    for member in members:
        present |= np.asarray(member.domain_ids) != ABSENT
    most = min(max(int(np.count_nonzero(present)) // _TRIALS_PER_CELL, _FEWEST), _MOST)
    cells = [_member_cells(member, _FINEST) for member in members]
    finest = [_FINEST] * len(members)
    while len(_distinct_cells(cells, present)[0]) > most:
        # The member with the most ranges gets one less, down to two.
        numeric = [k for k, member in enumerate(members) if not _is_choice(member)]
        widest = max(numeric, key=lambda k: (finest[k], len(cells[k].labels)), default=None)
        if widest is None or finest[widest] <= 2:
            break
        finest[widest] -= 1
        cells[widest] = _member_cells(members[widest], finest[widest])
    joint, places = _distinct_cells(cells, present)
    labels = [
        ", ".join(
            f"{member.name} {member.labels[cell] if cell >= 0 else 'absent'}"
            for member, cell in zip(cells, row, strict=True)
        )
        for row in joint.tolist()
    ]
    sizes = np.bincount(places[present], minlength=len(joint))
    note = f"{group}: {', '.join(member.name for member in members)} explained together, "
    if len(joint) > most:
        kept = np.sort(np.argsort(-sizes, kind="stable")[: most - 1])
        rest = int(sizes.sum() - sizes[kept].sum())
        renumber = np.full(len(joint), most - 1)
        renumber[kept] = np.arange(most - 1)
        places = renumber[places]
        labels = [*(labels[place] for place in kept), _OTHERS]
        note += f"in {most} joint cells; {rest} trials in rarer ones share one of them."
    else:
        note += f"in {len(joint)} joint cells."
    ids = np.where(present, 0, ABSENT).astype(np.int8)
    if present.all():
        ids = np.broadcast_to(np.int8(0), trials)
    values = np.where(present, places, 0).astype(np.int32)
    return Parameter(group, values, ids, (Categorical(labels),)), note


def _distinct_cells(cells: Sequence[_Member], present: BoolArray) -> tuple[IntArray, IntArray]:
    """Return (joint, members) the joint cells that occur, and (trials,) which one each is in."""
    columns = np.column_stack([member.cells for member in cells])
    joint, places = np.unique(columns[present], axis=0, return_inverse=True)
    found = np.zeros(len(present), dtype=np.int64)
    found[present] = places.reshape(-1)
    return joint, found


def _is_choice(parameter: Parameter) -> bool:
    return all(isinstance(domain, Categorical) for domain in parameter.domains)


def _member_cells(parameter: Parameter, finest: int) -> _Member:
    """Return the cells of a parameter, those of its domains one after the other."""
    ids = np.asarray(parameter.domain_ids)
    cells = np.full(len(ids), -1, dtype=np.int64)
    labels: list[str] = []
    for place, domain in enumerate(parameter.domains):
        rows = np.flatnonzero(ids == place)
        values = parameter.values[rows]
        if isinstance(domain, Categorical):
            cells[rows] = len(labels) + values.astype(np.int64)
            labels += map(text_of, domain.choices)
        elif len(rows):
            own, ranges = _ranges(values.astype(np.float64), finest)
            cells[rows] = len(labels) + own
            labels += ranges
    return _Member(parameter.name, cells, tuple(labels))


def _ranges(values: np.ndarray, finest: int) -> tuple[IntArray, list[str]]:
    """Return the range of each value, and the ranges; each holds about equally many values."""
    inner = np.quantile(values, np.arange(1, finest) / finest, method="higher")
    edges = np.unique(inner[inner > values.min()])  # a range begins at its edge
    own = np.searchsorted(edges, values, side="right")
    labels = []
    for place in range(len(edges) + 1):
        low, high = values[own == place].min(), values[own == place].max()
        labels.append(f"{low:.4g}" if low == high else f"{low:.4g}…{high:.4g}")
    return own, labels
