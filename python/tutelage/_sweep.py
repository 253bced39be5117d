"""Many runs in one call: every environment with every algorithm and seed, here or on other machines."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from itertools import product
from os import PathLike
from pathlib import Path
from typing import Any

import cloudpickle

from . import _native
from ._compare import Comparison, compare
from ._elsewhere import ExecutorEngine, ProcessEngine
from ._person import usual_algorithm
from ._progress import is_watched
from ._run import Run
from ._worlds import EnvLike, is_shipped
from .errors import SpecError, SweepError

ROUNDS = 20


class Sweep(Sequence[Run]):
    """The runs of a sweep, all finished, in the order of environments, algorithms and seeds."""

    def __init__(self, dir: Path, names: list[str]) -> None:
        self.dir, self.names = dir, names

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [Run(self.dir / name) for name in self.names[index]]
        return Run(self.dir / self.names[index])

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[Run]:
        return (Run(self.dir / name) for name in self.names)

    def compare(self, **settings: Any) -> Comparison:
        """The runs side by side, as :func:`tutelage.compare` does it."""
        return compare([self.dir / name for name in self.names], **settings)

    def __repr__(self) -> str:
        return f"Sweep({str(self.dir)!r}, {len(self)} runs)"


def sweep(
    env: EnvLike | Sequence[EnvLike],
    *,
    dir: str | PathLike[str],
    expert: Callable[[Any], Any] | None = None,
    algorithm: str | Sequence[str] | None = None,
    seed: int | Iterable[int] = 1,
    on: str | Executor | None = None,
    storage: str | None = None,
    resources: dict[str, Any] | None = None,
    at_once: int | None = None,
    progress: bool | None = None,
    **settings: Any,
) -> Sweep:
    """Learns every environment with every algorithm and seed, each in a folder of its own below ``dir``.

    The same call goes on after any interruption: finished runs are not run again, others go on where they stopped. A folder's
    name tells its environment, algorithm and seed, and ends in a hash of the settings, so that other settings are other runs.
    A run that fails does not stop the others.

    Args:
        env: ids, factories, or names of tasks that ship; one or several.
        dir: the folder of all runs.
        expert: makes the expert of an environment, where the run is carried out: a function of the environment as it was
            given. Tasks that ship bring their own.
        algorithm: one or several, by default the one that :func:`tutelage.learn` takes.
        seed: one or several.
        on: who carries out the runs: nobody else (a process for each run, as many at once as there are cores), any
            :class:`concurrent.futures.Executor`, ``"ray"`` or ``"ray:ADDRESS"``.
        storage: for Ray, whether all nodes see ``dir`` (``"shared"``) or not (``"none"``); found out by default.
        resources: for Ray, what a run takes up, by default ``{"num_cpus": 1}``; also ``num_gpus``, ``memory`` and ``resources``,
            as Ray's tasks have them. A run computes with as many threads as it has CPUs.
        at_once: how many runs are handed over at a time, by default as many as the machines take.
        progress: whether to tell of runs as they end, by default on a terminal and in a notebook.
        **settings: what else :func:`tutelage.learn` takes.

    Raises:
        SweepError: where runs failed, when all others are finished.
    """
    path = Path(dir)
    envs = [env] if isinstance(env, str) or not isinstance(env, Sequence) else list(env)
    if algorithm is None:
        algorithm = usual_algorithm(expert)
    algorithms = [algorithm] if isinstance(algorithm, str) else list(algorithm)
    seeds = [seed] if isinstance(seed, int) else [int(one) for one in seed]
    _check(envs, algorithms, seeds, settings)
    runs: list[tuple[str, int, bytes]] = []
    for one, name, number in product(envs, algorithms, seeds):
        all_settings = {**settings, "algorithm": name, "seed": number}
        task = cloudpickle.dumps({"env": one, "expert": expert, "settings": all_settings})
        runs.append((_folder(one, all_settings), int(settings.get("rounds") or _rounds(one)), task))
    names = [run[0] for run in runs]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise SpecError(f"two runs of the sweep are the same: {twice}")
    engine = _engine(on, path, storage, resources, at_once)
    _, failed, _ = _native.sweep(path, runs, engine, at_once or engine.at_once, _Narrator(progress, engine.notes))
    if failed:
        error = SweepError("\n".join(f"{name}: {why}" for name, why in failed))
        error.failed = dict(failed)
        raise error
    return Sweep(path, names)


def _check(envs: list[Any], algorithms: list[str], seeds: list[int], settings: dict[str, Any]) -> None:
    for name, values in (("env", envs), ("algorithm", algorithms), ("seed", seeds)):
        if not values:
            raise SpecError(f"{name} is empty: there is nothing to run")
    for name in ("callback", "dir", "progress"):
        if name in settings:
            raise SpecError(f"{name} is not for single runs of a sweep")
    for algorithm in algorithms:
        _native.check(json.dumps({"algorithm": algorithm, "seed": seeds[0], "d0": None}), False)


def _rounds(env: Any) -> int:
    if is_shipped(env):
        return _native.native_spec(json.dumps({"task": env}))[1]
    return ROUNDS


def _folder(env: Any, settings: dict[str, Any]) -> str:
    """A name for a run: what it is, for people, and a hash of all that was said."""
    spoken = env if isinstance(env, str) else getattr(env, "__name__", type(env).__name__)
    words = f"{spoken}-{settings['algorithm']}-seed-{settings['seed']}"
    told = json.dumps({"env": spoken, **settings}, sort_keys=True, default=_told)
    plain = re.sub(r"[^a-z0-9.]+", "-", words.lower()).strip("-")
    return f"{plain}-{hashlib.sha256(told.encode()).hexdigest()[:6]}"


def _told(value: Any) -> str:
    """A setting that JSON has no word for."""
    if hasattr(value, "tobytes"):
        return hashlib.sha256(value.tobytes()).hexdigest()
    return getattr(value, "__name__", type(value).__name__)


def _engine(
    on: str | Executor | None,
    dir: Path,
    storage: str | None,
    resources: dict[str, Any] | None,
    at_once: int | None,
) -> Any:
    if isinstance(on, str) and on.split(":")[0] == "ray":
        from ._ray import RayEngine

        return RayEngine("learn", dir, on.partition(":")[2] or None, storage, resources)
    if resources is not None:
        raise SpecError(f"resources = {resources!r}: only Ray gives runs what they ask for")
    if on is None:
        return ProcessEngine("learn", dir, at_once)
    if isinstance(on, Executor):
        context = getattr(on, "_mp_context", None)
        if context is not None and context.get_start_method() == "fork":
            raise SpecError(
                "on: processes that are forked lack the threads of this one; make the executor with "
                "mp_context=multiprocessing.get_context('spawn')"
            )
        return ExecutorEngine("learn", dir, on, at_once)
    raise SpecError(f"on = {on!r}: allowed are nothing, an Executor, 'ray' and 'ray:ADDRESS'")


class _Narrator:
    """Tells of runs as they end, a line each."""

    def __init__(self, progress: bool | None, notes: list[str]) -> None:
        self._talks = is_watched() if progress is None else progress
        self._runs = 0
        for note in notes:
            self._say(note)

    def _say(self, line: str) -> None:
        if self._talks:
            print(line, file=sys.stderr, flush=True)

    def planned(self, runs: int, missing: int) -> None:
        self._runs = missing
        self._say(f"{runs} runs, {missing} to do")

    def began(self, run: str, rounds: int) -> None:
        pass

    def round(self, run: str, round: int) -> None:
        pass

    def waits(self, run: str) -> None:
        self._say(f"{run} waits: another process still has its folder")

    def finished(self, run: str, reward: float, expert: float | None, left: int, seconds: float) -> None:
        share = f", the expert {expert:.1f}" if expert is not None else ""
        self._say(f"{self._runs - left:4}/{self._runs}  {run}  reward {reward:.1f}{share}  about {seconds:.0f} s left")

    def lost(self, run: str, why: str) -> None:
        self._say(f"{run}: {why}; it is taken up again")

    def failed(self, run: str, why: str) -> None:
        self._say(f"{run} failed: {why}")
