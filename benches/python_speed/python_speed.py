"""The overhead of the package, measured on an idle machine with a release build:

    pip install . 'gymnasium[mujoco]' envpool
    python benches/python_speed/python_speed.py [--lanes 16] [--seconds 1] [--repetitions 5]

1. Microseconds per environment step: full episodes of a small policy in our loop, in a custom loop that calls the policy's
   ``predict``, and in a bare loop that replays the actions.
2. Environment steps per second of the Bullet vector environment from Python, compared with Gymnasium's MuJoCo, sequential and
   in processes, and EnvPool's MuJoCo. The engines differ, so this compares throughput, not tasks. Packages that are not
   installed are left out.

The candidates take turns, so that changes of the machine's speed affect all. Numbers are medians over the repetitions, and ratios
are medians of ratios.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np

import tutelage as tut
from tutelage import _native
from tutelage._envs import EnvBatch

Step = Callable[[], int]
"""A function to time, which returns its number of environment steps."""


def main() -> None:
    options = parse_arguments()
    loop_overhead(options)
    print()
    vector_speed(options)


def parse_arguments() -> Any:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lanes", type=int, default=16, help="number of environments that step together")
    parser.add_argument("--seconds", type=float, default=1.0, help="duration of each measurement")
    parser.add_argument("--repetitions", type=int, default=5)
    return parser.parse_args()


def in_turns(steps: list[Step], options: Any) -> list[list[float]]:
    """Returns the seconds per environment step of each, for every repetition."""
    for step in steps:
        step()
    return [[timed(step, options.seconds) for step in steps] for _ in range(options.repetitions)]


def timed(step: Step, seconds: float) -> float:
    start, steps = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        steps += step()
    return (time.perf_counter() - start) / steps


def medians(rounds: list[list[float]]) -> list[float]:
    return [statistics.median(column) for column in zip(*rounds, strict=True)]


# Our loop ----------------------------------------------------------------------------------------------------------------------


def balance(obs: Any) -> Any:
    lean = obs[:, 2] + 0.5 * obs[:, 3] + 0.05 * obs[:, 0] + 0.1 * obs[:, 1]
    return (lean > 0).astype(np.int64)


def swing(obs: Any) -> Any:
    return np.clip(2 * np.sign(obs[:, 2:]), -2, 2).astype(np.float32)


def loop_overhead(options: Any) -> None:
    print(f"{options.lanes} environments: microseconds per environment step (goal: less than 10 more than a bare loop)")
    columns = ("bare loop", "and predict", "our loop", "over bare", "over predict", "ours : bare")
    print(f"{'':14}" + "".join(f"{column:>16}" for column in columns))
    for name, expert in (("CartPole-v1", balance), ("Pendulum-v1", swing)):
        bare, predict, ours = loops(name, expert, options.lanes)
        rounds = in_turns([bare, predict, ours], options)
        costs = [1e6 * seconds for seconds in medians(rounds)]
        over = [1e6 * statistics.median(row[2] - row[other] for row in rounds) for other in (0, 1)]
        ratio = statistics.median(row[2] / row[0] for row in rounds)
        print(f"{name:14}" + "".join(f"{cost:16.2f}" for cost in (*costs, *over)) + f"{ratio:15.2f}x", flush=True)


def loops(name: str, expert: Any, lanes: int) -> tuple[Step, Step, Step]:
    """Returns functions that play one episode per environment: replaying actions, calling ``predict``, and in our loop."""
    with tempfile.TemporaryDirectory() as folder:
        settings: dict[str, Any] = {"rounds": 3, "states_per_round": 50, "hidden": (32,), "algorithm": "dagger"}
        policy = tut.learn(name, expert, dir=Path(folder) / "run", progress=False, **settings).policy
    envs = [gym.make(name) for _ in range(lanes)]
    recorded: list[Any] = []

    def ask(_: int, observations: Any) -> Any:
        return policy.predict(observations)[0]

    def record(time: int, observations: Any) -> Any:
        recorded.append(ask(time, observations))
        return recorded[-1]

    play(envs, record)
    batch = EnvBatch(name, lanes)

    def ours() -> int:
        return int(_native.evaluate(batch, policy._native, None, lanes, 1, False)["lengths"].sum())

    return lambda: play(envs, lambda time, _: recorded[time]), lambda: play(envs, ask), ours


def play(envs: list[Any], act: Callable[[int, Any], Any]) -> int:
    """A custom loop that plays one episode in each environment with the actions of ``act``."""
    observations = np.stack([env.reset(seed=i)[0] for i, env in enumerate(envs)])
    alive, steps, time = list(range(len(envs))), 0, 0
    while alive:
        actions = act(time, observations[alive])
        over = []
        for lane, action in zip(alive, actions, strict=True):
            observations[lane], _, terminated, truncated, _ = envs[lane].step(action)
            if terminated or truncated:
                over.append(lane)
        steps, time = steps + len(alive), time + 1
        if over:
            alive = [lane for lane in alive if lane not in over]
    return steps


# Vector environments -----------------------------------------------------------------------------------------------------------


def envpool(name: str, lanes: int) -> Any:
    import envpool

    return envpool.make(f"{name}-v5", env_type="gymnasium", num_envs=lanes)


VECTORS: dict[str, Callable[[str, int], Any]] = {
    "Bullet, ours": lambda name, lanes: gym.make_vec(f"tutelage/{name.replace('2d', '2D')}Bullet-v0", num_envs=lanes),
    "MuJoCo": lambda name, lanes: gym.make_vec(f"{name}-v5", num_envs=lanes, vectorization_mode="sync"),
    "in processes": lambda name, lanes: gym.make_vec(f"{name}-v5", num_envs=lanes, vectorization_mode="async"),
    "EnvPool": envpool,
}


def vector_speed(options: Any) -> None:
    present = {column: make for column, make in VECTORS.items() if is_here(column, make)}
    others = list(present)[1:]
    print(f"{options.lanes} robots: environment steps per second from Python, and our speed as a multiple of theirs")
    print(f"{'':14}" + "".join(f"{column:>16}" for column in [*present, *(f": {other}" for other in others)]))
    for name in ("Hopper", "Walker2d", "HalfCheetah", "Ant"):
        with hushed():
            envs = [make(name, options.lanes) for make in present.values()]
        rounds = in_turns([stepper(env, options.lanes) for env in envs], options)
        for env in envs:
            env.close()
        speeds = [1 / seconds for seconds in medians(rounds)]
        ratios = [statistics.median(row[i] / row[0] for row in rounds) for i in range(1, len(envs))]
        print(f"{name:14}" + "".join(f"{speed:16,.0f}" for speed in speeds) + "".join(f"{r:15.2f}x" for r in ratios), flush=True)


def is_here(column: str, make: Callable[[str, int], Any]) -> bool:
    try:
        with hushed():
            make("Hopper", 1).close()
    except Exception as error:
        print(f"{column} is left out: {str(error).splitlines()[0]}")
        return False
    return True


@contextmanager
def hushed() -> Iterator[None]:
    """Silences the output of engines."""
    sys.stdout.flush()
    kept = {stream: os.dup(stream) for stream in (1, 2)}
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        for stream in kept:
            os.dup2(nowhere, stream)
        yield
    finally:
        for stream, copy in kept.items():
            os.dup2(copy, stream)
            os.close(copy)
        os.close(nowhere)


def stepper(env: Any, lanes: int) -> Step:
    """Returns a function that steps 64 times with random actions."""
    space = env.single_action_space
    actions = np.random.default_rng(1).uniform(-1, 1, (64, lanes, *space.shape)).astype(space.dtype)
    env.reset()

    def step() -> int:
        for action in actions:
            env.step(action)
        return len(actions) * lanes

    return step


if __name__ == "__main__":
    main()
