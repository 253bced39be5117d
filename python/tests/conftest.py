"""Fixtures: small tasks, scripted experts, calls that take seconds."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces
from numpy.typing import NDArray

import tutelage as tut


def balance(obs: NDArray[np.float32]) -> NDArray[np.int64]:
    """Keeps CartPole's pole up and its cart in the middle."""
    lean = obs[:, 2] + 0.5 * obs[:, 3] + 0.05 * obs[:, 0] + 0.1 * obs[:, 1]
    return (lean > 0).astype(np.int64)


class Line(gym.Env[Any, Any]):
    """A point that should come to rest at the origin; the push is in newtons, ±10."""

    def __init__(self) -> None:
        self.observation_space = spaces.Box(-np.inf, np.inf, (2,), np.float64)
        self.action_space = spaces.Box(-10.0, 10.0, (1,), np.float32)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self.place, self.speed = self.np_random.uniform(-1, 1), 0.0
        return np.array([self.place, self.speed]), {}

    def step(self, action: Any) -> Any:
        self.speed += 0.02 * float(action[0])
        self.place += 0.1 * self.speed
        reward = 1.0 - min(abs(self.place), 1.0)
        return np.array([self.place, self.speed]), reward, abs(self.place) > 3, False, {}


def brake(obs: NDArray[Any]) -> NDArray[Any]:
    """Steers the point back to the origin."""
    return 10 * np.tanh(-3 * obs[:, :1] - 2 * obs[:, 1:2])


SMALL: dict[str, Any] = {
    "rounds": 3,
    "states_per_round": 12,
    "hidden": (16,),
    "episodes": 4,
    "budget": "iterations=150",
    "progress": False,
}


def learn_line(dir: Path, **settings: Any) -> tut.Run:
    """A run on the line in a second."""
    return tut.learn(Line, brake, dir=dir, **{**SMALL, "horizon": 60, **settings})


def learn_cart(dir: Path, **settings: Any) -> tut.Run:
    """A run on CartPole in a second."""
    return tut.learn("CartPole-v1", balance, dir=dir, **{**SMALL, **settings})


def contents(run: Path) -> dict[str, bytes]:
    """The files of a run, except those that depend on the clock."""
    files = [run / "log.bin", *sorted((run / "policies").iterdir())]
    return {file.name: file.read_bytes() for file in files}


def reproduce(figure: Path, results: Path, runs: Path, *more: str) -> subprocess.Popen[str]:
    """Starts the command for a figure."""
    line = ["reproduce", str(figure), "--results", str(results), "--runs", str(runs), *more]
    command = [sys.executable, "-m", "tutelage", *line]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def records(results: Path) -> dict[str, dict[str, Any]]:
    """The records of a figure by run, without their times."""
    lines = [line for file in results.glob("paper/*.jsonl") for line in file.read_text().splitlines()]
    return {
        record["run"]: {name: value for name, value in record.items() if not name.endswith("_seconds")}
        for record in map(json.loads, lines)
    }


def remove_record(results: Path, run: str) -> None:
    """Removes the record of a run."""
    for file in results.glob("paper/*.jsonl"):
        lines = file.read_text().splitlines(keepends=True)
        file.write_text("".join(line for line in lines if json.loads(line)["run"] != run))


@pytest.fixture(scope="session")
def line_run(tmp_path_factory: pytest.TempPathFactory) -> tut.Run:
    return learn_line(tmp_path_factory.mktemp("line") / "run")


@pytest.fixture(scope="session")
def cart_run(tmp_path_factory: pytest.TempPathFactory) -> tut.Run:
    return learn_cart(tmp_path_factory.mktemp("cart") / "run")


FULL, READ_ONLY = "No space left on device", "Read-only file system"


class Disk:
    """A small separate file system."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._ballast = folder, folder / "ballast"
        folder.mkdir()
        self._mount("-t", "tmpfs", "-o", "size=512k", "tmpfs")

    def _mount(self, *what: str) -> None:
        subprocess.run(["mount", *what, str(self.folder)], check=True, capture_output=True, text=True)

    def fill(self) -> None:
        with self._ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(512))

    def free(self) -> None:
        self._ballast.unlink()

    def lock(self) -> None:
        self._mount("-o", "remount,ro")

    def unlock(self) -> None:
        self._mount("-o", "remount,rw")

    def close(self) -> None:
        subprocess.run(["umount", "-l", str(self.folder)], check=False, capture_output=True)


# Users who may not mount file systems can often do so in a separate namespace.
APART = ["unshare", "--user", "--map-root-user", "--mount"]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk | None]:
    """A disk, or `None` if it requires a separate namespace: then the whole test runs there."""
    try:
        disk = Disk(tmp_path / "disk")
    except (OSError, subprocess.CalledProcessError) as error:
        if not _works([*APART, "mount", "-t", "tmpfs", "tmpfs", str(tmp_path / "disk")]):
            pytest.skip(f"no file system can be mounted here: {getattr(error, 'stderr', '') or error}")
        yield None
        return
    yield disk
    disk.close()


def _works(command: list[str]) -> bool:
    try:
        return subprocess.run(command, capture_output=True).returncode == 0
    except OSError:
        return False


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Runs a test that needs a disk in a separate namespace if necessary."""
    if pyfuncitem.funcargs.get("disk", "another test") is not None:
        return None
    command = [*APART, sys.executable, "-m", "pytest", "-p", "no:cacheprovider", pyfuncitem.nodeid]
    done = subprocess.run(command, cwd=pyfuncitem.config.rootpath, capture_output=True, text=True)
    assert "1 passed" in done.stdout, done.stdout + done.stderr
    return True
