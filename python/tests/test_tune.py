"""Ray Tune: a step is a round, a checkpoint is the run's folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import tutelage as tut
from conftest import SMALL, Line, brake, contents

os.environ.update(RAY_AUTH_MODE="disabled", RAY_USAGE_STATS_ENABLED="0")
pytest.importorskip("ray.tune")


def settings(config: dict[str, Any]) -> dict[str, Any]:
    small = {name: value for name, value in SMALL.items() if name != "progress"}
    return {**small, "horizon": 60, "algorithm": f"bd-{config['E']}"}


def test_a_restored_trial_is_bit_identical(tmp_path: Path) -> None:
    from tutelage.tune import RoundByRound, run_of

    class Trial(RoundByRound):  # type: ignore[misc]
        def setup(self, config: dict[str, Any]) -> None:  # type: ignore[override]
            super().setup(config, env=Line, expert=lambda env: brake, settings=settings)

    whole = tut.learn(Line, brake, dir=tmp_path / "whole", progress=False, **settings({"E": 2}))
    for step in range(1, 4):
        trial = Trial({"E": 2})
        if step > 1:
            trial.restore(str(tmp_path / f"checkpoint-{step - 1}"))
        result = trial.train()
        assert (result["annotations"], result["done"]) == (12 * step, step == 3)
        assert result["reward"] == whole.curve["reward"][step - 1]
        trial.save(str(tmp_path / f"checkpoint-{step}"))
        trial.stop()
    assert contents(run_of(tmp_path / "checkpoint-3").dir) == contents(whole.dir)
