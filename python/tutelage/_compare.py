"""Runs side by side: curves over seeds, tables, tests, figures. The statistics are those of ``tutelage compare``."""

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
    """Rows with names: ``rows[0]["curve"]``, ``table.column("seeds")``, ``pandas.DataFrame(table)``.

    An estimate with an interval is a dict of ``estimate``, ``low`` and ``high``; what is not known is ``None``.
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
        """One value of every row."""
        return [row[name] for row in self._rows]

    def __str__(self) -> str:
        return self._text or "\n".join(json.dumps(row) for row in self._rows)

    __repr__ = __str__


class Comparison:
    """What some runs say together, sorted into panels (task and class) and curves (algorithm)."""

    def __init__(self, native: _native.Comparison) -> None:
        self._native = native

    @property
    def table(self) -> Table:
        """A row for every curve: rewards, annotations to shares of the expert's. Printed, it is what the command shows."""
        return Table(json.loads(self._native.curves()), self._native.in_words())

    @property
    def aggregates(self) -> Table:
        """A row for every curve that all panels have: interquartile means, the expert being 1."""
        return Table(json.loads(self._native.aggregates()))

    @property
    def pairs(self) -> Table:
        """Curves against each other in every panel: differences, the probability of improvement, tests."""
        return Table(json.loads(self._native.pairs())["in_panels"])

    @property
    def pairs_over_panels(self) -> Table:
        """Curves against each other over all panels."""
        return Table(json.loads(self._native.pairs())["over_panels"])

    @property
    def notes(self) -> list[str]:
        """What is worth knowing: runs that were left out, seeds that not all curves have."""
        return self._native.notes

    def save(self, folder: str | PathLike[str]) -> list[str]:
        """Writes curves as ``.svg``, ``.png`` and ``.csv``, and the tables; returns what was written."""
        return self._native.save(Path(folder))

    def __repr__(self) -> str:
        return self._native.in_words()


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
    """Compares runs, whatever made them.

    Args:
        runs: runs, their folders, folders that hold some at any depth, or records of ``tutelage reproduce``.
        over: what curves are drawn over: ``"annotations"``, ``"expert-steps"``, or a number: annotations and so much for
            every step that the expert drove.
        level: how often intervals should hold.
        baseline: the curve that the others are compared with, by default all with all.
        paired: whether runs of the same seed belong together, so that their differences are tested.
        panels: the fields of a spec that make a panel.
        unfinished: whether runs count that have not all of their rounds yet.
    """
    if not 0 < level < 1:
        raise SpecError(f"level = {level}: allowed is a number above 0 and below 1")
    single = isinstance(runs, Run | str | PathLike)
    each: list[Any] = [runs] if single else list(runs)  # type: ignore[arg-type]
    dirs = [Path(run.dir if isinstance(run, Run) else run) for run in each]
    native = _native.Comparison(list(dirs), over, level, baseline, paired, list(panels), unfinished)
    return Comparison(native)
