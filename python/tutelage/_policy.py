"""A learned policy: Stable-Baselines3's ``predict``, its members one by one, files."""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._native import NativePolicy
from ._spaces import Actions, Json, Observations, space_of
from .errors import PolicyError, SpaceError


class Policy:
    """A policy of E members. It takes observations and returns actions of the environment's own spaces."""

    def __init__(self, native: NativePolicy, task: Json) -> None:
        self._native, self._task = native, task
        self._observations = Observations(space_of(task["observation"]))
        self._actions = Actions(space_of(task["action"]))
        self._generator = np.random.default_rng()

    @property
    def ensemble_size(self) -> int:
        """E, the number of members."""
        return self._native.members

    @property
    def deploy(self) -> str:
        """How its run deploys it: ``"mean"``, ``"member"`` (a drawn one) or ``"random-round"`` (the same, of a drawn round)."""
        return str(self._task.get("deploy", "mean"))

    def seed(self, seed: int) -> None:
        """Begins the draws of members (``deterministic=False``) anew."""
        self._generator = np.random.default_rng(seed)

    def predict(
        self,
        observation: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = True,
    ) -> tuple[NDArray[Any], Any]:
        """The action for an observation, or the actions for a batch of them; and ``state``, which is passed through.

        The members' mean, or the action that most of them choose; with ``deterministic=False`` that of a member drawn
        anew for every row, which is how the learner acts while states are collected.
        """
        rows, single = self._observations.flatten_any(observation)
        members = None
        if not deterministic:
            members = self._generator.integers(self.ensemble_size, size=len(rows)).astype(np.uint32)
        actions = self._actions.to_env(self._native.actions(rows, members))
        return (actions[0] if single else actions), state

    def members(self, observation: Any) -> NDArray[Any]:
        """Every member's action: ``[E, …]`` for an observation, ``[E, n, …]`` for a batch; their spread is their disagreement."""
        rows, single = self._observations.flatten_any(observation)
        flat = self._native.all_actions(rows)
        by_state = flat.reshape(len(rows), self.ensemble_size, *flat.shape[1:])
        actions = self._actions.to_env(np.moveaxis(by_state, 1, 0))
        return actions[:, 0] if single else actions

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the policy: ``.safetensors`` for :func:`load_policy`, ``.onnx`` for any runtime.

        Either file is whole: it holds what observations are standardised by and the range of actions.
        """
        path = Path(path)
        if path.suffix == ".safetensors":
            data = self._native.to_safetensors(json.dumps(self._file_task()))
        elif path.suffix == ".onnx":
            data = self._native.to_onnx([(key, _spoken(value)) for key, value in self._file_task().items()])
        else:
            raise PolicyError(f"{path}: the ending says how to write it; allowed are .safetensors and .onnx")
        _native.replace_file(path, data)

    def _file_task(self) -> Json:
        normaliser = self._native.normaliser
        return self._task if normaliser is None else {**self._task, "normaliser": list(normaliser)}

    def __repr__(self) -> str:
        return f"Policy({self._task['env']}, {self.ensemble_size} members)"


class Spaces:
    """A task's spaces as the native half asks for them."""

    def __init__(self, task: Json) -> None:
        actions = Actions(space_of(task["action"]))
        self.discrete, self.action_size = actions.discrete, actions.size
        self.low, self.high = actions.low, actions.high
        self.state_width = Observations(space_of(task["observation"])).width


def _spoken(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def load_policy(path: str | PathLike[str]) -> Policy:
    """The policy in a ``.safetensors`` file that :meth:`Policy.save` wrote."""
    data = Path(path).read_bytes()
    try:
        task = json.loads(NativePolicy.read(data))
        normaliser = tuple(task["normaliser"]) if "normaliser" in task else None
        native = NativePolicy(data, Spaces(task), task.get("columns"), normaliser)
    except (ValueError, KeyError, TypeError, PolicyError, SpaceError) as error:
        raise PolicyError(f"{path}: not a policy that was saved by tutelage ({error})") from error
    return Policy(native, {key: value for key, value in task.items() if key != "normaliser"})
