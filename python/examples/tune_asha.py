"""Which K, E and training budget reach the expert with the fewest answers? Ray Tune searches them by successive halving.

``python tune_asha.py [TRIALS]``. Trials are compared at equal numbers of annotations, which is what an expert is paid for:
that is ASHA's clock, not rounds. ``pip install 'tutelage[ray]'``
"""

from __future__ import annotations

import sys
from typing import Any

from ray import tune
from ray.tune.schedulers import ASHAScheduler

from experts import EXPERTS
from tutelage.tune import run_of, trainable

ENV, ANNOTATIONS = "CartPole-v1", 240


def settings(config: dict[str, Any]) -> dict[str, Any]:
    """A run of so many annotations in all, whatever K is."""
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
    best = tuner.fit().get_best_result()
    run = run_of(best.checkpoint)
    print(f"{best.config}: {best.metrics['share']:.0%} of the expert after {len(run.data)} annotations")


if __name__ == "__main__":
    main()
