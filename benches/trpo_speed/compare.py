"""Compares environment steps per second of the whole TRPO loop: ours and sb3-contrib's on pybullet, alternating in one run.

    pip install -r requirements.txt
    cargo build --release -p tutelage-cli
    python compare.py [--task hopper] [--steps 100000] [--rounds 3]

Both train a 64-64 tanh policy and value network on normalized states with the same batch. Ours also evaluates the mean action
every tenth batch within the measured time; the other only trains.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile
import time

import gymnasium
import numpy as np
import pybullet_envs.gym_locomotion_envs as bullet
from sb3_contrib import TRPO
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

TASKS = {
    "hopper": bullet.HopperBulletEnv,
    "walker2d": bullet.Walker2DBulletEnv,
    "half-cheetah": bullet.HalfCheetahBulletEnv,
    "ant": bullet.AntBulletEnv,
}
HORIZON = 1000


class Task(gymnasium.Env):
    """A pybullet task behind today's interface."""

    def __init__(self, name):
        self.env = TASKS[name]()
        box = gymnasium.spaces.Box
        self.observation_space = box(-np.inf, np.inf, self.env.observation_space.shape, np.float32)
        self.action_space = box(-1.0, 1.0, self.env.action_space.shape, np.float32)

    def reset(self, *, seed=None, options=None):
        self.env.seed(seed)
        self.time = 0
        return np.asarray(self.env.reset(), np.float32), {}

    def step(self, action):
        state, reward, done, _ = self.env.step(action)
        self.time += 1
        cut = self.time >= HORIZON and not done
        return np.asarray(state, np.float32), float(reward), bool(done), cut, {}


def peer(task, steps, batch):
    lanes = batch // HORIZON
    env = VecNormalize(DummyVecEnv([lambda: Task(task)] * lanes))
    model = TRPO("MlpPolicy", env, n_steps=batch // lanes, device="cpu")
    start = time.perf_counter()
    model.learn(steps)
    return model.num_timesteps / (time.perf_counter() - start)


def ours(binary, task, steps, batch):
    with tempfile.TemporaryDirectory() as folder:
        command = [binary, "--json", "expert", "train", task, "--steps", str(steps), "--batch", str(batch)]
        done = subprocess.run(
            [*command, "--out", f"{folder}/expert.safetensors"], check=True, capture_output=True, text=True
        )
        lines = [json.loads(line) for line in done.stdout.splitlines()]
    last = [line for line in lines if "iteration" in line][-1]
    return last["steps"] / last["seconds"]


if __name__ == "__main__":
    root = pathlib.Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser()
    parser.add_argument("--task", choices=TASKS, default="hopper")
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--batch", type=int, default=8000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tutelage", default=str(root / "target/release/tutelage"))
    args = parser.parse_args()

    ratios = []
    for _ in range(args.rounds):
        fast = ours(args.tutelage, args.task, args.steps, args.batch)
        slow = peer(args.task, args.steps, args.batch)
        ratios.append(fast / slow)
        print(f"{args.task}: ours {fast:.0f} steps/s, sb3-contrib {slow:.0f} steps/s, ratio {ratios[-1]:.1f}", flush=True)
    print(f"median ratio {statistics.median(ratios):.1f}")
