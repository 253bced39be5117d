"""Sweeps: runs of every environment with every algorithm and seed, on this machine or on others."""

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
from ._deprecated import LEARN, SWEEP, renamed
from ._envs import EnvLike, is_builtin
from ._progress import is_interactive
from ._remote import FuturesExecutor, ProcessExecutor
from ._run import Run
from .errors import SpecError, SweepError


class Sweep(Sequence[Run]):
    """The finished runs of a sweep, ordered by environment, algorithm and seed."""

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
        """Compares the runs with :func:`tutelage.compare`."""
        return compare([self.dir / name for name in self.names], **settings)

    def __repr__(self) -> str:
        return f"Sweep({str(self.dir)!r}, {len(self)} runs)"


@renamed(SWEEP)
def sweep(
    env: EnvLike | Sequence[EnvLike],
    *,
    dir: str | PathLike[str],
    expert: Callable[[Any], Any] | None = None,
    algorithm: str | Sequence[str] | None = None,
    seed: int | Iterable[int] = 1,
    executor: str | Executor | None = None,
    storage: str | None = None,
    resources: dict[str, Any] | None = None,
    concurrency: int | None = None,
    progress: bool | None = None,
    **settings: Any,
) -> Sweep:
    """Learns in every environment with every algorithm and seed, each in its own folder below ``dir``.

    The same call resumes an interrupted sweep and skips finished runs. The name of a folder contains the environment,
    the algorithm, the seed and a hash of all settings. A failed run does not stop the others.

    Args:
        env: One or several ids, factories, or names of built-in tasks.
        dir: The folder of all runs.
        expert: A function from an environment, as it is given here, to its expert. The process of the run calls it.
            Built-in tasks have their own experts.
        algorithm: One or several algorithms, by default that of :func:`tutelage.learn`.
        seed: One or several seeds.
        executor: Where to execute the runs: by default in a process per core, or in any
            :class:`concurrent.futures.Executor`, or on ``"ray"`` or ``"ray:ADDRESS"``.
        storage: For Ray, whether all nodes share ``dir`` (``"shared"``) or not (``"none"``). Detected by default.
        resources: For Ray, the resources of a run: ``num_cpus`` (1 by default), ``num_gpus``, ``memory`` and
            ``resources``, as for Ray tasks. A run uses as many threads as CPUs.
        concurrency: The number of runs to submit at a time, by default as many as the executor can handle.
        progress: Whether to print finished runs, by default on a terminal and in a notebook.
        **settings: Further arguments of :func:`tutelage.learn`.

    Raises:
        SweepError: If runs failed, after all others are finished.
    """
    path = Path(dir)
    envs = [env] if isinstance(env, str) or not isinstance(env, Sequence) else list(env)
    if algorithm is None:
        algorithm = _native.default_algorithm()
    algorithms = [algorithm] if isinstance(algorithm, str) else list(algorithm)
    seeds = [seed] if isinstance(seed, int) else [int(one) for one in seed]
    _check(envs, algorithms, seeds, settings)
    runs: list[tuple[str, int, bytes]] = []
    for one, name, number in product(envs, algorithms, seeds):
        all_settings = {**settings, "algorithm": name, "seed": number}
        payload = cloudpickle.dumps({"env": one, "expert": expert, "settings": all_settings})
        runs.append((_folder(one, all_settings), int(settings.get("rounds") or _rounds(one)), payload))
    names = [run[0] for run in runs]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise SpecError(f"two runs of the sweep are the same: {twice}")
    remote = _executor(executor, path, storage, resources, concurrency)
    reporter = SweepProgress(progress, remote.notes)
    failed = _native.sweep(path, runs, remote, concurrency or remote.concurrency, reporter)
    if failed:
        error = SweepError("\n".join(f"{name}: {why}" for name, why in failed))
        error.failed = dict(failed)
        raise error
    return Sweep(path, names)


def _check(envs: list[Any], algorithms: list[str], seeds: list[int], settings: dict[str, Any]) -> None:
    for name, values in (("env", envs), ("algorithm", algorithms), ("seed", seeds)):
        if not values:
            raise SpecError(f"{name} is empty")
    for name in ("callback", "dir", "progress"):
        if name in settings:
            raise SpecError(f"{name} is not available for the runs of a sweep")
    for algorithm in algorithms:
        _native.Settings(json.dumps({"algorithm": algorithm, "seed": seeds[0]}), False).check(False)


def _rounds(env: Any) -> int:
    if is_builtin(env):
        return _native.Settings(json.dumps({"task": env}), False).builtin_rounds()
    return int(_native.defaults()["rounds"])


def _folder(env: Any, settings: dict[str, Any]) -> str:
    """The name of a run's folder: a readable part and a hash of all settings."""
    env_name = env if isinstance(env, str) else getattr(env, "__name__", type(env).__name__)
    words = f"{env_name}-{settings['algorithm']}-seed-{settings['seed']}"
    # The hash uses the old names of arguments, so that it does not change.
    old_names = {new: old for old, new in LEARN.items()}
    hashed = {"env": env_name, **{old_names.get(name, name): value for name, value in settings.items()}}
    text = json.dumps(hashed, sort_keys=True, default=_hashable)
    plain = re.sub(r"[^a-z0-9.]+", "-", words.lower()).strip("-")
    return f"{plain}-{hashlib.sha256(text.encode()).hexdigest()[:6]}"


def _hashable(value: Any) -> str:
    if hasattr(value, "tobytes"):
        return hashlib.sha256(value.tobytes()).hexdigest()
    return getattr(value, "__name__", type(value).__name__)


def _executor(
    executor: str | Executor | None,
    dir: Path,
    storage: str | None,
    resources: dict[str, Any] | None,
    concurrency: int | None,
) -> Any:
    if isinstance(executor, str) and executor.split(":")[0] == "ray":
        from ._ray import RayExecutor

        return RayExecutor("learn", dir, executor.partition(":")[2] or None, storage, resources)
    if resources is not None:
        raise SpecError(f"resources = {resources!r} requires executor='ray'")
    if executor is None:
        return ProcessExecutor("learn", dir, concurrency)
    if isinstance(executor, Executor):
        context = getattr(executor, "_mp_context", None)
        if context is not None and context.get_start_method() == "fork":
            raise SpecError(
                "executor: forked processes lack the threads of this one; make the executor with "
                "mp_context=multiprocessing.get_context('spawn')"
            )
        return FuturesExecutor("learn", dir, executor, concurrency)
    raise SpecError(f"executor = {executor!r}, expected None, an Executor, 'ray' or 'ray:ADDRESS'")


class SweepProgress:
    """Prints a line for every finished run."""

    def __init__(self, show: bool | None, notes: list[str]) -> None:
        self._show = is_interactive() if show is None else show
        self._runs = 0
        for note in notes:
            self._print(note)

    def _print(self, line: str) -> None:
        if self._show:
            print(line, file=sys.stderr, flush=True)

    def planned(self, runs: int, unfinished: int) -> None:
        self._runs = unfinished
        self._print(f"{runs} runs, {unfinished} to do")

    def waits(self, run: str) -> None:
        self._print(f"{run} waits: another process has locked its folder")

    def finished(self, run: str, reward: float, expert: float | None, left: int, seconds: float) -> None:
        expert_text = "" if expert is None else f", the expert {expert:.1f}"
        self._print(f"{self._runs - left:4}/{self._runs}  {run}  reward {reward:.1f}{expert_text}  about {seconds:.0f} s left")

    def lost(self, run: str, why: str) -> None:
        self._print(f"{run}: {why}; retrying")

    def failed(self, run: str, why: str) -> None:
        self._print(f"{run} failed: {why}")
