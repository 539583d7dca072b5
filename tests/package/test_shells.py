"""The manual page and shell completion."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from docs.man_page import PAGE, man_page
from tests.cli.command import CONDPED, condped_command

FIX = 'run "make man"'


def test_the_manual_page_is_current() -> None:
    """As the commands are now."""
    assert PAGE.read_text(encoding="ascii") == man_page(), FIX


def test_the_manual_page_is_set_without_a_warning() -> None:
    """By groff, with all its warnings; what it sets names every command."""
    if shutil.which("groff") is None:
        pytest.skip("groff is NOT installed: nothing to set the page with")
    command = ["groff", "-man", "-ww", "-Tutf8", "-P-cbou", "-rLL=200n", str(PAGE)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    for name in ("importance", "report", "watch", "completion"):
        assert f"condped {name} " in done.stdout
    assert "--target-quantile FLOAT" in done.stdout


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("condped imp", {"importance"}),
        ("condped completion ", {"bash", "zsh", "fish"}),
        ("condped importance --outs", {"--outside"}),
        ("condped importance --outside ", {"error", "nearest", "drop"}),
        ("condped importance --target p", {"pruned"}),
        ("condped importance --reader sma", {"smac"}),
        ("condped importance tri", {"trials.csv"}),
        ("condped report trials.csv --space sp", {"space.json"}),
    ],
)
def test_bash_completes(line: str, offered: set[str], tmp_path: Path) -> None:
    """A real bash that has read the script: commands, options, choices, names and files."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("bash is NOT installed")
    (tmp_path / "trials.csv").touch()
    (tmp_path / "space.json").touch()
    script = condped_command("completion", "bash").stdout
    # Readline would complete files itself; here compgen does it, for the word that is typed.
    asked = f"""
compopt() {{ files=1; }}
{script}
COMP_WORDS=({line.rstrip()}) COMP_LINE="{line}"
[[ "$COMP_LINE" == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_condped_completion condped
printf '%s\\n' "${{COMPREPLY[@]}}"
[ -n "$files" ] && compgen -f -- "${{COMP_WORDS[COMP_CWORD]}}"
true
"""
    path = os.pathsep.join([str(Path(CONDPED).parent), os.environ["PATH"]])
    done = subprocess.run(
        [bash, "--norc", "-c", asked],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    assert offered <= set(done.stdout.split())
    assert len(set(done.stdout.split()) - {line.rsplit(maxsplit=1)[-1]}) == len(offered)
