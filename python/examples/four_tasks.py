"""Four tasks of Gymnasium, each learned from a rule, three seeds: the share of the expert's return.

``python four_tasks.py [FOLDER]``; it may be stopped at any time, and the same command goes on. Returns that are negative are
shown as they are: a share of them says nothing.
"""

from __future__ import annotations

import sys
from pathlib import Path

import tutelage as tut
from experts import EXPERTS

FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 else "runs/four-tasks")
SEEDS = (1, 2, 3)


def main() -> None:
    for name, expert in EXPERTS.items():
        for seed in SEEDS:
            run = tut.learn(name, expert, dir=FOLDER / f"{name}-{seed}", algorithm="bd-5", seed=seed, progress=False)
            learned = tut.evaluate(run.policy, name, episodes=100, seed=1000 + seed)
            taught = tut.evaluate(expert, name, episodes=100, seed=1000 + seed)
            share = f", {100 * learned.mean_reward / taught.mean_reward:.0f} %" if taught.mean_reward > 0 else ""
            print(
                f"{name:26} seed {seed}: {learned.mean_reward:8.1f} ± {learned.sd_reward:5.1f}, "
                f"expert {taught.mean_reward:8.1f} ± {taught.sd_reward:5.1f}{share}, {len(run.data)} annotations"
            )


if __name__ == "__main__":
    main()
