"""``learn``, ``resume`` and ``evaluate``."""

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
from ._deprecated import EVALUATE, LEARN, RESUME, renamed
from ._envs import NUM_ENVS, BuiltinEnvs, EnvBatch, EnvLike, builtin_names, is_builtin
from ._experts import ExpertAdapter, ExpertLike, adapt_expert
from ._person import PersonExpert, adapt_expert_or_person
from ._policy import Policy
from ._progress import Callback, Progress
from ._run import Run, read_call, write_call
from ._spaces import Floats, Json
from .errors import SpecError, StoreError


@renamed(LEARN)
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
    standardize: bool | None = None,
    episodes: int | None = None,
    d0: str | NDArray[np.float32] | None = None,
    data: str | PathLike[str] | Run | None = None,
    deploy: str | None = None,
    expert_acts: str | None = None,
    expert_sees: Any = None,
    oracle: Any = None,
    keep_policies: str = "all",
    horizon: int | None = None,
    num_envs: int = NUM_ENVS,
    callback: Callback | None = None,
    progress: bool | None = None,
) -> Run:
    """Learns from an expert: starts a run in a folder, resumes it, or returns it if it is finished.

    Labels are on disk before they are used. An interrupted run resumes and produces bit-identical results if episodes
    depend only on their seed and actions, which is tested first. A folder with another run or a run of another expert
    raises `StoreError`.

    The defaults below are for Gymnasium environments. Built-in tasks have their own.

    Args:
        env: A Gymnasium id, a factory, an environment, or a vector environment; or the name of a built-in task
            (``"hopper"``), which runs entirely in Rust.
        expert: One of the following. Built-in tasks accept a name or a file, and have an expert by default.

            - A function from a batch of observations to a batch of actions.
            - An object with ``.predict``, deterministic for the mean action and sampled for labels.
            - An iterator of labels.
            - A :class:`Person`, who teaches in a browser.
            - The name of a built-in expert (``"hopper"``) or an expert's file, if the spaces match.
        dir: The run's folder.
        algorithm: ``"bd-5"``, ``"dagger"``, ``"mp-25(15)"``, …; ``tutelage algorithms`` lists all, and the default.
        rounds: The number of rounds N. Default: ``20``.
        states_per_round: The number of labels per round K. Default: ``50``.
        hidden: The widths of the hidden layers, or ``"linear"`` for affine policies. Default: ``(64, 64)``.
        seed: The seed of all randomness.
        sampling: How states are chosen from trajectories, ``"stride(N)"`` or ``"independent"``. Default: ``stride(5)``.
        budget: How long a member trains, ``"iterations=N"`` or ``"epochs=N"``. Default: ``iterations=1000``.
        learning_rate: Adam's learning rate. Default: ``0.003``.
        batch: The batch size. Default: ``100``.
        standardize: Whether to standardize states with the statistics of D, which become part of the policy. True by
            default, except for affine policies with continuous actions.
        episodes: The number of evaluation episodes per round. Default: ``20``.
        d0: The distribution of perturbations: ``"uniform(LOW,HIGH)"``, ``"dagger:DIR,…"`` or an array of states.
            Default: ``uniform(-2,2)``.
        data: The run whose labels to train on, for algorithms that collect none (``"bagging-5"``).
        deploy: The policy to evaluate and return: ``"mean"`` (the default), ``"member"`` or ``"random-round"``.
        expert_acts: How the expert acts if it drives: ``"sampled"`` (the default) or ``"mean"``.
        expert_sees: The part of the observation that only the expert sees: keys of a Dict, indices of a Tuple, or
            indices or a slice of a Box.
        oracle: An :class:`Oracle` to train instead of networks.
        keep_policies: The policies to keep on disk: ``"all"`` or ``"last"``.
        horizon: The number of steps after which episodes are truncated, if the environment does not declare it.
        num_envs: The number of environments that step together. Results do not depend on it.
        callback: A function of each :class:`Round`. The run stops if it returns ``False``.
        progress: Whether to show progress, by default on a terminal and in a notebook.

    Returns:
        The run, which may be unfinished if it was stopped.
    """
    path = Path(dir)
    # The name is stored with the run, so that later changes of the default do not affect it.
    if algorithm is None:
        algorithm = _native.default_algorithm()
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
        "keep": keep_policies,
        "oracle": {"budget": budget, "learning_rate": learning_rate, "batch": batch},
        "evaluation": {"episodes": episodes},
    }
    if isinstance(env, str) and is_builtin(env):
        _check_builtin(env, expert, expert_sees, oracle, d0)
        if standardize is not None:
            draft["oracle"]["states"] = "standardised" if standardize else "as-given"
        draft |= {"task": env, "expert": os.fspath(expert) if isinstance(expert, PathLike) else expert}
        return _learn_builtin(_native.Settings(json.dumps(draft), True), path, callback, progress)
    if expert is None:
        raise SpecError(
            f"expert is missing: only built-in tasks ({', '.join(builtin_names())}) have their own; "
            "pass a callable, an object with .predict, or the name or file of an expert"
        )
    envs = EnvBatch(env, num_envs, horizon)
    try:
        if standardize is not False and (draft["class"] != "linear" or envs.discrete):
            draft["oracle"]["states"] = "standardised"
        settings = _native.Settings(json.dumps(draft), True)
        parts = RunParts(envs, adapt_expert_or_person(expert, env, envs, algorithm), oracle, d0)
        parts.columns = envs.observations.columns_without(expert_sees)
        return _learn_in(parts, draft, settings, path, callback, progress)
    finally:
        envs.close()


class RunParts:
    """The parts of a run for the native half."""

    columns: list[int] | None = None
    observer: Progress | None = None

    def __init__(self, envs: EnvBatch, expert: ExpertAdapter | PersonExpert, oracle: Any, d0: Any) -> None:
        self.envs, self.expert, self.oracle = envs, expert, oracle
        self.oracle_description = "" if oracle is None else _oracles.describe(oracle)
        self.d0 = None if d0 is None or isinstance(d0, str) else _states(d0, envs.state_width)


def _states(d0: Any, width: int) -> Floats:
    states = np.ascontiguousarray(d0, np.float32)
    if states.ndim != 2 or states.shape[1] != width:
        raise SpecError(f"d0 has shape {states.shape}, expected states, [n, {width}]")
    return states


def _learn_in(
    parts: RunParts,
    draft: Json,
    settings: _native.Settings,
    path: Path,
    callback: Callback | None,
    progress: bool | None,
) -> Run:
    rounds, seed = settings.check(parts.envs.discrete)
    parts.expert.probe(parts.envs.check_determinism(seed))
    task = parts.envs.task
    if parts.columns is not None:
        task["columns"] = parts.columns
    call = {"draft": draft, "task": task, "oracle": parts.oracle_description}
    parts.observer = Progress(rounds, progress, callback, lambda: write_call(path, call))
    try:
        _native.learn(parts, settings, path)
    finally:
        parts.observer.close()
    return Run(path, oracle=parts.oracle)


def _learn_builtin(settings: _native.Settings, path: Path, callback: Callback | None, progress: bool | None) -> Run:
    observer = Progress(settings.builtin_rounds(), progress, callback)
    try:
        _native.learn_builtin(settings, path, observer)
    finally:
        observer.close()
    return Run(path)


@renamed(RESUME)
def resume(
    dir: str | PathLike[str],
    *,
    env: EnvLike | None = None,
    expert: ExpertLike | None = None,
    oracle: Any = None,
    d0: NDArray[np.float32] | None = None,
    rounds: int | None = None,
    num_envs: int = NUM_ENVS,
    callback: Callback | None = None,
    progress: bool | None = None,
) -> Run:
    """Resumes the run in a folder with its settings, possibly with more rounds.

    Args:
        dir: The run's folder.
        env: The run's environment, by default the one with its id.
        expert: The run's expert, which must act as before. Runs of built-in tasks do not require it.
        oracle: The run's oracle, if it is one in Python.
        d0: The run's perturbations, if they are an array.
        rounds: The new total number of rounds.
        num_envs: The number of environments that step together. Results do not depend on it.
        callback: A function of each :class:`Round`. The run stops if it returns ``False``.
        progress: Whether to show progress.
    """
    path = Path(dir)
    call = read_call(path)
    if call is None:
        if env is not None or expert is not None:
            raise StoreError(f"{path} contains no run in a Gymnasium environment; call learn with the run's arguments")
        return _learn_builtin(_native.Settings.stored(path, rounds), path, callback, progress)
    draft, task = call["draft"], call["task"]
    if rounds is not None:
        draft["rounds"] = rounds
    if expert is None:
        raise SpecError("expert is missing: pass the one that the run learned from")
    env = task["env"] if env is None else env
    envs = EnvBatch(env, num_envs, task["horizon"])
    try:
        parts = RunParts(envs, adapt_expert_or_person(expert, env, envs, draft["algorithm"]), oracle, d0)
        parts.columns = task.get("columns")
        return _learn_in(parts, draft, _native.Settings(json.dumps(draft), False), path, callback, progress)
    finally:
        envs.close()


@dataclass(frozen=True)
class Evaluation:
    """The returns and lengths of episodes and, if there is a reference expert, their imitation losses."""

    rewards: NDArray[np.float64]
    lengths: NDArray[np.int64]
    losses: NDArray[np.float64] | None

    @property
    def mean_reward(self) -> float:
        """The mean return."""
        return float(self.rewards.mean())

    @property
    def sd_reward(self) -> float:
        """The standard deviation of the returns."""
        return float(self.rewards.std(ddof=1)) if len(self.rewards) > 1 else 0.0

    @property
    def imitation_loss(self) -> float | None:
        """The mean imitation loss."""
        return None if self.losses is None else float(self.losses.mean())


@renamed(EVALUATE)
def evaluate(
    policy: Policy | ExpertLike,
    env: EnvLike,
    *,
    episodes: int = 100,
    seed: int = 1,
    expert: ExpertLike | None = None,
    deterministic: bool | None = None,
    horizon: int | None = None,
    num_envs: int = NUM_ENVS,
) -> Evaluation:
    """Evaluates a policy or an expert in full episodes.

    Args:
        policy: A :class:`Policy`, or an expert as in :func:`learn`.
        env: An environment or a built-in task as in :func:`learn`.
        episodes: The number of episodes.
        seed: The seed of the episodes. Every episode has its own, so it does not depend on the others.
        expert: The reference expert for the imitation loss.
        deterministic: For a :class:`Policy`, whether the mean of its members acts, or a random member at every step.
            By default, the policy acts as its run deploys it.
        horizon: The number of steps after which episodes are truncated, if the environment does not declare it.
        num_envs: The number of environments that step together. Results do not depend on it.
    """
    if episodes < 1:
        raise SpecError(f"episodes must be at least 1, got {episodes}")
    envs: EnvBatch | BuiltinEnvs
    if isinstance(env, str) and is_builtin(env):
        if horizon is not None:
            raise SpecError(f"horizon = {horizon} is for Gymnasium environments only; {env} has its own")
        envs = BuiltinEnvs(env, min(num_envs, episodes))
    else:
        envs = EnvBatch(env, min(num_envs, episodes), horizon)
    try:
        actor: Any = policy._native if isinstance(policy, Policy) else adapt_expert(envs, policy)
        reference = None if expert is None else adapt_expert(envs, expert)
        if isinstance(policy, Policy) and policy._actions.discrete != envs.discrete:
            raise SpecError(f"{policy!r} cannot act in {envs.name}: its actions are of another kind")
        if deterministic is None:
            deterministic = not isinstance(policy, Policy) or policy.deploy == "mean"
        result = _native.evaluate(envs, actor, reference, episodes, seed, not deterministic)
        return Evaluation(result["rewards"], result["lengths"], result["losses"])
    finally:
        envs.close()


def _class(hidden: Sequence[int] | str | None) -> str | None:
    if hidden is None or isinstance(hidden, str):
        return hidden
    return "mlp:" + ",".join(str(width) for width in hidden)


def _check_builtin(env: str, expert: Any, expert_sees: Any, oracle: Any, d0: Any) -> None:
    if not (expert is None or isinstance(expert, str | PathLike)):
        raise SpecError(
            f"expert = {expert!r}: {env} is a built-in task, which accepts only its own expert or a file; "
            "the Bullet tasks are also Gymnasium environments (tutelage/HopperBullet-v0), which accept any expert"
        )
    given = {"expert_sees": expert_sees, "oracle": oracle, "d0": None if isinstance(d0, str) else d0}
    for name, value in given.items():
        if value is not None:
            raise SpecError(f"{name} is for Gymnasium environments only; {env} is a built-in task")
