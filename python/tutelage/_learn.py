"""One call: it starts a run, goes on with it, or returns what is done."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _native, _oracles
from ._experts import ExpertLike, Teacher, teacher_in
from ._person import Seat, teacher_of, usual_algorithm
from ._policy import Policy
from ._progress import Callback, Reporter
from ._run import Run, _read_call, write_call
from ._spaces import Floats, Json
from ._worlds import LANES, EnvLike, ShippedWorlds, Worlds, is_shipped, shipped_names
from .errors import SpecError, StoreError


def learn(
    env: EnvLike,
    expert: ExpertLike | None = None,
    *,
    dir: str | PathLike[str],
    algorithm: str | None = None,
    rounds: int | None = None,
    states_per_round: int | None = None,
    hidden: Sequence[int] | str | None = None,
    seed: int = 1,
    sampling: str | None = None,
    budget: str | None = None,
    learning_rate: float | None = None,
    batch: int | None = None,
    standardise: bool | None = None,
    episodes: int | None = None,
    d0: str | NDArray[np.float32] | None = None,
    data: str | PathLike[str] | Run | None = None,
    deploy: str | None = None,
    expert_acts: str | None = None,
    expert_sees: Any = None,
    oracle: Any = None,
    keep: str = "all",
    horizon: int | None = None,
    lanes: int = LANES,
    callback: Callback | None = None,
    progress: bool | None = None,
) -> Run:
    """Learns from an expert, in a folder: starts the run, goes on with it, or returns what is done.

    Every answer is on disk before it is used, and a run that was stopped or killed goes on to the same bytes, for
    environments that begin the same episode from the same seed (which is tested first). A folder that holds another run,
    or one of another expert, is refused.

    Args:
        env: a Gymnasium id, a factory, an environment, or a vector environment; or a task that ships (``"hopper"``), which
            is learned whole in Rust.
        expert: a callable from a batch of observations to a batch of actions; an object with ``.predict`` (deterministic
            for the mean, sampled for labels); an iterator of answers; a :class:`Person`, who teaches in a browser; the name of
            an expert that ships (``"hopper"``) or an expert's file, where the environment's spaces are its own; for tasks that
            ship a name, a file, or nothing.
        dir: the run's folder.
        algorithm: ``"bd-5"``, ``"dagger"``, ``"mp-25(15)"``, …; ``tutelage algorithms`` lists them, and says which is used
            where none is named.
        rounds: N, by default 20.
        states_per_round: K, the questions of a round, by default 50.
        hidden: widths of the hidden layers, by default (64, 64); ``"linear"`` for affine policies.
        seed: the source of all randomness.
        sampling: how states are taken from trajectories: ``"stride(5)"`` by default, or ``"independent"``.
        budget: how long a member trains: ``"iterations=1000"`` by default, or ``"epochs=N"``.
        learning_rate: Adam's step, by default 0.003.
        batch: examples per step, by default 100.
        standardise: whether states are shifted and scaled by the statistics of D, by default they are; the statistics are
            part of the policy.
        episodes: the episodes of an evaluation, by default 20.
        d0: where perturbations are drawn from: ``"uniform(-2,2)"``, ``"dagger:DIR,…"`` or an array of states.
        data: for algorithms that do not collect (``"bagging-5"``): the run whose answers to train on.
        deploy: ``"mean"`` by default, ``"member"`` or ``"random-round"``.
        expert_acts: where the expert drives: ``"sampled"`` by default, or ``"mean"``.
        expert_sees: what of the observation the expert alone sees: keys of a Dict, indices of a Tuple, or indices or a
            slice of a Box. The learner sees the rest.
        oracle: an oracle in Python, in place of networks.
        keep: which policies stay on disk, ``"all"`` or ``"last"``.
        horizon: after how many steps episodes are truncated, where the environment does not say.
        lanes: how many environments step together; results do not depend on it.
        callback: called after every round; returning ``False`` stops the run.
        progress: whether to show a bar, by default on a terminal and in a notebook.
    """
    path = Path(dir)
    # The name is noted with the run, so that the run does not change where another algorithm becomes the usual one.
    if algorithm is None:
        algorithm = usual_algorithm(expert)
    draft: Json = {
        "algorithm": algorithm,
        "class": _class(hidden),
        "rounds": rounds,
        "states_per_round": states_per_round,
        "sampling": sampling,
        "expert_acts": expert_acts,
        "d0": d0 if isinstance(d0, str) else None,
        "data": None if data is None else str(data.dir if isinstance(data, Run) else data),
        "deploy": deploy,
        "seed": seed,
        "keep": keep,
        "oracle": {"budget": budget, "learning_rate": learning_rate, "batch": batch},
        "evaluation": {"episodes": episodes},
    }
    _native.refuse_ignored(json.dumps(draft))
    if isinstance(env, str) and is_shipped(env):
        _refuse_own_parts(env, expert, expert_sees, oracle, d0)
        if standardise is not None:
            draft["oracle"]["states"] = "standardised" if standardise else "as-given"
        named = os.fspath(expert) if isinstance(expert, PathLike) else expert
        return _learn_native({**draft, "task": env, "expert": named}, path, callback, progress)
    if expert is None:
        raise SpecError(
            f"expert is missing: only tasks that ship ({', '.join(shipped_names())}) bring their own; "
            "give a callable, an object with .predict, or the name or file of an expert"
        )
    linear = draft["class"] == "linear"
    worlds = Worlds(env, lanes, horizon)
    try:
        if standardise is not False and not (linear and not worlds.discrete):
            draft["oracle"]["states"] = "standardised"
        cast = _Cast(worlds, teacher_of(expert, env, worlds, algorithm), oracle, expert_sees, d0)
        return _learn_in(cast, draft, path, callback, progress)
    finally:
        worlds.close()


class _Cast:
    """Everyone who takes part in a run, as the native half asks for them."""

    def __init__(self, worlds: Worlds, teacher: Teacher | Seat, oracle: Any, expert_sees: Any, d0: Any) -> None:
        self.worlds, self.teacher, self.oracle = worlds, teacher, oracle
        self.oracle_description = "" if oracle is None else _oracles.describe(oracle)
        self.columns = worlds.observations.columns_without(expert_sees)
        self.d0 = None if d0 is None or isinstance(d0, str) else _states(d0, worlds.state_width)
        self.reporter: Reporter | None = None


def _states(d0: Any, width: int) -> Floats:
    states = np.ascontiguousarray(d0, np.float32)
    if states.ndim != 2 or states.shape[1] != width:
        raise SpecError(f"d0 has shape {states.shape}; allowed are states, [n, {width}]")
    return states


def _learn_in(cast: _Cast, draft: Json, path: Path, callback: Callback | None, progress: bool | None) -> Run:
    rounds, _, seed = _native.check(json.dumps(draft), cast.worlds.discrete)
    cast.teacher.recognise(cast.worlds.settle(seed))
    task = cast.worlds.task
    if cast.columns is not None:
        task["columns"] = cast.columns
    call = {"draft": draft, "task": task, "oracle": cast.oracle_description}
    cast.reporter = Reporter(rounds, progress, callback, lambda: write_call(path, call))
    try:
        _native.learn(cast, json.dumps(draft), path)
    finally:
        cast.reporter.close()
    return Run(path, oracle=cast.oracle)


def _learn_native(draft: Json, path: Path, callback: Callback | None, progress: bool | None) -> Run:
    _, rounds, _ = _native.native_spec(json.dumps(draft))
    reporter = Reporter(rounds, progress, callback)
    try:
        _native.learn_native(json.dumps(draft), path, reporter)
    finally:
        reporter.close()
    return Run(path)


def resume(
    dir: str | PathLike[str],
    *,
    env: EnvLike | None = None,
    expert: ExpertLike | None = None,
    oracle: Any = None,
    d0: NDArray[np.float32] | None = None,
    rounds: int | None = None,
    lanes: int = LANES,
    callback: Callback | None = None,
    progress: bool | None = None,
) -> Run:
    """Goes on with the run in a folder as it was begun, or by more rounds.

    Args:
        dir: the run's folder.
        env: its environment; by default the one that it was begun with, by its id.
        expert: its expert, which must answer as it did; tasks that ship bring their own.
        oracle: its oracle, where it is one in Python.
        d0: its covering distribution, where it was given as an array.
        rounds: how many rounds in all, where it is to be more.
        lanes: how many environments step together; results do not depend on it.
        callback: called after every round; returning ``False`` stops the run.
        progress: whether to show a bar.
    """
    path = Path(dir)
    call = _read_call(path)
    if call is None:
        if env is not None or expert is not None:
            raise StoreError(f"{path} holds no run of an environment in Python; call learn as it was begun")
        return _learn_native(json.loads(_native.stored_draft(path, rounds)), path, callback, progress)
    draft, task = call["draft"], call["task"]
    if rounds is not None:
        draft["rounds"] = rounds
    if expert is None:
        raise SpecError("expert is missing: give the one that the run learned from")
    worlds = Worlds(task["env"] if env is None else env, lanes, task["horizon"])
    try:
        teacher = teacher_of(expert, task["env"] if env is None else env, worlds, draft["algorithm"])
        cast = _Cast(worlds, teacher, oracle, None, d0)
        cast.columns = task.get("columns")
        return _learn_in(cast, draft, path, callback, progress)
    finally:
        worlds.close()


@dataclass(frozen=True)
class Evaluation:
    """Full episodes: their returns and lengths and, beside an expert, their imitation losses."""

    rewards: NDArray[np.float64]
    lengths: NDArray[np.int64]
    losses: NDArray[np.float64] | None

    @property
    def mean_reward(self) -> float:
        """The average return."""
        return float(self.rewards.mean())

    @property
    def sd_reward(self) -> float:
        """The standard deviation of the returns."""
        return float(self.rewards.std(ddof=1)) if len(self.rewards) > 1 else 0.0

    @property
    def imitation_loss(self) -> float | None:
        """The imitation loss, averaged over episodes."""
        return None if self.losses is None else float(self.losses.mean())


def evaluate(
    policy: Policy | ExpertLike,
    env: EnvLike,
    *,
    episodes: int = 100,
    seed: int = 1,
    expert: ExpertLike | None = None,
    deterministic: bool | None = None,
    horizon: int | None = None,
    lanes: int = LANES,
) -> Evaluation:
    """Plays full episodes with a policy, or with anything that can be an expert.

    Args:
        policy: a :class:`Policy`, a callable on batches of observations, an object with ``.predict``, or the name or file of an
            expert.
        env: a Gymnasium id, a factory, an environment, or a vector environment; or a task that ships.
        episodes: how many.
        seed: where their seeds come from; an episode does not depend on the others.
        expert: whom to measure the imitation loss against.
        deterministic: for a :class:`Policy`: the members' mean, or a member drawn at every step; by default as its run deploys.
        horizon: after how many steps episodes are truncated, where the environment does not say.
        lanes: how many environments step together; results do not depend on it.
    """
    if episodes < 1:
        raise SpecError(f"episodes = {episodes}: allowed is a whole number from 1 on")
    worlds = _arena(env, min(lanes, episodes), horizon)
    try:
        actor: Any = policy._native if isinstance(policy, Policy) else teacher_in(worlds, policy)
        reference = None if expert is None else teacher_in(worlds, expert)
        if isinstance(policy, Policy) and policy._actions.discrete != worlds.discrete:
            raise SpecError(f"{policy!r} does not act in {worlds.name}: its actions are of another kind")
        if deterministic is None:
            deterministic = not isinstance(policy, Policy) or policy.deploy == "mean"
        result = _native.evaluate(worlds, actor, reference, episodes, seed, not deterministic)
        return Evaluation(result["rewards"], result["lengths"], result["losses"])
    finally:
        worlds.close()


def _arena(env: EnvLike, count: int, horizon: int | None) -> Worlds | ShippedWorlds:
    if not (isinstance(env, str) and is_shipped(env)):
        return Worlds(env, count, horizon)
    if horizon is not None:
        raise SpecError(f"horizon = {horizon}: {env} has its own; horizons are for environments in Python")
    return ShippedWorlds(env, count)


def _class(hidden: Sequence[int] | str | None) -> str | None:
    if hidden is None or isinstance(hidden, str):
        return hidden
    return "mlp:" + ",".join(str(width) for width in hidden)


def _refuse_own_parts(env: str, expert: Any, expert_sees: Any, oracle: Any, d0: Any) -> None:
    if not (expert is None or isinstance(expert, str | PathLike)):
        raise SpecError(
            f"expert = {expert!r}: {env} is learned whole in Rust, from its own expert or a file; "
            "the Bullet tasks are also Gymnasium environments (tutelage/HopperBullet-v0), which take any expert"
        )
    given = {"expert_sees": expert_sees, "oracle": oracle, "d0": None if isinstance(d0, str) else d0}
    for name, value in given.items():
        if value is not None:
            raise SpecError(f"{name} is for environments in Python; {env} is learned whole in Rust")
