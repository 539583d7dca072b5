"""condped: which hyperparameters mattered, for conditional search spaces.

Examples
--------
>>> import condped
>>> table = condped.problems.get("nested").sample(1000, seed=0)
>>> result = condped.importance(table, target_quantile=0.1)
>>> result["x"].importance > 0.5
True
"""

# ruff: noqa: E402

from condped.interrupts import begin_command

begin_command()  # before the imports that take time

import os
import re
from contextlib import suppress
from importlib import import_module
from pkgutil import get_data
from typing import Any

# Bound here, since importing the package of that name would otherwise bind the package.
from condped.read import read as read

__version__ = "0.1.0"

# Public names are listed in __init__.pyi only: type checkers read it, and so does this.
_HOMES = {
    name: home
    for home, name in re.findall(
        r"^from (\S+) import (\w+)", (get_data(__name__, "__init__.pyi") or b"").decode(), re.M
    )
}
__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    """Import the module of a public name when it is first used."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if home == __name__:
        found = import_module(f"{home}.{name}")
    else:  # as the import statement does: a name of the module, or a module of the package
        found = getattr(__import__(home, fromlist=[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


# For CI and debugging, as in Scientific Python's SPEC 1: import all that is installed now.
if os.environ.get("EAGER_IMPORT"):
    from condped.errors import MissingLibraryError as _MissingLibraryError

    for _name in __all__:
        with suppress(_MissingLibraryError):  # raised again when the name is used
            __getattr__(_name)
