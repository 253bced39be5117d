"""What the package costs beside the environments themselves. To be run on a quiet machine, with the package built for release:

    pip install . 'gymnasium[mujoco]' envpool
    python benches/python_speed/python_speed.py

1. Microseconds per environment step of our loop with 16 environments (a policy of one small network acts), beside a bare loop
   over the same environments with the same policy's ``predict`` (the difference is the overhead), and beside a bare loop
   without any policy.
2. Steps per second of the vector Bullet environment, beside Gymnasium's MuJoCo and, where it is installed, EnvPool's.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np

import tutelage as tut
from tutelage import _native
from tutelage._worlds import Worlds

LANES, SECONDS = 16, 3.0


def timed(step: Callable[[], int]) -> float:
    """Seconds per environment step; ``step`` says how many it took."""
    step()
    start, steps = time.perf_counter(), 0
    while time.perf_counter() - start < SECONDS:
        steps += step()
    return (time.perf_counter() - start) / steps


def balance(obs: Any) -> Any:
    lean = obs[:, 2] + 0.5 * obs[:, 3] + 0.05 * obs[:, 0] + 0.1 * obs[:, 1]
    return (lean > 0).astype(np.int64)


def swing(obs: Any) -> Any:
    return np.clip(2 * np.sign(obs[:, 2:]), -2, 2).astype(np.float32)


def loop_overhead() -> None:
    print(f"{LANES} environments, microseconds per environment step")
    print(f"{'':16} {'bare loop':>10} {'+ predict':>10} {'our loop':>10} {'overhead':>10}")
    for name, expert in (("CartPole-v1", balance), ("Pendulum-v1", swing)):
        with tempfile.TemporaryDirectory() as folder:
            settings: dict[str, Any] = {"rounds": 3, "states_per_round": 50, "hidden": (32,), "algorithm": "dagger"}
            policy = tut.learn(name, expert, dir=Path(folder) / "run", progress=False, **settings).policy
        bare, predict = (bare_loop(name, acts) for acts in (None, policy))
        worlds = Worlds(name, LANES)

        def ours(worlds: Worlds = worlds, policy: tut.Policy = policy) -> int:
            result = _native.evaluate(worlds, policy._native, None, LANES, 1, False)
            return int(result["lengths"].sum())

        own = timed(ours)
        costs = [1e6 * value for value in (bare, predict, own, own - predict)]
        print(f"{name:16} " + " ".join(f"{cost:10.2f}" for cost in costs))


def bare_loop(name: str, policy: tut.Policy | None) -> float:
    """The same episodes in a loop of one's own: all environments step with what the policy says, or with one action."""
    envs = [gym.make(name) for _ in range(LANES)]
    for env in envs:
        env.action_space.seed(1)
    fixed = [env.action_space.sample() for env in envs]
    observations = np.stack([env.reset(seed=i)[0] for i, env in enumerate(envs)])

    def step() -> int:
        actions = fixed if policy is None else policy.predict(observations)[0]
        for i, env in enumerate(envs):
            observation, _, terminated, truncated, _ = env.step(actions[i])
            if terminated or truncated:
                observation, _ = env.reset()
            observations[i] = observation
        return LANES

    return timed(step)


def vector_speed() -> None:
    print(f"\n{LANES} robots, environment steps per second")
    names = {"Hopper": 3, "Walker2d": 6, "HalfCheetah": 6, "Ant": 8}
    print(f"{'':12} {'Bullet, ours':>14} {'MuJoCo, sync':>14} {'EnvPool':>14}")
    for name, width in names.items():
        ours = "Walker2D" if name == "Walker2d" else name
        speeds = [
            vector(lambda ours=ours: gym.make_vec(f"tutelage/{ours}Bullet-v0", num_envs=LANES), width),
            vector(lambda name=name: gym.make_vec(f"{name}-v5", num_envs=LANES), width),
            vector(lambda name=name: envpool(name), width),
        ]
        print(f"{name:12} " + " ".join(f"{speed:14,.0f}" if speed else f"{'–':>14}" for speed in speeds))


def envpool(name: str) -> Any:
    import envpool

    return envpool.make(f"{name}-v4", env_type="gymnasium", num_envs=LANES)


def vector(make: Callable[[], Any], width: int) -> float | None:
    try:
        env = make()
    except Exception as error:
        print(f"  ({type(error).__name__}: {str(error).splitlines()[0]})")
        return None
    generator = np.random.default_rng(1)
    actions = generator.uniform(-1, 1, (64, LANES, width)).astype(np.float32)
    env.reset()
    count = 0

    def step() -> int:
        nonlocal count
        env.step(actions[count % 64])
        count += 1
        return LANES

    return 1 / timed(step)


if __name__ == "__main__":
    loop_overhead()
    vector_speed()
