"""Joint effects as text: a row per pair of parameters."""

from __future__ import annotations

from condped.analyse.joint_effects import JointEffects
from condped.safe_text import shortened
from condped.show.text.account import data_lines, goals, trial_lines
from condped.show.text.layout import percent, table_lines, wrapped

_MOST_ROWS = 20


def joint_text(found: JointEffects) -> str:
    """Return the pairs, the strongest first, then what the numbers are based on."""
    account = found.account
    title = (
        f"Pairs that together reach the best {percent(found.target_quantile)} of "
        f"{account.trials.used} trials ({goals(account)})"
    )
    rows = [
        (" × ".join(shortened(name) for name in effect.parameters),
         f"{effect.eta_squared:.3f}", str(effect.trials))
        for effect in found.effects[:_MOST_ROWS]
    ]  # fmt: skip
    lines = [*wrapped(title), "", *table_lines(("pair", "η²", "trials"), rows, right={1, 2})]
    if len(found) > _MOST_ROWS:
        lines.append(f"… and {len(found) - _MOST_ROWS} more pairs")
    if not len(found):
        lines.append("No two parameters vary together in enough trials.")
    lines += ["", *wrapped(
        "η²: the share of the variance of reaching the target set that a pair explains beyond what "
        "its parameters explain alone; a little below 0 by chance."
    )]  # fmt: skip
    sets = f"; {found.target_size} in the target set"
    told = [*trial_lines(account, sets), *data_lines(account), *account.notes]
    return "\n".join([*lines, *(line for one in told for line in wrapped(one))])
