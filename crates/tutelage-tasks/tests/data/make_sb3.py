"""Makes the Stable-Baselines3 files that `tests/import.rs` reads: barely trained agents with statistics of random states.

Of an agent's archive only the parts that decide what it does are kept.

    pip install stable-baselines3 sb3-contrib gymnasium
    python make_sb3.py
"""

import json
import zipfile

import numpy as np
import torch
from gymnasium import Env, spaces
from sb3_contrib import TRPO
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize


class Noise(Env):
    """Random states in the shape of the Hopper task."""

    observation_space = spaces.Box(-5.0, 5.0, (15,), np.float32)
    action_space = spaces.Box(-1.0, 1.0, (3,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.time = 0
        return self.state(), {}

    def step(self, action):
        self.time += 1
        return self.state(), 0.0, False, self.time == 100, {}

    def state(self):
        return (0.3 + 0.5 * self.np_random.standard_normal(15)).astype(np.float32)


def strip(name):
    """Keeps the policy's tensors and the keyword arguments that shaped it."""
    with zipfile.ZipFile(name) as archive:
        policy = archive.read("policy.pth")
        data = json.loads(archive.read("data"))
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("policy.pth", policy)
        archive.writestr("data", json.dumps({"policy_kwargs": data["policy_kwargs"]}))


def make(algorithm, activation, name):
    env = VecNormalize(DummyVecEnv([Noise]))
    env.seed(3)
    policy = dict(net_arch=[5, 4], log_std_init=-0.7, activation_fn=activation)
    model = algorithm("MlpPolicy", env, policy_kwargs=policy, n_steps=64, seed=3, batch_size=64)
    model.learn(192)
    model.save(f"{name}.zip")
    strip(f"{name}.zip")
    env.save(f"{name}.pkl")
    rng = np.random.default_rng(5)
    states = rng.standard_normal((6, 15)).astype(np.float32)
    with torch.no_grad():
        seen = torch.as_tensor(env.normalize_obs(states))
        means = model.policy.get_distribution(seen).distribution.mean.numpy()
    np.savez(f"{name}_expected.npz", states=states, means=means, std=model.policy.log_std.exp().detach().numpy())


make(TRPO, torch.nn.Tanh, "trpo_tanh")
make(PPO, torch.nn.ReLU, "ppo_relu")
