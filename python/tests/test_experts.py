"""Built-in experts and experts in files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import tutelage as tut
from conftest import contents

DATA = Path(__file__).parents[2] / "crates" / "tutelage-tasks"
SHIPPED = DATA / "data" / "hopper.safetensors"
ARCHIVE = DATA / "tests" / "data" / "trpo_tanh.zip"
HOPPER = "tutelage/HopperBullet-v0"
SMALL: dict[str, Any] = {
    "rounds": 2,
    "states_per_round": 8,
    "hidden": (8,),
    "episodes": 2,
    "budget": "iterations=30",
    "progress": False,
}


def test_a_built_in_expert_teaches_a_gymnasium_robot(tmp_path: Path) -> None:
    expert = tut.evaluate("hopper", HOPPER, episodes=4, seed=1)
    assert expert.mean_reward > 2000, "it sees normalized states"
    run = tut.learn(HOPPER, "hopper", dir=tmp_path / "run", **SMALL)
    assert run.finished
    assert np.abs(run.data.actions).max() <= 1, "samples are clipped to the box"
    for _ in range(2):
        tut.learn(HOPPER, "hopper", dir=tmp_path / "parts", callback=lambda _: False, **SMALL)
    assert contents(tmp_path / "parts") == contents(run.dir)


def test_labels_are_samples_and_noise_identifies_the_expert(tmp_path: Path) -> None:
    calm = tut.learn(HOPPER, "hopper:noise=0", dir=tmp_path / "calm", **SMALL)
    means = tut.learn(HOPPER, "hopper:noise=0", dir=tmp_path / "again", **SMALL)
    np.testing.assert_array_equal(calm.data.actions, means.data.actions)
    loud = tut.learn(HOPPER, "hopper:noise=0.4", dir=tmp_path / "loud", callback=lambda _: False, **SMALL)
    same = loud.data.states == calm.data.states[: len(loud.data)]
    assert same.all(), "the first round's states do not depend on labels"
    assert 0.05 < (loud.data.actions - calm.data.actions[: len(loud.data)]).std() < 0.6
    with pytest.raises(tut.StoreError, match="another spec"):
        tut.learn(HOPPER, "hopper:noise=0.3", dir=tmp_path / "loud", **SMALL)
    tut.learn(HOPPER, SHIPPED, dir=tmp_path / "file", callback=lambda _: False, **SMALL)
    with pytest.raises(tut.StoreError, match="expert has changed"):
        tut.learn(HOPPER, f"{SHIPPED}:noise=0.3", dir=tmp_path / "file", **SMALL)


def test_all_file_formats_are_read(tmp_path: Path) -> None:
    by_name = tut.evaluate("hopper", HOPPER, episodes=2, seed=3)
    by_file = tut.evaluate(SHIPPED, HOPPER, episodes=2, seed=3)
    np.testing.assert_array_equal(by_file.rewards, by_name.rewards)
    assert 0 < tut.evaluate(ARCHIVE, HOPPER, episodes=1).mean_reward < 500, "the agent is barely trained"
    numpy = tmp_path / "expert.npz"
    zeros = {"W0": np.zeros((15, 3)), "b0": np.array([0.5, -0.25, 2.0]), "logstd": np.full(3, -5.0)}
    statistics = {"rms_mean": np.zeros(15), "rms_var": np.ones(15), "time_feature": np.array(False)}
    np.savez(numpy, **{name: value.astype(np.float32) for name, value in zeros.items()}, **statistics)
    run = tut.learn(HOPPER, numpy, dir=tmp_path / "run", **SMALL)
    assert run.finished
    np.testing.assert_allclose(run.data.actions.mean(axis=0), [0.5, -0.25, 1.0], atol=0.02)


REFUSED: dict[str, tuple[Any, Any, str]] = {
    "no such name": (HOPPER, "hoper", "unknown expert .*; did you mean `hopper`"),
    "no such file": (HOPPER, "nowhere.zip", "no such file"),
    "another robot's": ("tutelage/AntBullet-v0", "hopper", "an expert for hopper, not for ant"),
    "another robot's file": ("tutelage/AntBullet-v0", SHIPPED, "an expert for hopper, not for ant"),
    "other spaces": ("CartPole-v1", "hopper", r"states of 15 numbers and actions of 3 numbers within \[-1, 1\]; CartPole-v1 has"),
    "a rule": ("CartPole-v1", "cart-pole", "is for the built-in task cart-pole only, not for CartPole-v1"),
    "a file, other spaces": (
        "CartPole-v1",
        ARCHIVE,
        "files contain experts of the four robots, but CartPole-v1 has states of 4 numbers and 2 discrete actions",
    ),
    "no expert's file": (HOPPER, __file__, r"only \.safetensors, \.npz or \.zip is supported"),
    "noise": (HOPPER, "hopper:noise=loud", "noise=loud: expected a number"),
    "normalized": (lambda: gym.make(HOPPER, normalized=True), "hopper", "made with normalized=True"),
    "nobody": (HOPPER, None, "expert is missing"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_experts_with_other_spaces_raise(name: str, tmp_path: Path) -> None:
    env, expert, words = REFUSED[name]
    with pytest.raises(tut.SpecError, match=words):
        tut.learn(env, expert, dir=tmp_path / "run", **SMALL)
    assert not (tmp_path / "run").exists()


def test_policies_are_evaluated_in_built_in_tasks(tmp_path: Path) -> None:
    for task in ("cart-pole", "pendulum", "hopper"):
        run = tut.learn(task, dir=tmp_path / task, **SMALL)
        found = tut.evaluate(run.policy, task, episodes=3, seed=2, expert=task)
        assert found.rewards.shape == (3,)
        assert found.imitation_loss is not None
    few = tut.evaluate("hopper", "hopper", episodes=3, seed=2, num_envs=1)
    many = tut.evaluate("hopper", "hopper", episodes=3, seed=2)
    np.testing.assert_array_equal(few.rewards, many.rewards)
    assert many.mean_reward > 2000
    assert tut.evaluate("cart-pole", "cart-pole", episodes=2).mean_reward == 400
    still = tut.evaluate(lambda obs: np.zeros((len(obs), 3)), "hopper", episodes=2)
    assert still.mean_reward < 1000
    with pytest.raises(tut.SpecError, match="another kind"):
        tut.evaluate(run.policy, "cart-pole", episodes=1)
    with pytest.raises(tut.SpecError, match="horizon = 5"):
        tut.evaluate(run.policy, "hopper", episodes=1, horizon=5)
