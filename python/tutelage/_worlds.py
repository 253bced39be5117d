"""Environments: several of one task, each begun with a seed of its own, stepped in one call."""

from __future__ import annotations

import copy
import json
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
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
LANES = 16


class Worlds:
    """A batch of environments as the native half asks for it.

    ``reset(lane, seed)`` begins an episode in one of them and ``step(lanes, actions)`` steps some of them. What happens in
    one depends on its seed and actions alone, where the environment keeps that promise; ``fresh`` makes a new one for
    every episode where it does not.
    """

    def __init__(self, env: EnvLike, count: int, horizon: int | None = None) -> None:
        with _named():
            self._source = _Source(env, count)
        first = self._source.envs[0] if self._source.envs else None
        observation_space, action_space = self._source.spaces()
        self.observations = Observations(observation_space)
        self.actions = Actions(action_space)
        self.name = self._source.name
        self.count = self._source.count
        self.cuts = horizon
        self.horizon = _horizon(self._source, first, horizon)
        self.fresh = False
        self.state_width, self.action_size = self.observations.width, self.actions.size
        self.low, self.high, self.discrete = self.actions.low, self.actions.high, self.actions.discrete
        self._decode = self.actions.decoder()
        self._times = [0] * self.count

    @property
    def is_normalised(self) -> bool:
        """Whether states are normalised before anybody sees them, as our own environments say."""
        env = self._source.vector if self._source.vector is not None else self._source.envs[0]
        return bool(getattr(env.unwrapped, "normalised", False))

    @property
    def task(self) -> Json:
        """The task: what would make it another run."""
        return {
            "env": self.name,
            "observation": self.observations.describe(),
            "action": self.actions.describe(),
            "horizon": self.horizon,
        }

    @property
    def description(self) -> str:
        """The task as the run's spec names it: its name, and in braces the rest."""
        return f"{self.name} {json.dumps({key: value for key, value in self.task.items() if key != 'env'})}"

    def reset(self, lane: int, seed: int) -> Floats:
        """Begins an episode and returns its first state."""
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
            if self.cuts is not None and self._times[lane] >= self.cuts:
                truncated = True
            ends[row] = TERMINATED * bool(terminated) + TRUNCATED * bool(truncated)
        return states, rewards, ends

    def _write(self, lane: int, observation: Any, row: Floats) -> None:
        try:
            self.observations.write(observation, row)
        except Exception as error:
            raise _of_lane(lane, f"it returned an observation that is not of its space: {error}") from error

    def close(self) -> None:
        """Closes the environments that were made here."""
        self._source.close()

    def settle(self, seed: int) -> NDArray[np.float32] | None:
        """Finds out whether episodes repeat themselves, and uses fresh environments where only these do.

        Returns a few states that come back whenever this is asked again, or nothing where even fresh environments differ.
        """
        with _named():
            return self._settle(seed)

    def _settle(self, seed: int) -> NDArray[np.float32] | None:
        seeds = [int(value) for value in np.random.SeedSequence(seed).generate_state(PROBES)]
        used = [self._probe(seed, renew=False) for seed in seeds for _ in range(2)]
        again = [self._probe(seed, renew=True) for seed in seeds]
        if not self._source.can_renew:
            again = [self._probe(seed, renew=False) for seed in seeds]
        if all(_same(used[2 * i], again[i]) and _same(used[2 * i + 1], again[i]) for i in range(PROBES)):
            return np.concatenate(again)
        if self._source.can_renew and all(_same(again[i], self._probe(seed, renew=True)) for i, seed in enumerate(seeds)):
            self.fresh = True
            warnings.warn(
                f"{self.name} does not repeat an episode after another one; a fresh environment is made for each, "
                "so that an interrupted run goes on to the same bits",
                TutelageWarning,
                stacklevel=6,
            )
            return np.concatenate(again)
        warnings.warn(
            f"{self.name} does not repeat an episode from its seed and actions; a run is safe, but after an interruption "
            "it may go on to other bits",
            TutelageWarning,
            stacklevel=6,
        )
        return None

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
                raise _of_lane(0, f"it gave reward {_spoken(rewards[0])}, which is not finite")
            if ends[0]:
                break
            states.append(_finite(0, state[0]))
        return np.stack(states)


PROBES = 4
PROBE_STEPS = 60


def _same(a: Floats, b: Floats) -> bool:
    return a.shape == b.shape and a.tobytes() == b.tobytes()


def _reward(lane: int, reward: Any) -> float:
    try:
        return float(reward)
    except (TypeError, ValueError) as error:
        raise _of_lane(lane, f"it gave the reward {reward!r}; allowed are numbers") from error


def _finite(lane: int, state: Floats) -> Floats:
    wrong = np.flatnonzero(~np.isfinite(state))
    if wrong.size:
        raise _of_lane(lane, f"it wrote state[{wrong[0]}] = {_spoken(state[wrong[0]])}, which is not finite")
    return state


def _spoken(value: Any) -> str:
    """A number in the native half's words."""
    return "NaN" if np.isnan(value) else str(value)


def _of_lane(lane: int, words: str) -> EnvError:
    error = EnvError(words)
    error.lane = lane
    return error


@contextmanager
def _named() -> Iterator[None]:
    """Before a run is under way, nobody else says which environment failed: here it becomes part of the words."""
    try:
        yield
    except Exception as error:
        lane = getattr(error, "lane", 0)
        if lane is None or (isinstance(error, TutelageError) and not isinstance(error, EnvError)):
            raise
        words = str(error) if isinstance(error, EnvError) else f"{type(error).__name__}: {error}"
        raise _of_lane(lane, f"environment {lane}: {words}") from (error.__cause__ or error)


class ShippedWorlds:
    """Environments of a task that ships, which the native half makes and steps without Python."""

    def __init__(self, name: str, count: int) -> None:
        self.shipped = self.name = name
        self.count = count
        task = shipped_task(name)
        self.observations, self.actions = Observations(space_of(task["observation"])), Actions(space_of(task["action"]))
        self.state_width, self.action_size = self.observations.width, self.actions.size
        self.low, self.high, self.discrete = self.actions.low, self.actions.high, self.actions.discrete

    def close(self) -> None:
        """There is nothing to close."""


def is_shipped(env: Any) -> bool:
    """Whether this names a task that ships."""
    return isinstance(env, str) and env in shipped_names()


def shipped_names() -> list[str]:
    """The tasks that ship."""
    return [task[0] for task in _native.tasks()]


def shipped_task(name: str, states: int | None = None) -> Json:
    """A task that ships, as runs of environments in Python note theirs; an expert may see more numbers than it has."""
    width, size, ends = next((task[2], task[3], task[4]) for task in _native.tasks() if task[0] == name)
    observation = {"box": [states or width], "dtype": "float32", "ends": ["-inf", "inf"]}
    action: Json = {"discrete": size, "start": 0}
    if ends is not None:
        action = {"box": [size], "dtype": "float32", "ends": list(ends)}
    return {"env": name, "observation": observation, "action": action}


def _horizon(source: _Source, first: gym.Env[Any, Any] | None, horizon: int | None) -> int:
    if horizon is not None:
        if horizon < 1:
            raise SpecError(f"horizon = {horizon}: allowed is a whole number from 1 on")
        return horizon
    spec = getattr(first, "spec", None) or getattr(source.vector, "spec", None)
    limit = getattr(spec, "max_episode_steps", None)
    if not limit:
        raise SpecError(f"{source.name} declares no time limit: give one with horizon=, after which episodes are truncated")
    return int(limit)


class _Source:
    """Where environments come from: an id, a factory, an instance, or a vector environment."""

    def __init__(self, env: EnvLike, count: int) -> None:
        self.vector: VectorEnv[Any, Any, Any] | None = None
        self.envs: list[gym.Env[Any, Any]] = []
        self._make: Callable[[], gym.Env[Any, Any]] | None = None
        self._owned = True
        if isinstance(env, str):
            self.name, self._make = env, _maker(env)
        elif isinstance(env, SyncVectorEnv):
            # Its environments one by one: episodes begin when their lane needs one, whatever its autoreset mode.
            self.envs, self._owned = list(env.envs), False
            self.name = _name(env)
        elif isinstance(env, VectorEnv):
            self.vector, self._owned, self.name = env, False, _name(env)
            _check_vector(env)
        elif isinstance(env, gym.Env):
            self.envs, self._owned, self.name = [env], False, _name(env)
            spec = getattr(env, "spec", None)
            if spec is not None:
                self._make = lambda: gym.make(copy.deepcopy(spec))
        elif callable(env):
            self._make = env
            self.name = ""
        else:
            raise SpecError(f"env = {env!r}: allowed are an id, a factory, a Gymnasium environment or a vector environment")
        if not self.envs and self.vector is None and self._make is not None:
            self.envs = [self._made(self._make, lane) for lane in range(count)]
            self.name = self.name or _name(self.envs[0])
        self.count = self.vector.num_envs if self.vector is not None else len(self.envs)
        self._rest: Any = None

    @property
    def can_renew(self) -> bool:
        return self._make is not None

    def _made(self, make: Callable[[], gym.Env[Any, Any]], lane: int) -> gym.Env[Any, Any]:
        try:
            env = make()
        except Exception as error:
            _blame(error, lane)
            raise
        if not isinstance(env, gym.Env):
            raise SpecError(f"the factory returned {env!r}; allowed is a Gymnasium environment")
        return env

    def spaces(self) -> tuple[gym.Space[Any], gym.Space[Any]]:
        if self.vector is not None:
            return self.vector.single_observation_space, self.vector.single_action_space
        first = self.envs[0]
        return first.observation_space, first.action_space

    def renew(self, lane: int) -> None:
        if self._make is None:
            return
        if self._owned:
            self.envs[lane].close()
        self.envs[lane] = self._made(self._make, lane)

    def reset(self, lane: int, seed: int) -> Any:
        if self.vector is not None:
            with _one_of(self.vector):
                return self._reset_vector(self.vector, lane, seed)
        try:
            observation, _ = self.envs[lane].reset(seed=seed)
            return observation
        except Exception as error:
            _blame(error, lane)
            raise

    def step(self, lanes: Sequence[int], actions: NDArray[Any], decode: Callable[[Any], Any]) -> Any:
        if self.vector is not None:
            with _one_of(self.vector):
                outcomes = self._step_vector(self.vector, lanes, actions, decode)
            yield from outcomes
            return
        envs = self.envs
        for row, lane in enumerate(lanes):
            try:
                observation, reward, terminated, truncated, _ = envs[lane].step(decode(actions[row]))
            except Exception as error:
                _blame(error, lane)
                raise
            yield observation, reward, terminated, truncated

    def _reset_vector(self, vector: VectorEnv[Any, Any, Any], lane: int, seed: int) -> Any:
        mask = np.zeros(self.count, bool)
        # Vector environments want a first reset of all of them.
        mask[:] = self._rest is None
        mask[lane] = True
        seeds = [seed if i == lane else 0 for i in range(self.count)]
        observation, _ = vector.reset(seed=seeds, options={"reset_mask": mask})  # type: ignore[arg-type]
        if self._rest is None:
            self._rest = np.zeros(self.count, bool)
        self._rest[lane] = False
        return _row(observation, lane)

    def _step_vector(
        self,
        vector: VectorEnv[Any, Any, Any],
        lanes: Sequence[int],
        actions: NDArray[Any],
        decode: Callable[[Any], Any],
    ) -> list[Any]:
        resting = [lane for lane in range(self.count) if self._rest[lane]]
        if resting:
            # Whoever rests is stepped with the others, and must be in an episode for that.
            mask = np.zeros(self.count, bool)
            mask[resting] = True
            vector.reset(seed=[0] * self.count, options={"reset_mask": mask})  # type: ignore[arg-type]
            self._rest[resting] = False
        space = vector.single_action_space
        idle = decode(np.zeros_like(actions[0]))
        if not space.contains(idle):
            idle = decode(actions[0])
        every = [idle] * self.count
        for row, lane in enumerate(lanes):
            every[lane] = decode(actions[row])
        observation, rewards, terminated, truncated, _ = vector.step(np.asarray(every))
        self._rest |= np.asarray(terminated) | np.asarray(truncated)
        return [(_row(observation, lane), rewards[lane], terminated[lane], truncated[lane]) for lane in lanes]

    def close(self) -> None:
        if self._owned:
            for env in self.envs:
                env.close()


def _blame(error: Exception, lane: int) -> None:
    """Notes in an exception which environment raised it; what cannot be noted is left as it is."""
    try:
        error.lane = lane  # type: ignore[attr-defined]
    except AttributeError:
        pass


@contextmanager
def _one_of(vector: VectorEnv[Any, Any, Any]) -> Iterator[None]:
    """Says which environment of a vector environment failed, where that can be known; otherwise that it was one of them."""
    try:
        yield
    except Exception as error:
        # Gymnasium's asynchronous ones close the pipes of workers that failed.
        pipes = getattr(vector.unwrapped, "parent_pipes", [])
        failed = [lane for lane, pipe in enumerate(pipes) if pipe is None]
        if len(failed) != 1:
            raise EnvError(f"the vector environment: {type(error).__name__}: {error}") from error
        _blame(error, failed[0])
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
            f"env = {env}: every episode begins with a seed of its own, which this vector environment leaves no room for; "
            "make it with autoreset_mode=AutoresetMode.DISABLED, or give the environment's id"
        )
