"""Experts: a callable, something with ``.predict``, an iterator of answers, or one that ships or lies in a file."""

from __future__ import annotations

import inspect
import os
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._native import StoredExpert
from ._spaces import Actions, Floats, Observations
from ._worlds import ShippedWorlds, Worlds
from .errors import ExpertError, ExpertLeft, SpecError, TutelageWarning

ExpertLike = Callable[[Any], Any] | Iterator[Any] | str | PathLike[str] | Any


def can_drive(expert: Any) -> bool:
    """Whether the expert can be asked for an action at every step: an iterator gives its answers one by one, to questions."""
    return hasattr(expert, "predict") or callable(expert) or not isinstance(expert, Iterator)


class Teacher:
    """An expert as the native half asks for it: rows of numbers in, rows (or indices) out."""

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
            self._answer: Callable[[Any], Any] = self._mean_of_predict
        elif callable(expert):
            self.description, self._answer = "callable", expert
        elif isinstance(expert, Iterator):
            # What is answered together becomes durable together: one at a time, so that none is lost.
            self.description, self._iterator, self.batch = "iterator", expert, 1
        else:
            raise SpecError(
                f"expert = {expert!r}: allowed are a callable, an object with .predict, an iterator of answers, "
                "the name of an expert that ships, or an expert's file"
            )
        self.has_mean = self._iterator is None

    def mean(self, states: Floats) -> NDArray[Any]:
        """The expert's own action in each state, without noise."""
        answers = self._answer(self._observations.unflatten(states))
        return self._actions.from_env(answers, len(states), "the expert's answer")

    def annotate(self, states: Floats, seeds: NDArray[np.uint32]) -> NDArray[Any]:
        """What the expert says in each state; noise comes from the row's own seed alone."""
        if self._iterator is not None:
            return self._next_answers(self._iterator, len(states))
        if not self._sampled:
            return self.mean(states)
        rows = [self._sample(states[i : i + 1], int(seeds[i])) for i in range(len(states))]
        return np.concatenate(rows)

    def _sample(self, state: Floats, seed: int) -> NDArray[Any]:
        with seeded(seed):
            answer = _without_memory(self._predict(self._observations.unflatten(state), deterministic=False))
        return self._actions.from_env(answer, 1, "the expert's answer")

    def _mean_of_predict(self, observations: Any) -> Any:
        if self._sampled:
            return _without_memory(self._predict(observations, deterministic=True))
        return _without_memory(self._predict(observations))

    def _next_answers(self, answers: Iterator[Any], count: int) -> NDArray[Any]:
        given = []
        for _ in range(count):
            try:
                given.append(next(answers))
            except StopIteration:
                raise ExpertLeft("the iterator has no more answers") from None
        return self._actions.from_env(np.asarray(given), count, "the expert's answer")

    def recognise(self, states: Floats | None) -> None:
        """Notes what the expert answers to some states, so that a run is not continued with another expert."""
        if states is None or not self.has_mean:
            return
        states = states[:: max(1, len(states) // PROBES)][:PROBES]
        first, second = self._tried(states), self._tried(states)
        if first.tobytes() != second.tobytes():
            warnings.warn(
                "the expert does not answer the same question twice in the same way; a run is safe, but after an "
                "interruption it may go on to other bits",
                TutelageWarning,
                stacklevel=4,
            )
            return
        self.fingerprint = [*(float(value) for value in first.ravel()), *self._noise()]

    def _noise(self) -> list[float]:
        """What tells experts apart that have the same mean action."""
        return []

    def _tried(self, states: Floats) -> NDArray[Any]:
        try:
            return self.mean(states)
        except Exception as error:
            raise ExpertError(f"the expert failed: {type(error).__name__}: {error}") from error


class StoredTeacher(Teacher):
    """An expert that ships, or one in a file: read in Rust, and asked about whole batches there."""

    def __init__(self, name: str | PathLike[str], worlds: Worlds | ShippedWorlds) -> None:
        if not worlds.observations.is_flat_box:
            raise SpecError(f"expert = {os.fspath(name)!r}: it sees a Box of numbers, and {worlds.name} gives other observations")
        if getattr(worlds, "is_normalised", False):
            raise SpecError(
                f"expert = {os.fspath(name)!r}: it normalises states itself, and {worlds.name} is made with normalised=True"
            )
        self._stored = StoredExpert(os.fspath(name), worlds)
        super().__init__(self._stored.mean, worlds.observations, worlds.actions)
        self.description = self._stored.description
        self._low, self._high = worlds.low, worlds.high

    def mean(self, states: Floats) -> NDArray[Any]:
        return self._within(self._stored.mean(states))

    def annotate(self, states: Floats, seeds: NDArray[np.uint32]) -> NDArray[Any]:
        return self._within(self._stored.annotate(states, seeds))

    def _within(self, answers: NDArray[Any]) -> NDArray[Any]:
        # Samples of a Gaussian leave any box; Stable-Baselines3 clips those of its models too.
        return answers if self._actions.discrete else np.clip(answers, self._low, self._high, dtype=np.float32)

    def _noise(self) -> list[float]:
        return self._stored.noise


def teacher_in(worlds: Worlds | ShippedWorlds, expert: ExpertLike) -> Teacher:
    """The expert as the native half asks for it in these environments."""
    if isinstance(expert, str | PathLike):
        return StoredTeacher(expert, worlds)
    return Teacher(expert, worlds.observations, worlds.actions)


PROBES = 32


def _parameters(function: Callable[..., Any]) -> list[str]:
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []


def _without_memory(answer: Any) -> Any:
    """The actions of ``predict``, which may return a hidden state beside them."""
    if not isinstance(answer, tuple):
        return answer
    actions, memory = answer
    if memory is not None:
        raise SpecError("a recurrent expert remembers what came before; states are asked about out of order")
    return actions


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """The global generators of Python, NumPy and, where it is loaded, PyTorch begin at a seed, and are put back after."""
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
