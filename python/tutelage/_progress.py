"""How a run tells what it is doing: a bar or a line a round, and the user's callback."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Round:
    """What a round came to, as a callback gets it."""

    round: int
    annotations: int
    reward: float
    reward_random: float | None
    imitation_loss: float | None
    seconds: float | None
    expert_reward: float | None
    expert_steps: int = 0
    """How many steps the expert has driven so far."""


Callback = Callable[[Round], Any]


class Reporter:
    """Tells of rounds on a terminal or in a notebook; asks the callback whether to go on."""

    def __init__(
        self,
        rounds: int,
        progress: bool | None,
        callback: Callback | None,
        begun: Callable[[], None] = lambda: None,
    ) -> None:
        self._callback, self._begun = callback, begun
        self._has_begun = False
        self._expert: float | None = None
        self._bar = _bar(rounds) if (is_watched() if progress is None else progress) else None

    def stage(self, round: int, name: str) -> None:
        """A stage of a round begins."""
        self._begin()
        if self._bar is not None:
            self._bar.stage(round, name)

    def expert(self, mean: float, deviation: float) -> None:
        """What the expert itself is worth."""
        self._begin()
        self._expert = mean
        if self._bar is not None:
            self._bar.say(f"the expert earns {mean:.1f} ± {deviation:.1f} with its mean action")

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
        """A round is over; says whether to go on."""
        result = Round(round, annotations, reward, reward_random, imitation_loss, seconds, self._expert, expert_steps)
        if self._bar is not None:
            self._bar.round(result)
        return self._callback is None or self._callback(result) is not False

    def _begin(self) -> None:
        """The folder is ours: whoever was refused hears nothing."""
        if not self._has_begun:
            self._has_begun = True
            self._begun()

    def note(self, text: str) -> None:
        """Something worth a line."""
        if self._bar is not None:
            self._bar.say(text)

    def close(self) -> None:
        """Puts the bar away."""
        if self._bar is not None:
            self._bar.close()


def is_watched() -> bool:
    """Whether somebody looks on: at a terminal, or in a notebook."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


class _Lines:
    """A line a round on standard error."""

    def __init__(self, rounds: int) -> None:
        self._rounds = rounds

    def stage(self, round: int, name: str) -> None:
        pass

    def say(self, text: str) -> None:
        print(text, file=sys.stderr)

    def round(self, result: Round) -> None:
        steps = f", {result.expert_steps:>5} steps driven by the expert" if result.expert_steps else ""
        loss = "" if result.imitation_loss is None else f"  loss {result.imitation_loss:.4f}"
        told = f"{result.annotations:>4} annotations{steps}"
        self.say(f"round {result.round:>2}/{self._rounds}  {told}  reward {result.reward:.1f}{loss}")

    def close(self) -> None:
        pass


class _Tqdm:
    """A bar of rounds."""

    def __init__(self, rounds: int, tqdm: Any) -> None:
        self._bar = tqdm(total=rounds, unit="round")

    def stage(self, round: int, name: str) -> None:
        self._bar.set_description(name)

    def say(self, text: str) -> None:
        self._bar.write(text, file=sys.stderr)

    def round(self, result: Round) -> None:
        # A run that goes on was somewhere already.
        self._bar.update(result.round - self._bar.n)
        steps = {"expert_steps": result.expert_steps} if result.expert_steps else {}
        self._bar.set_postfix(reward=f"{result.reward:.1f}", annotations=result.annotations, **steps)

    def close(self) -> None:
        self._bar.close()


def _bar(rounds: int) -> _Lines | _Tqdm:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Lines(rounds)
    return _Tqdm(rounds, tqdm)
