"""The Bullet tasks as Gymnasium environments: bits of pybullet, Gymnasium's API, three autoreset modes."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import tutelage as tut
from tutelage.bullet import NAMES, BulletVectorEnv

GOLDEN = Path(__file__).parents[2] / "crates" / "tutelage-tasks" / "tests" / "golden"
ROBOTS = [(name, task) for name, (task, _) in NAMES.items()]


@pytest.mark.parametrize(("name", "task"), ROBOTS)
def test_gymnasium_accepts_the_environment(name: str, task: str) -> None:
    env = gym.make(name, render_mode="rgb_array", width=64, height=48)
    with warnings.catch_warnings():
        # Observations are unbounded, as in pybullet.
        warnings.filterwarnings("ignore", message=".*Box observation space.*infinity.*")
        check_env(env.unwrapped)
    assert env.spec is not None
    assert env.spec.max_episode_steps == 1000


@pytest.mark.parametrize(("name", "task"), ROBOTS)
def test_states_and_rewards_are_bit_identical_to_pybullet(name: str, task: str) -> None:
    with np.load(GOLDEN / f"{task}-random.npz") as golden:
        recording = {key: golden[key] for key in golden.files}
    env: Any = gym.make(name).unwrapped
    stored = dict(zip(recording["stored_steps"].tolist(), recording["stored_states"], strict=True))
    starts = recording["starts"].tolist()
    state = np.zeros(0)
    for step, action in enumerate(recording["actions"][:600]):
        if step in starts:
            episode = starts.index(step)
            state, _ = env.reset(options={"pose": recording["poses"][episode]})
            np.testing.assert_array_equal(state, recording["initial_states"][episode])
        state, reward, *_ = env.step(action)
        assert reward == recording["rewards"][step]
        if step in stored:
            np.testing.assert_array_equal(state, stored[step])


@pytest.mark.parametrize(("name", "task"), ROBOTS)
def test_spaces_equal_those_of_pybullet(name: str, task: str) -> None:
    """As in pybullet_envs.robot_bases: observations are unbounded, actions lie in [-1, 1]."""
    with np.load(GOLDEN / f"{task}-random.npz") as golden:
        states, actions = golden["initial_states"].shape[1], golden["actions"].shape[1]
    env = gym.make(name)
    ends = np.full(states, np.inf, np.float32)
    assert env.observation_space == gym.spaces.Box(-ends, ends, dtype=np.float32)
    assert env.action_space == gym.spaces.Box(-np.ones(actions, np.float32), np.ones(actions, np.float32), dtype=np.float32)
    many = gym.make_vec(name, num_envs=2)
    assert many.single_observation_space == env.observation_space
    assert many.single_action_space == env.action_space


def test_golden_recordings_contain_states() -> None:
    for _, task in ROBOTS:
        with np.load(GOLDEN / f"{task}-random.npz") as golden:
            assert (golden["stored_steps"] < 600).sum() > 3


def test_a_seed_gives_the_pose_of_pybullet() -> None:
    env: Any = gym.make("tutelage/HopperBullet-v0").unwrapped
    pose = np.random.Generator(np.random.PCG64(np.random.SeedSequence(5))).uniform(-0.1, 0.1, 3)
    by_seed, _ = env.reset(seed=5)
    by_pose, _ = env.reset(options={"pose": pose})
    np.testing.assert_array_equal(by_seed, by_pose)


@pytest.mark.parametrize(("name", "task"), ROBOTS)
def test_vector_and_single_robots_are_bit_identical(name: str, task: str) -> None:
    many = gym.make_vec(name, num_envs=5, autoreset_mode=AutoresetMode.DISABLED)
    single = [gym.make(name) for _ in range(5)]
    states, _ = many.reset(seed=3)
    for lane, env in enumerate(single):
        np.testing.assert_array_equal(env.reset(seed=3 + lane)[0], states[lane])
    generator = np.random.default_rng(1)
    for _ in range(30):
        actions = generator.uniform(-1, 1, many.action_space.shape).astype(np.float32)
        states, rewards, terminated, truncated, _ = many.step(actions)
        for lane, env in enumerate(single):
            state, reward, over, cut, _ = env.step(actions[lane])
            np.testing.assert_array_equal(state, states[lane])
            assert (reward, over, cut) == (rewards[lane], terminated[lane], truncated[lane])
        if (terminated | truncated).any():
            break


def test_next_step_autoreset() -> None:
    env = BulletVectorEnv("hopper", 3, max_episode_steps=4)
    env.reset(seed=1)
    actions = np.zeros((3, 3), np.float32)
    for _ in range(4):
        _, _, _, truncated, info = env.step(actions)
    assert truncated.all()
    assert info == {}
    states, rewards, terminated, truncated, _ = env.step(actions + 0.5)
    assert not (terminated | truncated).any()
    assert (rewards == 0).all()
    after, rewards, *_ = env.step(actions)
    assert (rewards != 0).all()
    assert not np.array_equal(states, after)


def test_same_step_autoreset_keeps_the_final_state() -> None:
    env = BulletVectorEnv("hopper", 2, max_episode_steps=4, autoreset_mode=AutoresetMode.SAME_STEP)
    twin = BulletVectorEnv("hopper", 2, autoreset_mode=AutoresetMode.DISABLED)
    states, _ = env.reset(seed=1)
    twin.reset(seed=1)
    for _ in range(4):
        states, _, _, truncated, info = env.step(np.full((2, 3), 0.2, np.float32))
        last, *_ = twin.step(np.full((2, 3), 0.2, np.float32))
    assert truncated.all()
    assert info["_final_obs"].all()
    np.testing.assert_array_equal(np.stack(list(info["final_obs"])), last)
    assert not np.array_equal(states, last)
    _, _, _, truncated, info = env.step(np.zeros((2, 3), np.float32))
    assert not truncated.any()
    assert "final_obs" not in info


def test_a_reset_mask_resets_some_environments() -> None:
    env = BulletVectorEnv("hopper", 3, max_episode_steps=4, autoreset_mode="Disabled")
    env.reset(seed=1)
    for _ in range(4):
        states, *_ = env.step(np.zeros((3, 3), np.float32))
    with pytest.raises(tut.SpecError, match="environment 0 is not in an episode"):
        env.step(np.zeros((3, 3), np.float32))
    after, _ = env.reset(seed=[4, 5, 6], options={"reset_mask": np.array([True, False, True])})
    np.testing.assert_array_equal(after[1], states[1])
    assert not np.array_equal(after[0], states[0])
    with pytest.raises(tut.SpecError, match="reset_mask"):
        env.reset(options={"reset_mask": np.zeros(3, bool)})


def test_states_are_normalized_as_for_the_expert() -> None:
    env = gym.make("tutelage/HopperBullet-v0", normalized=True)
    raw = gym.make("tutelage/HopperBullet-v0")
    assert not np.array_equal(env.reset(seed=1)[0], raw.reset(seed=1)[0])
    many = gym.make_vec("tutelage/HopperBullet-v0", num_envs=2, normalized=True)
    np.testing.assert_array_equal(many.reset(seed=1)[0][0], env.reset(seed=1)[0])


def test_invalid_actions_and_poses_raise() -> None:
    env: Any = gym.make("tutelage/HopperBullet-v0").unwrapped
    with pytest.raises(tut.EnvError, match="pose has 2 values"):
        env.reset(options={"pose": [0.0, 0.0]})
    with pytest.raises(tut.EnvError, match="reset the environment first"):
        env.step(np.zeros(3, np.float32))
    env.reset(seed=1)
    with pytest.raises(tut.EnvError, match=r"action\[1\] is NaN"):
        env.step(np.array([0, np.nan, 0], np.float32))


def test_a_robot_renders() -> None:
    env = gym.make("tutelage/AntBullet-v0", render_mode="rgb_array", width=80, height=60)
    env.reset(seed=1)
    picture: Any = env.render()
    assert picture.shape == (60, 80, 3)
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 10


def test_robots_accept_any_expert(tmp_path: Path) -> None:
    def still(obs: Any) -> Any:
        return np.tanh(obs[:, 8:11]).astype(np.float32)

    settings: dict[str, Any] = {"rounds": 2, "states_per_round": 8, "episodes": 3, "budget": "iterations=50"}
    single = tut.learn("tutelage/HopperBullet-v0", still, dir=tmp_path / "a", progress=False, **settings)
    many = gym.make_vec("tutelage/HopperBullet-v0", num_envs=3, autoreset_mode=AutoresetMode.DISABLED)
    vector = tut.learn(many, still, dir=tmp_path / "b", progress=False, **settings)
    np.testing.assert_array_equal(single.curve["reward"], vector.curve["reward"])


@pytest.mark.parametrize(("name", "task"), ROBOTS)
def test_stable_baselines3_accepts_the_environment(name: str, task: str) -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(gym.make(name), warn=False)


def test_vector_and_single_robots_render_the_same() -> None:
    settings: dict[str, Any] = {"render_mode": "rgb_array", "width": 80, "height": 60}
    single = gym.make("tutelage/HopperBullet-v0", **settings)
    many = gym.make_vec("tutelage/HopperBullet-v0", num_envs=3, **settings)
    single.reset(seed=8)
    many.reset(seed=7)
    single.step(np.full(3, 0.5, np.float32))
    many.step(np.full((3, 3), 0.5, np.float32))
    pictures: Any = many.render()
    assert len(pictures) == 3
    np.testing.assert_array_equal(pictures[1], single.render())
    assert (pictures[0] != pictures[1]).any()
    assert gym.make_vec("tutelage/HopperBullet-v0", num_envs=2).render() is None
    with pytest.raises(tut.SpecError, match="render_mode = 'human', expected 'rgb_array'"):
        BulletVectorEnv("hopper", 2, render_mode="human")


def test_stable_baselines3_steps_vector_robots() -> None:
    pytest.importorskip("stable_baselines3")
    from tutelage.sb3 import BulletVecEnv

    env = BulletVecEnv("tutelage/HopperBullet-v0", 3, render_mode="rgb_array")
    env.seed(1)
    assert env.reset().shape == (3, 15)
    assert [image.shape for image in env.get_images()] == [(240, 320, 3)] * 3
    assert BulletVecEnv("tutelage/HopperBullet-v0", 2).get_images() == [None, None]
    endings = 0
    for _ in range(200):
        _, rewards, over, infos = env.step(np.ones((3, 3), np.float32))
        assert rewards.shape == (3,)
        for lane in np.flatnonzero(over):
            endings += 1
            assert infos[lane]["terminal_observation"].shape == (15,)
    assert endings > 0
