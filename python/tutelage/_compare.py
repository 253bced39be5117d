"""Comparisons of runs: curves over seeds, tables, tests and figures, with the statistics of ``tutelage compare``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, overload

from . import _native
from ._run import Run
from ._spaces import Json
from .errors import SpecError


class Table(Sequence[Json]):
    """Rows with named values: ``rows[0]["curve"]``, ``table.column("seeds")``, ``pandas.DataFrame(table)``.

    An estimate with an interval is a dict of ``estimate``, ``low`` and ``high``. Unknown values are ``None``.
    """

    def __init__(self, rows: list[Json], text: str = "") -> None:
        self._rows, self._text = rows, text

    @overload
    def __getitem__(self, index: int) -> Json: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Json]: ...
    def __getitem__(self, index: int | slice) -> Json | Sequence[Json]:
        return self._rows[index]

    def __len__(self) -> int:
        return len(self._rows)

    def column(self, name: str) -> list[Any]:
        """Returns one value of every row."""
        return [row[name] for row in self._rows]

    def __str__(self) -> str:
        return self._text or "\n".join(json.dumps(row) for row in self._rows)

    __repr__ = __str__


class Comparison:
    """Runs sorted into panels (task and class) and curves (algorithm)."""

    def __init__(self, native: _native.Comparison) -> None:
        self._native = native

    def _rows(self, name: str) -> Any:
        return json.loads(self._native.table(name))

    @property
    def table(self) -> Table:
        """A row for every curve: rewards, and annotations to shares of the expert's reward. Prints like the command."""
        return Table(self._rows("curves"), self._native.text())

    @property
    def aggregates(self) -> Table:
        """A row for every curve that all panels have: interquartile means, as shares of the expert's reward."""
        return Table(self._rows("aggregates"))

    @property
    def pairs(self) -> Table:
        """Pairs of curves in every panel: differences, probabilities of improvement, tests."""
        return Table(self._rows("pairs")["in_panels"])

    @property
    def pairs_over_panels(self) -> Table:
        """Pairs of curves over all panels."""
        return Table(self._rows("pairs")["over_panels"])

    @property
    def notes(self) -> list[str]:
        """Remarks: runs that were left out, seeds that some curves lack."""
        return self._native.notes

    def save(self, folder: str | PathLike[str]) -> list[str]:
        """Writes curves as ``.svg``, ``.png`` and ``.csv``, and the tables; returns the names of the files."""
        return self._native.save(Path(folder))

    def __repr__(self) -> str:
        return self._native.text()


def compare(
    runs: Iterable[Run | str | PathLike[str]] | Run | str | PathLike[str],
    *,
    over: str | float = "annotations",
    level: float = 0.95,
    baseline: str | None = None,
    paired: bool = False,
    panels: Sequence[str] = ("task", "class"),
    unfinished: bool = False,
) -> Comparison:
    """Compares runs of any kind.

    Args:
        runs: Runs, their folders, folders that contain runs at any depth, or records of ``tutelage reproduce``.
        over: The cost on the x-axis: ``"annotations"``, ``"expert-steps"``, or a number: annotations plus this cost
            for every step that the expert drove.
        level: The confidence level of intervals.
        baseline: The curve to compare the others with. By default, all pairs are compared.
        paired: Whether runs with the same seed are paired, so that their differences are tested.
        panels: The fields of a spec that define a panel.
        unfinished: Whether to include unfinished runs.
    """
    if not 0 < level < 1:
        raise SpecError(f"level must be between 0 and 1, got {level}")
    single = isinstance(runs, Run | str | PathLike)
    each: list[Any] = [runs] if single else list(runs)  # type: ignore[arg-type]
    dirs = [Path(run.dir if isinstance(run, Run) else run) for run in each]
    native = _native.Comparison(list(dirs), str(over), level, baseline, paired, list(panels), unfinished)
    return Comparison(native)
