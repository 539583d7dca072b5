"""Importing condped is light and offers what it says."""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys

import pytest

import condped
from condped.errors import MissingLibraryError, not_found
from tests.package.conftest import ROOT

HEAVY = (
    "numpy",
    "click",
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
    """What the stub lists can be had, lazily loaded modules included, and is what it says."""
    stub = (ROOT / "src" / "condped" / "__init__.pyi").read_text(encoding="utf-8")
    listed = [line for line in stub.splitlines() if line.startswith(("from ", "import "))]
    expected: dict[str, object] = {}
    exec("\n".join(listed), expected)
    del expected["__builtins__"]
    assert set(condped.__all__) == set(expected)
    assert {name: getattr(condped, name) for name in condped.__all__} == expected
    assert set(condped.__all__) <= set(dir(condped))
    assert all(re.fullmatch(r"from \S+ import (\w+) as \1", line) for line in listed)


def test_a_name_that_there_is_not_is_named() -> None:
    """As by any other module."""
    with pytest.raises(AttributeError, match="module 'condped' has no attribute 'importence'"):
        condped.importence  # type: ignore[attr-defined]  # noqa: B018


def test_everything_is_imported_at_once_if_the_environment_says_so() -> None:
    """EAGER_IMPORT, as SPEC 1 has it: a broken import shows in CI, not at a user's."""
    code = "import sys, condped; print(sum(name in vars(condped) for name in condped.__all__))"
    counts = [
        int(
            subprocess.run(
                [sys.executable, "-c", code],
                env={**os.environ, "EAGER_IMPORT": eager},
                capture_output=True,
                text=True,
                check=True,
            ).stdout
        )
        for eager in ("", "1")
    ]
    assert counts == [1, len(condped.__all__)]  # only `read` is bound from the beginning


def test_a_missing_extra_does_not_break_importing_everything() -> None:
    """The name that needs it raises when it is used, as without EAGER_IMPORT."""
    code = (
        "import sys\n"
        "class Hidden:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'optuna': raise ModuleNotFoundError(name, name=name)\n"
        "sys.meta_path.insert(0, Hidden())\n"
        "import condped\n"
        "print('optuna' in vars(condped), condped.importance.__name__)\n"
        "try: condped.optuna\n"
        "except condped.errors.MissingLibraryError as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "EAGER_IMPORT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("False importance\n")
    assert "condped[optuna]" in done.stdout


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


def test_a_name_where_there_are_none_is_not_found() -> None:
    """In words, rather than with an empty list."""
    assert str(not_found("study", "live", [])) == "There is no study 'live', nor any other."
    assert str(not_found("study", "live", ["a"])) == "There is no study 'live'. Available: 'a'."


def test_several_missing_libraries_are_plural() -> None:
    """As people say it."""
    one = MissingLibraryError(feature="condped watch", library="rich", extra="watch")
    two = MissingLibraryError(
        feature="condped serve", library="starlette and uvicorn", extra="serve"
    )
    assert "rich, which is not installed. Install it with" in str(one)
    assert "starlette and uvicorn, which are not installed. Install them with" in str(two)
