"""Which reader takes which source. A reader's module is loaded when a source needs it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol, TypeAlias, cast

from condped.errors import DataError, SourceError, not_found
from condped.optional import load_optional
from condped.read.databases.urls import without_password
from condped.read.each_study import StudyState
from condped.read.options import ReadOptions
from condped.trials.table import TrialTable

ENTRY_POINTS = "condped.readers"
# What a reader's module offers under the name read.
ReadFunction: TypeAlias = Callable[[Any, ReadOptions], TrialTable]
# And under the name read_all, if its sources may hold several studies.
ReadAllFunction: TypeAlias = Callable[[Any, ReadOptions], list[tuple[str, TrialTable]]]
# Under the name follow, if only what is new can be read; None if not of this source.
FollowFunction: TypeAlias = Callable[[Any, ReadOptions], "FollowedSource | None"]
# Under the name list_studies, if counts can be had without reading trials; takes patterns of names.
ListFunction: TypeAlias = Callable[[Any, Sequence[str]], list[StudyState]]


class FollowedSource(Protocol):
    """A source that is read repeatedly; only what is new, where possible."""

    fetched: int  # records or lines that the last update read

    def update(self) -> TrialTable | None:
        """Return all trials, before any are selected; None if nothing has changed."""
        ...


@dataclass(frozen=True, slots=True)
class Reader:
    """How one kind of source is recognised, and where it is read.

    Attributes
    ----------
    name
        Its name, for the option ``reader``.
    description
        What it reads, to follow "Reading" in messages.
    recognises
        Whether a source is of this kind, without importing anything. Paths are passed as texts.
    module
        Where the reader's ``read`` is.
    library, extra
        The library it needs, and the extra of condped that installs it.

    Examples
    --------
    >>> mytool = Reader(
    ...     name="mytool",
    ...     description="a log of mytool (.mytool)",
    ...     recognises=lambda source: isinstance(source, str) and source.endswith(".mytool"),
    ...     module="condped_mytool",
    ... )
    >>> mytool.recognises("run.mytool")
    True
    """

    name: str
    description: str
    recognises: Callable[[Any], bool]
    module: str
    library: str = ""
    extra: str = ""

    def register(self) -> None:
        """Add the reader in this process, for example to try it before it is packaged.

        It takes the place of another package's reader of the same name. condped's own readers
        still come first.
        """
        _registered[self.name] = self

    def load(self) -> ReadFunction:
        """Import the reader."""
        return cast(ReadFunction, self._load().read)

    def load_all(self) -> ReadAllFunction | None:
        """Import the function that reads all studies; None: such a source is one study."""
        return cast("ReadAllFunction | None", getattr(self._load(), "read_all", None))

    def load_follow(self) -> FollowFunction | None:
        """Import the function that reads only what is new; None: the source is read as a whole."""
        return cast("FollowFunction | None", getattr(self._load(), "follow", None))

    def load_list(self) -> ListFunction | None:
        """Import the function that lists studies without their trials; None: there is none."""
        return cast("ListFunction | None", getattr(self._load(), "list_studies", None))

    def _load(self) -> Any:
        return load_optional(
            self.module,
            feature=f"Reading {self.description}",
            library=self.library,
            extra=self.extra,
        )


_registered: dict[str, Reader] = {}  # at run time, by name


@dataclass(frozen=True, slots=True)
class InstalledReaders:
    """Readers of other packages, and error messages for those that cannot be loaded."""

    readers: tuple[Reader, ...]
    broken: tuple[str, ...]


def readers() -> Iterator[Reader]:
    """Iterate over all readers: condped's own, registered ones, those of installed packages."""
    from condped.read.builtin_readers import READERS  # noqa: PLC0415  (it makes Readers)

    yield from READERS
    yield from _registered.values()
    # Entry points are only loaded if none of these recognises the source.
    yield from (reader for reader in installed().readers if reader.name not in _registered)


def reader_for(source: Any) -> Reader:
    """Return the first reader that recognises a source."""
    try:
        for reader in readers():
            if reader.recognises(source):
                return reader
    except OSError as error:
        raise DataError(f"{describe_source(source)} cannot be read: {error.strerror}.") from error
    what = describe_source(source)
    if isinstance(source, str) and "://" not in source and not Path(source).exists():
        raise SourceError(
            f"There is no file or directory {source!r} (current directory: {str(Path.cwd())!r})."
        )
    if _holds_trials(source):
        raise SourceError(
            "A list of trials does not say whether to minimise or maximise. Pass the study itself: "
            "study, not study.trials."
        )
    tried = ", ".join(reader.name for reader in readers())
    broken = "".join(f" {problem}" for problem in installed().broken)
    raise SourceError(
        f"No reader recognises the source (got {what}). Tried: {tried}. Name the right one with "
        f"the option reader; the command 'condped sources' describes them.{broken}"
    )


def _holds_trials(source: Any) -> bool:
    """Return whether a source is what ``study.trials`` gives."""
    entries = source if isinstance(source, Sequence) else (source,)
    kinds = {type(entry) for entry in entries}
    return bool(kinds) and all(
        kind.__name__ in ("FrozenTrial", "Trial")
        and kind.__module__.split(".")[0] in ("optuna", "rustuna")
        for kind in kinds
    )


def reader_named(name: str) -> Reader:
    """Return the reader with a name; raise if there is none."""
    by_name = {reader.name: reader for reader in readers()}
    if name not in by_name:
        raise not_found("reader", name, by_name)
    return by_name[name]


def describe_source(source: Any) -> str:
    """Return a source as text for messages: URLs without a password, objects by type."""
    if not isinstance(source, str):
        return f"an object of type {type(source).__name__}"
    return repr(without_password(source) if "://" in source else source)


@cache
def installed() -> InstalledReaders:
    """Return what other packages declare as entry points."""
    # Imported here: it takes half as long as numpy, and few sources need it.
    from importlib.metadata import entry_points  # noqa: PLC0415

    found: list[Reader] = []
    broken: list[str] = []
    for point in entry_points(group=ENTRY_POINTS):
        package = f"the package {point.dist.name!r}" if point.dist else "an installed package"
        remedy = f"Update or uninstall {package}, which declares it."
        try:
            reader = point.load()
        except Exception as error:
            broken.append(f"The reader {point.name!r} cannot be loaded: {error}. {remedy}")
            continue
        if isinstance(reader, Reader):
            found.append(reader)
        else:
            broken.append(
                f"The entry point {point.name!r} of {ENTRY_POINTS!r} must be a condped.Reader "
                f"(got {type(reader).__name__}). {remedy}"
            )
    return InstalledReaders(tuple(found), tuple(broken))
