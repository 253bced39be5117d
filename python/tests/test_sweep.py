"""Sweeps and comparisons."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

import tutelage as tut
from conftest import Line, brake, contents, learn_cart
from tutelage._remote import ProcessExecutor

SETTINGS: dict[str, Any] = {
    "rounds": 3,
    "states_per_round": 10,
    "hidden": (8,),
    "episodes": 2,
    "horizon": 60,
    "budget": "iterations=20",
    "progress": False,
}


def make_expert(env: Any) -> Any:
    return brake


def test_every_environment_with_every_algorithm_and_seed(tmp_path: Path) -> None:
    choices: dict[str, Any] = {"algorithm": ["dagger", "bd-2"], "seed": range(1, 3), "expert": make_expert, **SETTINGS}
    swept = tut.sweep(Line, dir=tmp_path / "runs", **choices)
    assert [name.rsplit("-", 1)[0] for name in swept.names] == [
        "line-dagger-seed-1",
        "line-dagger-seed-2",
        "line-bd-2-seed-1",
        "line-bd-2-seed-2",
    ]
    alone = tut.learn(Line, brake, dir=tmp_path / "alone", algorithm="bd-2", seed=2, **SETTINGS)
    assert contents(swept[3].dir) == contents(alone.dir), "learn makes the same run"
    before = {file: file.stat().st_mtime_ns for file in (tmp_path / "runs").rglob("*")}
    again = tut.sweep(Line, dir=tmp_path / "runs", **choices)
    assert again.names == swept.names
    after = {file: file.stat().st_mtime_ns for file in (tmp_path / "runs").rglob("*")}
    assert after == before, "finished runs are not modified"
    other = tut.sweep(Line, dir=tmp_path / "runs", **{**choices, "hidden": (4,), "seed": 1})
    assert not set(other.names) & set(swept.names), "other settings are other runs"


def make_watchful(env: Any) -> Any:
    """An expert that records the number of threads of its process."""
    notes = Path(os.environ["TUTELAGE_NOTES"]) / str(os.getpid())

    def watchful(obs: Any) -> Any:
        with notes.open("a") as file:
            file.write(f"{len(os.listdir('/proc/self/task'))}\n")
        return brake(obs)

    return watchful


@pytest.mark.skipif(sys.platform != "linux" or (os.cpu_count() or 1) < 2, reason="reads /proc, and needs several cores")
def test_a_run_of_a_sweep_uses_one_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUTELAGE_NOTES", str(tmp_path))
    tut.sweep(Line, seed=[1, 2], expert=make_watchful, dir=tmp_path / "runs", **SETTINGS)
    noted = [[int(line) for line in file.read_text().split()] for file in tmp_path.iterdir() if file.is_file()]
    assert len(noted) == 2
    for threads in noted:
        assert threads[-1] - threads[0] == 1, "training adds one thread"


def test_concurrency_sets_the_number_of_processes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert ProcessExecutor("learn", tmp_path, concurrency=3).concurrency == 3
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert ProcessExecutor("learn", tmp_path, concurrency=3).concurrency == 3
    assert ProcessExecutor("learn", tmp_path).concurrency == (os.cpu_count() or 1)


def spawning(count: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(count, mp_context=get_context("spawn"))


@pytest.mark.parametrize("executor", [ThreadPoolExecutor, spawning])
def test_any_executor_executes_runs(executor: Any, tmp_path: Path) -> None:
    with executor(2) as pool:
        swept = tut.sweep(Line, seed=[1, 2], expert=make_expert, dir=tmp_path / "runs", executor=pool, **SETTINGS)
    assert all(run.finished for run in swept)


def test_forked_processes_raise(tmp_path: Path) -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool, pytest.raises(tut.SpecError, match="'spawn'"):
        tut.sweep(Line, expert=make_expert, dir=tmp_path / "runs", executor=pool, **SETTINGS)


class Fault(Line):
    def step(self, action: Any) -> Any:
        raise RuntimeError("the motor is gone")


class Crash(Line):
    def step(self, action: Any) -> Any:
        os._exit(3)


def test_a_failing_run_does_not_stop_the_others(tmp_path: Path) -> None:
    with pytest.raises(tut.SweepError) as caught:
        tut.sweep([Fault, Crash, Line], expert=make_expert, dir=tmp_path / "runs", **SETTINGS)
    failed = {name.split("-")[0]: why for name, why in caught.value.failed.items()}
    assert set(failed) == {"fault", "crash"}
    assert "the motor is gone" in failed["fault"]
    assert "ended with code 3" in failed["crash"]
    (line,) = (tmp_path / "runs").glob("line-*")
    assert tut.Run(line).finished


PROGRAM = """
import sys
sys.path.insert(0, sys.argv[2])
import tutelage as tut
from conftest import Line
from test_sweep import SETTINGS, make_expert
longer = {**SETTINGS, "rounds": 8, "budget": "iterations=400"}
tut.sweep(Line, seed=range(6), expert=make_expert, dir=sys.argv[1], concurrency=2, **longer)
"""


def test_a_sweep_resumes_after_ctrl_c(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "runs"), str(Path(__file__).parent)]
    stopped = subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler)
    )
    while not list((tmp_path / "runs").glob("*/log.bin")):
        time.sleep(0.01)
        assert stopped.poll() is None
    stopped.send_signal(signal.SIGINT)
    _, err = stopped.communicate(timeout=60)
    assert stopped.returncode != 0
    assert "KeyboardInterrupt" in err
    begun = [tut.Run(file.parent) for file in (tmp_path / "runs").glob("*/log.bin")]
    assert not all(run.finished for run in begun) or len(begun) < 6
    subprocess.run(command, check=True)
    finished = [tut.Run(file.parent).finished for file in (tmp_path / "runs").glob("*/log.bin")]
    assert finished == [True] * 6


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "nothing": ({"seed": []}, "seed is empty"),
    "algorithm": ({"algorithm": ["dagger", "dager"]}, "did you mean `dagger`"),
    "twice": ({"seed": [1, 1]}, "two runs of the sweep are the same"),
    "executor": ({"executor": "slurm"}, "expected None, an Executor, 'ray' or 'ray:ADDRESS'"),
    "callback": ({"callback": print}, "callback is not available"),
}


@pytest.mark.parametrize("name", WRONG)
def test_invalid_arguments_raise_before_any_run(name: str, tmp_path: Path) -> None:
    wrong, words = WRONG[name]
    with pytest.raises(tut.SpecError, match=words):
        tut.sweep(Line, **{"expert": make_expert, "dir": tmp_path / "runs", **SETTINGS, **wrong})


def test_a_missing_ray_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "tutelage._ray", raising=False)
    with pytest.raises(tut.ExecutorError, match=r"pip install 'tutelage\[ray\]'"):
        tut.sweep(Line, expert=make_expert, dir=tmp_path / "runs", executor="ray", **SETTINGS)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[tut.Run]:
    folder = tmp_path_factory.mktemp("compared")
    return [
        learn_cart(folder / f"{algorithm}-{seed}", algorithm=algorithm, seed=seed)
        for algorithm in ("dagger", "bd-2")
        for seed in (1, 2)
    ]


def test_comparisons_equal_those_of_the_command(runs: list[tut.Run], tmp_path: Path) -> None:
    comparison = tut.compare(runs, baseline="dagger")
    table = comparison.table
    assert table.column("curve") == ["DAgger", "BD-2"]
    assert table.column("seeds") == [2, 2]
    assert table[0]["panel"] == "CartPole-v1", "the panel is the environment's name"
    last = [run.curve["reward"][-5:].mean() for run in runs[:2]]
    assert table[0]["last_five"]["estimate"] == pytest.approx(sum(last) / 2)
    command = [sys.executable, "-m", "tutelage", "compare", *[str(run.dir) for run in runs], "--baseline", "dagger"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert str(table) == printed
    assert comparison.pairs.column("against") == ["DAgger", "DAgger"]
    written = comparison.save(tmp_path / "out")
    assert any("curves" in name for name in written)
    assert (tmp_path / "out" / "curves.png").read_bytes()[:4] == b"\x89PNG"
    assert len(tut.compare(runs[0].dir.parent).table) == 2, "a folder of runs is accepted"


def test_invalid_comparisons_raise(runs: list[tut.Run], tmp_path: Path) -> None:
    with pytest.raises(tut.SpecError, match="level must be between 0 and 1, got 2"):
        tut.compare(runs, level=2)
    with pytest.raises(tut.SpecError, match="`time`"):
        tut.compare(runs, over="time")
    with pytest.raises(tut.SpecError, match="bc"):
        tut.compare(runs, baseline="bc")
    with pytest.raises(tut.StoreError, match="no runs in"):
        tut.compare(tmp_path)
