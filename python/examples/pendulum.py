"""Pendulum from an energy controller: how many labels do four algorithms need? ``python pendulum.py [FOLDER]``"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import tutelage as tut
from experts import pendulum

FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 else "runs/pendulum")

for algorithm in ("bc", "dagger", "bd-5", "mp-5(50)"):
    run = tut.learn("Pendulum-v1", pendulum, dir=FOLDER / algorithm, algorithm=algorithm, rounds=10, progress=False)
    rewards = " ".join(f"{reward:6.0f}" for reward in run.curve["reward"])
    print(f"{algorithm:10} {rewards}   expert {run.expert_reward:.0f}")

# Disagreement shows where the policy lacks labels.
angles = np.linspace(-np.pi, np.pi, 9)
states = np.stack([np.cos(angles), np.sin(angles), np.zeros(9)], axis=1)
spread = tut.Run(FOLDER / "bd-5").policy.members(states).std(axis=0)[:, 0]
for angle, torque in zip(angles, spread, strict=True):
    print(f"at {angle:+5.2f} rad the members differ by {torque:.2f} Nm")
