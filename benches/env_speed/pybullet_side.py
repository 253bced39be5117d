"""Measures pybullet_envs: env steps per CPU-second under random actions, with a reset at every end.

    python benches/env_speed/pybullet_side.py TASK STEPS

Prints one JSON line. Loading the task is not measured, resets are; actions are drawn beforehand.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from reference import make, silent  # noqa: E402


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: pybullet_side.py TASK STEPS")
    task, steps = sys.argv[1], int(sys.argv[2])
    env = make(task)
    env.seed(1)
    actions = np.random.default_rng(1).uniform(-1, 1, (steps, *env.action_space.shape)).astype(np.float32)
    seconds = measure(env, actions)
    figures = {"task": task, "steps": steps, "cpu_seconds": seconds, "steps_per_cpu_second": steps / seconds}
    print(json.dumps(figures))


def measure(env, actions):
    """Process CPU time, so that what else runs on the machine matters little."""
    with silent():
        env.reset()
    start = time.process_time()
    for action in actions:
        _, _, done, _ = env.step(action)
        if done:
            env.reset()
    return time.process_time() - start


if __name__ == "__main__":
    main()
