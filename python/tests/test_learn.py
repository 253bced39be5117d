"""`learn` and `resume`: bit-identical resumption, finished runs, other runs in a folder."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import tutelage as tut
from conftest import SMALL, Line, balance, brake, contents, learn_cart, learn_line


def test_curve_and_data_of_a_run(cart_run: tut.Run) -> None:
    assert cart_run.finished
    assert set(cart_run.curve) == {"round", "annotations", "expert_steps", "reward", "reward_random", "imitation_loss", "seconds"}
    assert cart_run.curve["annotations"].tolist() == [12, 24, 36]
    assert cart_run.expert_reward == 500
    data = cart_run.data
    assert data.states.shape == (36, 4)
    assert data.rounds.tolist() == [1] * 12 + [2] * 12 + [3] * 12
    np.testing.assert_array_equal(data.actions, balance(data.states))
    assert (data.times >= 1).all()
    assert data.episodes.shape == (36,)


def test_the_policy_approaches_the_expert(tmp_path: Path) -> None:
    run = learn_cart(tmp_path / "run", rounds=8, states_per_round=40, budget="iterations=600")
    assert run.curve["reward"][-1] > 0.9 * 500
    again = tut.evaluate(run.policy, "CartPole-v1", episodes=10, seed=7, expert=balance)
    assert again.mean_reward > 450
    assert again.imitation_loss is not None
    assert again.imitation_loss < 0.1


def test_a_finished_run_is_returned_without_queries(tmp_path: Path) -> None:
    first = learn_line(tmp_path / "run")
    before = contents(first.dir)
    asked: list[int] = []

    def noting(obs: Any) -> Any:
        asked.append(len(obs))
        return brake(obs)

    second = tut.learn(Line, noting, dir=tmp_path / "run", **{**SMALL, "horizon": 60})
    assert second.finished
    assert contents(second.dir) == before
    assert len(asked) == 2, "only to identify the expert"


@pytest.mark.parametrize("learn", [learn_line, learn_cart])
def test_a_run_stopped_after_every_round_is_bit_identical(learn: Any, tmp_path: Path) -> None:
    whole = learn(tmp_path / "whole")
    for expected in range(1, 4):
        part = learn(tmp_path / "parts", callback=lambda _: False, num_envs=expected)
        assert part.rounds == expected
    assert contents(tmp_path / "parts") == contents(whole.dir)


def test_more_rounds_extend_a_run(tmp_path: Path) -> None:
    learn_line(tmp_path / "grown", rounds=2)
    grown = learn_line(tmp_path / "grown", rounds=4)
    straight = learn_line(tmp_path / "straight", rounds=4)
    np.testing.assert_array_equal(grown.curve["reward"], straight.curve["reward"])
    np.testing.assert_array_equal(grown.data.states, straight.data.states)
    with pytest.raises(tut.StoreError, match="rounds = 4"):
        learn_line(tmp_path / "grown", rounds=3)


KILLED = """
import sys
sys.path.insert(0, sys.argv[2])
from conftest import learn_cart
learn_cart(sys.argv[1], rounds=6, states_per_round=20)
"""


def test_resume_after_sigkill_is_bit_identical(tmp_path: Path) -> None:
    whole = learn_cart(tmp_path / "whole", rounds=6, states_per_round=20)
    log, kills = tmp_path / "killed" / "log.bin", 0
    for attempt in range(200):
        program = [sys.executable, "-c", KILLED, str(tmp_path / "killed"), str(Path(__file__).parent)]
        before = log.stat().st_size if log.exists() else 0
        with subprocess.Popen(program) as process:
            # A little later in the log every time, so that every phase is interrupted.
            while process.poll() is None and (log.stat().st_size if log.exists() else 0) <= before + 40 * (attempt % 3):
                time.sleep(0.001)
            process.send_signal(signal.SIGKILL)
        kills += process.returncode == -signal.SIGKILL
        if process.returncode == 0:
            break
    assert process.returncode == 0
    assert kills >= 3
    assert contents(tmp_path / "killed") == contents(whole.dir)


def test_ctrl_c_stops_at_a_safe_point(tmp_path: Path) -> None:
    # Tests in the background ignore the signal by default.
    signal.signal(signal.SIGINT, signal.default_int_handler)

    def interrupt(result: tut.Round) -> None:
        if result.round == 2:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        learn_line(tmp_path / "run", callback=interrupt)
    assert tut.Run(tmp_path / "run").rounds == 2
    whole = learn_line(tmp_path / "whole")
    assert contents(learn_line(tmp_path / "run").dir) == contents(whole.dir)


def test_resume_requires_only_the_expert(tmp_path: Path) -> None:
    learn_cart(tmp_path / "run", callback=lambda result: result.round < 2)
    with pytest.raises(tut.SpecError, match="expert is missing"):
        tut.resume(tmp_path / "run")
    run = tut.resume(tmp_path / "run", expert=balance, progress=False)
    assert run.finished
    assert contents(run.dir) == contents(learn_cart(tmp_path / "whole").dir)
    assert tut.resume(tmp_path / "run", expert=balance, rounds=4, progress=False).rounds == 4


def test_another_spec_in_the_same_folder_raises(tmp_path: Path) -> None:
    before = contents(learn_line(tmp_path / "run").dir)
    for other in [{"seed": 2}, {"hidden": (8,)}, {"horizon": 50}, {"learning_rate": 0.1}, {"algorithm": "dagger"}]:
        with pytest.raises(tut.StoreError, match="another spec"):
            learn_line(tmp_path / "run", **other)
    with pytest.raises(tut.StoreError, match="another spec"):
        learn_cart(tmp_path / "run")
    assert contents(tmp_path / "run") == before


def test_a_changed_expert_raises(tmp_path: Path) -> None:
    learn_line(tmp_path / "run", callback=lambda _: False)
    with pytest.raises(tut.StoreError, match="expert has changed"):
        tut.learn(Line, lambda obs: 0.5 * brake(obs), dir=tmp_path / "run", **{**SMALL, "horizon": 60})


def test_an_iterator_labels_until_it_ends(tmp_path: Path) -> None:
    # An iterator cannot drive, so the other run uses an algorithm in which only the learner drives.
    settings: dict[str, Any] = {**SMALL, "horizon": 60, "algorithm": "bd-5"}
    whole = learn_line(tmp_path / "whole", **settings)

    def answers(first: int) -> Any:
        return iter(whole.data.actions[first:])

    part = tut.learn(Line, islice(answers(0), 5), dir=tmp_path / "run", **settings)
    assert not part.finished
    assert len(part.data) == 5
    run = tut.learn(Line, answers(5), dir=tmp_path / "run", **settings)
    assert run.finished
    assert run.expert_reward is None
    np.testing.assert_array_equal(run.data.states, whole.data.states)
    np.testing.assert_array_equal(run.policy.predict(whole.data.states)[0], whole.policy.predict(whole.data.states)[0])


def test_the_expert_never_drives_in_the_default_algorithm(tmp_path: Path) -> None:
    run = tut.learn(Line, iter(np.zeros((100, 1))), dir=tmp_path / "run", **{**SMALL, "horizon": 60})
    assert run.finished
    assert run.curve["expert_steps"].tolist() == [0, 0, 0]


def test_steps_driven_by_the_expert_are_counted(tmp_path: Path) -> None:
    rounds: list[tut.Round] = []
    run = learn_line(tmp_path / "run", algorithm="handover-dagger", callback=rounds.append)
    steps = run.curve["expert_steps"].tolist()
    assert steps[0] > 0
    assert steps == sorted(steps)
    assert [one.expert_steps for one in rounds] == steps


class Gaussian:
    """An expert with noise from NumPy's global generator."""

    def predict(self, observation: Any, deterministic: bool = False) -> Any:
        action = brake(observation)
        noise = 0.0 if deterministic else np.random.normal(0, 0.1, action.shape)
        return np.clip(action + noise, -10, 10), None


def test_labels_of_predict_are_seeded_samples(tmp_path: Path) -> None:
    settings: dict[str, Any] = {**SMALL, "horizon": 60}
    np.random.seed(5)
    expected = np.random.random()
    np.random.seed(5)
    first = tut.learn(Line, Gaussian(), dir=tmp_path / "a", **settings)
    assert np.random.random() == expected, "the generator is restored"
    for _ in range(3):
        tut.learn(Line, Gaussian(), dir=tmp_path / "b", callback=lambda _: False, **settings)
    assert contents(first.dir) == contents(tmp_path / "b")
    noise = first.data.actions - brake(first.data.states)
    assert 0.02 < noise.std() < 0.3, "labels are samples, not means"


@pytest.mark.parametrize(
    ("algorithm", "settings"),
    [
        ("bc", {"expert_acts": "mean"}),
        ("mp-5(4)", {"d0": "uniform(-1,1)"}),
        ("mp-3(4)", {"d0": np.ones((5, 2), np.float32)}),
        ("dagger-constant(0.5)", {"sampling": "independent"}),
        ("active-bd-3(2)", {}),
        ("dagger", {"hidden": "linear", "deploy": "member", "budget": None}),
        ("mftpl-p-3(2)", {"deploy": "random-round"}),
    ],
)
def test_settings_of_the_core_are_available(algorithm: str, settings: dict[str, Any], tmp_path: Path) -> None:
    run = learn_line(tmp_path / "run", algorithm=algorithm, **settings)
    assert run.finished
    assert run.policy.predict(np.zeros(2))[0].shape == (1,)


def test_a_run_trains_on_stored_labels(line_run: tut.Run, tmp_path: Path) -> None:
    run = learn_line(tmp_path / "run", algorithm="bagging-3", data=line_run)
    assert run.finished
    assert run.policy.ensemble_size == 3


def test_ids_factories_instances_and_vectors_are_equivalent(tmp_path: Path) -> None:
    whole = contents(learn_cart(tmp_path / "id").dir)
    mode = gym.vector.AutoresetMode.DISABLED
    envs: list[Any] = [
        lambda: gym.make("CartPole-v1"),
        gym.make("CartPole-v1"),
        gym.make_vec("CartPole-v1", num_envs=3, vectorization_mode="sync"),
        gym.make_vec("CartPole-v1", num_envs=2, vectorization_mode="async", vector_kwargs={"autoreset_mode": mode}),
    ]
    for number, env in enumerate(envs):
        run = tut.learn(env, balance, dir=tmp_path / str(number), **SMALL)
        assert contents(run.dir) == whole, env
        if not callable(env):
            env.close()


def test_built_in_tasks_run_and_resume(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"rounds": 2, "states_per_round": 10, "episodes": 2, "budget": "iterations=50"}
    run = tut.learn("cart-pole", dir=tmp_path / "cart", progress=False, **settings)
    assert run.finished
    assert run.policy.predict(np.zeros(4))[0] in (0, 1)
    part = tut.learn("hopper", dir=tmp_path / "hop", callback=lambda _: False, progress=False, **settings)
    assert not part.finished
    hopper = tut.resume(tmp_path / "hop", progress=False)
    assert hopper.finished
    assert hopper.policy.members(np.zeros((4, 15))).shape == (5, 4, 3)
    with pytest.raises(tut.SpecError, match="hopper is a built-in task"):
        tut.learn("hopper", balance, dir=tmp_path / "x")


def test_more_rounds_extend_a_run_of_a_built_in_task(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"states_per_round": 10, "episodes": 2, "budget": "iterations=50", "progress": False}
    tut.learn("cart-pole", dir=tmp_path / "grown", rounds=1, **settings)
    grown = tut.resume(tmp_path / "grown", rounds=3, progress=False)
    assert grown.finished
    straight = tut.learn("cart-pole", dir=tmp_path / "straight", rounds=3, **settings)
    np.testing.assert_array_equal(grown.curve["reward"], straight.curve["reward"])
    np.testing.assert_array_equal(grown.data.states, straight.data.states)
    with pytest.raises(tut.StoreError, match="rounds = 3"):
        tut.resume(tmp_path / "grown", rounds=2, progress=False)
    with pytest.raises(tut.SpecError, match="rounds = 0"):
        tut.resume(tmp_path / "grown", rounds=0, progress=False)


def test_a_budget_of_epochs_counts_passes_over_the_data(tmp_path: Path) -> None:
    def rewards(name: str, **settings: Any) -> list[float]:
        rewards: list[float] = learn_line(tmp_path / name, **settings).curve["reward"].tolist()
        return rewards

    assert rewards("whole", budget="epochs=40") == rewards("steps", budget="iterations=40"), "a batch contains all data"
    assert rewards("batches", budget="epochs=40", batch=6) != rewards("few", budget="iterations=40", batch=6)
    assert "Epochs(40)" in tut.Run(tmp_path / "whole").spec
