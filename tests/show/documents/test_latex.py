"""Tables of LaTeX: compiled where there is one, and looked at where there is none."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import condped
from condped.errors import SettingsError
from condped.show.documents.latex import escaped
from tests.show.documents.results import results

KINDS = tuple(kind for kind in results() if kind != "sources")
FRAME = (
    r"\documentclass{article}\usepackage{array,booktabs,graphicx}\begin{document}%s\end{document}"
)
# A column whose texts are wrapped.
WRAPPED = re.compile(r">\{\\ragged(?:left|right)\\arraybackslash\}p\{\d+em\}")


@pytest.mark.parametrize("kind", KINDS)
def test_every_row_has_as_many_cells_as_columns(kind: str) -> None:
    """Nothing but the separators of cells separates cells, and rules stand where they belong."""
    text = results()[kind].to_latex()
    for columns, body in re.findall(
        r"\\begin\{tabular\}\{([lrp]+)\}\n(.*?)\\end\{tabular\}", WRAPPED.sub("p", text), re.DOTALL
    ):
        lines = body.splitlines()
        assert (lines[0], lines[2], lines[-1]) == (r"\toprule", r"\midrule", r"\bottomrule")
        rows = [line for line in lines if line.endswith(r" \\")]
        assert len(rows) == len(lines) - 3
        assert {len(re.findall(r"(?<!\\)&", row)) + 1 for row in rows} == {len(columns)}
    assert text.count(r"\begin") == text.count(r"\end")


def test_what_means_something_to_latex_is_written_out() -> None:
    """No character of a name starts a command, a group, a formula or a comment."""
    hostile = r"\input{/etc/passwd} $x^2$ 100% a_b #1 ~ & \\ ^^41"
    left = re.sub(r"\\text[a-z]+\{\}|\\[{}$&#_%]", "", escaped(hostile))
    assert not set(left) & set("\\{}$&#_%^~")


def test_captions_labels_and_notes() -> None:
    """A caption makes it float; sentences are comments, or stand below."""
    found = results()["importance"]
    plain = found.to_latex()
    assert r"\begin{table}" not in plain
    assert "% 200 of 200 trials used" in plain
    text = found.to_latex(caption="50 % of_all", label="tab:all", notes=True)
    assert r"\caption{50 \% of\_all}" in text
    assert r"\label{tab:all}" in text
    assert r"200 of 200 trials used" in text.split(r"\bottomrule")[1]
    with pytest.raises(SettingsError, match="label must be"):
        found.to_latex(label="a}b")
    # What has to be read first is no comment.
    assert re.search(r"^\\par\{\\bfseries Undetermined", results()["undetermined"].to_latex(), re.M)


@pytest.mark.parametrize("kind", ["advice", "start"])
def test_code_and_what_introduces_it_are_left_out(kind: str) -> None:
    """A sentence that ends in a colon has something below it."""
    found = results()[kind]
    assert "For Optuna" in found.to_markdown()
    assert "For Optuna" not in found.to_latex(notes=True)


def of_brackets() -> condped.ImportanceResult:
    """Return a result whose names LaTeX could take for arguments of the command before."""
    rng = np.random.default_rng(0)
    first, second, third = rng.random((3, 200))
    table = {"[2em]x": first, "*": second, "[": third, "loss": first + second}
    return condped.importance(table, objective="loss")


def test_no_row_starts_with_an_argument() -> None:
    """A bracket or an asterisk after a line's end or a rule would belong to it."""
    text = of_brackets().to_latex()
    assert not re.search(r"^\s*[\[*]", text, re.M)
    assert {"{}[2em]x", "{}*", "{}["} <= {line.split(" & ")[0] for line in text.splitlines()}


def test_each_table_of_effects_names_its_parameter() -> None:
    """In bold above it, since sentences are comments."""
    found = results()["effects"]
    titles = re.findall(
        r"^\\par\\noindent\{\\bfseries (.*)\\par\}.*\n.*\n\\begin\{tabular\}",
        found.to_latex(),
        re.M,
    )
    assert titles == [one.name for one in found if one.verdict == "matters"]
    assert len(titles) == found.to_latex().count(r"\begin{tabular}")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX on this machine")
def test_latex_sets_them_all(tmp_path: Path) -> None:
    """Without an error, in the fonts that it has by itself, and within the page's margins."""
    each = [
        results()[kind].to_latex(notes=notes, caption=f"{kind} {notes}")
        for kind in KINDS
        for notes in (False, True)
    ]
    each += [of_brackets().to_latex(), of_brackets().effects.to_latex()]
    (tmp_path / "all.tex").write_text(FRAME % "\\clearpage\n".join(each), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-draftmode", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    if missing := re.search(r"`(\w+)\.sty' not found", done.stdout):
        pytest.skip(f"this LaTeX has no {missing[1]}")
    assert done.returncode == 0, [line for line in done.stdout.splitlines() if line[:1] == "!"]
    assert "Overfull \\hbox" not in done.stdout, re.findall(r"Overfull .*", done.stdout)
