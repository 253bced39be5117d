"""The four Bullet locomotion tasks as Gymnasium environments, bit-identical to ``pybullet_envs``.

``import tutelage`` registers them: ``gymnasium.make("tutelage/HopperBullet-v0")`` makes one, and ``make_vec`` many robots that
step together. With ``normalized=True``, states are normalized as for the built-in experts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from ._deprecated import BULLET, renamed
from ._native import RobotVecEnv
from .errors import SpecError

Floats = NDArray[np.float32]
Info = dict[str, Any]

HORIZON = 1000
POSE_RANGE = 0.1
NAMES = {
    "tutelage/HopperBullet-v0": ("hopper", 2500.0),
    "tutelage/Walker2DBullet-v0": ("walker2d", 2500.0),
    "tutelage/HalfCheetahBullet-v0": ("half-cheetah", 3000.0),
    "tutelage/AntBullet-v0": ("ant", 2500.0),
}


def register() -> None:
    """Registers the tasks with Gymnasium."""
    for name, (task, threshold) in NAMES.items():
        if name not in gym.registry:
            gym.register(
                name,
                entry_point="tutelage.bullet:BulletEnv",
                vector_entry_point="tutelage.bullet:BulletVectorEnv",
                max_episode_steps=HORIZON,
                reward_threshold=threshold,
                kwargs={"task": task},
            )


def _spaces(widths: tuple[int, int]) -> tuple[Any, Any]:
    states, actions = widths
    return spaces.Box(-np.inf, np.inf, (states,), np.float32), spaces.Box(-1.0, 1.0, (actions,), np.float32)


RENDERING: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 60}


def _check_render_mode(render_mode: str | None) -> None:
    if render_mode not in (None, "rgb_array"):
        raise SpecError(f"render_mode = {render_mode!r}, expected 'rgb_array'")


@renamed(BULLET)
class BulletEnv(gym.Env[Floats, Floats]):
    """One robot. ``reset(options={"pose": …})`` starts with the joints in a given pose, in radians."""

    metadata = RENDERING

    def __init__(
        self,
        task: str,
        normalized: bool = False,
        render_mode: str | None = None,
        width: int = 320,
        height: int = 240,
    ) -> None:
        _check_render_mode(render_mode)
        self._robots = RobotVecEnv(task, 1, normalized)
        self.normalized = normalized
        self.observation_space, self.action_space = _spaces(self._robots.widths)
        self.render_mode, self._size = render_mode, (width, height)
        self._joints = self._robots.widths[1]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Floats, Info]:
        super().reset(seed=seed)
        pose = (options or {}).get("pose")
        if pose is None:
            pose = self.np_random.uniform(-POSE_RANGE, POSE_RANGE, self._joints)
        return self._robots.reset_to([0], np.asarray(pose, np.float64)[None])[0], {}

    def step(self, action: Floats) -> tuple[Floats, float, bool, bool, Info]:
        states, rewards, terminated, truncated = self._robots.step([0], np.asarray(action, np.float32)[None])
        return states[0], float(rewards[0]), bool(terminated[0]), bool(truncated[0]), {}

    def render(self) -> NDArray[np.uint8] | None:
        return None if self.render_mode is None else self._robots.render(0, *self._size)


@renamed(BULLET)
class BulletVectorEnv(VectorEnv[Floats, Floats, Any]):
    """Robots that step together, in any of Gymnasium's three autoreset modes."""

    def __init__(
        self,
        task: str,
        num_envs: int = 1,
        normalized: bool = False,
        max_episode_steps: int = HORIZON,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        width: int = 320,
        height: int = 240,
    ) -> None:
        _check_render_mode(render_mode)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**RENDERING, "autoreset_mode": self.autoreset_mode}
        self.render_mode, self._size = render_mode, (width, height)
        self.num_envs = num_envs
        self._robots = RobotVecEnv(task, num_envs, normalized)
        self.normalized = normalized
        self.single_observation_space, self.single_action_space = _spaces(self._robots.widths)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._limit, self._joints = max_episode_steps, self._robots.widths[1]
        self._generators: list[np.random.Generator] = [seeding.np_random(None)[0] for _ in range(num_envs)]
        self._times = np.zeros(num_envs, np.int64)
        self._over = np.ones(num_envs, bool)
        self._states = np.zeros((num_envs, self._robots.widths[0]), np.float32)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Floats, Info]:
        options = options or {}
        mask = np.asarray(options.get("reset_mask", np.ones(self.num_envs, bool)), bool)
        if mask.shape != (self.num_envs,) or not mask.any():
            raise SpecError(f"options['reset_mask'] = {mask}, expected {self.num_envs} flags, at least one of them set")
        seeds = [seed + i for i in range(self.num_envs)] if isinstance(seed, int) else seed
        lanes = np.flatnonzero(mask)
        for lane in lanes.tolist():
            if seeds is not None and (own := seeds[lane]) is not None:
                self._generators[lane] = seeding.np_random(own)[0]
        self._start(lanes, options.get("pose"))
        return self._states.copy(), {}

    def _start(self, lanes: NDArray[np.intp], poses: Any = None) -> None:
        if poses is None:
            poses = np.stack([self._generators[lane].uniform(-POSE_RANGE, POSE_RANGE, self._joints) for lane in lanes])
        self._states[lanes] = self._robots.reset_to(lanes.tolist(), np.ascontiguousarray(poses, np.float64))
        self._times[lanes] = 0
        self._over[lanes] = False

    def step(self, actions: Floats) -> tuple[Floats, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Info]:
        actions = np.ascontiguousarray(actions, np.float32)
        over = np.flatnonzero(self._over)
        if over.size and self.autoreset_mode is not AutoresetMode.NEXT_STEP:
            raise SpecError(f"environment {over[0]} is not in an episode; reset it with options['reset_mask']")
        stepped = np.flatnonzero(~self._over)
        rewards = np.zeros(self.num_envs)
        terminated, truncated = np.zeros(self.num_envs, bool), np.zeros(self.num_envs, bool)
        if stepped.size:
            outcome = self._robots.step(stepped.tolist(), actions[stepped])
            self._states[stepped], rewards[stepped], terminated[stepped], truncated[stepped] = outcome
            self._times[stepped] += 1
            truncated |= (self._times >= self._limit) & ~self._over & ~terminated
        if over.size:
            self._start(over)
        self._over = terminated | truncated
        info = self._restart() if self.autoreset_mode is AutoresetMode.SAME_STEP else {}
        return self._states.copy(), rewards, terminated, truncated, info

    def _restart(self) -> Info:
        """Restarts environments whose episodes have just ended, and keeps their last states."""
        ended = np.flatnonzero(self._over)
        if not ended.size:
            return {}
        last = np.full(self.num_envs, None, object)
        for lane in ended:
            last[lane] = self._states[lane].copy()
        mask = self._over.copy()
        self._start(ended)
        return {"final_obs": last, "_final_obs": mask, "final_info": {}, "_final_info": mask.copy()}

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """Renders every robot."""
        if self.render_mode is None:
            return None
        return tuple(self._robots.render(lane, *self._size) for lane in range(self.num_envs))
