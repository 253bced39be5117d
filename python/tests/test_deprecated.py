"""Old names still work, with a warning."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import tutelage as tut
from conftest import SMALL, Line, brake
from tutelage import _deprecated

LINE: dict[str, Any] = {**SMALL, "rounds": 1, "horizon": 60}


def make_expert(env: Any) -> Any:
    return brake


CALLS: dict[str, tuple[Callable[[Path], Any], set[str]]] = {
    "learn": (
        lambda dir: tut.learn(Line, brake, dir=dir, standardise=True, lanes=2, keep="last", **LINE),
        set(_deprecated.LEARN),
    ),
    "resume": (lambda dir: tut.resume(tut.learn(Line, brake, dir=dir, **LINE).dir, env=Line, expert=brake, lanes=2), {"lanes"}),
    "evaluate": (lambda dir: tut.evaluate(brake, Line, episodes=2, horizon=60, lanes=2), {"lanes"}),
    "sweep": (
        lambda dir: tut.sweep(
            Line, expert=make_expert, dir=dir, on=None, at_once=1, standardise=True, lanes=2, keep="last", **LINE
        ),
        set(_deprecated.SWEEP),
    ),
    "Person": (
        lambda dir: tut.Person(again=0, grace=1.0, pace=0.1, names=["push"], ends=[("less", "more")], aim="stop"),
        set(_deprecated.PERSON),
    ),
    "BulletEnv": (lambda dir: gym.make("tutelage/HopperBullet-v0", normalised=True), {"normalised"}),
    "BulletVectorEnv": (lambda dir: gym.make_vec("tutelage/HopperBullet-v0", num_envs=2, normalised=True), {"normalised"}),
    "tutelage": (lambda dir: tut.EngineError, {"EngineError"}),
    "tutelage.errors": (lambda dir: tut.errors.EngineError, {"EngineError"}),
}


@pytest.mark.parametrize("name", CALLS)
def test_old_names_work_and_warn(name: str, tmp_path: Path) -> None:
    call, names = CALLS[name]
    with pytest.warns(DeprecationWarning, match="is deprecated, use") as warned:
        call(tmp_path / "run")
    messages = [str(warning.message) for warning in warned if "is deprecated, use" in str(warning.message)]
    assert len(messages) == len(names)
    assert all(any(old in message for message in messages) for old in names)


def test_old_and_new_names_make_the_same_run(tmp_path: Path) -> None:
    with pytest.warns(DeprecationWarning, match="standardise"):
        old = tut.sweep(Line, expert=make_expert, dir=tmp_path, standardise=True, lanes=2, **LINE)
    new = tut.sweep(Line, expert=make_expert, dir=tmp_path, standardize=True, num_envs=2, **LINE)
    assert old.names == new.names


def test_the_name_of_a_sweeps_folder_is_frozen(tmp_path: Path) -> None:
    swept = tut.sweep(Line, expert=make_expert, dir=tmp_path, algorithm="bd-2", standardize=True, num_envs=2, **LINE)
    assert swept.names == ["line-bd-2-seed-1-3026cd"]
