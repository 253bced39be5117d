"""Four Gymnasium tasks from scripted experts, with three seeds: rewards between chance (0 %) and the expert (100 %).

``python four_tasks.py [FOLDER]``. The same command resumes after an interruption.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np

import tutelage as tut
from experts import EXPERTS

FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 else "runs/four-tasks")
SEEDS = (1, 2, 3)


def chance(name: str, seed: int) -> Callable[[Any], Any]:
    """A random policy."""
    space = gym.make(name).action_space
    space.seed(seed)
    return lambda obs: np.stack([space.sample() for _ in obs])


def main() -> None:
    for name, expert in EXPERTS.items():
        for seed in SEEDS:
            run = tut.learn(name, expert, dir=FOLDER / f"{name}-{seed}", algorithm="bd-5", seed=seed, progress=False)
            actors = (run.policy, expert, chance(name, seed))
            learned, taught, random = (tut.evaluate(actor, name, episodes=100, seed=1000 + seed) for actor in actors)
            share = (learned.mean_reward - random.mean_reward) / (taught.mean_reward - random.mean_reward)
            print(
                f"{name:26} seed {seed}: {learned.mean_reward:8.1f} ± {learned.sd_reward:5.1f}, "
                f"expert {taught.mean_reward:8.1f} ± {taught.sd_reward:5.1f}, chance {random.mean_reward:8.1f}: "
                f"{100 * share:.0f} %, {len(run.data)} annotations"
            )


if __name__ == "__main__":
    main()
