"""Progress of a run: a bar or a line per round, and the user's callback."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Round:
    """The results of a round, as a callback receives them."""

    round: int
    annotations: int
    reward: float
    reward_random: float | None
    imitation_loss: float | None
    seconds: float | None
    expert_reward: float | None
    expert_steps: int = 0
    """The number of steps that the expert has driven so far."""


Callback = Callable[[Round], Any]


class Progress:
    """Shows progress on a terminal or in a notebook, and asks the callback whether to continue."""

    def __init__(
        self,
        rounds: int,
        show: bool | None,
        callback: Callback | None,
        started: Callable[[], None] = lambda: None,
    ) -> None:
        self._rounds, self._callback, self._started = rounds, callback, started
        self._expert: float | None = None
        self._show = is_interactive() if show is None else show
        self._bar = _bar(rounds) if self._show else None

    def started(self, expert_reward: float | None) -> None:
        """The run has its folder; the expert's reward is known if it was evaluated before."""
        self._expert = expert_reward
        self._started()

    def stage(self, round: int, name: str) -> None:
        """A stage of a round begins."""
        if self._bar is not None:
            self._bar.set_description(name)

    def expert(self, mean: float, deviation: float) -> None:
        """The expert was evaluated."""
        self._expert = mean
        self.note(f"the expert earns {mean:.1f} ± {deviation:.1f} with its mean action")

    def round(
        self,
        round: int,
        annotations: int,
        expert_steps: int,
        reward: float,
        reward_random: float | None,
        imitation_loss: float | None,
        seconds: float | None,
    ) -> bool:
        """A round is finished; returns whether to continue."""
        result = Round(round, annotations, reward, reward_random, imitation_loss, seconds, self._expert, expert_steps)
        if self._bar is not None:
            # A resumed run does not start at 0.
            self._bar.update(round - self._bar.n)
            steps = {"expert_steps": expert_steps} if expert_steps else {}
            self._bar.set_postfix(reward=f"{reward:.1f}", annotations=annotations, **steps)
        else:
            steps_text = f", {expert_steps:>5} steps driven by the expert" if expert_steps else ""
            loss = "" if imitation_loss is None else f"  loss {imitation_loss:.4f}"
            counts = f"{annotations:>4} annotations{steps_text}"
            self.note(f"round {round:>2}/{self._rounds}  {counts}  reward {reward:.1f}{loss}")
        return self._callback is None or self._callback(result) is not False

    def note(self, text: str) -> None:
        """Prints a line."""
        if self._bar is not None:
            self._bar.write(text, file=sys.stderr)
        elif self._show:
            print(text, file=sys.stderr)

    def close(self) -> None:
        """Removes the bar."""
        if self._bar is not None:
            self._bar.close()


def is_interactive() -> bool:
    """Whether standard error is a terminal, or this is a notebook."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


def _bar(rounds: int) -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(total=rounds, unit="round")
