"""Errors: exceptions contain the index, the value and the cause, and no data is lost."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import tutelage as tut
from conftest import SMALL, Line, balance, brake, contents, learn_line

SETTINGS: dict[str, Any] = {**SMALL, "horizon": 60}


class Fault(Line):
    """The line, with an error after 2500 steps."""

    wrong: Any = None
    steps = 0

    def step(self, action: Any) -> Any:
        type(self).steps += 1
        state, reward, terminated, truncated, info = super().step(action)
        if type(self).steps <= 2500:
            return state, reward, terminated, truncated, info
        return type(self).wrong(state, reward, terminated)


def raises(*_: Any) -> Any:
    raise RuntimeError("the motor is gone")


WRONGS = {
    "raises": (raises, "RuntimeError: the motor is gone"),
    "nan": (lambda s, r, t: (s * np.nan, r, t, False, {}), r"state\[0\] = NaN"),
    "reward": (lambda s, r, t: (s, float("nan"), t, False, {}), "reward NaN"),
    "words": (lambda s, r, t: (s, "much", t, False, {}), "reward 'much'"),
    "shape": (lambda s, r, t: (np.zeros(3), r, t, False, {}), r"shape \(3,\), expected \(2,\)"),
    "dtype": (lambda s, r, t: (np.array(["a", "b"]), r, t, False, {}), "dtype <U1"),
    "four": (lambda s, r, t: (s, r, t, {}), "not enough values"),
}


@pytest.mark.parametrize("name", WRONGS)
def test_a_failing_environment_is_named_and_loses_nothing(name: str, tmp_path: Path) -> None:
    wrong, words = WRONGS[name]
    faulty = type("Faulty", (Fault,), {"wrong": staticmethod(wrong), "steps": 0})
    with pytest.raises(tut.EnvError, match=words) as caught:
        tut.learn(faulty, brake, dir=tmp_path / "run", **{**SETTINGS, "rounds": 9})
    assert re.search(r"environment \d+", str(caught.value))
    if name == "raises":
        cause = caught.value.__cause__
        assert isinstance(cause, RuntimeError)
        assert cause.args == ("the motor is gone",)
    kept = len(tut.Run(tmp_path / "run").data)
    assert kept > 0
    faulty.steps = -(10**9)  # type: ignore[attr-defined]
    assert tut.learn(faulty, brake, dir=tmp_path / "run", **{**SETTINGS, "rounds": 9}).finished


def early(name: str, where: str) -> Any:
    """An environment that fails in its constructor, in `reset`, or at its first step."""
    wrong, _ = WRONGS[name]

    class Early(Line):
        def __init__(self) -> None:
            super().__init__()
            if where == "constructor":
                raises()

        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            state, info = super().reset(seed=seed)
            return (wrong(state, 0.0, False)[0], info) if where == "reset" else (state, info)

        def step(self, action: Any) -> Any:
            state, reward, terminated, _, _ = super().step(action)
            return wrong(state, reward, terminated)

    return Early


EARLY = [
    ("raises", "constructor"),
    *((name, "reset") for name in ("raises", "nan", "shape", "dtype")),
    *((name, "first step") for name in WRONGS),
]


@pytest.mark.parametrize(("name", "where"), EARLY)
def test_an_environment_that_fails_immediately_is_named(name: str, where: str, tmp_path: Path) -> None:
    with pytest.raises(tut.EnvError, match=WRONGS[name][1]) as caught:
        tut.learn(early(name, where), brake, dir=tmp_path / "run", **SETTINGS)
    assert str(caught.value).startswith("environment 0: ")
    assert caught.value.lane == 0
    if name == "raises":
        assert isinstance(caught.value.__cause__, RuntimeError)
        assert caught.value.__cause__.args == ("the motor is gone",)
    assert not (tmp_path / "run").exists()


def test_a_failing_reset_is_named_and_loses_nothing(tmp_path: Path) -> None:
    class Resets(Line):
        count = 0

        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            type(self).count += 1
            if type(self).count == 45:
                raises()
            return super().reset(seed=seed)

    with pytest.raises(tut.EnvError, match=r"environment \d+: RuntimeError: the motor is gone"):
        tut.learn(Resets, brake, dir=tmp_path / "run", **{**SETTINGS, "rounds": 9})
    assert len(tut.Run(tmp_path / "run").data) > 0
    run, whole = (
        tut.learn(Resets, brake, dir=tmp_path / "run", **{**SETTINGS, "rounds": 9}),
        learn_line(tmp_path / "whole", rounds=9),
    )
    assert run.finished
    np.testing.assert_array_equal(run.data.states, whole.data.states)
    np.testing.assert_array_equal(run.curve["reward"], whole.curve["reward"])


class Gears(gym.Env[Any, Any]):
    """Its observation is one of three gears; after `good` steps it is invalid."""

    observation_space = gym.spaces.Discrete(3)
    action_space = gym.spaces.Discrete(2)
    steps, good = 0, 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        return 0, {}

    def step(self, action: Any) -> Any:
        type(self).steps += 1
        return (3 if type(self).steps > type(self).good else int(action)), 0.0, False, False, {}


@pytest.mark.parametrize("good", [0, 300])
def test_an_observation_outside_its_discrete_space_raises(good: int, tmp_path: Path) -> None:
    gears = type("Stuck", (Gears,), {"good": good, "steps": 0})
    with pytest.raises(tut.EnvError, match=r"environment \d+: .*observation is (array\()?3\)?, expected 0 to 2"):
        tut.learn(gears, lambda obs: obs % 2, dir=tmp_path / "run", **{**SMALL, "horizon": 10})


class Motorless(Line):
    def step(self, action: Any) -> Any:
        return raises()


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_failing_environment_of_a_vector_is_named(tmp_path: Path) -> None:
    makers: list[Any] = [Line, Line, Motorless, Line]
    env = gym.vector.AsyncVectorEnv(makers, autoreset_mode=gym.vector.AutoresetMode.DISABLED)
    with pytest.raises(tut.EnvError, match="environment 2: RuntimeError: the motor is gone") as caught:
        tut.learn(env, brake, dir=tmp_path / "run", **SETTINGS)
    assert caught.value.lane == 2
    env.close(terminate=True)


class Together(gym.vector.VectorEnv[Any, Any, Any]):
    """Two lines that step together, and fail together after `good` steps."""

    metadata = {"autoreset_mode": gym.vector.AutoresetMode.DISABLED}
    num_envs = 2

    def __init__(self, good: int) -> None:
        self.lines, self.good = [Line(), Line()], good
        self.single_observation_space = self.lines[0].observation_space
        self.single_action_space = self.lines[0].action_space

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        for lane in np.flatnonzero(options["reset_mask"]):
            self.lines[lane].reset(seed=seed[lane])
        return self.states(), {}

    def states(self) -> Any:
        return np.array([[line.place, line.speed] for line in self.lines])

    def step(self, actions: Any) -> Any:
        self.good -= 1
        if self.good < 0:
            raises()
        steps = [line.step(action) for line, action in zip(self.lines, actions, strict=True)]
        rewards, over = np.array([step[1] for step in steps]), np.array([step[2] for step in steps])
        return self.states(), rewards, over, np.zeros(2, bool), {}


@pytest.mark.parametrize("good", [5, 1500])
def test_a_vector_that_fails_as_a_whole_names_no_lane(good: int, tmp_path: Path) -> None:
    with pytest.raises(tut.EnvError, match=r"^the vector environment: RuntimeError: the motor is gone") as caught:
        tut.learn(Together(good), brake, dir=tmp_path / "run", **{**SETTINGS, "rounds": 30})
    assert caught.value.lane is None
    assert isinstance(caught.value.__cause__, RuntimeError)


EXPERTS = {
    "raises": (raises, "RuntimeError: the motor is gone"),
    "few": (lambda obs: brake(obs)[1:], r"has shape \(31, 1\), expected \(32, 1\)"),
    "flat": (lambda obs: brake(obs)[0], r"has shape \(1,\), expected \(32, 1\)"),
    "words": (lambda obs: ["left"] * len(obs), "dtype <U4"),
    "nan": (lambda obs: brake(obs) * np.nan, "row 0, column 0: NaN, expected"),
    "outside": (lambda obs: brake(obs) * 0 + 11, r"row 0, column 0: 11, expected -10 to 10"),
}


@pytest.mark.parametrize("name", EXPERTS)
def test_invalid_actions_of_the_expert_raise(name: str, tmp_path: Path) -> None:
    wrong, words = EXPERTS[name]
    with pytest.raises(tut.ExpertError, match=words) as caught:
        tut.learn(Line, wrong, dir=tmp_path / "run", **SETTINGS)
    if name == "raises":
        assert isinstance(caught.value.__cause__, RuntimeError)


LATER = {
    "raises": (raises, "RuntimeError: the motor is gone"),
    "few": (lambda obs: brake(obs)[1:], r"has shape \(\d+, 1\), expected \(\d+, 1\)"),
    "outside": (lambda obs: brake(obs) * 0 + 11, r"row 0, column 0: 11, expected -10 to 10"),
}


@pytest.mark.parametrize("name", LATER)
def test_a_failing_expert_loses_nothing(name: str, tmp_path: Path) -> None:
    wrong, words = LATER[name]
    calls = 0

    def failing(obs: Any) -> Any:
        nonlocal calls
        calls += 1
        return wrong(obs) if calls == 250 else brake(obs)

    with pytest.raises(tut.ExpertError, match=words) as caught:
        tut.learn(Line, failing, dir=tmp_path / "run", **{**SETTINGS, "rounds": 5})
    if name == "raises":
        assert isinstance(caught.value.__cause__, RuntimeError)
    assert 0 < len(tut.Run(tmp_path / "run").data) < 60
    run = tut.learn(Line, brake, dir=tmp_path / "run", **{**SETTINGS, "rounds": 5})
    assert contents(run.dir) == contents(learn_line(tmp_path / "whole", rounds=5).dir)


def test_indices_outside_the_action_space_raise(tmp_path: Path) -> None:
    with pytest.raises(tut.ExpertError, match=r"the expert's action\[0\] is 2, expected 0 to 1"):
        tut.learn("CartPole-v1", lambda obs: balance(obs) * 0 + 2, dir=tmp_path / "run", **SMALL)
    with pytest.raises(tut.ExpertError, match="expected integers"):
        tut.learn("CartPole-v1", lambda obs: balance(obs) * 0.5, dir=tmp_path / "run", **SMALL)


ARGUMENTS: dict[str, tuple[dict[str, Any], str]] = {
    "algorithm": ({"algorithm": "dager"}, "did you mean `dagger`"),
    "rounds": ({"rounds": 0}, "rounds = 0: expected a whole number from 1"),
    "states_per_round": ({"states_per_round": -1}, "states_per_round = -1"),
    "hidden": ({"hidden": (0,)}, "hidden widths from 1 to"),
    "sampling": ({"sampling": "often"}, "independent, or stride"),
    "sampling, ignored": ({"algorithm": "hg-dagger(0.2)", "sampling": "independent"}, "in which the expert drove"),
    "budget": ({"budget": "long"}, "oracle.budget"),
    "learning_rate": ({"learning_rate": 2.0}, "oracle.learning_rate = 2"),
    "d0": ({"d0": "uniform(-1,1)"}, "uses no perturbations"),
    "d0 shape": ({"algorithm": "mp-3(4)", "d0": np.zeros((3, 9))}, r"d0 has shape \(3, 9\)"),
    "deploy": ({"deploy": "best"}, "mean, member, random-round"),
    "seed": ({"seed": -1}, "seed = -1"),
    "data": ({"algorithm": "bagging-3"}, "data is missing"),
    "horizon": ({"horizon": 0}, "horizon must be at least 1, got 0"),
    "no horizon": ({"horizon": None}, "declares no time limit"),
    "expert": ({"expert": 5}, "a callable, an object with .predict"),
    "no expert": ({"expert": None}, "only built-in tasks"),
    "env": ({"env": "CartPoll-v1"}, "CartPole"),
    "no env": ({"env": 3}, "an id, a factory"),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_invalid_arguments_raise_and_leave_no_folder(name: str, tmp_path: Path) -> None:
    wrong, words = ARGUMENTS[name]
    arguments: dict[str, Any] = {"env": Line, "expert": brake, **SETTINGS, **wrong}
    with pytest.raises(tut.SpecError, match=words):
        tut.learn(arguments.pop("env"), arguments.pop("expert"), dir=tmp_path / "run", **arguments)
    assert not (tmp_path / "run" / "log.bin").exists()


class Endless(Line):
    """Declares a limit of 20 steps, and exceeds it."""

    spec = gym.envs.registration.EnvSpec("Endless-v0", max_episode_steps=20)


def test_an_environment_that_exceeds_its_horizon_raises(tmp_path: Path) -> None:
    with pytest.raises(tut.EnvError, match=r"environment \d+.*20"):
        tut.learn(Endless, brake, dir=tmp_path / "run", **SMALL)
    run = tut.learn(Endless, brake, dir=tmp_path / "cut", **{**SETTINGS, "horizon": 20})
    assert run.finished, "horizon= ends its episodes"


def test_recurrent_experts_raise(tmp_path: Path) -> None:
    class Recurrent:
        def predict(self, obs: Any, deterministic: bool = True) -> Any:
            return brake(obs), np.zeros(3)

    with pytest.raises(tut.ExpertError, match="recurrent"):
        tut.learn(Line, Recurrent(), dir=tmp_path / "run", **SETTINGS)


def test_vector_environments_with_autoreset_raise(tmp_path: Path) -> None:
    env = gym.make_vec("CartPole-v1", num_envs=2, vectorization_mode="async")
    with pytest.raises(tut.SpecError, match=r"AutoresetMode\.DISABLED"):
        tut.learn(env, balance, dir=tmp_path / "run", **SMALL)
    env.close()


class Moody(Line):
    """Remembers its last episode, so a used environment differs from a new one."""

    mood = 0.0

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        state, info = super().reset(seed=seed)
        self.place += self.mood
        self.mood += 0.01
        return state + np.array([self.mood, 0.0]), info


def test_a_stateful_environment_is_renewed_with_a_warning(tmp_path: Path) -> None:
    with pytest.warns(tut.TutelageWarning, match="every episode gets a new environment"):
        whole = tut.learn(Moody, brake, dir=tmp_path / "whole", **SETTINGS)
    for _ in range(3):
        with pytest.warns(tut.TutelageWarning):
            tut.learn(Moody, brake, dir=tmp_path / "parts", callback=lambda _: False, **SETTINGS)
    assert contents(whole.dir) == contents(tmp_path / "parts")


def test_an_unseeded_environment_warns(tmp_path: Path) -> None:
    class Chance(Line):
        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            return super().reset(seed=None)

    with pytest.warns(tut.TutelageWarning, match="from its seed and actions"):
        assert tut.learn(Chance, brake, dir=tmp_path / "run", **SETTINGS).finished


def test_an_unseeded_expert_warns(tmp_path: Path) -> None:
    generator = np.random.default_rng()

    def wavering(obs: Any) -> Any:
        return brake(obs) * generator.uniform(0.9, 1.0)

    with pytest.warns(tut.TutelageWarning, match="the expert is not deterministic"):
        assert tut.learn(Line, wavering, dir=tmp_path / "run", **SETTINGS).finished


def test_an_exception_in_a_callback_stops_the_run(tmp_path: Path) -> None:
    def callback(result: tut.Round) -> None:
        raise LookupError(result.round)

    with pytest.raises(LookupError):
        learn_line(tmp_path / "run", callback=callback)
    assert tut.Run(tmp_path / "run").rounds == 1


def test_invalid_folders_raise(tmp_path: Path) -> None:
    with pytest.raises(tut.StoreError, match="no run"):
        tut.Run(tmp_path)
    unanswered = tut.learn(Line, iter([]), dir=tmp_path / "none", **SETTINGS)
    with pytest.raises(tut.StoreError, match="no round of this run has ended"):
        unanswered.policy  # noqa: B018
    learn_line(tmp_path / "run", callback=lambda _: False)
    (tmp_path / "run" / "log.bin").rename(tmp_path / "log.bin")
    with pytest.raises(tut.StoreError, match=r"its log\.bin, .* is missing"):
        learn_line(tmp_path / "run")
