"""Ray Tune searches for the K, E and training budget that reach the expert with the fewest annotations.

``pip install 'tutelage[ray]'``, ``python tune_asha.py [TRIALS]``. ASHA compares trials at equal numbers of annotations, not of
rounds. The result of a trial is the number of annotations after which it comes near the expert, because most trials do.
"""

from __future__ import annotations

import math
import sys
from typing import Any

from ray import tune
from ray.tune.schedulers import ASHAScheduler

import tutelage as tut
from experts import EXPERTS
from tutelage.tune import run_of, trainable

ENV, ANNOTATIONS, NEAR = "CartPole-v1", 240, 0.95


def settings(config: dict[str, Any]) -> dict[str, Any]:
    """Settings with the same total number of annotations for every K."""
    return {
        "algorithm": f"bd-{config['E']}",
        "states_per_round": config["K"],
        "rounds": ANNOTATIONS // config["K"],
        "budget": f"iterations={config['iterations']}",
        "hidden": (32,),
        "episodes": 5,
        "seed": config["seed"],
    }


def main() -> None:
    tuner = tune.Tuner(
        trainable(ENV, EXPERTS.get, settings),
        param_space={
            "K": tune.choice([10, 20, 40]),
            "E": tune.choice([1, 3, 5]),
            "iterations": tune.choice([50, 200, 800]),
            "seed": tune.randint(1, 1000),
        },
        tune_config=tune.TuneConfig(
            metric="share",
            mode="max",
            num_samples=int(sys.argv[1]) if len(sys.argv) > 1 else 12,
            scheduler=ASHAScheduler(time_attr="annotations", max_t=ANNOTATIONS, grace_period=40, reduction_factor=2),
        ),
        run_config=tune.RunConfig(checkpoint_config=tune.CheckpointConfig(checkpoint_at_end=True), verbose=1),
    )
    trials = sorted(tuner.fit(), key=needed)
    print(f"annotations to {NEAR:.0%} of the expert, and where the trial ended:")
    for trial in trials:
        print(f"{needed(trial):4.0f}  {trial.metrics['share']:5.0%} after {trial.metrics['annotations']:3}  {trial.config}")
    best = run_of(trials[0].checkpoint)
    reward = tut.evaluate(best.policy, ENV, episodes=20, seed=1).mean_reward
    print(f"the first of them earns {reward:.0f} in 20 fresh episodes, the expert {best.expert_reward:.0f}")


def needed(trial: Any) -> float:
    """The number of annotations after which a trial came near the expert, or infinity if it was stopped before."""
    rounds = trial.metrics_dataframe
    return float(min(rounds["annotations"][rounds["share"] >= NEAR], default=math.inf))


if __name__ == "__main__":
    main()
