"""Oracles in Python are trained, stored and resumed like built-in ones."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tutelage as tut
from conftest import SMALL, Line, balance, brake, contents

SETTINGS: dict[str, Any] = {key: value for key, value in SMALL.items() if key not in ("hidden", "budget")}


class Trees:
    """Ensembles of scikit-learn's decision trees."""

    def __init__(self, depth: int = 6, regress: bool = True) -> None:
        self.depth, self.regress = depth, regress

    def describe(self) -> str:
        return f"trees of depth {self.depth}"

    def fit(self, data: tut.TrainingData, members: int, seed: int) -> Forest:
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        kind = DecisionTreeRegressor if self.regress else DecisionTreeClassifier
        trees = []
        for e in range(members):
            states, actions = data[e]
            if not len(states):
                return Forest([None] * members, self.regress)
            trees.append(kind(max_depth=self.depth, random_state=seed + e).fit(states, actions))
        return Forest(trees, self.regress)

    def from_bytes(self, data: bytes) -> Forest:
        return Forest(pickle.loads(data), self.regress)


class Forest:
    def __init__(self, trees: list[Any], regress: bool) -> None:
        self.trees, self.regress = trees, regress

    def act(self, obs: Any, member: int) -> Any:
        tree = self.trees[member]
        if tree is None:
            return np.zeros((len(obs), 1)) if self.regress else np.zeros(len(obs), int)
        return tree.predict(obs)

    def to_bytes(self) -> bytes:
        return pickle.dumps(self.trees)


@pytest.mark.parametrize("discrete", [False, True])
def test_scikit_learn_trees_as_an_oracle(discrete: bool, tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    env, expert = ("CartPole-v1", balance) if discrete else (Line, brake)
    settings: dict[str, Any] = {**SETTINGS, "oracle": Trees(regress=not discrete), "algorithm": "bd-3"}
    if not discrete:
        settings["horizon"] = 60
    whole = tut.learn(env, expert, dir=tmp_path / "whole", **settings)
    assert whole.finished
    for _ in range(3):
        tut.learn(env, expert, dir=tmp_path / "parts", callback=lambda _: False, **settings)
    assert contents(whole.dir) == contents(tmp_path / "parts")
    states = whole.data.states
    assert whole.policy.ensemble_size == 3
    if not discrete:
        members = whole.policy.members(states)
        np.testing.assert_allclose(members.mean(axis=0), whole.policy.predict(states)[0], atol=1e-5)
        assert whole.curve["imitation_loss"][-1] < 0.2
    again = tut.Run(tmp_path / "whole", oracle=Trees(regress=not discrete)).policy
    np.testing.assert_array_equal(again.predict(states)[0], whole.policy.predict(states)[0])
    with pytest.raises(tut.StoreError, match="oracle=…"):
        tut.Run(tmp_path / "whole").policy  # noqa: B018
    with pytest.raises(tut.PolicyError, match="to_bytes"):
        whole.policy.save(tmp_path / "p.onnx")
    with pytest.raises(tut.StoreError, match="trees of depth 2"):
        tut.learn(env, expert, dir=tmp_path / "whole", **{**settings, "oracle": Trees(2, not discrete)})


class Average:
    """Plays the mean of the labels, and keeps its training data."""

    def __init__(self) -> None:
        self.given: list[Any] = []

    def fit(self, data: tut.TrainingData, members: int, seed: int) -> Constant:
        self.given.append([data[e] for e in range(members)])
        return Constant([float(data[e][1].mean()) if len(data) else 0.0 for e in range(members)])

    def from_bytes(self, data: bytes) -> Constant:
        return Constant(np.frombuffer(data).tolist())


class Constant:
    def __init__(self, values: list[float]) -> None:
        self.values = values

    def act(self, obs: Any, member: int) -> Any:
        return np.full((len(obs), 1), self.values[member])

    def to_bytes(self) -> bytes:
        return np.array(self.values).tobytes()


def test_members_train_on_bootstraps_in_env_units(tmp_path: Path) -> None:
    oracle = Average()
    run = tut.learn(Line, brake, dir=tmp_path / "run", oracle=oracle, algorithm="bd-2", horizon=60, **SETTINGS)
    first, last = oracle.given[0], oracle.given[-1]
    assert len(first[0][0]) == 0
    for states, actions in last:
        assert states.shape == (36, 2)
        np.testing.assert_allclose(actions, brake(states), atol=1e-4)
    assert not np.array_equal(last[0][0], last[1][0])
    np.testing.assert_allclose(run.policy.members(np.zeros(2))[0], last[0][1].mean(), rtol=1e-4)


class Broken(Average):
    wrong: Any = None

    def fit(self, data: tut.TrainingData, members: int, seed: int) -> Any:
        if not len(data):
            return super().fit(data, members, seed)
        if isinstance(self.wrong, Exception):
            raise self.wrong
        return type("Odd", (Constant,), {"act": lambda _, obs, e: self.wrong(obs)})([0.0] * members)


@pytest.mark.parametrize(
    ("wrong", "kind", "words"),
    [
        (ArithmeticError("singular"), tut.OracleError, "ArithmeticError: singular"),
        (lambda obs: obs * np.nan, tut.PolicyError, "reshape|NaN"),
        (lambda obs: obs[:, :1] * np.nan, tut.PolicyError, "member 0: row 0, column 0: NaN"),
        (lambda obs: obs[:1, :1], tut.PolicyError, "reshape|rows|actions"),
    ],
)
def test_failing_oracles_raise(wrong: Any, kind: type[Exception], words: str, tmp_path: Path) -> None:
    oracle = Broken()
    oracle.wrong = wrong
    with pytest.raises(kind, match=words):
        tut.learn(Line, brake, dir=tmp_path / "run", oracle=oracle, horizon=60, **SETTINGS)
    with pytest.raises(tut.OracleError, match="no from_bytes"):
        tut.learn(Line, brake, dir=tmp_path / "x", oracle=type("Half", (), {"fit": print})(), horizon=60, **SETTINGS)
