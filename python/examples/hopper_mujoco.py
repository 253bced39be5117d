"""MuJoCo's Hopper-v5 from a policy that Stable-Baselines3 trained: ``pip install tutelage[sb3] gymnasium[mujoco]``.

``python hopper_mujoco.py MODEL.zip [FOLDER]`` trains a model first if there is none (half an hour). Labels are samples of the
policy, each with its own seed, so the run is reproducible.
"""

from __future__ import annotations

import sys
from pathlib import Path

from stable_baselines3 import SAC

import tutelage as tut

MODEL = Path(sys.argv[1] if len(sys.argv) > 1 else "hopper-sac.zip")
FOLDER = Path(sys.argv[2] if len(sys.argv) > 2 else "runs/hopper-v5")


def main() -> None:
    if not MODEL.exists():
        SAC("MlpPolicy", "Hopper-v5", seed=1).learn(300_000).save(MODEL)
    expert = SAC.load(MODEL, device="cpu")
    run = tut.learn("Hopper-v5", expert, dir=FOLDER, algorithm="bd-5", rounds=20, sampling="stride(20)", progress=True)
    print(f"{run.curve['reward'][-1]:.0f} after {len(run.data)} annotations; the expert earns {run.expert_reward:.0f}")
    run.policy.save(FOLDER / "policy.onnx")


if __name__ == "__main__":
    main()
