"""Oracles in Python: what they are given, and what is asked of the policies that they return."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .errors import OracleError


class TrainingData:
    """What an oracle trains on: D, and for every member the examples that are its own.

    ``data.states`` and ``data.actions`` are all answered questions; ``data[e]`` is the pair that member ``e`` trains on: a
    bootstrap of D, or D and perturbations, as the algorithm says. States are rows of numbers, actions in the environment's
    own units. When nothing was asked yet, there are no rows: return a first policy then.
    """

    def __init__(
        self,
        states: NDArray[np.float32],
        actions: NDArray[Any],
        members: list[tuple[NDArray[np.float32], NDArray[Any]]],
    ) -> None:
        self.states, self.actions, self._members = states, actions, members

    def __getitem__(self, member: int) -> tuple[NDArray[np.float32], NDArray[Any]]:
        return self._members[member]

    def __len__(self) -> int:
        return len(self.states)


class Fitted(Protocol):
    """What an oracle returns: members that act, and that can be stored."""

    def act(self, obs: NDArray[np.float32], member: int) -> Any:
        """What a member does in each state: ``[n, …]`` in the environment's own units, or ``[n]`` indices."""

    def to_bytes(self) -> bytes:
        """The policy as bytes; equal policies have equal bytes."""


class Oracle(Protocol):
    """An offline learning oracle: the policy of a class that fits examples best.

    An optional method ``describe()`` returns a line with everything that changes what it trains; a run that is continued
    with another description is refused.
    """

    def fit(self, data: TrainingData, members: int, seed: int) -> Fitted:
        """Trains the members. All randomness comes from the seed."""

    def from_bytes(self, data: bytes) -> Fitted:
        """The policy that these bytes stand for."""


def describe(oracle: Any) -> str:
    """What tells an oracle from others."""
    if missing := [name for name in ("fit", "from_bytes") if not callable(getattr(oracle, name, None))]:
        raise OracleError(f"oracle = {oracle!r}: an oracle has fit(data, members, seed) and from_bytes(bytes); no {missing[0]}")
    if callable(getattr(oracle, "describe", None)):
        return str(oracle.describe())
    return f"{type(oracle).__module__}.{type(oracle).__qualname__}"


def act(policy: Any, states: NDArray[np.float32], member: int, size: int) -> NDArray[Any]:
    """What a member does, as the native half reads it."""
    actions = np.asarray(policy.act(states, int(member)))
    if actions.dtype.kind in "iub" and actions.ndim == 1:
        return actions.astype(np.int64)
    if actions.shape != (len(states), size):
        actions = actions.reshape(len(states), size)
    return np.ascontiguousarray(actions, np.float32)
