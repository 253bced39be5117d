"""What can go wrong, as exceptions: each says which field, environment or row it was, the value found and what is allowed.

An exception of the user's own code is kept as the cause (``error.__cause__``). Whatever was answered before is on disk.
"""

from __future__ import annotations


class TutelageError(Exception):
    """Something went wrong; nothing that an expert said is lost."""


class SpecError(TutelageError, ValueError):
    """An argument that makes no sense: its name, its value and what is allowed."""


class SpaceError(TutelageError, TypeError):
    """A space that Tutelage does not learn in, or a value that is not of its space."""


class StoreError(TutelageError):
    """A run's folder: damaged, in use, or of another run."""


class FolderInUse(StoreError):  # noqa: N818 - it will be free
    """Another process has the run's folder."""


class EngineError(TutelageError, RuntimeError):
    """An engine that carries runs to other machines cannot be had."""


class SweepError(TutelageError, RuntimeError):
    """Some runs of a sweep failed; all others are finished."""

    failed: dict[str, str]
    """Each of them, and why."""


class EnvError(TutelageError, RuntimeError):
    """An environment raised, or returned something that is not of its spaces."""

    lane: int | None = None
    """Which of several environments it was."""


class ExpertError(TutelageError, RuntimeError):
    """The expert raised, or gave answers that are none."""


class OracleError(TutelageError, RuntimeError):
    """The oracle returned no policy."""


class PolicyError(TutelageError, RuntimeError):
    """A policy that did not act, or could not be stored or read."""


class ExpertLeft(TutelageError):  # noqa: N818 - leaving is no error
    """Raised by an expert that has no more answers now: the run stops and can go on when it comes back."""


class TutelageWarning(UserWarning):
    """Something that the user should know: an environment that does not repeat itself, say."""
