"""The sources of running studies: where they are, how they are opened, and how they are shown.

Nothing that is shown or logged contains their passwords.
"""

from __future__ import annotations

import glob
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import condped
from condped.errors import CondpedError, DataError, NameNotFoundError, NoTrialsError, SettingsError
from condped.options import options_of
from condped.safe_text import brief, listed

_SECRET_KEY = r"[\w.-]*(?:pass|pwd|secret|token|key|auth)[\w.-]*="
_SECRET = re.compile(_SECRET_KEY, re.IGNORECASE)
# A URL extends to the next one: a password may contain any character.
_URLS = re.compile(r"(?:^|(?<=[\s'\"(<,;]))(?=[A-Za-z][\w+.-]*://)")
_LOGIN = re.compile(r"(?s)(.*?://[^:/@\s?]*):(.*)")
_QUERY = re.compile(r"\?[^\s'\"]*")
# Options that name the objective; tools that record their objectives need neither.
_OBJECTIVE = ("objective", "direction")
# Options that a storage can be listed with without reading its trials.
_WHERE = ("study", "reader")
_SHOWN = 5  # names in messages


class NotRecordedError(NoTrialsError):
    """It is not known yet whether a study records the requested objective."""


class Listing(NamedTuple):
    """The studies of one place.

    Attributes
    ----------
    note
        What is not as requested: the objective, or that trials are read; None if all is.
    """

    studies: condped.Studies
    note: str | None


def split_options(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options for reading, and those for the analysis."""
    names = {option.name for option in options_of(condped.studies)}
    reading = {name: value for name, value in options.items() if name in names}
    return reading, {name: value for name, value in options.items() if name not in names}


def places_of(source: str) -> list[str]:
    """Return a source itself, or the files that a pattern matches now."""
    if "://" in source or not any(sign in source for sign in "*?[") or Path(source).exists():
        return [source]
    return sorted(glob.glob(source, recursive=True)) or [source]  # noqa: PTH207


def list_place(place: str, reading: Mapping[str, Any]) -> Listing:
    """Return the studies of a place and how far each has come.

    ``objective`` is for sources that need one: studies whose tool has recorded other objectives are
    listed with those. A study that cannot be read does not hide the others of its storage.
    """
    try:
        return Listing(condped.studies(place, **reading), None)
    except CondpedError as error:
        if not _lacks_objective(error, reading):
            return _listed_without_trials(place, reading, error)
        try:
            found = condped.studies(place, **_without_objective(reading))
        except CondpedError:  # a table, which needs one
            raise error from None
    # What a study records is not known before a trial has completed.
    requested = requested_objectives(reading)
    other = [one for one in found.studies if one.complete and not requested <= {*one.objectives}]
    if not other:
        return Listing(found, None)
    names = dict.fromkeys(repr(name) for one in other for name in one.objectives)
    objectives = listed([repr(name) for name in sorted(requested)], _SHOWN)
    note = (
        f"Studies without an objective {objectives} are shown with their own: {', '.join(names)}."
    )
    return Listing(found, note)


def _listed_without_trials(place: str, reading: Mapping[str, Any], error: CondpedError) -> Listing:
    """Return the listing of a storage with several studies without trials, or raise ``error``."""
    where = {name: value for name, value in reading.items() if name in _WHERE}
    if where == dict(reading) or not isinstance(error, DataError):
        raise error
    with suppress(CondpedError):
        found = condped.studies(place, **where)
        if len(found) > 1:
            return Listing(found, f"Trials are only counted, since one study fails: {error}")
    raise error


def requested_objectives(reading: Mapping[str, Any]) -> set[str]:
    """Return the names of the objectives that the options for reading request."""
    given = reading.get("objective")
    every = [given] if isinstance(given, str) else given
    return (
        {one for one in every if isinstance(one, str)} if isinstance(every, list | tuple) else set()
    )


def open_study(
    place: str, study: str, reading: Mapping[str, Any], *, shown: str | None = None
) -> condped.Followed:
    """Follow a study by its name, or the only one of a place whose studies have no names.

    ``shown`` is the name of a directory in messages, by default its path.

    Raises
    ------
    NameNotFoundError
        If the study no longer exists; other names are not revealed.
    NoTrialsError
        If it is not known yet whether its trials record the requested objective.
    CondpedError
        If it cannot be read now.
    """
    try:
        return follow(place, {**reading, "study": study}, other_objectives=True)
    except (SettingsError, NameNotFoundError):
        names = names_in(place, reading)
        if study not in names:
            raise gone(study) from None
        if len(names) > 1 and Path(place).is_dir():
            name = place if shown is None else shown
            raise SettingsError(
                f"{name!r} is a directory with several studies. Give them as a quoted pattern, "
                f"such as '{name}/*.csv'."
            ) from None
        if len(names) > 1:
            raise
    return follow(place, {**reading, "study": None}, other_objectives=True)


def gone(study: str) -> NameNotFoundError:
    """Return the error for a study that was deleted, without the names of others."""
    message = f"There is no study {brief(study)} any more."
    return NameNotFoundError(message, kind="study", name=study)


def names_in(place: str, reading: Mapping[str, Any]) -> list[str]:
    """Return the names of all studies in a place."""
    found = list_place(place, {**reading, "study": None}).studies
    return [one.study for one in found.studies]


def follow(
    place: str, reading: Mapping[str, Any], *, other_objectives: bool = False
) -> condped.Followed:
    """Follow a study, like :func:`condped.follow`, even if no trial has completed yet.

    With ``other_objectives``, a study whose trials do not record the requested objective is
    followed by its own.

    Raises
    ------
    NoTrialsError
        If it is not known yet whether its trials record the requested objective.
    CondpedError
        If it cannot be read now.
    """
    try:
        return condped.follow(place, **reading)
    except CondpedError as error:
        if not _lacks_objective(error, reading):
            raise
        try:
            followed = condped.follow(place, **_without_objective(reading))
        except CondpedError:
            raise error from None
        completed = condped.summary(followed.table).states.complete
        if completed and other_objectives:
            return followed
        followed.close()
        if completed:
            raise
    requested = listed([repr(name) for name in sorted(requested_objectives(reading))], _SHOWN)
    raise NotRecordedError(f"No trial has recorded {requested} yet.")


def has_no_trials(place: str, error: CondpedError) -> bool:
    """Return whether an error goes away once a place has trials.

    A table may have no rows, and a file may be empty, which no reader recognises.
    """
    if isinstance(error, NoTrialsError):
        return True
    return "://" not in place and Path(place).is_file() and not Path(place).stat().st_size


def _lacks_objective(error: BaseException | None, reading: Mapping[str, Any]) -> bool:
    """Return whether a source was read and lacks a requested objective."""
    while error is not None:
        if isinstance(error, NameNotFoundError) and (error.kind or "").startswith("objective"):
            return error.name in requested_objectives(reading)
        error = error.__cause__  # a wrapper may say in which study
    return False


def _without_objective(reading: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in reading.items() if name not in _OBJECTIVE}


def without_passwords(text: str) -> str:
    """Return a text without the passwords and queries of the URLs in it.

    A password may contain any character, spaces included: where its end is unclear, more is left
    out rather than less.

    Examples
    --------
    >>> without_passwords("no answer from postgresql://tuner:a/b@c@db:5432/studies?password=x")
    'no answer from postgresql://tuner@db:5432/studies'
    >>> without_passwords("postgresql://tuner:a?b c@db/studies")
    'postgresql://tuner@db/studies'
    """
    return "".join(_without_password(part) for part in _URLS.split(text))


def _without_password(part: str) -> str:
    """Return a text without a password; it begins with a URL, or has none."""
    found = _LOGIN.match(part)
    if found is not None and "@" in found[2]:
        before, after = found[2].partition("?")[::2]
        unclear = "@" in after and ("@" in before or _SECRET.search(after.rpartition("@")[0]))
        part = f"{found[1]}@{'…' if unclear else found[2].rpartition('@')[2]}"
    if "://" not in part:
        return part
    place, _, query = part.partition("?")
    return place if _SECRET.search(query) else _QUERY.sub("", part, count=1)


def login_of(place: str) -> str:
    """Return the user:password of a URL; empty if it has none."""
    _, sign, rest = place.partition("://")
    return rest.rpartition("@")[0] if sign and "@" in rest else ""


def passwords_of(place: str) -> list[str]:
    """Return the passwords in a URL as they may appear in messages, the longest first."""
    own = login_of(place).partition(":")[2]
    query = [
        value
        for key, _, value in (one.partition("=") for one in place.partition("?")[2].split("&"))
        if _SECRET.match(f"{key}=")
    ]
    forms = {form for one in (own, *query) for form in (one, unquote(one))}
    return sorted(filter(None, forms), key=len, reverse=True)
