"""Workflows, hooks and forms name things that there are."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import yaml

from tests.package.conftest import ROOT

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
WORKFLOWS = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in (ROOT / ".github" / "workflows").glob("*.yml")
}


def steps() -> list[dict[str, Any]]:
    """Return the steps of all workflows."""
    return [
        step
        for flow in WORKFLOWS.values()
        for job in flow["jobs"].values()
        for step in job["steps"]
    ]


def test_steps_are_targets_of_the_makefile() -> None:
    """Whatever a workflow runs, people can run with the same words."""
    commands = [step["run"] for step in steps() if "run" in step]
    targets = [
        re.fullmatch(r'(?:sudo )?make (\w+)( \w+=(\w*|"\$\w+"))*', command) for command in commands
    ]
    assert all(targets), commands
    for target in targets:
        assert target is not None
        assert re.search(rf"^{target[1]}:", MAKEFILE, re.MULTILINE), target[1]


def test_the_tested_versions_of_python_are_those_of_the_classifiers() -> None:
    """Claimed is what is tried."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    claimed = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    assert WORKFLOWS["test"]["jobs"]["test"]["strategy"]["matrix"]["python"] == claimed


def test_only_publishing_gets_more_than_reading() -> None:
    """No step has a token that it does not need."""
    for flow in WORKFLOWS.values():
        assert flow["permissions"] == {}
        for name, job in flow["jobs"].items():
            expected = {"id-token": "write"} if name == "publish" else {"contents": "read"}
            assert job["permissions"] == expected


def test_hooks_run_what_make_check_runs() -> None:
    """The tools of the environment, by the names that the Makefile has."""
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    entries = [hook["entry"] for hook in hooks["repos"][0]["hooks"]]
    tools = [re.match(r"(?:\.venv/bin/|make )([\w-]+)", entry) for entry in entries]
    for tool in tools:
        assert tool is not None
        assert re.search(rf"(\$\(BIN\)/|^){tool[1]}\b", MAKEFILE, re.MULTILINE)
