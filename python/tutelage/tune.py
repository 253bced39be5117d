"""Ray Tune: a Trainable whose step is a round, and whose checkpoint is the run's folder. ``pip install tutelage[ray]``.

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
from .errors import EngineError

try:
    from ray import tune
except ImportError as missing:
    raise EngineError("Ray Tune is not installed here: pip install 'tutelage[ray]'") from missing


class RoundByRound(tune.Trainable):  # type: ignore[misc]
    """A run that is played a round at a time, wherever its folder is brought.

    It reports ``annotations``, ``expert_steps``, ``reward``, ``share`` of the expert's reward where that is positive,
    ``imitation_loss``, and ``done`` with its last round. Stopped, moved or restored, it goes on to the same bytes.
    """

    def setup(
        self,
        config: Json,
        env: Any = None,
        expert: Callable[[Any], Any] | None = None,
        settings: Callable[[Json], Json] | None = None,
    ) -> None:
        """Begins a run with what a trial chose."""
        self._env = env
        self._expert = None if expert is None else expert(env)
        self._settings = dict(config) if settings is None else settings(config)
        self._home = Path(tempfile.mkdtemp(prefix="tutelage-"))

    @property
    def _dir(self) -> Path:
        return self._home / "run"

    def step(self) -> Json:
        """Plays a round."""
        run = learn(self._env, self._expert, dir=self._dir, callback=lambda _: False, progress=False, **self._settings)
        last = {name: values[-1].item() for name, values in run.curve.items() if name != "seconds"}
        known = {name: value for name, value in last.items() if value == value}
        share = {"share": last["reward"] / run.expert_reward} if run.expert_reward and run.expert_reward > 0 else {}
        return {**known, **share, "done": run.finished}

    def save_checkpoint(self, checkpoint_dir: str) -> None:
        """The run's folder, as it is between two rounds."""
        shutil.copytree(self._dir, Path(checkpoint_dir) / "run", dirs_exist_ok=True)

    def load_checkpoint(self, checkpoint: Any) -> None:
        """Goes on from a folder."""
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
    """A Trainable for Ray Tune.

    Args:
        env: an id, a factory, or the name of a task that ships.
        expert: makes the expert of an environment, where the trial runs.
        settings: what :func:`tutelage.learn` is called with, as a function of a trial's config; by default the config itself.
    """
    return tune.with_parameters(RoundByRound, env=env, expert=expert, settings=settings)


def run_of(checkpoint: Any) -> Run:
    """The run in a checkpoint's folder, as ``result.checkpoint`` has it."""
    path = checkpoint if isinstance(checkpoint, str | Path) else checkpoint.to_directory()
    return Run(Path(path) / "run")
