"""Runs on a Ray cluster of several emulated nodes, some of which are killed: ``pip install tutelage[ray]``."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cloudpickle
import pytest

import conftest
import tutelage as tut
from conftest import FULL, READ_ONLY, Disk, Line, brake, contents, records, remove_record, reproduce

os.environ.update(RAY_AUTH_MODE="disabled", RAY_USAGE_STATS_ENABLED="0", RAY_raylet_start_wait_time_s="120")
ray = pytest.importorskip("ray")
# Nodes cannot import these files.
cloudpickle.register_pickle_by_value(conftest)
cloudpickle.register_pickle_by_value(sys.modules[__name__])
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

FIGURE = """
title = 'Small'
draw = 'curves'
tasks = ['cart-pole']
seeds = '1-2'

[[rows]]
name = 'small'
class = 'mlp:32,32'
rounds = 6
states_per_round = 10
oracle = {{ budget = 'iterations={iterations}' }}
evaluation = {{ episodes = 2 }}
algorithms = ['dagger', 'supervised on dagger', 'bd-2']
"""

SMALL: dict[str, Any] = {
    "rounds": 3,
    "states_per_round": 10,
    "hidden": (8,),
    "episodes": 2,
    "horizon": 60,
    "budget": "iterations=50",
    "progress": False,
}

QUICK = {
    "health_check_initial_delay_ms": 1000,
    "health_check_period_ms": 1000,
    "health_check_timeout_ms": 2000,
    "health_check_failure_threshold": 3,
    # A frozen process closes no connection, so its peers must probe it.
    "grpc_client_keepalive_time_ms": 2000,
    "grpc_client_keepalive_timeout_ms": 4000,
}


STORE = {"object_store_memory": 80 * 2**20}


class Nodes:
    """A cluster whose head has no CPUs, and worker nodes with one CPU each."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        self.cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "_system_config": QUICK, **STORE})
        self.workers = [self.add() for _ in range(3)]
        self.address = self.cluster.address

    def add(self, **settings: Any) -> Any:
        return self.cluster.add_node(num_cpus=1, **STORE, **settings)

    def raylet(self, node: Any) -> int:
        return int(node.all_processes["raylet"][0].process.pid)

    def busy(self, runs: Path) -> tuple[Any, int] | None:
        """A node with an open log of a run, and the process."""
        for node in self.workers:
            for pid in children(self.raylet(node)):
                if any("log.bin" in link and str(runs) in link for link in open_files(pid)):
                    return node, pid
        return None

    def kill(self, node: Any) -> None:
        """Kills a node, and adds another."""
        self.workers.remove(node)
        self.cluster.remove_node(node, allow_graceful=False)
        self.workers.append(self.add())


def children(parent: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1]) == parent:
                    found.append(int(entry.name))
            except (OSError, ProcessLookupError):
                continue
    return found


def open_files(pid: int) -> list[str]:
    try:
        return [os.readlink(link) for link in Path(f"/proc/{pid}/fd").iterdir()]
    except OSError:
        return []


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    nodes = Nodes()
    yield nodes
    ray.shutdown()
    nodes.cluster.shutdown()


def wait_for(happens: Callable[[], Any], seconds: float = 120) -> Any:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = happens()
        if found:
            return found
        time.sleep(0.005)
    raise AssertionError("it did not happen")


def figure(tmp_path: Path, iterations: int) -> Path:
    file = tmp_path / "small.toml"
    file.write_text(FIGURE.format(iterations=iterations))
    return file


def start(file: Path, folder: Path, *more: str, runs: Path | None = None) -> Any:
    return reproduce(file, folder / "results", runs or folder / "runs", *more)


def records_of(folder: Path) -> dict[str, Any]:
    return records(folder / "results")


def here(file: Path, folder: Path) -> dict[str, Any]:
    """The records of a local run."""
    local = start(file, folder)
    _, err = local.communicate()
    assert local.returncode == 0, err
    return records_of(folder)


def test_a_figure_survives_killed_nodes(nodes: Nodes, tmp_path: Path) -> None:
    file = figure(tmp_path, 12_000)
    runs, kills = tmp_path / "there" / "runs", 0
    there = start(file, tmp_path / "there", "--on", f"ray:{nodes.address}", "--storage", "shared")
    while kills < 5:
        busy = wait_for(lambda: nodes.busy(runs) or there.poll() is not None)
        assert busy is not True, (there.communicate(), kills)
        nodes.kill(busy[0])
        kills += 1
    out, err = there.communicate(timeout=300)
    assert there.returncode == 0, err
    assert "6/6" in err, out
    expected = here(file, tmp_path / "here")
    assert len(expected) == 6
    assert records_of(tmp_path / "there") == expected


def test_a_frozen_process_does_no_harm(nodes: Nodes, tmp_path: Path) -> None:
    file = figure(tmp_path, 1500)
    there = start(file, tmp_path / "there", "--on", f"ray:{nodes.address}", "--storage", "shared")
    node, pid = wait_for(lambda: nodes.busy(tmp_path / "there" / "runs"))
    raylet = nodes.raylet(node)
    for process in (raylet, pid):
        os.kill(process, signal.SIGSTOP)
    # Without the line below, reading would never end: the frozen process keeps the run.
    limit = threading.Timer(120, there.kill)
    limit.start()
    try:
        # The node is considered lost, and the run restarts: it finds the log in use.
        heard = [there.stderr.readline()]
        while "waits: another process has locked its folder" not in heard[-1]:
            assert heard[-1], heard
            heard.append(there.stderr.readline())
    finally:
        limit.cancel()
        for process in (pid, raylet):
            os.kill(process, signal.SIGCONT)
    _, err = there.communicate(timeout=300)
    nodes.kill(node)
    assert there.returncode == 0, err
    assert records_of(tmp_path / "there") == here(file, tmp_path / "here")


def test_without_shared_storage_a_stop_loses_nothing(nodes: Nodes, tmp_path: Path) -> None:
    file, folder = figure(tmp_path, 3000), tmp_path / "there"
    on = ("--on", f"ray:{nodes.address}", "--storage", "none")
    there = start(file, folder, *on)
    wait_for(lambda: list((folder / "results").rglob("*.jsonl")))
    there.send_signal(signal.SIGINT)
    _, err = there.communicate(timeout=60)
    assert there.returncode == 130, err
    assert "the same command" in err
    before = records_of(folder)
    assert 0 < len(before) < 6
    again = start(file, folder, *on)
    _, err = again.communicate(timeout=120)
    assert again.returncode == 0, err
    assert f"{6 - len(before)}/{6 - len(before)}" in err, "finished runs are skipped"
    assert records_of(folder) == here(file, tmp_path / "here")


def connect(nodes: Nodes) -> None:
    if not ray.is_initialized():
        ray.init(address=nodes.address, log_to_driver=False)


def make_expert(env: Any) -> Any:
    return brake


@pytest.mark.parametrize("storage", ["shared", "none"])
def test_a_sweep_on_ray_is_bit_identical_to_a_local_one(nodes: Nodes, storage: str, tmp_path: Path) -> None:
    connect(nodes)
    choices: dict[str, Any] = {"algorithm": ["dagger", "bd-2"], "seed": range(1, 3), "expert": make_expert, **SMALL}
    swept = tut.sweep(Line, dir=tmp_path / "there", executor="ray", storage=storage, **choices)
    alone = tut.sweep(Line, dir=tmp_path / "here", **choices)
    assert len(swept) == 4
    assert swept.names == alone.names
    for there, here in zip(swept, alone, strict=True):
        assert contents(there.dir) == contents(here.dir)
    assert swept.compare().table.column("seeds") == [2, 2]


def test_failing_and_crashing_runs_do_not_stop_the_others(nodes: Nodes, tmp_path: Path) -> None:
    connect(nodes)

    class Poison(Line):
        def step(self, action: Any) -> Any:
            os.kill(os.getpid(), signal.SIGKILL)

    class Fault(Line):
        def step(self, action: Any) -> Any:
            raise RuntimeError("the motor is gone")

    with pytest.raises(tut.SweepError) as caught:
        tut.sweep([Poison, Fault, Line], expert=make_expert, dir=tmp_path / "runs", executor="ray", **SMALL)
    failed = {name.split("-")[0]: why for name, why in caught.value.failed.items()}
    assert set(failed) == {"poison", "fault"}
    assert failed["poison"].startswith(f"on {os.uname().nodename}: its process was ended 5 times")
    assert "the motor is gone" in failed["fault"]
    assert f"on {os.uname().nodename}" in failed["fault"]
    assert sum(tut.Run(run).finished for run in (tmp_path / "runs").glob("line-*")) == 1


def test_a_failing_run_of_a_figure_sets_the_exit_code(nodes: Nodes, tmp_path: Path) -> None:
    file, folder = figure(tmp_path, 5), tmp_path / "there"
    planned, _ = start(file, folder, "--plan").communicate()
    names = [json.loads(line)["run"] for line in planned.splitlines()]
    (poisoned,) = [name for name in names if "-bd-2-" in name and "-seed-1-" in name]
    (folder / "runs" / "paper").mkdir(parents=True)
    (folder / "runs" / "paper" / poisoned).write_text("in the way")
    there = start(file, folder, "--on", f"ray:{nodes.address}", "--storage", "shared")
    _, err = there.communicate(timeout=120)
    assert there.returncode == 1, err
    (line,) = err.split("error: ")[1].strip().splitlines()
    assert line.startswith(f"{poisoned}: on {os.uname().nodename}: "), line
    assert "retrying" not in err, "an error of the run is final"
    assert set(names) - set(records_of(folder)) == {poisoned}


def test_resources_determine_the_number_of_threads(nodes: Nodes, tmp_path: Path) -> None:
    connect(nodes)
    notes = tmp_path / "notes.json"

    class Noting(Line):
        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            taken = ray.get_runtime_context().get_assigned_resources()
            notes.write_text(json.dumps({**taken, "threads": os.environ.get("RAYON_NUM_THREADS")}))
            return super().reset(seed=seed)

    choices: dict[str, Any] = {"expert": make_expert, "executor": "ray", **SMALL}
    tut.sweep(Noting, dir=tmp_path / "whole", **choices)
    assert json.loads(notes.read_text()) == {"CPU": 1.0, "threads": "1"}
    tut.sweep(Noting, dir=tmp_path / "half", resources={"num_cpus": 0.5}, **choices)
    assert json.loads(notes.read_text()) == {"CPU": 0.5, "threads": "1"}
    with pytest.raises(tut.SpecError, match=r"resources\['max_retries'\] = 3, expected num_cpus"):
        tut.sweep(Noting, dir=tmp_path / "x", resources={"max_retries": 3}, **choices)
    with pytest.raises(tut.SpecError, match="requires executor='ray'"):
        tut.sweep(Noting, dir=tmp_path / "x", resources={"num_cpus": 2}, **{**choices, "executor": None})


INTERRUPTED = """
import sys
sys.path.insert(0, sys.argv[3])
import cloudpickle, conftest, test_ray
import tutelage as tut
cloudpickle.register_pickle_by_value(conftest)
cloudpickle.register_pickle_by_value(test_ray)
longer = {**test_ray.SMALL, "rounds": 8, "budget": "iterations=2000"}
tut.sweep(conftest.Line, seed=range(4), expert=test_ray.make_expert, dir=sys.argv[1], executor=f"ray:{sys.argv[2]}", **longer)
"""


def test_a_sweep_resumes_after_ctrl_c_on_ray(nodes: Nodes, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    command = [sys.executable, "-c", INTERRUPTED, str(runs), nodes.address, str(Path(__file__).parent)]
    stopped = subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler)
    )
    wait_for(lambda: list(runs.glob("*/policies/round-001*")))
    stopped.send_signal(signal.SIGINT)
    _, err = stopped.communicate(timeout=60)
    assert stopped.returncode != 0
    assert "KeyboardInterrupt" in err
    begun = [tut.Run(log.parent) for log in runs.glob("*/log.bin")]
    assert not (len(begun) == 4 and all(run.finished for run in begun)), "some runs are unfinished"
    wait_for(lambda: nodes.busy(runs) is None)
    subprocess.run(command, check=True, timeout=120)
    finished = {log.parent for log in runs.glob("*/log.bin") if tut.Run(log.parent).finished}
    assert len(finished) == 4
    longer: dict[str, Any] = {**SMALL, "rounds": 8, "budget": "iterations=2000"}
    alone = tut.sweep(Line, seed=0, expert=make_expert, dir=tmp_path / "here", **longer)
    assert contents(runs / alone.names[0]) == contents(alone[0].dir)


def test_runs_resume_locally_after_a_lost_cluster(tmp_path: Path) -> None:
    from ray.cluster_utils import Cluster

    config = {**QUICK, "gcs_rpc_server_reconnect_timeout_s": 2}
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "_system_config": config, **STORE})
    file, folder = figure(tmp_path, 2000), tmp_path / "there"
    there = start(file, folder, "--on", f"ray:{cluster.address}", "--storage", "shared")
    wait_for(lambda: list((folder / "results").rglob("*.jsonl")))
    cluster.remove_node(cluster.head_node, allow_graceful=False)
    _, err = there.communicate(timeout=60)
    assert there.returncode == 1, err
    kept = records_of(folder)
    assert 0 < len(kept) < 6
    finished = here(file, folder)
    assert len(finished) == 6
    assert kept.items() <= finished.items()


def test_asha_searches_on_the_cluster(nodes: Nodes, tmp_path: Path) -> None:
    example = Path(__file__).parents[1] / "examples" / "tune_asha.py"
    environment = {**os.environ, "RAY_ADDRESS": nodes.address, "HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, str(example), "3"], env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-3000:]
    trials, result = done.stdout.split("annotations to 95% of the expert, and where the trial ended:\n")[1].split(
        "the first of them"
    )
    ended = [int(line.split(" after ")[1].split()[0]) for line in trials.strip().splitlines()]
    assert len(ended) == 3
    assert all(0 < annotations <= 240 for annotations in ended)
    assert "the expert 500" in result


SHIMS = {
    "no package": ("tutelage.py", "raise ModuleNotFoundError('No module named tutelage')", "has no tutelage"),
    "other version": (
        "sitecustomize.py",
        "import tutelage._native as native\nnative.version = lambda: '0.0.1'",
        "has tutelage 0.0.1, but the run was sent by",
    ),
    "other arithmetic": (
        "sitecustomize.py",
        "import tutelage._native as native\nnative.arithmetic = lambda: 'Portable'",
        "computes with Portable",
    ),
}


def test_unfit_nodes_are_named_and_get_no_runs(nodes: Nodes, tmp_path: Path) -> None:
    connect(nodes)
    from tutelage._ray import RayExecutor

    for name, (file, text, words) in SHIMS.items():
        shim = tmp_path / name
        shim.mkdir()
        (shim / file).write_text(text)
        node = nodes.add(env_vars={"PYTHONPATH": str(shim)})
        try:
            engine = RayExecutor("learn", tmp_path / "runs")
            (note,) = [note for note in engine.notes if "gets no runs" in note]
            assert note.startswith(f"node {os.uname().nodename} ({node.node_id[:8]}) "), note
            assert words in note
            engine.close()
            swept = tut.sweep(Line, seed=range(8), expert=make_expert, dir=tmp_path / f"runs {name}", executor="ray", **SMALL)
            assert all(run.finished for run in swept)
        finally:
            nodes.cluster.remove_node(node)


class Told:
    """The events of tasks."""

    def __init__(self) -> None:
        self.done_with: list[str | None] = []
        self.lost_with: list[str] = []

    def round(self, round: int) -> None: ...
    def waits(self) -> None: ...

    def done(self, output: str | None, files: Any) -> None:
        self.done_with.append(output)

    def lost(self, why: str) -> None:
        self.lost_with.append(why)

    def failed(self, why: str) -> None:
        self.lost_with.append(f"for good: {why}")


@pytest.mark.parametrize("name", ["no package", "other version"])
def test_an_unfit_node_that_joins_later_is_named_once(nodes: Nodes, name: str, tmp_path: Path) -> None:
    connect(nodes)
    from tutelage._ray import RayExecutor

    file, text, words = SHIMS[name]
    (tmp_path / "shim").mkdir()
    (tmp_path / "shim" / file).write_text(text)
    engine, told = RayExecutor("learn", tmp_path / "runs"), Told()
    node = nodes.add(env_vars={"PYTHONPATH": str(tmp_path / "shim")})
    try:
        settings = {name: value for name, value in SMALL.items() if name != "progress"}
        task = cloudpickle.dumps({"env": Line, "expert": make_expert, "settings": settings})
        sent, end = 0, time.monotonic() + 120
        # Ray takes some time to use the new node.
        while not told.lost_with and time.monotonic() < end:
            if sent - len(told.done_with) < 8:
                engine.send(f"run-{sent}", task, [], True, told)
                sent += 1
            time.sleep(0.01)
        wait_for(lambda: len(told.done_with) == sent - 1)
        assert set(told.done_with) == {"finished"}, "the others are not affected"
        (lost,) = told.lost_with
        assert lost.startswith(f"node {os.uname().nodename} ({node.node_id[:8]}) ")
        assert words in lost
        engine.send("taken-up-again", task, [], True, told)
        wait_for(lambda: len(told.done_with) == sent)
    finally:
        engine.close()
        nodes.cluster.remove_node(node)


def test_a_cluster_without_fit_nodes_raises(nodes: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connect(nodes)
    from tutelage import _native

    version = _native.version()
    monkeypatch.setattr(_native, "version", lambda: "0.0.1")
    with pytest.raises(tut.ExecutorError, match="no node of the Ray cluster can execute runs") as caught:
        tut.sweep(Line, expert=make_expert, dir=tmp_path / "runs", executor="ray", **SMALL)
    for node in nodes.workers:
        assert f"({node.node_id[:8]}) has tutelage {version}, but the run was sent by 0.0.1" in str(caught.value)


def test_unavailable_clusters_and_folders_are_named(nodes: Nodes, tmp_path: Path) -> None:
    refused = start(figure(tmp_path, 5), tmp_path / "x", "--on", "ray:127.0.0.1:1")
    assert refused.wait() == 1
    assert "no Ray cluster at 127.0.0.1:1" in refused.stderr.read()
    with pytest.raises(tut.SpecError, match="'ray' or 'ray:ADDRESS'"):
        tut.sweep(Line, expert=make_expert, dir=tmp_path / "y", executor="slurm", **SMALL)
    connect(nodes)
    # A file in place of one run's folder fails that run only.
    choices: dict[str, Any] = {"seed": range(1, 4), "expert": make_expert, "executor": "ray", **SMALL}
    names = tut.sweep(Line, dir=tmp_path / "whole", **choices).names
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / names[1]).write_text("in the way")
    with pytest.raises(tut.SweepError) as caught:
        tut.sweep(Line, dir=tmp_path / "part", **choices)
    assert list(caught.value.failed) == [names[1]]
    assert "File exists" in caught.value.failed[names[1]] or "Not a directory" in caught.value.failed[names[1]]
    assert sum((tmp_path / "part" / name).is_dir() for name in names) == 2


def test_a_full_shared_folder_fails_runs_by_name_and_node(nodes: Nodes, disk: Disk, tmp_path: Path) -> None:
    file, folder = figure(tmp_path, 5), tmp_path / "there"
    on = ("--on", f"ray:{nodes.address}", "--storage", "shared")
    first = start(file, folder, *on, "--seeds", "1", "--algorithms", "bd-2", runs=disk.folder)
    assert first.wait() == 0, first.stderr.read()
    # The finished run needs no space, so its record is written again, while the others fail.
    (kept,) = records_of(folder)
    remove_record(folder / "results", kept)
    disk.fill()
    there = start(file, folder, *on, runs=disk.folder)
    _, err = there.communicate(timeout=120)
    assert there.returncode == 1, err
    *failed, held_up = err.split("error: ")[1].strip().splitlines()
    expected = here(file, tmp_path / "here")
    unbuilt = {name for name in expected if "supervised" not in name and name != kept}
    assert {line.split(": ")[0] for line in failed} == unbuilt
    assert all(f"on {os.uname().nodename}: " in line and FULL in line for line in failed), failed
    assert held_up.startswith("2 runs could not start")
    assert set(records_of(folder)) == {kept}, "the others are not affected"
    disk.free()
    again = start(file, folder, *on, runs=disk.folder)
    assert again.wait() == 0, again.stderr.read()
    assert records_of(folder) == expected


def test_a_read_only_shared_folder_fails_before_any_run(nodes: Nodes, disk: Disk, tmp_path: Path) -> None:
    file, folder = figure(tmp_path, 5), tmp_path / "there"
    on = ("--on", f"ray:{nodes.address}", "--storage", "shared")
    disk.lock()
    refused = start(file, folder, *on, runs=disk.folder)
    _, err = refused.communicate(timeout=120)
    assert refused.returncode == 1
    assert f"cannot write to the folder of runs {disk.folder}/paper: {READ_ONLY}" in err


# The node's processes see a read-only view of the folder.
READ_ONLY_VIEW = """
import ctypes, os, subprocess
folder = os.environ["FOLDER"]
libc = ctypes.CDLL(None, use_errno=True)
assert libc.unshare(0x00020000) == 0, os.strerror(ctypes.get_errno())
for what in (["--make-rprivate", "/"], ["--bind", folder, folder], ["-o", "remount,bind,ro", folder]):
    subprocess.run(["mount", *what], check=True)
"""


def test_a_node_with_a_read_only_folder_gets_no_runs(nodes: Nodes, disk: Disk, tmp_path: Path) -> None:
    file, folder, shim = figure(tmp_path, 5), tmp_path / "there", tmp_path / "shim"
    shim.mkdir()
    (shim / "sitecustomize.py").write_text(READ_ONLY_VIEW)
    on = ("--on", f"ray:{nodes.address}")
    node = nodes.add(env_vars={"PYTHONPATH": str(shim), "FOLDER": str(disk.folder)})
    try:
        there = start(file, folder, *on, "--storage", "shared", runs=disk.folder)
        _, err = there.communicate(timeout=120)
        assert there.returncode == 0, err
        (note,) = [line for line in err.splitlines() if "it gets no runs" in line]
        assert node.unique_id[:8] in note or os.uname().nodename in note
        assert f"cannot write to the folder of runs {disk.folder}/paper: {READ_ONLY}" in note
        elsewhere = start(file, tmp_path / "travelling", *on, runs=disk.folder / "more")
        _, err = elsewhere.communicate(timeout=120)
        assert elsewhere.returncode == 0, err
        assert "and send their logs" in err, "storage is detected, not required"
    finally:
        nodes.cluster.remove_node(node)
    assert records_of(folder) == records_of(tmp_path / "travelling") == here(file, tmp_path / "here")
