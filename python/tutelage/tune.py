"""A Ray Tune Trainable whose step is a round and whose checkpoint is the run's folder: ``pip install tutelage[ray]``.

>>> search = trainable("CartPole-v1", make_expert, settings=lambda config: {"algorithm": f"bd-{config['E']}"})
>>> tune.Tuner(search, param_space={"E": tune.choice([1, 5, 10])}, ...).fit()
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ._learn import learn
from ._run import Run
from ._spaces import Json
from .errors import ExecutorError

try:
    from ray import tune
except ImportError as missing:
    raise ExecutorError("Ray Tune is not installed: pip install 'tutelage[ray]'") from missing


class RoundByRound(tune.Trainable):  # type: ignore[misc]
    """A run that learns one round per step. A restored trial resumes and produces bit-identical results.

    It reports ``annotations``, ``expert_steps``, ``reward``, ``imitation_loss``, ``share`` (of the expert's reward, if that is
    positive), and ``done`` after the last round.
    """

    def setup(
        self,
        config: Json,
        env: Any = None,
        expert: Callable[[Any], Any] | None = None,
        settings: Callable[[Json], Json] | None = None,
    ) -> None:
        """Prepares the run of a trial."""
        self._env = env
        self._expert = None if expert is None else expert(env)
        self._settings = dict(config) if settings is None else settings(config)
        self._home = Path(tempfile.mkdtemp(prefix="tutelage-"))

    @property
    def _dir(self) -> Path:
        return self._home / "run"

    def step(self) -> Json:
        """Learns for a round and returns its results."""
        run = learn(self._env, self._expert, dir=self._dir, callback=lambda _: False, progress=False, **self._settings)
        last = {name: values[-1].item() for name, values in run.curve.items() if name != "seconds"}
        known = {name: value for name, value in last.items() if value == value}
        share = {"share": last["reward"] / run.expert_reward} if run.expert_reward and run.expert_reward > 0 else {}
        return {**known, **share, "done": run.finished}

    def save_checkpoint(self, checkpoint_dir: str) -> None:
        """Copies the run's folder to a checkpoint."""
        shutil.copytree(self._dir, Path(checkpoint_dir) / "run", dirs_exist_ok=True)

    def load_checkpoint(self, checkpoint: Any) -> None:
        """Replaces the run's folder by that of a checkpoint."""
        shutil.rmtree(self._dir, ignore_errors=True)
        shutil.copytree(Path(str(checkpoint)) / "run", self._dir)

    def cleanup(self) -> None:
        """Removes the folder; checkpoints stay."""
        shutil.rmtree(self._home, ignore_errors=True)


def trainable(
    env: Any,
    expert: Callable[[Any], Any] | None = None,
    settings: Callable[[Json], Json] | None = None,
) -> Any:
    """Makes a Trainable for Ray Tune.

    Args:
        env: An id, a factory, or the name of a built-in task.
        expert: A function from the environment to its expert, called where the trial runs.
        settings: A function from a trial's config to the arguments of :func:`tutelage.learn`, by default the identity.
    """
    return tune.with_parameters(RoundByRound, env=env, expert=expert, settings=settings)


def run_of(checkpoint: Any) -> Run:
    """Returns the run in a checkpoint such as ``result.checkpoint``."""
    path = checkpoint if isinstance(checkpoint, str | Path) else checkpoint.to_directory()
    return Run(Path(path) / "run")
