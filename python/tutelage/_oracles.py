"""Oracles in Python: their training data and the policies that they return."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .errors import OracleError


class TrainingData:
    """The dataset D and the training set of each member.

    ``data.states`` and ``data.actions`` contain all labels. ``data[e]`` is the pair of states and actions for member
    ``e``: a bootstrap of D, or D with perturbations, depending on the algorithm. States are rows of numbers, actions
    are in the environment's units. There are no rows before the first labels: return an initial policy then.
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
    """The policy that an oracle returns."""

    def act(self, obs: NDArray[np.float32], member: int) -> Any:
        """Returns a member's action in each state: ``[n, …]`` in the environment's units, or ``[n]`` indices."""

    def to_bytes(self) -> bytes:
        """Returns the policy as bytes. Equal policies have equal bytes."""


class Oracle(Protocol):
    """An offline learning oracle: it fits a policy of its class to examples.

    An optional method ``describe()`` returns a line with all settings that affect training. A run cannot be resumed
    with another description.
    """

    def fit(self, data: TrainingData, members: int, seed: int) -> Fitted:
        """Trains the members. All randomness must come from the seed."""

    def from_bytes(self, data: bytes) -> Fitted:
        """Restores a policy from its bytes."""


def describe(oracle: Any) -> str:
    """Returns the description of an oracle."""
    if missing := [name for name in ("fit", "from_bytes") if not callable(getattr(oracle, name, None))]:
        raise OracleError(
            f"oracle = {oracle!r} has no {missing[0]}; an oracle has fit(data, members, seed) and from_bytes(bytes)"
        )
    if callable(getattr(oracle, "describe", None)):
        return str(oracle.describe())
    return f"{type(oracle).__module__}.{type(oracle).__qualname__}"


def act(policy: Any, states: NDArray[np.float32], member: int, size: int) -> NDArray[Any]:
    """Returns a member's actions in the form that the native half reads."""
    actions = np.asarray(policy.act(states, int(member)))
    if actions.dtype.kind in "iub" and actions.ndim == 1:
        return actions.astype(np.int64)
    return np.ascontiguousarray(actions.reshape(len(states), size), np.float32)
