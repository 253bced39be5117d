"""CartPole from a scripted expert in ten lines. ``python cart_pole.py [FOLDER]``"""

from __future__ import annotations

import sys

import tutelage as tut
from experts import cart_pole

run = tut.learn("CartPole-v1", cart_pole, dir=sys.argv[1] if len(sys.argv) > 1 else "runs/cart-pole", rounds=5, progress=True)
for asked, reward in zip(run.curve["annotations"], run.curve["reward"], strict=True):
    print(f"{asked:5} annotations  {reward:6.1f}  {'#' * int(reward / 25)}")
print(f"the expert earns {run.expert_reward:.1f}")
run.policy.save(run.dir / "policy.onnx")
