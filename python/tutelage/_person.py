"""A person as the teacher: a page in the browser, with pictures, that asks what should be done."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from . import _native
from ._experts import ExpertLike, Teacher, can_drive, teacher_in
from ._worlds import EnvLike, Worlds
from .errors import SpecError

LARGEST = 480  # pixels: clips are sent as pictures, dozens at a time


@dataclass(eq=False)
class Person:
    """Somebody who teaches in a browser: ``tut.learn(env, tut.Person(port=8000), dir=...)`` prints an address to open.

    The environment can be any that draws itself (``render_mode="rgb_array"``): an id, or a factory of such environments. Every
    answer that the page shows as saved is on disk. The same call goes on after any interruption, on the same question. The page
    listens on this machine alone, and stays until :meth:`close` or the end of the program.

    Args:
        port: where the page listens; 0 takes a free one.
        token_file: keeps the token, so that the address stays the same from one start to the next.
        again: one of so many questions is asked again later, to see how sure the person is; 0 for none.
        grace: seconds for which an answered round stays open, so that its last answer can be undone.
        pace: seconds that a step takes where somebody watches, by default what the environment's ``render_fps`` says.
        names: the actions' names, or those of an action's numbers; by default the environment's own, or numbers.
        ends: what the least and the greatest value of each number mean: ``[("left", "right"), ...]``.
        state_names: names of the observation's numbers.
        aim: what is to be done, in a line.
    """

    port: int = 0
    token_file: str | PathLike[str] | None = None
    again: int = 20
    grace: float = 4.0
    pace: float | None = None
    names: Sequence[str] | None = None
    ends: Sequence[tuple[str, str]] | None = None
    state_names: Sequence[str] = ()
    aim: str = ""
    url: str | None = field(default=None, init=False)
    """The address of the page, while there is one."""
    _page: Any = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        allowed = {
            "port": (0 <= self.port < 65536, "0 to 65535"),
            "again": (self.again >= 0, "a whole number from 0 on"),
            "grace": (0 <= self.grace <= 3600, "0 to 3600 seconds"),
            "pace": (self.pace is None or 0.005 <= self.pace <= 10, "0.005 to 10 seconds"),
        }
        for name, (fits, words) in allowed.items():
            if not fits:
                raise SpecError(f"{name} = {getattr(self, name)!r}: allowed is {words}")

    def close(self) -> None:
        """Closes the page."""
        if self._page is not None:
            self._page.close()
        self._page = self.url = None


def usual_algorithm(expert: Any) -> str:
    """What learns from this expert where no algorithm is named: whoever only answers is not asked to drive."""
    return _native.usual_algorithm(can_drive(expert) and not isinstance(expert, Person))


def teacher_of(expert: ExpertLike, env: EnvLike, worlds: Worlds, algorithm: str) -> Teacher | Seat:
    """Whoever answers, as the native half asks for them."""
    if isinstance(expert, Person):
        return Seat(expert, env, worlds, algorithm)
    return teacher_in(worlds, expert)


class Seat:
    """Where a person sits who teaches in an environment, as the native half asks for it."""

    # What tells a teacher from others: a person is whoever opens the page.
    description, has_mean, batch, fingerprint = "person", False, 1, None

    def __init__(self, person: Person, env: EnvLike, worlds: Worlds, algorithm: str) -> None:
        self._person, self._env, self._horizon = person, env, worlds.cuts
        self.port, self.again, self.grace, self.aim = person.port, person.again, float(person.grace), person.aim
        self.token_file = None if person.token_file is None else str(person.token_file)
        self.task, self.algorithm = worlds.name, algorithm
        self.state_names = [str(name) for name in person.state_names]
        person.close()
        # That it cannot be looked at is better said before anything is begun.
        stage = self.stage()
        try:
            self.names = _names(person, stage)
            self.ends = [] if worlds.discrete else _ends(person, worlds.action_size)
            self.pace = person.pace or stage.pace
            stage.reset(0, 0)
            stage.picture()
        except gym.error.Error as error:
            raise SpecError(f"{self.task} cannot be looked at: {error}") from error
        finally:
            stage.close()

    def recognise(self, probes: NDArray[np.float32] | None) -> None:
        """People do not repeat themselves: nothing tells one from another."""

    def stage(self) -> Stage:
        """One more environment of the task, to look at."""
        return Stage(_drawn(self._env), self._horizon)

    def open(self, page: Any, url: str) -> None:
        """The page is there."""
        self._person._page, self._person.url = page, url
        print(f"Open this address in a browser to teach {self.task}:\n\n    {url}\n", flush=True)


class Stage(Worlds):
    """One environment that draws itself."""

    def __init__(self, make: Any, horizon: int | None) -> None:
        super().__init__(make, 1, horizon)
        self._env: gym.Env[Any, Any] = self._source.envs[0]
        if self._env.render_mode != "rgb_array":
            self.close()
            raise SpecError(
                f"{self.name} has render_mode {self._env.render_mode!r}; a person must see it: "
                'make it with render_mode="rgb_array"'
            )
        fps = self._env.metadata.get("render_fps") or 20
        self.pace = float(np.clip(1 / fps, 0.02, 0.5))

    @property
    def meanings(self) -> list[str] | None:
        """What the environment itself calls its actions."""
        tell = getattr(self._env.unwrapped, "get_action_meanings", None)
        return [str(name).lower() for name in tell()] if callable(tell) else None

    def picture(self) -> NDArray[np.uint8]:
        """How it looks now: rows of pixels, red, green and blue."""
        pixels = np.asarray(self._env.render())
        if pixels.ndim != 3 or pixels.shape[2] != 3:
            raise SpecError(f"{self.name} draws an array of shape {pixels.shape}; allowed are pictures, [height, width, 3]")
        every = -(-max(pixels.shape[:2]) // LARGEST)
        return np.ascontiguousarray(pixels[::every, ::every], np.uint8)


def _drawn(env: EnvLike) -> Any:
    """A factory of the same environments that draw themselves."""
    if isinstance(env, str):
        return lambda: _make(env)
    if isinstance(env, gym.Env):
        spec = copy.deepcopy(env.spec)
        if spec is None:
            raise SpecError(f"env = {env!r}: a person looks at environments of their own; give an id, or a factory of it")
        return lambda: _make(spec)
    if callable(env):
        return env
    raise SpecError(f"env = {env!r}: a person looks at one environment at a time; give an id, or a factory of it")


def _make(env: Any) -> gym.Env[Any, Any]:
    try:
        return gym.make(env, render_mode="rgb_array")
    except (TypeError, gym.error.Error) as error:
        raise SpecError(f"env = {env!r} cannot be looked at: {error}") from error


def _names(person: Person, stage: Stage) -> list[str]:
    count = stage.action_size
    if person.names is not None:
        if len(person.names) != count:
            raise SpecError(f"names has {len(person.names)} entries; {stage.name} has {count}")
        return [str(name) for name in person.names]
    word = "action" if stage.discrete else "number"
    return stage.meanings or [f"{word} {i + 1}" for i in range(count)]


def _ends(person: Person, count: int) -> list[tuple[str, str]]:
    if person.ends is None:
        return [("less", "more")] * count
    if len(person.ends) != count:
        raise SpecError(f"ends has {len(person.ends)} entries; an action has {count} numbers")
    return [(str(low), str(high)) for low, high in person.ends]
