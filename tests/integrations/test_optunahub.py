"""The packages for OptunaHub: in the registry's format, and their examples run.

Their own tests stand beside them, as the registry has it, and run with these.
"""

from __future__ import annotations

import functools
import inspect
import os
import re
import runpy
import socket
import subprocess
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import optuna
import pytest
import yaml

import condped

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of what it imports
    import optunahub

ROOT = Path(__file__).parents[2]
REGISTRY = ROOT / "integrations" / "optunahub" / "package"
PACKAGES = sorted(path.parent for path in REGISTRY.glob("*/*/__init__.py"))
# Each category's packages bear this tag.
TAGS = {"samplers": "sampler", "visualization": "visualization", "callbacks": "callback"}
VERSIONS = Path(sys.prefix) / "optuna-versions"

each_package = pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing reach for the network."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("something reaches for the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def loaded(package: Path) -> Any:
    """Load a package as users do, but from this folder."""
    name = package.relative_to(REGISTRY).as_posix()
    return optunahub.load_local_module(package=name, registry_root=str(REGISTRY))


def readme(package: Path) -> tuple[dict[str, Any], str]:
    """Return the front matter and the text of a package's README."""
    _, header, text = (package / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    return yaml.safe_load(header), text


def test_there_is_a_visualization_a_callback_and_samplers() -> None:
    """What there is, by category."""
    assert [path.relative_to(REGISTRY).as_posix() for path in PACKAGES] == [
        "callbacks/watch_importances",
        "samplers/advised_sampler",
        "samplers/informed_sampler",
        "visualization/plot_importance_verdicts",
    ]


@each_package
def test_front_matter_is_what_the_registry_asks_for(package: Path) -> None:
    """Six fields, all texts or lists of texts, none empty, with the tag of the category."""
    header, text = readme(package)
    assert list(header) == ["author", "title", "description", "tags", "optuna_versions", "license"]
    for field, value in header.items():
        values = value if field in ("tags", "optuna_versions") else [value]
        assert values
        assert all(isinstance(each, str) and each.strip() for each in values), field
    assert header["author"] == "The condped authors"
    assert header["license"] == "MIT License"
    assert TAGS[package.parent.name] in header["tags"]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in header["optuna_versions"])
    assert optuna.__version__ in header["optuna_versions"]
    # HTML is removed there, and this comment is the template's.
    assert not re.search(r"<[a-zA-Z/!]", re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL))
    for section in ("## Abstract", "## APIs", "## Installation", "## Example"):
        assert f"\n{section}\n" in text
    for image in re.findall(r"!\[[^]]*\]\((.*?)\)", text):
        assert (package / image).is_file()


@each_package
def test_files_are_those_of_a_package(package: Path) -> None:
    """The licence names its holder; what to install stands in both places alike."""
    licence = (package / "LICENSE").read_text(encoding="utf-8")
    assert licence == (ROOT / "LICENSE").read_text(encoding="utf-8")
    requirement = (package / "requirements.txt").read_text(encoding="utf-8").strip()
    assert f'pip install "{requirement}"' in readme(package)[1]
    assert list((package / "tests").glob("test_*.py"))


@each_package
def test_every_parameter_is_described(package: Path) -> None:
    """The README lists each parameter of what the package offers, with its default."""
    module, (_, text) = loaded(package), readme(package)
    for name in module.__all__:
        (signature,) = re.findall(rf"- `{name}\((.*)\)`", text)
        for parameter in inspect.signature(getattr(module, name)).parameters.values():
            assert f"  - `{parameter.name}`: " in text, parameter.name
            if parameter.default not in (parameter.empty, None):
                assert f"{parameter.name}={parameter.default!r}" in signature


@each_package
@pytest.mark.parametrize("source", ["README.md", "example.py"])
def test_examples_run(
    package: Path,
    source: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """As they stand, but for where the README's loads from."""
    monkeypatch.chdir(tmp_path)
    if source == "example.py":
        runpy.run_path(str(package / source), run_name="__main__")
    else:
        local = functools.partial(optunahub.load_local_module, registry_root=str(REGISTRY))
        monkeypatch.setattr(optunahub, "load_module", local)
        (code,) = re.findall(r"^```python\n(.*?)^```", readme(package)[1], re.DOTALL | re.MULTILINE)
        exec(compile(code, str(package / source), "exec"), {"__name__": "__main__"})
    capsys.readouterr()
    if package.parent.name == "visualization":
        page = (tmp_path / "importances.html").read_text(encoding="utf-8")
        assert any(word in page for word in ("no evidence", "unclear", "matters"))  # it has no seed


def test_examples_run_with_the_oldest_version_named(tmp_path: Path) -> None:
    """``make test`` has it beside the environment."""
    (oldest,) = {readme(package)[0]["optuna_versions"][0] for package in PACKAGES}
    if not (VERSIONS / oldest).is_dir():
        pytest.skip(f"Optuna {oldest} is not installed beside the environment: make test")
    program = (
        f"import runpy, optuna; assert optuna.__version__ == {oldest!r}\n"
        "optuna.logging.set_verbosity(optuna.logging.ERROR)\n"
        f"for path in {[str(package / 'example.py') for package in PACKAGES]!r}:\n"
        "    runpy.run_path(path, run_name='__main__')\n"
    )
    source = Path(condped.__file__).parents[1]
    path = os.pathsep.join([str(VERSIONS / oldest), str(source)])
    subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
    )
    assert (tmp_path / "importances.html").is_file()


@each_package
def test_without_condped_the_error_says_what_to_install(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Optuna may be there alone."""
    for name in [name for name in sys.modules if re.match(r"(condped|optunahub_registry)\b", name)]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "optunahub_registry", ModuleType("optunahub_registry"))
    monkeypatch.setattr(sys, "meta_path", [_WithoutCondped(), *sys.meta_path])
    requirement = (package / "requirements.txt").read_text(encoding="utf-8").strip()
    with pytest.raises(ImportError, match=re.escape(f"pip install '{requirement}'")):
        loaded(package)


class _WithoutCondped:
    """Finds what there is where condped is not installed."""

    def find_spec(self, name: str, *_: object) -> None:
        if re.match(r"condped\b", name):
            raise ModuleNotFoundError("No module named 'condped'", name="condped")
