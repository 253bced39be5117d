"""A run: its folder, its curve, what the expert said, what was learned."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._policy import Policy, Spaces
from ._spaces import Actions, Json, Observations, space_of
from ._worlds import shipped_task
from .errors import StoreError

CALL = "call.json"


@dataclass(frozen=True)
class Data:
    """Every answered question of a run, in order of arrival."""

    states: NDArray[np.float32]
    """The states, flat: ``[n, d]``."""
    actions: NDArray[Any]
    """The expert's answers, in the environment's own space."""
    rounds: NDArray[np.int64]
    """The round of each."""
    episodes: NDArray[np.int64]
    """The episode of its round that each comes from."""
    times: NDArray[np.int64]
    """After how many steps of it."""

    def __len__(self) -> int:
        return len(self.states)


class Run:
    """What a run's folder holds. Reading it changes nothing, and needs neither the environment nor the expert."""

    def __init__(self, dir: str | PathLike[str], oracle: Any = None) -> None:
        self.dir = Path(dir)
        self._read = _native.read_run(self.dir)
        self._call = _read_call(self.dir)
        self._oracle = oracle

    @property
    def curve(self) -> dict[str, NDArray[Any]]:
        """An array each: ``round``, ``annotations``, ``expert_steps``, ``reward``, ``reward_random``, ``imitation_loss``,
        ``seconds``.
        """
        curve: dict[str, NDArray[Any]] = self._read["curve"]
        return curve

    @property
    def expert_reward(self) -> float | None:
        """The expert's own mean return, where it knows its mean action."""
        reward: float | None = self._read["expert_reward"]
        return reward

    @property
    def finished(self) -> bool:
        """Whether all rounds are played."""
        return bool(self._read["finished"])

    @property
    def spec(self) -> str:
        """What the run is, as its log says it."""
        return str(self._read["spec"])

    @property
    def rounds(self) -> int:
        """How many rounds have ended."""
        return len(self.curve["round"])

    @property
    def policies(self) -> list[int]:
        """The rounds whose policies are kept."""
        return list(self._read["policies"])

    @cached_property
    def data(self) -> Data:
        """What the expert said."""
        read, actions = self._read["data"], self._actions
        if not read:
            width = 0 if self._call is None else Observations(space_of(self._call["task"]["observation"])).width
            none = np.zeros(0, np.int64)
            return Data(np.zeros((0, width), np.float32), none, none, none, none)
        answers = read["actions"] if actions is None else actions.to_env(read["actions"])
        return Data(read["states"], answers, read["rounds"], read["episodes"], read["times"])

    @cached_property
    def policy(self) -> Policy:
        """What the run returns: the last policy, or what its algorithm draws."""
        return self.policy_of()

    def policy_of(self, round: int | None = None) -> Policy:
        """The policy after a round (0: before the first); by default the one that the run returns."""
        deploy = {"deploy": self._draft.get("deploy") or "mean"}
        if self._call is None:
            native, name, states = _native.native_policy(self.dir, round)
            return Policy(native, {**shipped_task(name, states), **deploy})
        task, oracle = self._call["task"], self._oracle
        if self._call["oracle"] and oracle is None:
            raise StoreError(f"{self.dir}: its policies are of an oracle in Python; give it with Run(dir, oracle=…)")
        spaces = Spaces(task)
        policy = _native.run_policy(self.dir, json.dumps(self._call["draft"]), spaces, task.get("columns"), round, oracle)
        if policy is None:
            raise StoreError(f"{self.dir}: no round of this run has ended yet")
        return Policy(policy, {**task, **deploy})

    @property
    def _task(self) -> Json:
        if self._call is not None:
            task: Json = self._call["task"]
            return task
        return shipped_task(self._draft["task"], self.data.states.shape[1])

    @property
    def _draft(self) -> Json:
        draft: Json = json.loads(_native.stored_draft(self.dir, None)) if self._call is None else self._call["draft"]
        return draft

    @property
    def _actions(self) -> Actions | None:
        return None if self._call is None else Actions(space_of(self._call["task"]["action"]))

    def export(self, path: str | PathLike[str]) -> None:
        """Writes the annotations as ``.npz`` or ``.parquet``."""
        _native.export_annotations(self.dir, Path(path))

    def to_minari(self, name: str, **about: Any) -> Any:
        """A Minari dataset of the run: an episode for every one that was asked about, its moments in order.

        Moments lie as far apart as ``sampling`` says; with ``"stride(1)"`` they follow each other, and episodes are whole but for
        their first state. ``infos`` say the ``round``, ``episode`` and ``time`` that each comes from. Rewards are not known.
        ``about`` goes to Minari's ``create_dataset_from_buffers``: ``author``, ``description``, ….
        """
        from ._minari import create_dataset

        return create_dataset(self.data, self._task, name, about)

    def to_tensorboard(self, folder: str | PathLike[str]) -> Path:
        """Writes the curves, over annotations, for TensorBoard; they are derived from the log."""
        return Path(_native.export_tensorboard(self.dir, Path(folder)))

    def __repr__(self) -> str:
        state = "finished" if self.finished else "under way"
        return f"Run({str(self.dir)!r}, {self.rounds} rounds, {len(self.data)} annotations, {state})"


def is_run_of_python(dir: Path) -> bool:
    """Whether a folder holds a run of an environment in Python."""
    return (dir / CALL).exists()


def write_call(dir: Path, call: Json) -> None:
    """Notes beside a run's log how it was called, for those who read it without the environment."""
    _native.replace_file(dir / CALL, (json.dumps(call, indent=1) + "\n").encode())


def _read_call(dir: Path) -> Json | None:
    try:
        call: Json = json.loads((dir / CALL).read_text())
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise StoreError(f"{dir / CALL} is damaged: {error}; call learn again as the run was begun") from error
    return call
