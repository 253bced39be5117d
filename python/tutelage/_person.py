"""A person as the expert: a page in the browser that shows states and asks for actions."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from ._deprecated import PERSON, renamed
from ._envs import EnvBatch, EnvLike
from ._experts import ExpertAdapter, ExpertLike, adapt_expert
from .errors import SpecError

MAX_PIXELS = 480
"""The largest side of an image: clips consist of dozens of images."""


@renamed(PERSON)
@dataclass(eq=False)
class Person:
    """A person who teaches in a browser: ``tut.learn(env, tut.Person(port=8000), dir=...)`` prints the address.

    The environment must render images (``render_mode="rgb_array"``): pass an id, or a factory of such environments. An answer
    that the page shows as saved is on disk. The same call resumes after any interruption, at the same question. The page is
    available on this machine only, until :meth:`close` or the end of the program.

    Args:
        port: The port of the page; 0 chooses a free one.
        token_file: A file that stores the token, so that the address stays the same.
        repeat_every: Repeats one in this number of questions later, to measure consistency; 0 repeats none.
        undo_seconds: The time in which the last answer of a round can be undone.
        step_seconds: The duration of a step in clips, by default according to the environment's ``render_fps``.
        action_names: The names of the actions, or of their coordinates.
        bound_labels: The meanings of the lowest and highest value of each coordinate: ``[("left", "right"), ...]``.
        state_names: The names of the observation's numbers.
        goal: The goal of the task, in one line.
    """

    port: int = 0
    token_file: str | PathLike[str] | None = None
    repeat_every: int = 20
    undo_seconds: float = 4.0
    step_seconds: float | None = None
    action_names: Sequence[str] | None = None
    bound_labels: Sequence[tuple[str, str]] | None = None
    state_names: Sequence[str] = ()
    goal: str = ""
    url: str | None = field(default=None, init=False)
    """The address of the page while it is open."""
    _page: Any = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        ranges = {
            "port": (0 <= self.port < 65536, "0 to 65535"),
            "repeat_every": (self.repeat_every >= 0, "a number ≥ 0"),
            "undo_seconds": (0 <= self.undo_seconds <= 3600, "0 to 3600 seconds"),
            "step_seconds": (self.step_seconds is None or 0.005 <= self.step_seconds <= 10, "0.005 to 10 seconds"),
        }
        for name, (is_valid, expected) in ranges.items():
            if not is_valid:
                raise SpecError(f"{name} = {getattr(self, name)!r}, expected {expected}")

    def close(self) -> None:
        """Closes the page."""
        if self._page is not None:
            self._page.close()
        self._page = self.url = None


def adapt_expert_or_person(expert: ExpertLike, env: EnvLike, envs: EnvBatch, algorithm: str) -> ExpertAdapter | PersonExpert:
    """Adapts an expert or a person for the native half."""
    if isinstance(expert, Person):
        return PersonExpert(expert, env, envs, algorithm)
    return adapt_expert(envs, expert)


class PersonExpert:
    """A person who teaches in an environment, for the native half."""

    # The description is part of the run's spec. Anyone who opens the page may continue a run.
    description, has_mean, batch, fingerprint = "person", False, 1, None

    def __init__(self, person: Person, env: EnvLike, envs: EnvBatch, algorithm: str) -> None:
        self._person, self._env, self._horizon = person, env, envs.time_limit
        self.port, self.repeat_every, self.goal = person.port, person.repeat_every, person.goal
        self.undo_seconds = float(person.undo_seconds)
        self.token_file = None if person.token_file is None else str(person.token_file)
        self.task, self.algorithm = envs.name, algorithm
        self.state_names = [str(name) for name in person.state_names]
        person.close()
        # Rendering problems should show before the run starts.
        preview = self.preview_env()
        try:
            self.action_names = _action_names(person, preview)
            self.bound_labels = [] if envs.discrete else _bound_labels(person, envs.action_size)
            self.step_seconds = person.step_seconds or preview.step_seconds
            preview.reset(0, 0)
            preview.image()
        except gym.error.Error as error:
            raise SpecError(f"{self.task} cannot be rendered: {error}") from error
        finally:
            preview.close()

    def probe(self, probes: NDArray[np.float32] | None) -> None:
        """Does nothing: people are not deterministic."""

    def preview_env(self) -> PreviewEnv:
        """Makes another environment of the task for clips."""
        return PreviewEnv(_factory(self._env), self._horizon)

    def open(self, page: Any, url: str) -> None:
        """The page is open."""
        self._person._page, self._person.url = page, url
        print(f"Open this address in a browser to teach {self.task}:\n\n    {url}\n", flush=True)


class PreviewEnv(EnvBatch):
    """One environment that renders images."""

    def __init__(self, make: Any, horizon: int | None) -> None:
        super().__init__(make, 1, horizon)
        self._env: gym.Env[Any, Any] = self._source.first
        if self._env.render_mode != "rgb_array":
            self.close()
            raise SpecError(f'{self.name} has render_mode {self._env.render_mode!r}; make it with render_mode="rgb_array"')
        fps = self._env.metadata.get("render_fps") or 20
        self.step_seconds = float(np.clip(1 / fps, 0.02, 0.5))

    @property
    def meanings(self) -> list[str] | None:
        """The environment's own names of its actions."""
        meanings = getattr(self._env.unwrapped, "get_action_meanings", None)
        return [str(name).lower() for name in meanings()] if callable(meanings) else None

    def image(self) -> NDArray[np.uint8]:
        """Renders the current state, ``[height, width, 3]``."""
        pixels = np.asarray(self._env.render())
        if pixels.ndim != 3 or pixels.shape[2] != 3:
            raise SpecError(f"{self.name} renders an array of shape {pixels.shape}, expected [height, width, 3]")
        every = -(-max(pixels.shape[:2]) // MAX_PIXELS)
        return np.ascontiguousarray(pixels[::every, ::every], np.uint8)


def _factory(env: EnvLike) -> Any:
    """Returns a factory of environments that render images."""
    if isinstance(env, str):
        return lambda: _make(env)
    if isinstance(env, gym.Env):
        spec = copy.deepcopy(env.spec)
        if spec is None:
            raise SpecError(f"env = {env!r} cannot be made again for clips; give an id, or a factory")
        return lambda: _make(spec)
    if callable(env):
        return env
    raise SpecError(f"env = {env!r} cannot be rendered one environment at a time; give an id, or a factory")


def _make(env: Any) -> gym.Env[Any, Any]:
    try:
        return gym.make(env, render_mode="rgb_array")
    except (TypeError, gym.error.Error) as error:
        raise SpecError(f"env = {env!r} cannot be rendered: {error}") from error


def _action_names(person: Person, preview: PreviewEnv) -> list[str]:
    count = preview.action_size
    if person.action_names is not None:
        if len(person.action_names) != count:
            raise SpecError(f"action_names has {len(person.action_names)} entries, expected {count} for {preview.name}")
        return [str(name) for name in person.action_names]
    word = "action" if preview.discrete else "number"
    return preview.meanings or [f"{word} {i + 1}" for i in range(count)]


def _bound_labels(person: Person, count: int) -> list[tuple[str, str]]:
    if person.bound_labels is None:
        return [("less", "more")] * count
    if len(person.bound_labels) != count:
        raise SpecError(f"bound_labels has {len(person.bound_labels)} entries, expected {count}, one per coordinate")
    return [(str(low), str(high)) for low, high in person.bound_labels]
