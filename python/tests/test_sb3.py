"""A Stable-Baselines3 model as the expert, if it is installed (the test requirements lack PyTorch)."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tutelage as tut
from conftest import contents

sb3 = pytest.importorskip("stable_baselines3")

SETTINGS: dict[str, Any] = {
    "rounds": 5,
    "states_per_round": 20,
    "hidden": (16,),
    "episodes": 3,
    "budget": "iterations=150",
    "progress": False,
}

# Enough records for twenty kills, each after at least one new record.
LONG = {"rounds": 80, "states_per_round": 5, "episodes": 1, "budget": "iterations=30"}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sb3") / "ppo.zip"
    sb3.PPO("MlpPolicy", "CartPole-v1", seed=1, device="cpu").learn(4096).save(path)
    return path


class Noting:
    """Records the samples of a model."""

    def __init__(self, model: Any) -> None:
        self.model, self.sampled = model, []

    def predict(self, observation: Any, deterministic: bool = False) -> Any:
        actions, memory = self.model.predict(observation, deterministic=deterministic)
        if not deterministic:
            self.sampled.extend(actions.tolist())
        return actions, memory


def test_labels_are_samples_of_predict(model: Path, tmp_path: Path) -> None:
    expert = Noting(sb3.PPO.load(model, device="cpu"))
    run = tut.learn("CartPole-v1", expert, dir=tmp_path / "run", **SETTINGS)
    assert run.finished
    assert run.data.actions.tolist() == expert.sampled
    mean, _ = expert.predict(run.data.states, deterministic=True)
    agreement = (mean == run.data.actions).mean()
    assert 0.5 < agreement < 1, "most samples equal the mean"
    assert set(np.unique(run.data.actions)) == {0, 1}


def test_a_callable_can_label_with_mean_actions(model: Path, tmp_path: Path) -> None:
    expert = sb3.PPO.load(model, device="cpu")
    run = tut.learn("CartPole-v1", lambda obs: expert.predict(obs, deterministic=True)[0], dir=tmp_path / "run", **SETTINGS)
    np.testing.assert_array_equal(run.data.actions, expert.predict(run.data.states, deterministic=True)[0])


PROGRAM = """
import sys
sys.path.insert(0, sys.argv[3])
import stable_baselines3 as sb3, tutelage as tut
from test_sb3 import LONG, SETTINGS
tut.learn("CartPole-v1", sb3.PPO.load(sys.argv[1], device="cpu"), dir=sys.argv[2], **{**SETTINGS, **LONG})
"""


def test_a_run_killed_twenty_times_is_bit_identical(model: Path, tmp_path: Path) -> None:
    whole = tut.learn("CartPole-v1", sb3.PPO.load(model, device="cpu"), dir=tmp_path / "whole", **{**SETTINGS, **LONG})
    log, kills = tmp_path / "killed" / "log.bin", 0
    program = [sys.executable, "-c", PROGRAM, str(model), str(tmp_path / "killed"), str(Path(__file__).parent)]
    size = len((whole.dir / "log.bin").read_bytes())
    while kills < 20:
        before = log.stat().st_size if log.exists() else 0
        with subprocess.Popen(program) as process:
            # Killed as soon as the log has grown, so that some runs are unfinished.
            while process.poll() is None and (log.stat().st_size if log.exists() else 0) < min(before + 1, size - 1):
                time.sleep(0.0005)
            process.send_signal(signal.SIGKILL)
        assert process.returncode == -signal.SIGKILL, "the run was unfinished"
        kills += 1
    assert kills == 20
    assert not tut.Run(tmp_path / "killed").finished
    subprocess.run(program, check=True)
    assert contents(tmp_path / "killed") == contents(whole.dir)
