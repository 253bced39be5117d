"""Spaces: observations as flat rows of numbers, and actions in the environment's form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from .errors import SpaceError

Json = dict[str, Any]
Floats = NDArray[np.float32]

NUMBERS = "fiub"
OBSERVATION_SPACES = "Box, Discrete, or a Dict or Tuple of these"
ACTION_SPACES = "a Box of floating-point numbers with finite bounds, or Discrete"


class Observations:
    """An observation space as flat rows: a Box raveled, a Discrete one-hot, the parts of a Dict or Tuple in order."""

    def __init__(self, space: gym.Space[Any]) -> None:
        self.space = space
        self.parts = _parts(space, ())
        self.width = sum(part.width for part in self.parts)
        self.is_flat_box = len(self.parts) == 1 and not self.parts[0].path and self.parts[0].count is None
        self._shape: tuple[int, ...] = self.parts[0].shape

    def write(self, observation: Any, row: Floats) -> None:
        """Writes one observation into a row."""
        plain = self.is_flat_box and type(observation) is np.ndarray and observation.shape == self._shape
        if plain and observation.dtype.kind in NUMBERS:
            row[:] = observation if observation.ndim == 1 else observation.ravel()
            return
        at = 0
        for part in self.parts:
            row[at : at + part.width] = part.flat(observation)
            at += part.width

    def flatten(self, observation: Any) -> Floats:
        """Returns one observation as a row."""
        row = np.empty(self.width, np.float32)
        self.write(observation, row)
        return row

    def flatten_any(self, observation: Any) -> tuple[Floats, bool]:
        """Returns one observation or a batch as rows, and whether it was one."""
        if self.is_flat_box:
            values = np.asarray(observation)
            if values.shape == self._shape:
                return self.flatten(values)[None], True
            if values.shape[1:] == self._shape:
                return self.parts[0].numbers(values).reshape(len(values), self.width), False
            raise SpaceError(f"an observation of shape {values.shape}, expected {self._shape} or a batch of them")
        return _flatten_structured(self, observation)

    def unflatten(self, rows: Floats) -> Any:
        """Returns rows as a batch of observations, as a vector environment returns them."""
        at, values = 0, []
        for part in self.parts:
            values.append(part.batch(rows[:, at : at + part.width]))
            at += part.width
        return _assemble(self.space, iter(values))

    def columns_without(self, hidden: Any) -> list[int] | None:
        """Returns the columns without the parts in ``hidden``, which only the expert sees."""
        if hidden is None:
            return None
        hidden_columns = _hidden_columns(self, hidden)
        kept = [column for column in range(self.width) if column not in hidden_columns]
        if not kept:
            raise SpaceError(f"expert_sees = {hidden!r} is the whole observation; the learner must see a part of it")
        return kept

    def describe(self) -> Json:
        """Returns the space as JSON."""
        return describe_space(self.space)


class _Part:
    """A Box or Discrete in a space, and the path to it."""

    def __init__(self, space: gym.Space[Any], path: tuple[Any, ...]) -> None:
        self.path = path
        if isinstance(space, spaces.Discrete):
            self.count: int | None = int(space.n)
            self.start = int(space.start)
            self.shape: tuple[int, ...] = ()
            self.dtype: Any = np.int64
            self.width = self.count
        else:
            self.count, self.start = None, 0
            self.shape = tuple(int(side) for side in (space.shape or ()))
            self.dtype = space.dtype
            self.width = int(np.prod(self.shape, dtype=np.int64))

    def value(self, observation: Any) -> Any:
        for step in self.path:
            try:
                observation = observation[step]
            except (KeyError, IndexError, TypeError) as error:
                raise SpaceError(f"observation{self.name()} is missing in {observation!r}") from error
        return observation

    def name(self) -> str:
        return "".join(f"[{step!r}]" for step in self.path)

    def flat(self, observation: Any) -> Floats:
        value = self.value(observation)
        if self.count is not None:
            return self.one_hot(np.asarray(value))
        found = np.asarray(value)
        if found.shape != self.shape:
            raise SpaceError(f"observation{self.name()} has shape {found.shape}, expected {self.shape}")
        return self.numbers(found).ravel()

    def flat_batch(self, observation: Any, count: int) -> Floats:
        """Returns the rows of a batch of observations."""
        values, wanted = np.asarray(self.value(observation)), (count, *self.shape)
        if self.count is not None and values.shape == (count, 1):
            values = values[:, 0]
        if values.shape != wanted:
            raise SpaceError(f"observation{self.name()} has shape {values.shape}, expected {wanted} for a batch of {count}")
        if self.count is not None:
            return np.array([self.one_hot(value) for value in values], np.float32).reshape(count, self.width)
        return self.numbers(values).reshape(count, self.width)

    def numbers(self, found: NDArray[Any]) -> Floats:
        if found.dtype.kind not in NUMBERS:
            raise SpaceError(f"observation{self.name()} has dtype {found.dtype}, expected numbers")
        return found.astype(np.float32)

    def one_hot(self, value: NDArray[Any]) -> Floats:
        index = np.asarray(value).reshape(-1)
        if index.dtype.kind not in "iub" or index.size != 1 or not 0 <= int(index[0]) - self.start < self.width:
            last = self.start + self.width - 1
            raise SpaceError(f"observation{self.name()} is {value!r}, expected {self.start} to {last}")
        row = np.zeros(self.width, np.float32)
        row[int(index[0]) - self.start] = 1.0
        return row

    def batch(self, rows: Floats) -> NDArray[Any]:
        if self.count is not None:
            indices: NDArray[Any] = rows.argmax(axis=1).astype(np.int64) + self.start
            return indices
        values: NDArray[Any] = rows.reshape(len(rows), *self.shape).astype(self.dtype)
        return values


def _parts(space: gym.Space[Any], path: tuple[Any, ...]) -> list[_Part]:
    if isinstance(space, spaces.Dict):
        return [part for key, inner in space.spaces.items() for part in _parts(inner, (*path, key))]
    if isinstance(space, spaces.Tuple):
        return [part for i, inner in enumerate(space.spaces) for part in _parts(inner, (*path, i))]
    if isinstance(space, spaces.Box) and np.dtype(space.dtype).kind in NUMBERS:
        return [_Part(space, path)]
    if isinstance(space, spaces.Discrete):
        return [_Part(space, path)]
    name = "".join(f"[{step!r}]" for step in path)
    raise SpaceError(f"observation space{name} is {space}, expected {OBSERVATION_SPACES}")


def _flatten_structured(observations: Observations, observation: Any) -> tuple[Floats, bool]:
    first = observations.parts[0]
    value = np.asarray(first.value(observation))
    single = value.ndim <= len(first.shape)
    if single:
        return observations.flatten(observation)[None], True
    rows = np.empty((len(value), observations.width), np.float32)
    at = 0
    for part in observations.parts:
        rows[:, at : at + part.width] = part.flat_batch(observation, len(value))
        at += part.width
    return rows, False


def _assemble(space: gym.Space[Any], values: Any) -> Any:
    if isinstance(space, spaces.Dict):
        return {key: _assemble(inner, values) for key, inner in space.spaces.items()}
    if isinstance(space, spaces.Tuple):
        return tuple(_assemble(inner, values) for inner in space.spaces)
    return next(values)


def _hidden_columns(observations: Observations, hidden: Any) -> set[int]:
    if observations.is_flat_box:
        try:
            return {int(i) for i in np.atleast_1d(np.arange(observations.width)[hidden])}
        except (IndexError, TypeError) as error:
            raise SpaceError(f"expert_sees = {hidden!r}, expected indices or a slice of {observations.width} numbers") from error
    names = [hidden] if isinstance(hidden, (str, int)) else list(hidden)
    known = list(dict.fromkeys(part.path[0] for part in observations.parts if part.path))
    if unknown := [name for name in names if name not in known]:
        raise SpaceError(f"expert_sees = {unknown[0]!r} is not a part of the observation, expected one of {known}")
    columns: set[int] = set()
    at = 0
    for part in observations.parts:
        if part.path[0] in names:
            columns.update(range(at, at + part.width))
        at += part.width
    return columns


class Actions:
    """An action space: a Box as rows of numbers, a Discrete as indices."""

    def __init__(self, space: gym.Space[Any]) -> None:
        self.space = space
        self.discrete = isinstance(space, spaces.Discrete)
        if isinstance(space, spaces.Discrete):
            self.size, self.start = int(space.n), int(space.start)
            self.low: list[float] = [0.0]
            self.high: list[float] = [1.0]
            self.shape: tuple[int, ...] = ()
            self.dtype: Any = np.int64
        elif isinstance(space, spaces.Box) and np.dtype(space.dtype).kind == "f":
            self.start, self.shape, self.dtype = 0, tuple(int(side) for side in space.shape), space.dtype
            self.size = int(np.prod(self.shape, dtype=np.int64))
            self.low, self.high = (np.asarray(ends, np.float32).ravel().tolist() for ends in (space.low, space.high))
            self._check_bounds()
        else:
            raise SpaceError(f"action space {space}, expected {ACTION_SPACES}")

    def _check_bounds(self) -> None:
        for index, (low, high) in enumerate(zip(self.low, self.high, strict=True)):
            if not (np.isfinite(low) and np.isfinite(high) and low < high):
                raise SpaceError(f"action[{index}] has the bounds [{low}, {high}], expected finite bounds with low < high")

    def decoder(self) -> Callable[[Any], Any]:
        """Returns a function from a row (or an index) to the environment's action."""
        if self.discrete:
            start = self.start
            return lambda index: index + start
        if len(self.shape) == 1 and self.dtype == np.float32:
            return lambda row: row
        shape, dtype = self.shape, self.dtype
        return lambda row: row.reshape(shape).astype(dtype)

    def to_env(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Returns a batch of rows (or indices) as the environment's actions."""
        if self.discrete:
            return np.asarray(rows, np.int64) + self.start
        return rows.reshape(*rows.shape[:-1], *self.shape).astype(self.dtype)

    def from_env(self, actions: Any, count: int, whose: str) -> NDArray[Any]:
        """Returns ``count`` actions of the environment as rows (or indices)."""
        values = np.asarray(actions)
        if self.discrete:
            return self._indices(values, count, whose)
        if values.dtype.kind not in NUMBERS:
            raise SpaceError(f"{whose} has dtype {values.dtype}, expected numbers")
        if values.shape != (count, *self.shape) and values.size == count * self.size and len(values) == count:
            values = values.reshape(count, *self.shape)
        if values.shape != (count, *self.shape):
            raise SpaceError(f"{whose} has shape {values.shape}, expected {(count, *self.shape)} for {count} states")
        return np.ascontiguousarray(values.reshape(count, self.size), np.float32)

    def _indices(self, values: NDArray[Any], count: int, whose: str) -> NDArray[Any]:
        if values.shape == (count, 1):
            values = values[:, 0]
        if values.shape != (count,):
            raise SpaceError(f"{whose} has shape {values.shape}, expected {(count,)} for {count} states")
        if values.dtype.kind not in "iub":
            raise SpaceError(f"{whose} has dtype {values.dtype}, expected integers")
        indices = values.astype(np.int64) - self.start
        wrong = np.flatnonzero((indices < 0) | (indices >= self.size))
        if wrong.size:
            row, last = int(wrong[0]), self.start + self.size - 1
            raise SpaceError(f"{whose}[{row}] is {values[row]}, expected {self.start} to {last}")
        return indices

    def describe(self) -> Json:
        """Returns the space as JSON."""
        return describe_space(self.space)


def describe_space(space: gym.Space[Any]) -> Json:
    """Returns a space as JSON."""
    if isinstance(space, spaces.Dict):
        return {"dict": [[key, describe_space(inner)] for key, inner in space.spaces.items()]}
    if isinstance(space, spaces.Tuple):
        return {"tuple": [describe_space(inner) for inner in space.spaces]}
    if isinstance(space, spaces.Discrete):
        return {"discrete": int(space.n), "start": int(space.start)}
    assert isinstance(space, spaces.Box)
    ends = [_brief(space.low), _brief(space.high)]
    return {"box": [int(side) for side in space.shape], "dtype": str(np.dtype(space.dtype)), "ends": ends}


def _brief(ends: NDArray[Any]) -> Any:
    """The bounds, or a single number if all are equal. Infinite bounds become strings."""
    values: Sequence[float] = ends.ravel().tolist()
    json_values = [value if np.isfinite(value) else str(value) for value in values]
    return json_values[0] if len(set(json_values)) == 1 else json_values


def space_of(description: Json) -> gym.Space[Any]:
    """Returns the space of a description."""
    if "dict" in description:
        return spaces.Dict({key: space_of(inner) for key, inner in description["dict"]})
    if "tuple" in description:
        return spaces.Tuple([space_of(inner) for inner in description["tuple"]])
    if "discrete" in description:
        return spaces.Discrete(description["discrete"], start=description["start"])
    shape, dtype = tuple(description["box"]), np.dtype(description["dtype"])

    def filled(ends: Any) -> NDArray[Any]:
        values = np.asarray([float(end) for end in (ends if isinstance(ends, list) else [ends])])
        return (values.reshape(shape) if isinstance(ends, list) else np.full(shape, values[0])).astype(dtype)

    low, high = (filled(ends) for ends in description["ends"])
    return spaces.Box(low, high, shape, dtype.type)
