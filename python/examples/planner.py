"""Distills an expensive planner into a small network.

``python planner.py [FOLDER]``. The planner simulates random sequences of pushes in a model of CartPole, and takes the first push
of the best one. A query takes it milliseconds; the network learns from a few hundred queries.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tutelage as tut

SEQUENCES, STEPS = 128, 25
GRAVITY, CART, POLE, LENGTH, FORCE, TAU = 9.8, 1.0, 0.1, 0.5, 10.0, 0.02


def simulate(states: NDArray[Any], pushes: NDArray[Any]) -> NDArray[Any]:
    """One step of CartPole's equations for many states at once."""
    place, speed, angle, turning = states.T
    total, moment = CART + POLE, POLE * LENGTH
    force = np.where(pushes == 1, FORCE, -FORCE)
    common = (force + moment * turning**2 * np.sin(angle)) / total
    lever = LENGTH * (4 / 3 - POLE * np.cos(angle) ** 2 / total)
    spin = (GRAVITY * np.sin(angle) - np.cos(angle) * common) / lever
    push = common - moment * spin * np.cos(angle) / total
    return np.stack([place + TAU * speed, speed + TAU * push, angle + TAU * turning, turning + TAU * spin], axis=1)


# The same sequences for every query make the planner deterministic.
PLANS = np.random.default_rng(0).integers(2, size=(SEQUENCES, STEPS))


def plan(obs: NDArray[Any]) -> NDArray[np.int64]:
    """The first push of the sequence that keeps the pole most upright and the cart near the middle."""
    answers = []
    for state in obs:
        states = np.repeat(state[None].astype(np.float64), SEQUENCES, axis=0)
        cost = np.zeros(SEQUENCES)
        for pushes in PLANS.T:
            states = simulate(states, pushes)
            cost += states[:, 2] ** 2 + 0.02 * states[:, 0] ** 2 + 100 * (np.abs(states[:, 2]) > 0.2)
        answers.append(PLANS[np.argmin(cost), 0])
    return np.array(answers, np.int64)


def main() -> None:
    dir = sys.argv[1] if len(sys.argv) > 1 else "runs/planner"
    # The planner is expensive, so there are few evaluation episodes, and only the learner drives in bd-5.
    settings = {"algorithm": "bd-5", "rounds": 6, "states_per_round": 40, "hidden": (32,), "episodes": 3}
    run = tut.learn("CartPole-v1", plan, dir=dir, progress=True, **settings)
    print("reward by round:", run.curve["reward"], "the planner's own:", run.expert_reward)
    state = np.zeros((1, 4), np.float32)
    for name, act in (("planner", plan), ("network", run.policy.predict)):
        start = time.perf_counter()
        for _ in range(50):
            act(state)
        print(f"{name}: {1e3 * (time.perf_counter() - start) / 50:.3f} ms a decision")


if __name__ == "__main__":
    main()
