"""Environments: several of one task, reset one by one and stepped in one call."""

from __future__ import annotations

import copy
import dataclasses
import json
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from numpy.typing import NDArray

from . import _native
from ._spaces import Actions, Floats, Json, Observations, space_of
from .errors import EnvError, SpecError, TutelageError, TutelageWarning

EnvLike = str | gym.Env[Any, Any] | VectorEnv[Any, Any, Any] | Callable[[], gym.Env[Any, Any]]

TERMINATED, TRUNCATED = 1, 2
NUM_ENVS = 16
PROBES, PROBE_STEPS = 4, 60
"""The number and length of the episodes that test whether an environment is deterministic."""


class _SpacesOf:
    """The attributes of spaces that the native half reads."""

    def _set_spaces(self, observations: Observations, actions: Actions) -> None:
        self.observations, self.actions = observations, actions
        self.state_width, self.action_size = observations.width, actions.size
        self.low, self.high, self.discrete = actions.low, actions.high, actions.discrete


class EnvBatch(_SpacesOf):
    """A batch of environments for the native half.

    ``reset(lane, seed)`` starts an episode in one of them, and ``step(lanes, actions)`` steps some of them. An episode must
    depend only on its seed and actions. If that holds only in new environments, ``fresh`` makes one for every episode.
    """

    def __init__(self, env: EnvLike, count: int, horizon: int | None = None) -> None:
        with _naming_env():
            self._source = _Source(env, count)
        observation_space, action_space = self._source.spaces()
        self._set_spaces(Observations(observation_space), Actions(action_space))
        self.name, self.count = self._source.name, self._source.count
        self.time_limit = horizon
        self.horizon = _horizon(self._source, horizon)
        self.fresh = False
        self._decode = self.actions.decoder()
        self._times = [0] * self.count

    @property
    def is_normalized(self) -> bool:
        """Whether the environment is one of ours with normalized states."""
        return bool(getattr(self._source.first.unwrapped, "normalized", False))

    @property
    def task(self) -> Json:
        """Everything that identifies the task."""
        return {
            "env": self.name,
            "observation": self.observations.describe(),
            "action": self.actions.describe(),
            "horizon": self.horizon,
        }

    @property
    def description(self) -> str:
        """The task in the run's spec: its name, and the rest as JSON."""
        return f"{self.name} {json.dumps({key: value for key, value in self.task.items() if key != 'env'})}"

    def reset(self, lane: int, seed: int) -> Floats:
        """Starts an episode and returns its first state."""
        self._times[lane] = 0
        if self.fresh:
            self._source.renew(lane)
        row = np.empty(self.state_width, np.float32)
        self._write(lane, self._source.reset(lane, int(seed)), row)
        return row

    def step(self, lanes: Sequence[int], actions: NDArray[Any]) -> tuple[Floats, NDArray[np.float64], NDArray[np.uint8]]:
        """Steps these lanes; returns their states, rewards, and how episodes ended."""
        count = len(lanes)
        states = np.empty((count, self.state_width), np.float32)
        rewards, ends = np.empty(count), np.zeros(count, np.uint8)
        for row, outcome in enumerate(self._source.step(lanes, actions, self._decode)):
            lane = lanes[row]
            observation, reward, terminated, truncated = outcome
            self._write(lane, observation, states[row])
            rewards[row] = _reward(lane, reward)
            self._times[lane] += 1
            if self.time_limit is not None and self._times[lane] >= self.time_limit:
                truncated = True
            ends[row] = TERMINATED * bool(terminated) + TRUNCATED * bool(truncated)
        return states, rewards, ends

    def _write(self, lane: int, observation: Any, row: Floats) -> None:
        try:
            self.observations.write(observation, row)
        except Exception as error:
            raise _env_error(lane, f"it returned an observation outside its space: {error}") from error

    def close(self) -> None:
        """Closes the environments that were made here."""
        self._source.close()

    def check_determinism(self, seed: int) -> NDArray[np.float32] | None:
        """Tests whether episodes are reproducible, and uses new environments for all episodes if only these are.

        Returns some states that are the same in every test, or ``None`` if even new environments differ.
        """
        seeds = [int(value) for value in np.random.SeedSequence(seed).generate_state(PROBES)]
        with _naming_env():
            used = [self._probe(seed, renew=False) for seed in seeds for _ in range(2)]
            again = [self._probe(seed, renew=self._source.can_renew) for seed in seeds]
            if all(_same(used[2 * i], again[i]) and _same(used[2 * i + 1], again[i]) for i in range(PROBES)):
                return np.concatenate(again)
            new_is_same = self._source.can_renew and all(
                _same(again[i], self._probe(seed, renew=True)) for i, seed in enumerate(seeds)
            )
        if new_is_same:
            self.fresh = True
            message = f"{self.name} does not repeat an episode after another one, so every episode gets a new environment"
        else:
            message = (
                f"{self.name} does not repeat an episode from its seed and actions: "
                "the run is safe, but it may differ in its bits after an interruption"
            )
        warnings.warn(message, TutelageWarning, stacklevel=6)
        return np.concatenate(again) if new_is_same else None

    def _probe(self, seed: int, renew: bool) -> Floats:
        """The states of the beginning of an episode with random actions."""
        if renew:
            self._source.renew(0)
        generator = np.random.default_rng(seed)
        states = [_finite(0, self.reset(0, seed))]
        for _ in range(PROBE_STEPS):
            if self.discrete:
                action: NDArray[Any] = generator.integers(self.action_size, size=1)
            else:
                action = generator.uniform(self.low, self.high, (1, self.action_size)).astype(np.float32)
            state, rewards, ends = self.step([0], action)
            if not np.isfinite(rewards[0]):
                raise _env_error(0, f"it returned the reward {_number(rewards[0])}, which is not finite")
            if ends[0]:
                break
            states.append(_finite(0, state[0]))
        return np.stack(states)


def _same(a: Floats, b: Floats) -> bool:
    return a.shape == b.shape and a.tobytes() == b.tobytes()


def _reward(lane: int, reward: Any) -> float:
    try:
        return float(reward)
    except (TypeError, ValueError) as error:
        raise _env_error(lane, f"it returned the reward {reward!r}, expected a number") from error


def _finite(lane: int, state: Floats) -> Floats:
    wrong = np.flatnonzero(~np.isfinite(state))
    if wrong.size:
        raise _env_error(lane, f"it returned state[{wrong[0]}] = {_number(state[wrong[0]])}, which is not finite")
    return state


def _number(value: Any) -> str:
    """A number as Rust prints it."""
    return "NaN" if np.isnan(value) else str(value)


def _env_error(lane: int, message: str) -> EnvError:
    error = EnvError(message)
    error.lane = lane
    return error


@contextmanager
def _naming_env() -> Iterator[None]:
    """Adds the environment's index to error messages. During a run, the native half does that."""
    try:
        yield
    except Exception as error:
        lane = getattr(error, "lane", 0)
        if lane is None or (isinstance(error, TutelageError) and not isinstance(error, EnvError)):
            raise
        words = str(error) if isinstance(error, EnvError) else f"{type(error).__name__}: {error}"
        raise _env_error(lane, f"environment {lane}: {words}") from (error.__cause__ or error)


class BuiltinEnvs(_SpacesOf):
    """Environments of a built-in task, which the native half makes and steps."""

    def __init__(self, name: str, count: int) -> None:
        self.builtin = self.name = name
        self.count = count
        task = builtin_task(name)
        self._set_spaces(Observations(space_of(task["observation"])), Actions(space_of(task["action"])))

    def close(self) -> None:
        """Does nothing: there is nothing to close."""


Bounds = tuple[list[float], list[float]]


@dataclass(frozen=True)
class TaskInfo:
    """The spaces of a task: the width of states, the size of actions, and their bounds unless they are discrete."""

    states: int
    actions: int
    bounds: Bounds | None
    is_robot: bool = False

    @classmethod
    def of(cls, envs: EnvBatch | BuiltinEnvs) -> TaskInfo:
        """Returns the spaces of environments."""
        return cls(envs.state_width, envs.action_size, None if envs.discrete else (envs.low, envs.high))

    @property
    def spaces(self) -> tuple[int, int, Bounds | None]:
        """What must match between an expert and an environment."""
        return self.states, self.actions, self.bounds

    def with_states(self, states: int) -> TaskInfo:
        """Returns the same task with another width of states."""
        return dataclasses.replace(self, states=states)

    def __str__(self) -> str:
        if self.bounds is None:
            return f"states of {self.states} numbers and {self.actions} discrete actions"
        intervals = dict.fromkeys(f"[{low:g}, {high:g}]" for low, high in zip(*self.bounds, strict=True))
        return f"states of {self.states} numbers and actions of {self.actions} numbers within {', '.join(intervals)}"


def builtin_info() -> dict[str, TaskInfo]:
    """Returns the built-in tasks by name."""
    return {task[0]: TaskInfo(*task[1:]) for task in _native.tasks()}


def builtin_names() -> list[str]:
    """Returns the names of the built-in tasks."""
    return list(builtin_info())


def is_builtin(env: Any) -> bool:
    """Whether this is the name of a built-in task."""
    return isinstance(env, str) and env in builtin_names()


def builtin_task(name: str, states: int | None = None) -> Json:
    """Returns the description of a built-in task. Its expert may see states of another width."""
    info = builtin_info()[name]
    observation = {"box": [states or info.states], "dtype": "float32", "ends": ["-inf", "inf"]}
    action: Json = {"discrete": info.actions, "start": 0}
    if info.bounds is not None:
        action = {"box": [info.actions], "dtype": "float32", "ends": list(info.bounds)}
    return {"env": name, "observation": observation, "action": action}


def _horizon(source: _Source, horizon: int | None) -> int:
    if horizon is not None:
        if horizon < 1:
            raise SpecError(f"horizon must be at least 1, got {horizon}")
        return horizon
    limit = getattr(getattr(source.first, "spec", None), "max_episode_steps", None)
    if not limit:
        raise SpecError(f"{source.name} declares no time limit: pass horizon=, after which episodes are truncated")
    return int(limit)


class _Source:
    """The environments of an id, a factory, an instance, or a vector environment."""

    def __init__(self, env: EnvLike, count: int) -> None:
        self.vector: VectorEnv[Any, Any, Any] | None = None
        self.envs: list[gym.Env[Any, Any]] = []
        self._make: Callable[[], gym.Env[Any, Any]] | None = None
        self._owned = False
        if isinstance(env, SyncVectorEnv):
            # Its environments are used one by one, whatever its autoreset mode.
            self.envs = list(env.envs)
        elif isinstance(env, VectorEnv):
            self.vector = env
            _check_vector(env)
        elif isinstance(env, gym.Env):
            self.envs = [env]
            spec = getattr(env, "spec", None)
            if spec is not None:
                self._make = lambda: gym.make(copy.deepcopy(spec))
        elif isinstance(env, str) or callable(env):
            make = self._make = _maker(env) if isinstance(env, str) else env
            self._owned = True
            self.envs = [self._made(make, lane) for lane in range(count)]
        else:
            raise SpecError(f"env = {env!r}, expected an id, a factory, a Gymnasium environment or a vector environment")
        self.count = self.vector.num_envs if self.vector is not None else len(self.envs)
        self.name = env if isinstance(env, str) else _name(env if isinstance(env, gym.Env | VectorEnv) else self.first)
        # The environments of a vector environment whose episodes are over; none before the first reset.
        self._resting: NDArray[np.bool_] | None = None

    @property
    def first(self) -> Any:
        return self.envs[0] if self.vector is None else self.vector

    @property
    def can_renew(self) -> bool:
        return self._make is not None

    def _made(self, make: Callable[[], gym.Env[Any, Any]], lane: int) -> gym.Env[Any, Any]:
        with _lane(lane):
            env = make()
        if not isinstance(env, gym.Env):
            raise SpecError(f"the factory returned {env!r}, expected a Gymnasium environment")
        return env

    def spaces(self) -> tuple[gym.Space[Any], gym.Space[Any]]:
        if self.vector is not None:
            return self.vector.single_observation_space, self.vector.single_action_space
        return self.first.observation_space, self.first.action_space

    def renew(self, lane: int) -> None:
        if self._make is None:
            return
        if self._owned:
            self.envs[lane].close()
        self.envs[lane] = self._made(self._make, lane)

    def reset(self, lane: int, seed: int) -> Any:
        if self.vector is not None:
            with _failed_lane(self.vector):
                return self._reset_vector(self.vector, lane, seed)
        with _lane(lane):
            return self.envs[lane].reset(seed=seed)[0]

    def step(self, lanes: Sequence[int], actions: NDArray[Any], decode: Callable[[Any], Any]) -> Any:
        if self.vector is not None:
            with _failed_lane(self.vector):
                outcomes = self._step_vector(self.vector, lanes, actions, decode)
            yield from outcomes
            return
        envs = self.envs
        for row, lane in enumerate(lanes):
            # A context manager would cost a microsecond per step.
            try:
                observation, reward, terminated, truncated, _ = envs[lane].step(decode(actions[row]))
            except Exception as error:
                _set_lane(error, lane)
                raise
            yield observation, reward, terminated, truncated

    def _reset_vector(self, vector: VectorEnv[Any, Any, Any], lane: int, seed: int) -> Any:
        # The first reset of a vector environment must reset all environments.
        mask = np.full(self.count, self._resting is None)
        mask[lane] = True
        seeds = [seed if i == lane else 0 for i in range(self.count)]
        observation, _ = vector.reset(seed=seeds, options={"reset_mask": mask})  # type: ignore[arg-type]
        if self._resting is None:
            self._resting = np.zeros(self.count, bool)
        self._resting[lane] = False
        return _row(observation, lane)

    def _step_vector(
        self,
        vector: VectorEnv[Any, Any, Any],
        lanes: Sequence[int],
        actions: NDArray[Any],
        decode: Callable[[Any], Any],
    ) -> list[Any]:
        assert self._resting is not None
        if self._resting.any():
            # All environments are stepped, so all of them must be in an episode.
            vector.reset(seed=[0] * self.count, options={"reset_mask": self._resting.copy()})  # type: ignore[arg-type]
            self._resting[:] = False
        idle = decode(np.zeros_like(actions[0]))
        if not vector.single_action_space.contains(idle):
            idle = decode(actions[0])
        every = [idle] * self.count
        for row, lane in enumerate(lanes):
            every[lane] = decode(actions[row])
        observation, rewards, terminated, truncated, _ = vector.step(np.asarray(every))
        self._resting |= np.asarray(terminated) | np.asarray(truncated)
        return [(_row(observation, lane), rewards[lane], terminated[lane], truncated[lane]) for lane in lanes]

    def close(self) -> None:
        if self._owned:
            for env in self.envs:
                env.close()


def _set_lane(error: Exception, lane: int) -> None:
    """Stores in an exception which environment raised it, if the exception has attributes."""
    with suppress(AttributeError):
        error.lane = lane  # type: ignore[attr-defined]


@contextmanager
def _lane(lane: int) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        _set_lane(error, lane)
        raise


@contextmanager
def _failed_lane(vector: VectorEnv[Any, Any, Any]) -> Iterator[None]:
    """Finds out which environment of a vector environment failed, if possible."""
    try:
        yield
    except Exception as error:
        # Gymnasium's `AsyncVectorEnv` closes the pipes of workers that failed.
        pipes = getattr(vector.unwrapped, "parent_pipes", [])
        failed = [lane for lane, pipe in enumerate(pipes) if pipe is None]
        if len(failed) != 1:
            raise EnvError(f"the vector environment: {type(error).__name__}: {error}") from error
        _set_lane(error, failed[0])
        raise


def _row(observation: Any, lane: int) -> Any:
    if isinstance(observation, dict):
        return {key: _row(value, lane) for key, value in observation.items()}
    if isinstance(observation, tuple):
        return tuple(_row(value, lane) for value in observation)
    return observation[lane]


def _maker(name: str) -> Callable[[], gym.Env[Any, Any]]:
    try:
        gym.spec(name)
    except gym.error.Error as error:
        raise SpecError(f"env = {name!r}: {error}") from error
    return lambda: gym.make(name)


def _name(env: Any) -> str:
    spec = getattr(env, "spec", None)
    return str(spec.id) if spec is not None else type(getattr(env, "unwrapped", env)).__name__


def _check_vector(env: VectorEnv[Any, Any, Any]) -> None:
    if env.metadata.get("autoreset_mode") is not AutoresetMode.DISABLED:
        raise SpecError(
            f"env = {env} must not reset itself, because every episode has its own seed; "
            "make it with autoreset_mode=AutoresetMode.DISABLED, or pass the environment's id"
        )
