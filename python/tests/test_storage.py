"""Full and read-only folders: the failing runs are named, the others continue, and all resume later."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tutelage as tut
from conftest import FULL, READ_ONLY, Disk, Line, brake, contents, records, remove_record, reproduce

FIGURE = """
title = 'Small'
draw = 'curves'
tasks = ['cart-pole']
seeds = '1-3'

[[rows]]
name = 'small'
class = 'mlp:8'
rounds = 2
states_per_round = 4
oracle = { budget = 'iterations=5' }
evaluation = { episodes = 1 }
algorithms = ['dagger']
"""

SETTINGS: dict[str, Any] = {
    "rounds": 2,
    "states_per_round": 5,
    "hidden": (4,),
    "episodes": 1,
    "horizon": 30,
    "budget": "iterations=5",
    "progress": False,
}


class Figure:
    """The runs of a figure in separate folders."""

    def __init__(self, tmp_path: Path, results: Path, runs: Path, *more: str) -> None:
        self.file, self.results, self.runs = tmp_path / "small.toml", results, runs
        self.file.write_text(FIGURE)
        self.more = more

    def reproduce(self) -> tuple[int, str]:
        process = reproduce(self.file, self.results, self.runs, *self.more)
        _, err = process.communicate(timeout=300)
        return process.returncode, err

    def records(self) -> dict[str, Any]:
        return records(self.results)


def named(answer: tuple[int, str], why: str) -> set[str]:
    """The runs that the final error names with this reason."""
    code, err = answer
    assert code == 1, err
    assert "Traceback" not in err
    assert "panicked" not in err
    _, end = err.split("error: ", 1)
    return {line.split(": ")[0] for line in end.splitlines() if why in line}


def test_a_full_folder_of_runs(disk: Disk, tmp_path: Path) -> None:
    expected = Figure(tmp_path, tmp_path / "results elsewhere", tmp_path / "runs elsewhere")
    assert expected.reproduce()[0] == 0
    figure = Figure(tmp_path, tmp_path / "results", disk.folder / "runs", "--seeds", "1")
    assert figure.reproduce()[0] == 0
    # The first run is finished, so its record can be written again; the others have no space.
    (first,) = figure.records()
    remove_record(tmp_path / "results", first)
    disk.fill()
    figure.more = ()
    answer = figure.reproduce()
    assert named(answer, FULL) == set(expected.records()) - {first}
    assert set(figure.records()) == {first}, "the others are not affected"
    disk.free()
    assert figure.reproduce()[0] == 0
    assert figure.records() == expected.records()


def test_a_full_folder_of_results(disk: Disk, tmp_path: Path) -> None:
    figure = Figure(tmp_path, disk.folder / "results", tmp_path / "runs")
    (disk.folder / "results" / "paper").mkdir(parents=True)
    disk.fill()
    assert len(named(figure.reproduce(), FULL)) == 3
    files = {file.name for file in disk.folder.rglob("*") if file.is_file()}
    assert files - {".lock"} == {"ballast"}, "no partial file is left"
    logs = {file: file.stat().st_mtime_ns for file in (tmp_path / "runs").rglob("log.bin")}
    disk.free()
    assert figure.reproduce()[0] == 0
    assert len(figure.records()) == 3
    assert {file: file.stat().st_mtime_ns for file in logs} == logs, "finished runs are not repeated"


@pytest.mark.parametrize("locked", ["runs", "results"])
def test_a_read_only_folder(disk: Disk, locked: str, tmp_path: Path) -> None:
    places = {"runs": tmp_path / "runs", "results": tmp_path / "results", locked: disk.folder / locked}
    figure = Figure(tmp_path, places["results"], places["runs"])
    disk.lock()
    assert len(named(figure.reproduce(), READ_ONLY)) == 3
    disk.unlock()
    assert figure.reproduce()[0] == 0


def make_expert(env: Any) -> Any:
    return brake


def sweep(dir: Path, **settings: Any) -> tut.Sweep:
    return tut.sweep(Line, dir=dir, expert=make_expert, **{**SETTINGS, "seed": range(1, 4), **settings})


def test_a_sweep_in_a_full_folder(disk: Disk, tmp_path: Path) -> None:
    alone = sweep(tmp_path / "alone")
    sweep(disk.folder / "runs", seed=1)
    disk.fill()
    with pytest.raises(tut.SweepError, match=FULL) as caught:
        sweep(disk.folder / "runs")
    assert set(caught.value.failed) == set(alone.names[1:])
    disk.free()
    swept = sweep(disk.folder / "runs")
    for there, here in zip(swept, alone, strict=True):
        assert contents(there.dir) == contents(here.dir)


def test_a_sweep_in_a_read_only_folder(disk: Disk, capsys: pytest.CaptureFixture[str]) -> None:
    new = disk.folder / "new"
    disk.lock()
    with pytest.raises(tut.SweepError, match=f"{new}: {READ_ONLY}"):
        sweep(new)
    disk.unlock()
    names = sweep(new, seed=1).names
    disk.lock()
    assert sweep(new, seed=1).names == names, "finished runs are readable"
    with pytest.raises(tut.SweepError, match=READ_ONLY) as caught:
        sweep(new, progress=True)
    assert len(caught.value.failed) == 2
    assert "retrying" not in capsys.readouterr().err, "a retry is useless"
    disk.unlock()
    assert len(sweep(new)) == 3


def test_a_run_in_a_full_or_read_only_folder(disk: Disk) -> None:
    def learn() -> tut.Run:
        return tut.learn(Line, brake, dir=disk.folder / "run", **SETTINGS)

    for happens, ends, words in ((disk.fill, disk.free, FULL), (disk.lock, disk.unlock, READ_ONLY)):
        happens()
        with pytest.raises(tut.StoreError, match=words):
            learn()
        ends()
    assert learn().finished
