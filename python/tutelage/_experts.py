"""Experts: functions, objects with ``.predict``, iterators of labels, and built-in experts or files."""

from __future__ import annotations

import inspect
import os
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._envs import BuiltinEnvs, EnvBatch, TaskInfo, builtin_info
from ._spaces import Actions, Floats, Observations
from .errors import ExpertError, ExpertLeft, SpecError, TutelageWarning

ExpertLike = Callable[[Any], Any] | Iterator[Any] | str | PathLike[str] | Any

PROBES = 32
"""The number of states on which an expert is tested for determinism."""


class ExpertAdapter:
    """An expert for the native half: it maps rows of numbers to rows of numbers or to indices."""

    def __init__(self, expert: ExpertLike, observations: Observations, actions: Actions) -> None:
        self._observations, self._actions = observations, actions
        self.batch: int | None = None
        self.fingerprint: list[float] | None = None
        self._iterator: Iterator[Any] | None = None
        self._predict: Any = None
        self._sampled = False
        if hasattr(expert, "predict"):
            self._predict = expert.predict
            self._sampled = "deterministic" in _parameters(expert.predict)
            self.description = "predict, sampled" if self._sampled else "predict"
            self._act: Callable[[Any], Any] = self._predict_mean
        elif callable(expert):
            self.description, self._act = "callable", expert
        elif isinstance(expert, Iterator):
            # A batch becomes durable as a whole, so batches of one lose no label.
            self.description, self._iterator, self.batch = "iterator", expert, 1
        else:
            raise SpecError(
                f"expert = {expert!r}, expected a callable, an object with .predict, an iterator of labels, "
                "the name of a built-in expert, or an expert's file"
            )
        self.has_mean = self._iterator is None

    def mean(self, states: Floats) -> NDArray[Any]:
        """Returns the mean action in each state."""
        actions = self._act(self._observations.unflatten(states))
        return self._actions.from_env(actions, len(states), "the expert's action")

    def annotate(self, states: Floats, seeds: NDArray[np.uint32]) -> NDArray[Any]:
        """Returns the label of each state. Randomness depends only on the row's seed."""
        if self._iterator is not None:
            return self._next_labels(self._iterator, len(states))
        if not self._sampled:
            return self.mean(states)
        rows = [self._sample(states[i : i + 1], int(seeds[i])) for i in range(len(states))]
        return np.concatenate(rows)

    def _sample(self, state: Floats, seed: int) -> NDArray[Any]:
        with seeded(seed):
            action = _stateless(self._predict(self._observations.unflatten(state), deterministic=False))
        return self._actions.from_env(action, 1, "the expert's action")

    def _predict_mean(self, observations: Any) -> Any:
        if self._sampled:
            return _stateless(self._predict(observations, deterministic=True))
        return _stateless(self._predict(observations))

    def _next_labels(self, labels: Iterator[Any], count: int) -> NDArray[Any]:
        taken = []
        for _ in range(count):
            try:
                taken.append(next(labels))
            except StopIteration:
                raise ExpertLeft("the iterator has no more labels") from None
        return self._actions.from_env(np.asarray(taken), count, "the expert's action")

    def probe(self, states: Floats | None) -> None:
        """Records the actions in some states as a fingerprint, so that another expert cannot resume the run."""
        if states is None or not self.has_mean:
            return
        states = states[:: max(1, len(states) // PROBES)][:PROBES]
        first, second = self._try(states), self._try(states)
        if first.tobytes() != second.tobytes():
            warnings.warn(
                "the expert is not deterministic: the run is safe, but it may differ in its bits after an interruption",
                TutelageWarning,
                stacklevel=4,
            )
            return
        self.fingerprint = [*(float(value) for value in first.ravel()), *self._noise()]

    def _noise(self) -> list[float]:
        """The part of the fingerprint that distinguishes experts with the same mean action."""
        return []

    def _try(self, states: Floats) -> NDArray[Any]:
        try:
            return self.mean(states)
        except Exception as error:
            raise ExpertError(f"the expert failed: {type(error).__name__}: {error}") from error


class StoredExpertAdapter(ExpertAdapter):
    """A built-in expert or one in a file, which acts in Rust."""

    def __init__(self, name: str, envs: EnvBatch | BuiltinEnvs) -> None:
        self._stored = _load(name, envs)
        super().__init__(self._stored.mean, envs.observations, envs.actions)
        self.description = self._stored.description
        self._low, self._high = envs.low, envs.high

    def mean(self, states: Floats) -> NDArray[Any]:
        return self._clip(self._stored.mean(states))

    def annotate(self, states: Floats, seeds: NDArray[np.uint32]) -> NDArray[Any]:
        return self._clip(self._stored.annotate(states, seeds))

    def _clip(self, actions: NDArray[Any]) -> NDArray[Any]:
        # Samples of a Gaussian may leave the box; Stable-Baselines3 also clips them.
        return actions if self._actions.discrete else np.clip(actions, self._low, self._high, dtype=np.float32)

    def _noise(self) -> list[float]:
        return self._stored.noise


def _load(name: str, envs: EnvBatch | BuiltinEnvs) -> _native.StoredExpert:
    """Loads an expert whose spaces match those of the environments."""
    prefix = f"expert = {name!r}"
    if not envs.observations.is_flat_box:
        raise SpecError(f"{prefix} expects observations of a Box, but {envs.name} has {envs.observations.space}")
    if getattr(envs, "is_normalized", False):
        raise SpecError(f"{prefix} normalizes states itself, but {envs.name} is made with normalized=True")
    tasks = builtin_info()
    if name in tasks and not tasks[name].is_robot and getattr(envs, "builtin", None) != name:
        raise SpecError(f"{prefix} is for the built-in task {name} only, not for {envs.name}")
    found = TaskInfo.of(envs)
    robot = next((task for task, info in tasks.items() if info.is_robot and info.spaces == found.spaces), None)
    if robot is None and Path(name.split(":noise=")[0]).is_file():
        raise SpecError(
            f"{prefix}: files contain experts of the four robots, but {envs.name} has {found}; load a model of another "
            "environment with its own library, and pass it as an object with .predict"
        )
    stored = _native.StoredExpert(name, robot)
    expected = tasks[stored.task].with_states(stored.state_width)
    if expected.spaces != found.spaces:
        raise SpecError(f"{prefix} expects {expected}; {envs.name} has {found}")
    return stored


def adapt_expert(envs: EnvBatch | BuiltinEnvs, expert: ExpertLike) -> ExpertAdapter:
    """Adapts an expert for the native half."""
    if isinstance(expert, str | PathLike):
        return StoredExpertAdapter(os.fspath(expert), envs)
    return ExpertAdapter(expert, envs.observations, envs.actions)


def _parameters(function: Callable[..., Any]) -> list[str]:
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []


def _stateless(prediction: Any) -> Any:
    """The actions in the result of ``predict``, which may also contain a hidden state."""
    if not isinstance(prediction, tuple):
        return prediction
    actions, state = prediction
    if state is not None:
        raise SpecError("recurrent experts are not supported, because states are labeled out of order")
    return actions


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seeds the global generators of Python, NumPy and, if it is imported, PyTorch, and restores them afterwards."""
    torch = sys.modules.get("torch")
    before = random.getstate(), np.random.get_state(), torch.get_rng_state() if torch else None
    random.seed(seed)
    np.random.seed(seed)
    if torch:
        torch.manual_seed(seed)
    try:
        yield
    finally:
        random.setstate(before[0])
        np.random.set_state(before[1])
        if torch:
            torch.set_rng_state(before[2])
