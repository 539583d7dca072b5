"""Importing condped is light and offers what it says."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys

import condped

HEAVY = (
    "optuna",
    "pandas",
    "polars",
    "pyarrow",
    "plotly",
    "matplotlib",
    "scipy",
    "narwhals",
    "sklearn",
    "shap",
    "numba",
)


def test_import_loads_no_heavy_library() -> None:
    """A fresh interpreter that imports condped has none of the optional libraries."""
    code = f"import sys, condped; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_required_dependencies_are_few() -> None:
    """numpy, narwhals and click; everything else is an extra."""
    required = [r for r in importlib.metadata.requires("condped") or [] if "extra ==" not in r]
    assert {r.split(">")[0] for r in required} == {"numpy", "narwhals", "click"}


def test_every_public_name_is_there() -> None:
    """What ``__all__`` lists can be had, lazily loaded modules included."""
    for name in condped.__all__:
        assert getattr(condped, name) is not None


def test_version_is_the_distributions() -> None:
    """One version, in the package and in its metadata."""
    assert condped.__version__ == importlib.metadata.version("condped")


def test_a_missing_library_is_named_with_its_extra() -> None:
    """Without pandas, to_frame() says what to install."""
    code = (
        "import sys; sys.modules['pandas'] = None\n"
        "import condped\n"
        "table = condped.problems.get('nested').sample(50, seed=0)\n"
        "try: condped.importance(table).to_frame()\n"
        "except condped.errors.MissingLibraryError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "to_frame() needs pandas" in done.stdout
    assert "pip install 'condped[pandas]'" in done.stdout
