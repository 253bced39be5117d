"""Learned policies: ``predict`` as in Stable-Baselines3, members, files."""

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
    """An ensemble that maps observations to actions of the environment's spaces."""

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
        """How the run deploys it: ``"mean"``, ``"member"`` (a random one) or ``"random-round"``."""
        return str(self._task.get("deploy", "mean"))

    def seed(self, seed: int) -> None:
        """Seeds the choice of members with ``deterministic=False``."""
        self._generator = np.random.default_rng(seed)

    def predict(
        self,
        observation: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = True,
    ) -> tuple[NDArray[Any], Any]:
        """Returns the action for an observation, or the actions for a batch.

        Args:
            observation: An observation or a batch of them.
            state: Returned unchanged, for compatibility with Stable-Baselines3.
            episode_start: Ignored, for compatibility with Stable-Baselines3.
            deterministic: Whether to return the mean or majority vote of the members. Otherwise every row is the
                action of a random member, as the learner acts while it collects states.

        Returns:
            The action or actions, and ``state``.
        """
        rows, single = self._observations.flatten_any(observation)
        members = None
        if not deterministic:
            members = self._generator.integers(self.ensemble_size, size=len(rows)).astype(np.uint32)
        actions = self._actions.to_env(self._native.actions(rows, members))
        return (actions[0] if single else actions), state

    def members(self, observation: Any) -> NDArray[Any]:
        """Returns the actions of all members: ``[E, …]`` for an observation, ``[E, n, …]`` for a batch."""
        rows, single = self._observations.flatten_any(observation)
        flat = self._native.all_actions(rows)
        by_state = flat.reshape(len(rows), self.ensemble_size, *flat.shape[1:])
        actions = self._actions.to_env(np.moveaxis(by_state, 1, 0))
        return actions[:, 0] if single else actions

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the policy as ``.safetensors`` for :func:`load_policy`, or as ``.onnx`` for any runtime.

        The file includes the standardization of observations and the range of actions.
        """
        path = Path(path)
        task = self._file_task()
        if path.suffix == ".safetensors":
            data = self._native.to_safetensors(json.dumps(task))
        elif path.suffix == ".onnx":
            texts = {key: value if isinstance(value, str) else json.dumps(value) for key, value in task.items()}
            data = self._native.to_onnx(list(texts.items()))
        else:
            raise PolicyError(f"{path}: unknown file extension, expected .safetensors or .onnx")
        _native.replace_file(path, data)

    def _file_task(self) -> Json:
        normalizer = self._native.normalizer
        return self._task if normalizer is None else {**self._task, "normaliser": list(normalizer)}

    def __repr__(self) -> str:
        return f"Policy({self._task['env']}, {self.ensemble_size} members)"


class Spaces:
    """The spaces of a task for the native half."""

    def __init__(self, task: Json) -> None:
        actions = Actions(space_of(task["action"]))
        self.discrete, self.action_size = actions.discrete, actions.size
        self.low, self.high = actions.low, actions.high
        self.state_width = Observations(space_of(task["observation"])).width


def load_policy(path: str | PathLike[str]) -> Policy:
    """Reads a ``.safetensors`` file that :meth:`Policy.save` wrote."""
    data = Path(path).read_bytes()
    try:
        task = json.loads(NativePolicy.task(data))
        normalizer = task.pop("normaliser", None)
        native = NativePolicy(data, Spaces(task), task.get("columns"), normalizer and tuple(normalizer))
    except (ValueError, KeyError, TypeError, PolicyError, SpaceError) as error:
        raise PolicyError(f"{path}: not a policy saved by tutelage ({error})") from error
    return Policy(native, task)
