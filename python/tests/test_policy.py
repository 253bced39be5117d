"""Policies: predict, members, files, ONNX."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tutelage as tut
from conftest import Line, brake, learn_cart, learn_line

onnx = pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")


def test_predict_takes_one_observation_or_a_batch(line_run: tut.Run) -> None:
    states = np.random.default_rng(1).normal(size=(300, 2))
    many, memory = line_run.policy.predict(states, state="passed through")
    assert many.shape == (300, 1)
    assert many.dtype == np.float32
    assert memory == "passed through"
    assert np.abs(many).max() > 2, "actions are in newtons, not in [-1, 1]"
    one, _ = line_run.policy.predict(states[7])
    np.testing.assert_array_equal(one, many[7])
    with pytest.raises(tut.SpaceError, match=r"shape \(3,\), expected \(2,\)"):
        line_run.policy.predict(np.zeros(3))


def test_predict_is_the_mean_of_the_members(line_run: tut.Run, cart_run: tut.Run) -> None:
    states = np.random.default_rng(1).normal(size=(20, 2))
    members = line_run.policy.members(states)
    assert members.shape == (5, 20, 1)
    assert members.std(axis=0).max() > 0
    np.testing.assert_allclose(members.mean(axis=0), line_run.policy.predict(states)[0], atol=1e-5)
    assert line_run.policy.members(states[0]).shape == (5, 1)
    states = np.random.default_rng(1).normal(size=(50, 4))
    votes = cart_run.policy.members(states).sum(axis=0)
    np.testing.assert_array_equal(cart_run.policy.predict(states)[0], (votes >= 3).astype(int))


def test_predict_samples_members_if_not_deterministic(line_run: tut.Run) -> None:
    states = np.zeros((200, 2), np.float32)
    line_run.policy.seed(3)
    drawn, _ = line_run.policy.predict(states, deterministic=False)
    members = line_run.policy.members(states[0]).ravel()
    assert set(drawn.ravel()) == set(members)
    line_run.policy.seed(3)
    np.testing.assert_array_equal(line_run.policy.predict(states, deterministic=False)[0], drawn)


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory, line_run: tut.Run, cart_run: tut.Run) -> dict[str, tut.Run]:
    folder = tmp_path_factory.mktemp("kinds")
    return {
        "continuous, ensemble": line_run,
        "discrete, ensemble": cart_run,
        "linear": learn_line(folder / "a", algorithm="dagger", hidden="linear", budget=None),
        "continuous, single": learn_line(folder / "b", algorithm="dagger", hidden=(8, 8)),
        "discrete, linear": learn_cart(folder / "c", algorithm="dagger", hidden="linear"),
        "part of the state": learn_line(folder / "d", expert_sees=[1]),
        "as given": learn_line(folder / "e", standardize=False),
    }


KINDS = [
    "continuous, ensemble",
    "discrete, ensemble",
    "linear",
    "continuous, single",
    "discrete, linear",
    "part of the state",
    "as given",
]


@pytest.mark.parametrize("kind", KINDS)
def test_files_contain_the_whole_policy(kind: str, kinds: dict[str, tut.Run], tmp_path: Path) -> None:
    policy = kinds[kind].policy
    width = kinds[kind].data.states.shape[1]
    states = np.random.default_rng(2).normal(size=(400, width)).astype(np.float32)
    policy.save(tmp_path / "p.safetensors")
    loaded = tut.load_policy(tmp_path / "p.safetensors")
    np.testing.assert_array_equal(loaded.predict(states)[0], policy.predict(states)[0])
    np.testing.assert_array_equal(loaded.members(states), policy.members(states))

    policy.save(tmp_path / "p.onnx")
    model = onnx.load(tmp_path / "p.onnx")
    onnx.checker.check_model(model, full_check=True)
    assert {prop.key for prop in model.metadata_props} >= {"env", "action", "observation"}
    session = runtime.InferenceSession(tmp_path / "p.onnx")
    for rows in (states, states[:1]):
        action, members = session.run(["action", "members"], {"observation": rows})
        np.testing.assert_allclose(action, policy.predict(rows)[0], atol=1e-5)
        np.testing.assert_allclose(members, policy.members(rows), atol=1e-5)


def test_invalid_policy_files_raise(line_run: tut.Run, tmp_path: Path) -> None:
    with pytest.raises(tut.PolicyError, match=r"expected \.safetensors or \.onnx"):
        line_run.policy.save(tmp_path / "p.pt")
    line_run.policy.save(tmp_path / "p.safetensors")
    whole = (tmp_path / "p.safetensors").read_bytes()
    for bytes in [b"", b"{}", whole[:-9], whole[:40]]:
        (tmp_path / "bad.safetensors").write_bytes(bytes)
        with pytest.raises(tut.PolicyError, match="not a policy"):
            tut.load_policy(tmp_path / "bad.safetensors")
    length = 1 << 21
    (tmp_path / "bad.safetensors").write_bytes(length.to_bytes(8, "little") + b" " * length)
    with pytest.raises(tut.PolicyError, match="its header has 2097152 bytes; at most 1048576 are read"):
        tut.load_policy(tmp_path / "bad.safetensors")
    with pytest.raises(tut.PolicyError, match="not a policy"):
        tut.load_policy(line_run.dir / "policies" / "round-003.safetensors")


def test_policies_of_earlier_rounds_are_kept(line_run: tut.Run) -> None:
    assert line_run.policies == [0, 1, 2, 3]
    last = line_run.policy_of(3).predict(np.ones(2))[0]
    assert last == line_run.policy.predict(np.ones(2))[0]
    assert line_run.policy_of(1).predict(np.ones(2))[0] != last
    with pytest.raises(tut.StoreError, match="round 9 has no stored policy"):
        line_run.policy_of(9)


def test_a_robot_policy_takes_raw_observations(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"rounds": 1, "states_per_round": 40, "episodes": 1, "budget": "iterations=200"}
    run = tut.learn("hopper", dir=tmp_path / "run", progress=False, **settings)
    states = np.random.default_rng(2).normal(size=(50, 15)).astype(np.float32)
    run.policy.save(tmp_path / "p.onnx")
    session = runtime.InferenceSession(tmp_path / "p.onnx")
    action, _ = session.run(None, {"observation": states})
    np.testing.assert_allclose(action, run.policy.predict(states)[0], atol=1e-5)
    run.policy.save(tmp_path / "p.safetensors")
    loaded = tut.load_policy(tmp_path / "p.safetensors")
    np.testing.assert_array_equal(loaded.predict(states)[0], run.policy.predict(states)[0])
    command = [sys.executable, "-m", "tutelage", "export", str(run.dir), "--policy", str(tmp_path / "q.onnx")]
    subprocess.run(command, check=True)
    again, _ = runtime.InferenceSession(tmp_path / "q.onnx").run(None, {"observation": states})
    np.testing.assert_array_equal(again, action)


def export(*line: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "tutelage", *line], capture_output=True, text=True)


def test_the_command_exports_policies_of_gymnasium_runs(line_run: tut.Run, tmp_path: Path) -> None:
    file, dir = tmp_path / "p.onnx", str(line_run.dir)
    done = export("export", dir, "--policy", str(file))
    assert done.returncode == 0, done.stderr
    assert str(file) in done.stdout
    states = np.random.default_rng(2).normal(size=(50, 2)).astype(np.float32)
    action, _ = runtime.InferenceSession(file).run(None, {"observation": states})
    np.testing.assert_allclose(action, line_run.policy.predict(states)[0], atol=1e-5)
    again = export("export", dir, f"--policy={file}")
    assert (again.returncode, again.stdout) == (1, "")
    assert f"{file} exists; --force replaces it" in again.stderr
    first = export("--json", "export", dir, "--policy", str(file), "--round", "1", "--force", "--out", str(tmp_path / "a.npz"))
    assert [json.loads(line)["file"] for line in first.stdout.splitlines()] == [str(tmp_path / "a.npz"), str(file)]
    action, _ = runtime.InferenceSession(file).run(None, {"observation": states})
    np.testing.assert_allclose(action, line_run.policy_of(1).predict(states)[0], atol=1e-5)
    for wrong, words in ((["--round", "9"], "round 9 has no stored policy"), (["--rounds", "9"], "unexpected argument")):
        refused = export("export", dir, "--policy", str(tmp_path / "q.onnx"), *wrong)
        assert refused.returncode in (1, 2)
        assert words in refused.stderr
    assert "must end in .onnx" in export("export", dir, "--policy", str(tmp_path / "q.pt")).stderr
    assert not list(tmp_path.glob("q*"))


def test_evaluation_of_policies_and_experts(line_run: tut.Run) -> None:
    learned = tut.evaluate(line_run.policy, Line, episodes=6, seed=2, horizon=60, expert=brake)
    assert learned.rewards.shape == learned.lengths.shape == (6,)
    assert learned.imitation_loss is not None
    assert learned.sd_reward > 0
    few = tut.evaluate(line_run.policy, Line, episodes=6, seed=2, horizon=60, num_envs=1)
    np.testing.assert_array_equal(few.rewards, learned.rewards)
    random = tut.evaluate(line_run.policy, Line, episodes=6, seed=2, horizon=60, deterministic=False)
    assert not np.array_equal(random.rewards, learned.rewards)
    expert = tut.evaluate(brake, Line, episodes=6, seed=2, horizon=60)
    assert expert.mean_reward > 40
    with pytest.raises(tut.SpecError, match="another kind"):
        tut.evaluate(line_run.policy, "CartPole-v1", episodes=1)


def events(file: Path) -> list[bytes]:
    """The messages of an event file."""
    data, at, found = file.read_bytes(), 0, []
    while at < len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        found.append(data[at + 12 : at + 12 + length])
        at += 16 + length
    return found


def test_tensorboard_files_are_derived_from_the_log(line_run: tut.Run, tmp_path: Path) -> None:
    file = line_run.to_tensorboard(tmp_path / "tb")
    assert "tfevents" in file.name
    found = events(file)
    assert len(found) == 1 + 3
    assert all(b"eval/mean_reward" in event for event in found[1:])
    command = [sys.executable, "-m", "tutelage", "export", str(line_run.dir), "--tensorboard", str(tmp_path / "tc")]
    subprocess.run(command, check=True)
    assert events(tmp_path / "tc" / file.name) == found


def test_tensorboard_reads_the_curves(line_run: tut.Run, tmp_path: Path) -> None:
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    line_run.to_tensorboard(tmp_path / "tb")
    curves = accumulator.EventAccumulator(str(tmp_path / "tb")).Reload()
    points = curves.Scalars("eval/mean_reward")
    assert [point.step for point in points] == line_run.curve["annotations"].tolist()
    np.testing.assert_allclose([point.value for point in points], line_run.curve["reward"], rtol=1e-6)


def test_annotations_are_exported_as_arrays(line_run: tut.Run, tmp_path: Path) -> None:
    line_run.export(tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as arrays:
        np.testing.assert_array_equal(arrays["states"], line_run.data.states)
        np.testing.assert_array_equal(arrays["actions"], line_run.data.actions)
        np.testing.assert_array_equal(arrays["round"], line_run.data.rounds)
    with pytest.raises(tut.StoreError, match=r"expected \.npz or \.parquet"):
        line_run.export(tmp_path / "a.csv")


@pytest.mark.parametrize("kind", ["continuous, ensemble", "discrete, ensemble"])
def test_parquet_and_npz_contain_the_same_annotations(kind: str, kinds: dict[str, tut.Run], tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    run = kinds[kind]
    run.export(tmp_path / "a.npz")
    run.export(tmp_path / "a.parquet")
    table = parquet.read_table(tmp_path / "a.parquet")
    columns = {name: table[name].to_numpy() for name in table.column_names}
    with np.load(tmp_path / "a.npz") as arrays:
        np.testing.assert_array_equal(columns.pop("round"), arrays["round"])
        for name, rows in (("state", arrays["states"]), ("action", arrays["actions"])):
            exported = np.stack([columns.pop(f"{name}_{i}") for i in range(rows.shape[1])], axis=1)
            np.testing.assert_array_equal(exported, rows)
            assert exported.dtype.kind == ("f" if rows.dtype.kind == "f" else "i")
    assert not columns


def test_curves_are_exported_as_npz_and_parquet(line_run: tut.Run, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    line_run.export(tmp_path / "c.npz", table="curve")
    line_run.export(tmp_path / "c.parquet", table="curve")
    table = parquet.read_table(tmp_path / "c.parquet")
    assert table.column_names == list(line_run.curve)
    with np.load(tmp_path / "c.npz") as arrays:
        for name, values in line_run.curve.items():
            np.testing.assert_array_equal(arrays[name], values)
            np.testing.assert_array_equal(table[name].to_numpy(), values)
    with pytest.raises(tut.StoreError, match="unknown table 'policy'"):
        line_run.export(tmp_path / "c.npz", table="policy")


def test_a_missing_pyarrow_is_named(line_run: tut.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(tut.StoreError, match=r"pip install 'tutelage\[parquet\]'"):
        line_run.export(tmp_path / "a.parquet")
    assert not (tmp_path / "a.parquet").exists()


def test_minari_reads_the_annotations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    minari = pytest.importorskip("minari")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    run = learn_line(tmp_path / "run", sampling="stride(1)", states_per_round=40, horizon=15)
    run.to_minari("line/answers-v0", author="a test")
    dataset = minari.load_dataset("line/answers-v0")
    data = run.data
    assert dataset.total_episodes == len(set(zip(data.rounds, data.episodes, strict=True))) > 3
    for episode in dataset.iterate_episodes():
        infos = episode.infos
        assert infos["asked"].tolist() == [True] * len(episode.actions) + [False]
        times = infos["time"][:-1]
        np.testing.assert_array_equal(np.diff(times), 1, "with stride 1, episodes are complete")
        rows = [
            np.flatnonzero((data.rounds == round) & (data.episodes == number) & (data.times == time))[0]
            for round, number, time in zip(infos["round"], infos["episode"], times, strict=False)
        ]
        np.testing.assert_array_equal(episode.actions, data.actions[rows])
        np.testing.assert_array_equal(episode.observations[:-1], data.states[rows])


@pytest.mark.parametrize("task", ["cart-pole", None])
def test_evaluation_deploys_like_the_run(task: str | None, tmp_path: Path) -> None:
    where: Any = (task,) if task else (Line, brake)
    horizon = {} if task else {"horizon": 60}
    settings: dict[str, Any] = {"rounds": 1, "states_per_round": 6, "episodes": 2, "budget": "iterations=5", "progress": False}
    run = tut.learn(*where, dir=tmp_path / "run", algorithm="bd-5", deploy="member", **settings, **horizon)
    run.policy.save(tmp_path / "p.safetensors")
    for policy in (run.policy, tut.load_policy(tmp_path / "p.safetensors")):
        assert policy.deploy == "member"
        played = [
            tut.evaluate(policy, where[0], episodes=9, seed=2, deterministic=choice, **horizon).rewards
            for choice in (None, False, True)
        ]
        np.testing.assert_array_equal(played[0], played[1])
        assert (played[0] != played[2]).any()


@pytest.mark.parametrize("task", ["cart-pole", "hopper"])
def test_minari_reads_annotations_of_built_in_tasks(task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    minari = pytest.importorskip("minari")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    run = tut.learn(task, dir=tmp_path / "run", rounds=2, states_per_round=9, episodes=2, budget="iterations=20", progress=False)
    run.to_minari("shipped/answers-v0", author="a test")
    dataset = minari.load_dataset("shipped/answers-v0")
    assert dataset.total_steps == len(run.data) == 18
    answers = np.concatenate([episode.actions for episode in dataset.iterate_episodes()])
    np.testing.assert_array_equal(answers, run.data.actions)
    assert dataset.action_space.shape == run.data.actions.shape[1:]


def test_the_package_includes_the_command(line_run: tut.Run) -> None:
    command = [sys.executable, "-m", "tutelage"]
    shown = subprocess.run([*command, "show", str(line_run.dir)], capture_output=True, text=True, check=True)
    assert "Finished: 3 rounds, 36 annotations" in shown.stdout
    wrong = subprocess.run([*command, "learn", "hoper"], capture_output=True, text=True)
    assert wrong.returncode in (1, 2)
    assert "did you mean `hopper`" in wrong.stderr
    assert subprocess.run([*command, "--nonsense"], capture_output=True).returncode == 2
