"""Spaces: conversion to rows and back, unsupported spaces."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces

import tutelage as tut
from conftest import SMALL, brake
from tutelage._spaces import Actions, Observations, describe_space, space_of

RICH = spaces.Dict(
    {
        "place": spaces.Box(-2.0, 2.0, (2, 3), np.float64),
        "gear": spaces.Discrete(3, start=-1),
        "pair": spaces.Tuple([spaces.Discrete(2), spaces.Box(0, 255, (2,), np.uint8)]),
    }
)


def test_observations_survive_a_round_trip_through_rows() -> None:
    observations = Observations(RICH)
    assert observations.width == 3 + 2 + 2 + 6
    RICH.seed(3)
    samples = [RICH.sample() for _ in range(5)]
    rows = np.stack([observations.flatten(sample) for sample in samples])
    batch = observations.unflatten(rows)
    for i, sample in enumerate(samples):
        np.testing.assert_allclose(batch["place"][i], sample["place"], rtol=1e-6)
        assert batch["place"].dtype == np.float64
        assert batch["gear"][i] == sample["gear"]
        assert batch["pair"][0][i] == sample["pair"][0]
        np.testing.assert_array_equal(batch["pair"][1][i], sample["pair"][1])
    together, single = observations.flatten_any(batch)
    assert not single
    np.testing.assert_array_equal(together, rows)
    alone, single = observations.flatten_any(samples[0])
    assert single
    np.testing.assert_array_equal(alone[0], rows[0])


def test_spaces_survive_a_round_trip_through_json() -> None:
    uneven = spaces.Box(np.array([-1.0, 0.0], np.float32), np.array([1.0, np.inf], np.float32))
    for space in [RICH, uneven, spaces.Discrete(4, start=2), spaces.Box(-np.inf, np.inf, (), np.float32)]:
        assert space_of(describe_space(space)) == space


def test_unsupported_spaces_raise() -> None:
    for space in [spaces.MultiDiscrete([2, 3]), spaces.MultiBinary(4), spaces.Text(5)]:
        with pytest.raises(tut.SpaceError, match="Box, Discrete"):
            Observations(spaces.Dict({"x": space}))
        with pytest.raises(tut.SpaceError, match="Discrete"):
            Actions(space)
    with pytest.raises(tut.SpaceError, match=r"action\[1\] has the bounds \[0.0, inf\]"):
        Actions(spaces.Box(np.zeros(2, np.float32), np.array([1, np.inf], np.float32)))


def test_integer_action_boxes_raise() -> None:
    with pytest.raises(tut.SpaceError, match="expected a Box of floating-point numbers with finite bounds, or Discrete"):
        Actions(spaces.Box(0, 5, (2,), np.int64))


def test_batches_of_another_shape_raise() -> None:
    RICH.seed(3)
    observations = Observations(RICH)
    batch = observations.unflatten(np.stack([observations.flatten(RICH.sample()) for _ in range(5)]))
    wrong: dict[str, tuple[Any, str]] = {
        "place": (np.zeros((5, 3, 2)), r"observation\['place'\] has shape \(5, 3, 2\), expected \(5, 2, 3\) for a batch of 5"),
        "gear": (np.zeros(4, int), r"observation\['pair'\]\[0\] has shape \(5,\), expected \(4,\) for a batch of 4"),
        "pair": ((np.zeros(5, int), np.zeros((5, 2, 1))), r"observation\['pair'\]\[1\] has shape \(5, 2, 1\)"),
    }
    for key, (value, words) in wrong.items():
        with pytest.raises(tut.SpaceError, match=words):
            observations.flatten_any({**batch, key: value})
    with pytest.raises(tut.SpaceError, match=r"observation\['gear'\] is .*3.*, expected -1 to 1"):
        observations.flatten_any({**batch, "gear": np.full(5, 3)})
    with pytest.raises(tut.SpaceError, match=r"has dtype <U1"):
        Observations(spaces.Box(-1, 1, (2,))).flatten_any(np.array([["a", "b"]]))


class Courier(gym.Env[Any, Any]):
    """Moves a point to a target that only the expert sees; actions are a 1 × 2 box with uneven bounds."""

    def __init__(self) -> None:
        self.observation_space = spaces.Dict(
            {"place": spaces.Box(-9, 9, (2,), np.float64), "secret": spaces.Box(-1, 1, (2,), np.float64)}
        )
        self.action_space = spaces.Box(np.array([[-2.0, -1.0]]), np.array([[2.0, 3.0]]), dtype=np.float64)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.place, self.secret = self.np_random.uniform(-1, 1, 2), self.np_random.uniform(-1, 1, 2)
        return self.observation(), {}

    def observation(self) -> Any:
        return {"place": self.place.copy(), "secret": self.secret.copy()}

    def step(self, action: Any) -> Any:
        assert self.action_space.contains(action), action
        self.place = np.clip(self.place + 0.1 * action[0], -9, 9)
        return self.observation(), -float(np.abs(self.place - self.secret).sum()), False, False, {}


def carry(obs: Any) -> Any:
    return np.clip(5 * (obs["secret"] - obs["place"]), [-2.0, -1.0], [2.0, 3.0])[:, None]


def test_dict_observations_and_boxes_of_any_shape(tmp_path: Path) -> None:
    run = tut.learn(Courier, carry, dir=tmp_path / "run", horizon=20, **SMALL)
    obs, _ = Courier().reset(seed=1)
    action, _ = run.policy.predict(obs)
    assert action.shape == (1, 2)
    assert action.dtype == np.float64
    assert run.data.actions.shape == (36, 1, 2)
    batch = {key: np.stack([value, value]) for key, value in obs.items()}
    np.testing.assert_array_equal(run.policy.predict(batch)[0][1], action)
    assert run.policy.members(batch).shape == (5, 2, 1, 2)


def test_the_expert_may_see_more_than_the_learner(tmp_path: Path) -> None:
    run = tut.learn(Courier, carry, dir=tmp_path / "run", horizon=20, expert_sees="secret", **SMALL)
    obs, _ = Courier().reset(seed=1)
    other = {**obs, "secret": -obs["secret"]}
    np.testing.assert_array_equal(run.policy.predict(obs)[0], run.policy.predict(other)[0])
    assert not np.array_equal(carry({k: v[None] for k, v in obs.items()}), carry({k: v[None] for k, v in other.items()}))
    run.policy.save(tmp_path / "p.safetensors")
    np.testing.assert_array_equal(tut.load_policy(tmp_path / "p.safetensors").predict(obs)[0], run.policy.predict(obs)[0])
    with pytest.raises(tut.SpaceError, match="is not a part of the observation"):
        tut.learn(Courier, carry, dir=tmp_path / "x", horizon=20, expert_sees="hidden", **SMALL)
    with pytest.raises(tut.SpaceError, match="is the whole observation"):
        tut.learn(Courier, carry, dir=tmp_path / "x", horizon=20, expert_sees=["place", "secret"], **SMALL)


def test_discrete_spaces_with_another_start(tmp_path: Path) -> None:
    class Steps(gym.Env[Any, Any]):
        observation_space = spaces.Discrete(5, start=10)
        action_space = spaces.Discrete(2, start=7)

        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            super().reset(seed=seed)
            self.at = int(self.np_random.integers(5))
            return 10 + self.at, {}

        def step(self, action: Any) -> Any:
            assert action in (7, 8)
            self.at = (self.at + (1 if action == 8 else -1)) % 5
            return np.int64(10 + self.at), float(self.at == 2), False, False, {}

    run = tut.learn(Steps, lambda obs: np.where(obs < 12, 8, 7), dir=tmp_path / "run", horizon=12, **SMALL)
    assert run.policy.predict(np.int64(10))[0] in (7, 8)
    assert set(run.data.actions) <= {7, 8}
    assert run.data.states.shape == (36, 5)


def test_only_the_expert_sees_some_columns(tmp_path: Path) -> None:
    from conftest import learn_line

    run = learn_line(tmp_path / "run", expert_sees=[1])
    states = np.array([[0.3, -1.0], [0.3, 1.0]])
    actions, _ = run.policy.predict(states)
    np.testing.assert_array_equal(actions[0], actions[1])
    assert not np.array_equal(*brake(states))
