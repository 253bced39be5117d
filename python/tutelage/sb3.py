"""The Bullet tasks as vector environments of Stable-Baselines3: ``pip install tutelage[sb3]``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from ._deprecated import BULLET, renamed
from .bullet import NAMES, BulletVectorEnv
from .errors import SpecError


@renamed(BULLET)
class BulletVecEnv(VecEnv):  # type: ignore[misc]
    """Robots of one Bullet task for the algorithms of Stable-Baselines3.

    >>> model = PPO("MlpPolicy", BulletVecEnv("tutelage/HopperBullet-v0", 16))
    """

    def __init__(self, name: str, num_envs: int, normalized: bool = False, render_mode: str | None = None) -> None:
        if name not in NAMES:
            raise SpecError(f"name = {name!r}, expected one of {', '.join(NAMES)}")
        task, mode = NAMES[name][0], AutoresetMode.SAME_STEP
        self._env = BulletVectorEnv(task, num_envs, normalized, autoreset_mode=mode, render_mode=render_mode)
        self._actions: NDArray[np.float32] | None = None
        super().__init__(num_envs, self._env.single_observation_space, self._env.single_action_space)

    def reset(self) -> NDArray[np.float32]:
        seeds = [None if seed is None else int(seed) for seed in self._seeds]
        observations, _ = self._env.reset(seed=seeds)
        self._reset_seeds()
        return observations

    def step_async(self, actions: NDArray[np.float32]) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        assert self._actions is not None
        observations, rewards, terminated, truncated, info = self._env.step(self._actions)
        infos: list[dict[str, Any]] = [{"TimeLimit.truncated": False} for _ in range(self.num_envs)]
        for lane in np.flatnonzero(terminated | truncated):
            infos[lane]["terminal_observation"] = info["final_obs"][lane]
            infos[lane]["TimeLimit.truncated"] = bool(truncated[lane] and not terminated[lane])
        return observations, rewards.astype(np.float32), terminated | truncated, infos

    def close(self) -> None:
        self._env.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self._env, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise NotImplementedError("the robots have no separate attributes")

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        raise NotImplementedError("the robots have no separate methods")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        return self._env.render() or [None] * self.num_envs
