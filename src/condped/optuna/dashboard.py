"""Results in optuna-dashboard: as charts, as a note, or, for reports, as a file."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from optuna.artifacts import upload_artifact
from optuna.study import Study

from condped.analyse.importance.result import ImportanceResult
from condped.analyse.importance.sweep import SweepResult
from condped.analyse.report.result import Report
from condped.analyse.result import Result, check_result
from condped.errors import SettingsError
from condped.optional import load_optional
from condped.safe_text import brief
from condped.writing.whole_files import write_text

if TYPE_CHECKING:
    from types import ModuleType

    from optuna.artifacts._protocol import ArtifactStore

_CHART_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


def save_to_dashboard(
    study: Study, result: ImportanceResult | SweepResult, *, name: str = "condped"
) -> tuple[str, ...]:
    """Add the charts of a result to the study's page in optuna-dashboard.

    Saving again under the same name replaces them. The study's trials are not changed.

    Parameters
    ----------
    study
        A study in a storage that the dashboard shows.
    result
        What :func:`condped.importance` or :func:`condped.sweep` returned.
    name
        The beginning of the charts' ids: a letter, then letters, digits, ``-`` and ``_``.

    Returns
    -------
    The charts' ids.

    Examples
    --------
    >>> import condped, optuna
    >>> study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    >>> study.optimize(lambda trial: trial.suggest_float("x", 0, 1) ** 2, n_trials=50)
    >>> save_to_dashboard(study, condped.importance(study))  # doctest: +SKIP
    ('condped-importance', 'condped-regimes', 'condped-densities')
    """
    _check_study(study)
    _check_name(name)
    dashboard = _dashboard("save_to_dashboard")
    if not isinstance(result, ImportanceResult | SweepResult):
        raise SettingsError(
            f"result must come from condped.importance or condped.sweep (got "
            f"{type(result).__name__})."
        )
    charts: tuple[str, ...] = dashboard.save_charts(study, result, name)
    return charts


def save_note(study: Study, result: Result) -> None:
    """Add a result to the note of a study, which optuna-dashboard shows on its page.

    The rest of the note is kept: the result is a section at its end, which later results replace. A
    section that somebody has edited is kept, too, and the new one is added.

    Parameters
    ----------
    study
        A study in a storage that the dashboard shows.
    result
        Any result, such as that of :func:`condped.importance`.

    Examples
    --------
    >>> import condped, optuna
    >>> study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    >>> study.optimize(lambda trial: trial.suggest_float("x", 0, 1) ** 2, n_trials=50)
    >>> save_note(study, condped.importance(study))
    """
    check_result(result)
    _check_study(study)
    _dashboard("save_note").save_section(study, result.to_markdown(heading=3))


def save_report(
    study: Study, report: Report, *, artifact_store: ArtifactStore, name: str = "condped-report"
) -> str:
    """Save the page of a report with a study, as an artifact that optuna-dashboard shows.

    Each call adds one, since artifacts cannot be changed.

    Parameters
    ----------
    study
        The study that it is about.
    report
        What :func:`condped.report` returned.
    artifact_store
        Where to store files, such as ``optuna.artifacts.FileSystemArtifactStore("artifacts")``; the
        dashboard is started with the same one (``--artifact-dir artifacts``).
    name
        The file's name, without ``.html``.

    Returns
    -------
    The artifact's id.

    Examples
    --------
    >>> import condped, optuna, tempfile
    >>> study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    >>> study.optimize(lambda trial: trial.suggest_float("x", 0, 1) ** 2, n_trials=50)
    >>> store = optuna.artifacts.FileSystemArtifactStore(tempfile.mkdtemp())
    >>> made = save_report(study, condped.report(study), artifact_store=store)
    >>> with store.open_reader(made) as page:
    ...     page.read(15)
    b'<!doctype html>'
    """
    if not isinstance(report, Report):
        raise SettingsError(
            f"report must come from condped.report (got {type(report).__name__}). For any other "
            "result use save_note."
        )
    _check_study(study)
    _check_name(name)
    _check_store(artifact_store)
    with TemporaryDirectory() as folder:
        page = Path(folder) / f"{name}.html"
        write_text(report.html, page)
        return upload_artifact(
            artifact_store=artifact_store,
            file_path=str(page),
            study_or_trial=study,
            mimetype="text/html",
            encoding="utf-8",
        )


def _check_study(study: object) -> None:
    if not isinstance(study, Study):
        raise SettingsError(
            f"study must be an optuna.Study (got {type(study).__name__}). Load one with "
            "optuna.load_study."
        )


def _check_store(store: object) -> None:
    if not callable(getattr(store, "write", None)):
        raise SettingsError(
            "artifact_store must be an artifact store of Optuna, such as "
            f"FileSystemArtifactStore('artifacts') (got {type(store).__name__})."
        )
    # Optuna registers an artifact before it writes the file, so this is checked first.
    folder = getattr(getattr(store, "_backend", store), "_base_path", None)
    if folder is not None and not Path(folder).is_dir():
        raise SettingsError(
            "artifact_store must store files in an existing directory (got "
            f"{brief(str(folder))}). Create it first, for example with mkdir."
        )


def _check_name(name: object) -> None:
    if not isinstance(name, str) or not _CHART_NAME.fullmatch(name):
        raise SettingsError(
            f"name must be a letter, then letters, digits, '-' and '_' (got {brief(name)})."
        )


def _dashboard(feature: str) -> ModuleType:
    return load_optional(
        "condped.show.optuna_dashboard",
        feature=feature,
        library="optuna_dashboard",
        extra="dashboard",
    )
