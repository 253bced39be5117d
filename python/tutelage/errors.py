"""Exceptions. A message names the argument, environment or row, the value found and the value expected.

If user code raised an exception, it is the cause (``error.__cause__``). Labels given before an error are on disk.
"""

from __future__ import annotations

from typing import Any

from ._deprecated import warn


class TutelageError(Exception):
    """The base class of all errors of this package."""


class SpecError(TutelageError, ValueError):
    """An argument is invalid."""


class SpaceError(TutelageError, TypeError):
    """A space is not supported, or a value is not in its space."""


class StoreError(TutelageError):
    """The folder of a run is damaged, in use, or belongs to another run."""


class FolderInUse(StoreError):  # noqa: N818 - it is temporary
    """Another process has locked the folder of the run."""


class ExecutorError(TutelageError, RuntimeError):
    """An executor for runs on other machines is not available."""


class SweepError(TutelageError, RuntimeError):
    """Some runs of a sweep failed. All others are finished."""

    failed: dict[str, str]
    """The failed runs and the reasons."""


class EnvError(TutelageError, RuntimeError):
    """An environment raised an exception or returned values outside its spaces."""

    lane: int | None = None
    """The index of the environment, if it is known."""


class ExpertError(TutelageError, RuntimeError):
    """The expert raised an exception or returned invalid actions."""


class OracleError(TutelageError, RuntimeError):
    """The oracle returned no policy."""


class PolicyError(TutelageError, RuntimeError):
    """A policy did not act, or could not be stored or read."""


class ExpertLeft(TutelageError):  # noqa: N818 - the expert raises it on purpose
    """Raised by an expert that has no more labels for now. The run stops and can be resumed."""


class TutelageWarning(UserWarning):
    """A run may not be reproducible, for example because its environment is not deterministic."""


RENAMED = {"EngineError": ExecutorError}
"""Old names, which still work with a ``DeprecationWarning``."""


def __getattr__(name: str) -> Any:
    if name in RENAMED:
        warn(name, RENAMED[name].__name__)
        return RENAMED[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
