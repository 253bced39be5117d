"""Measures EnvPool's MuJoCo namesakes: env steps per CPU-second under random actions, with a reset at every end.

    python benches/env_speed/envpool_side.py TASK STEPS [LANES]

Prints one JSON line. One thread; building the pool is not measured, resets are; actions are drawn beforehand.
"""

import json
import sys
import time

import envpool
import numpy as np

NAMESAKES = {"hopper": "Hopper-v4", "walker2d": "Walker2d-v4", "half-cheetah": "HalfCheetah-v4", "ant": "Ant-v4"}


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: envpool_side.py TASK STEPS [LANES]")
    task, steps = sys.argv[1], int(sys.argv[2])
    lanes = int(sys.argv[3]) if len(sys.argv) == 4 else 1
    pool = envpool.make(NAMESAKES[task], env_type="gymnasium", num_envs=lanes, num_threads=1, seed=1)
    rounds = -(-steps // lanes)
    width = pool.action_space.shape[0]
    actions = np.random.default_rng(1).uniform(-1, 1, (min(rounds, 509), lanes, width))
    seconds = measure(pool, actions, rounds)
    played = rounds * lanes
    figures = {"task": task, "steps": played, "lanes": lanes, "cpu_seconds": seconds}
    print(json.dumps(figures | {"steps_per_cpu_second": played / seconds}))


def measure(pool, actions, rounds):
    """CPU time of the whole process: the pool's own thread counts."""
    pool.reset()
    start = time.process_time()
    for step in range(rounds):
        pool.step(actions[step % len(actions)])  # EnvPool resets an environment that has ended at its next step
    return time.process_time() - start


if __name__ == "__main__":
    main()
