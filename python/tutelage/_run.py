"""A run: its curve, its annotations, its policies."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._envs import builtin_task
from ._policy import Policy, Spaces
from ._spaces import Actions, Json, Observations, space_of
from .errors import StoreError

CALL = "call.json"


@dataclass(frozen=True)
class Data:
    """All annotations of a run, in order of arrival."""

    states: NDArray[np.float32]
    """The flat states: ``[n, d]``."""
    actions: NDArray[Any]
    """The expert's actions, in the environment's space."""
    rounds: NDArray[np.int64]
    """The round of each annotation."""
    episodes: NDArray[np.int64]
    """The episode of the round in which the state was visited."""
    times: NDArray[np.int64]
    """The time step of that episode."""

    def __len__(self) -> int:
        return len(self.states)


class Run:
    """A run that is stored in a folder. Reading it requires neither the environment nor the expert.

    Args:
        dir: The run's folder.
        oracle: The run's oracle, if it is one in Python. Only its policies require it.
    """

    def __init__(self, dir: str | PathLike[str], oracle: Any = None) -> None:
        self.dir = Path(dir)
        self._read = _native.read_run(self.dir)
        self._call = read_call(self.dir)
        self._oracle = oracle

    @property
    def curve(self) -> dict[str, NDArray[Any]]:
        """An array for each of ``round``, ``annotations``, ``expert_steps``, ``reward``, ``reward_random``,
        ``imitation_loss`` and ``seconds``.
        """
        curve: dict[str, NDArray[Any]] = self._read["curve"]
        return curve

    @property
    def expert_reward(self) -> float | None:
        """The mean return of the expert, if it has a mean action."""
        reward: float | None = self._read["expert_reward"]
        return reward

    @property
    def finished(self) -> bool:
        """Whether all rounds are finished."""
        return bool(self._read["finished"])

    @property
    def spec(self) -> str:
        """The spec in the run's log."""
        return str(self._read["spec"])

    @property
    def rounds(self) -> int:
        """The number of finished rounds."""
        return len(self.curve["round"])

    @property
    def policies(self) -> list[int]:
        """The rounds whose policies are stored."""
        return list(self._read["policies"])

    @cached_property
    def data(self) -> Data:
        """The annotations."""
        read = self._read["data"]
        space = None if self._call is None else self._call["task"]
        if not read:
            width = 0 if space is None else Observations(space_of(space["observation"])).width
            none = np.zeros(0, np.int64)
            return Data(np.zeros((0, width), np.float32), none, none, none, none)
        actions = read["actions"] if space is None else Actions(space_of(space["action"])).to_env(read["actions"])
        return Data(read["states"], actions, read["rounds"], read["episodes"], read["times"])

    @cached_property
    def policy(self) -> Policy:
        """The policy that the run returns: the last one, or the one that its algorithm draws."""
        return self.policy_of()

    def policy_of(self, round: int | None = None) -> Policy:
        """Returns the policy after a round (0: before the first), by default the one that the run returns."""
        if self._call is None:
            deploy = _native.Settings.stored(self.dir).deploy
            native, name, states = _native.builtin_policy(self.dir, round)
            return Policy(native, {**builtin_task(name, states), "deploy": deploy or "mean"})
        task, draft = self._call["task"], self._call["draft"]
        if self._call["oracle"] and self._oracle is None:
            raise StoreError(f"{self.dir}: its policies require its oracle: Run(dir, oracle=…)")
        settings = _native.Settings(json.dumps(draft), False)
        policy = _native.run_policy(self.dir, settings, Spaces(task), task.get("columns"), round, self._oracle)
        if policy is None:
            raise StoreError(f"{self.dir}: no round of this run has ended yet")
        return Policy(policy, {**task, "deploy": draft.get("deploy") or "mean"})

    @property
    def _task(self) -> Json:
        if self._call is not None:
            task: Json = self._call["task"]
            return task
        return builtin_task(_native.Settings.stored(self.dir).task, self.data.states.shape[1])

    def export(self, path: str | PathLike[str], table: str = "annotations") -> None:
        """Writes a table of the run as ``.npz`` or, with `pyarrow`, as ``.parquet``.

        Args:
            path: The file.
            table: ``"annotations"`` or ``"curve"``. A Parquet file of annotations has the columns ``round``,
                ``state_0``, …, and ``action_0``, ….
        """
        path = Path(path)
        if table not in ("annotations", "curve"):
            raise StoreError(f"unknown table {table!r}, expected 'annotations' or 'curve'")
        if path.suffix == ".npz" and table == "annotations":
            _native.export_annotations(self.dir, path)
            return
        buffer = io.BytesIO()
        if path.suffix == ".npz":
            np.savez_compressed(buffer, **self.curve)  # type: ignore[arg-type]
        elif path.suffix == ".parquet":
            self._write_parquet(buffer, self.curve if table == "curve" else self._annotation_columns())
        else:
            raise StoreError(f"{path}: unknown file extension, expected .npz or .parquet")
        _native.replace_file(path, buffer.getvalue())

    def _annotation_columns(self) -> dict[str, NDArray[Any]]:
        read = self._read["data"]
        if not read:
            raise StoreError(f"{self.dir}: there are no annotations yet")
        columns = {"round": read["rounds"].astype(np.int32)}
        for name, rows in (("state", read["states"]), ("action", read["actions"])):
            rows = rows.astype(np.int32)[:, None] if rows.ndim == 1 else rows
            columns.update({f"{name}_{i}": column for i, column in enumerate(rows.T)})
        return columns

    def _write_parquet(self, file: io.BytesIO, columns: dict[str, NDArray[Any]]) -> None:
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError as missing:
            raise StoreError(".parquet requires pyarrow: pip install 'tutelage[parquet]'") from missing
        parquet.write_table(pyarrow.table({name: np.ascontiguousarray(column) for name, column in columns.items()}), file)

    def to_minari(self, name: str, **about: Any) -> Any:
        """Makes a Minari dataset: an episode for each one with annotations, with its annotated states in order.

        The states are as far apart as ``sampling`` says; with ``"stride(1)"`` episodes are complete except for their
        first state. ``infos`` contain the ``round``, ``episode`` and ``time`` of each state. Rewards are unknown.

        Args:
            name: The name of the dataset.
            **about: Further arguments of Minari's ``create_dataset_from_buffers``, such as ``author``.
        """
        from ._minari import create_dataset

        return create_dataset(self.data, self._task, name, about)

    def to_tensorboard(self, folder: str | PathLike[str]) -> Path:
        """Writes the curves over annotations for TensorBoard; returns the file."""
        return Path(_native.export_tensorboard(self.dir, Path(folder)))

    def __repr__(self) -> str:
        state = "finished" if self.finished else "unfinished"
        return f"Run({str(self.dir)!r}, {self.rounds} rounds, {len(self.data)} annotations, {state})"


def is_run_of_python(dir: Path) -> bool:
    """Whether a folder contains a run in a Gymnasium environment."""
    return (dir / CALL).exists()


def write_call(dir: Path, call: Json) -> None:
    """Stores the call of a run, so that its policies can be read without the environment."""
    _native.replace_file(dir / CALL, (json.dumps(call, indent=1) + "\n").encode())


def read_call(dir: Path) -> Json | None:
    """Reads the call of a run, if it is a run in a Gymnasium environment."""
    try:
        call: Json = json.loads((dir / CALL).read_text())
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise StoreError(f"{dir / CALL} is damaged; call learn again with the run's arguments: {error}") from error
    return call
