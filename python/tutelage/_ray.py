"""An executor that runs tasks on a Ray cluster: ``pip install tutelage[ray]``.

Every run is one Ray task. Ray restarts it when its node is lost. An error of the run itself is final. If all nodes share the
folder of runs, a restarted task resumes from the log, and waits for its lock while the earlier process is alive. Otherwise
logs are sent with the tasks.
"""

from __future__ import annotations

import socket
import threading
import time
from os import PathLike
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ._remote import Files, TaskEvents, TaskObserver, make_task, pack_log, report
from ._spaces import Json
from .errors import ExecutorError, SpecError, StoreError

try:
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy
except ImportError as missing:
    raise ExecutorError("Ray is not installed: pip install 'tutelage[ray]'") from missing

MAX_CRASHES = 5
"""Crashes of a run's process on healthy nodes after which the run itself is considered faulty."""
POLL_SECONDS = 0.5
"""The time between two polls for progress."""
PROBE_SECONDS = 120.0
"""The time that a node has to answer a probe."""
RESOURCES = ("num_cpus", "num_gpus", "memory", "resources")


class RayExecutor:
    """Sends runs to a Ray cluster."""

    def __init__(
        self,
        kind: str,
        runs: str | PathLike[str],
        address: str | None = None,
        storage: str | None = None,
        resources: Json | None = None,
    ) -> None:
        for name, value in (resources or {}).items():
            if name not in RESOURCES:
                raise SpecError(f"unknown resources[{name!r}] = {value!r}, expected {', '.join(RESOURCES)}")
        self._kind, self._runs = kind, Path(runs).absolute()
        self._options = {"max_retries": -1, "retry_exceptions": False, "num_cpus": 1, **(resources or {})}
        self._connected = _connect(address)
        self._unfit: dict[str, str] = {}
        self._logs: dict[str, Any] = {}
        self._events: dict[str, TaskEvents] = {}
        self._references: dict[str, Any] = {}
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
        self._coordinator = _coordinator().options(scheduling_strategy=here).remote()
        self._execute = ray.remote(_execute(int(self._options["num_cpus"])))
        self.storage = self._probe_nodes(storage)
        nodes = [node for node in _worker_nodes() if node["NodeID"] not in self._unfit]
        cpus = int(sum(node["Resources"]["CPU"] for node in nodes))
        self.concurrency = min(4096, max(64, 4 * cpus))
        where = f"in {self._runs}" if self.storage == "shared" else "and send their logs"
        self.notes = [f"Ray: {len(nodes)} nodes with {cpus} CPUs execute the runs {where}"]
        self.notes += [f"{problem}; it gets no runs" for problem in self._unfit.values()]
        threading.Thread(target=self._poll, daemon=True).start()

    def _probe_nodes(self, storage: str | None) -> str:
        """Asks every node whether it can execute runs. Returns ``"shared"`` or ``"none"``."""
        task = make_task(self._kind, "", b"", self._runs, storage or "auto", is_needed=False)
        names, answers = {}, {}
        for node in _worker_nodes():
            there = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            probe = ray.remote(_probe()).options(num_cpus=0, max_retries=0, scheduling_strategy=there)
            names[node["NodeID"]] = node["NodeManagerHostname"]
            answers[node["NodeID"]] = probe.remote(task)
        shared = []
        for node, answer in answers.items():
            try:
                found = ray.get(answer, timeout=PROBE_SECONDS)
            except Exception as error:
                found = {"unfit": f"does not answer ({type(error).__name__})"}
            if found.get("unfit"):
                self._unfit[node] = f"node {names[node]} ({node[:8]}) {found['unfit']}"
            else:
                shared.append(found["shared"])
        if not shared:
            problems = "; ".join(self._unfit.values()) or "it has no node with CPUs"
            raise ExecutorError(f"no node of the Ray cluster can execute runs: {problems}")
        return storage or ("shared" if all(shared) else "none")

    def send(self, name: str, payload: bytes, needs: list[str], is_needed: bool, events: TaskEvents) -> None:
        """Submits a run to Ray."""
        try:
            task = make_task(self._kind, name, payload, self._runs, self.storage, is_needed)
        except StoreError as error:
            events.failed(str(error))
            return
        with self._lock:
            self._events[name] = events
        self._submit(task, [] if self.storage == "shared" else needs)

    def _submit(self, task: Json, needs: list[str]) -> None:
        options = dict(self._options)
        if self._unfit:
            # Nodes that join later are not excluded.
            options["label_selector"] = {"ray.io/node-id": f"!in({','.join(self._unfit)})"}
        logs = [self._log(need) for need in needs]
        reference = self._execute.options(**options).remote(task, self._coordinator, needs, *logs)
        with self._lock:
            self._references[task["name"]] = reference
        reference.future().add_done_callback(lambda future: self._ended(task, needs, future))

    def _log(self, name: str) -> Any:
        """The log of a finished run as an object in Ray's store."""
        with self._lock:
            if name not in self._logs:
                self._logs[name] = ray.put(pack_log(self._runs / name))
            return self._logs[name]

    def _ended(self, task: Json, needs: list[str], future: Any) -> None:
        try:
            outcome = future.result()
        except BaseException as error:
            outcome = _outcome_of(error)
        if outcome.get("unfit") and not self._stopped.is_set():
            is_known = outcome["id"] in self._unfit
            self._unfit[outcome["id"]] = outcome["unfit"]
            if any(node["NodeID"] not in self._unfit for node in _worker_nodes()):
                if is_known:
                    self._submit(task, needs)
                    return
                # The user hears once about an unfit node that joined later.
                outcome = {"lost": f"{outcome['unfit']}; it gets no runs"}
        with self._lock:
            self._references.pop(task["name"], None)
            events = self._events.pop(task["name"], None)
        if events is None:
            return
        if "lost" in outcome:
            events.lost(outcome["lost"])
        else:
            report(outcome, events)

    def _poll(self) -> None:
        """Forwards progress from the coordinator."""
        while not self._stopped.wait(POLL_SECONDS):
            try:
                news = ray.get(self._coordinator.news.remote())
            except Exception:
                continue
            for name, round in news:
                with self._lock:
                    events = self._events.get(name)
                if events is not None:
                    events.waits() if round is None else events.round(round)

    def stop(self) -> None:
        """Stops running tasks at their next safe point and cancels waiting ones."""
        with self._lock:
            if self._stopped.is_set():
                return
            self._stopped.set()
            references = dict(self._references)
        started = ray.get(self._coordinator.stop.remote())
        for name, reference in references.items():
            if name not in started:
                ray.cancel(reference, force=False)

    def close(self) -> None:
        """Disconnects from a cluster that this executor connected to."""
        self._stopped.set()
        if self._connected:
            ray.shutdown()


def _worker_nodes() -> list[Json]:
    return [node for node in ray.nodes() if node["Alive"] and float(node["Resources"].get("CPU", 0)) > 0]


def _connect(address: str | None) -> bool:
    """Connects to a cluster, and returns whether there was no connection before."""
    if ray.is_initialized():
        return False
    if address not in (None, "auto", "local"):
        _check_address(str(address))
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", configure_logging=False)
    except Exception as error:
        raise ExecutorError(f"no Ray cluster at {address or 'the default address'}: {error}") from error
    return True


def _check_address(address: str) -> None:
    """Checks that something listens at an address. Ray itself would try for minutes, and might end the process."""
    parts = urlsplit(address if "//" in address else f"//{address}")
    try:
        host, port = parts.hostname, parts.port or (10001 if parts.scheme == "ray" else 6379)
    except ValueError as error:
        raise ExecutorError(f"invalid address {address} of a Ray cluster, expected HOST:PORT: {error}") from error
    try:
        socket.create_connection((host or "", port), timeout=10).close()
    except OSError as error:
        raise ExecutorError(f"no Ray cluster at {address}: {error}") from error


def _outcome_of(error: BaseException) -> Json:
    """The outcome of a task for which Ray raised an exception."""
    if isinstance(error, ray.exceptions.TaskCancelledError):
        return {"output": None, "files": []}
    lines = str(error).strip().splitlines() or [type(error).__name__]
    if isinstance(error, ray.exceptions.RayTaskError):
        return {"error": lines[-1]}
    return {"lost": f"{type(error).__name__}: {lines[0]}"}


# These functions are pickled by value, because a node may lack this package. It can then report that.


def _probe() -> Any:
    def probe(task: Json) -> Json:
        try:
            from tutelage import _remote
        except Exception as error:
            return {"unfit": f"has no tutelage ({type(error).__name__}: {error})"}
        shared = not _remote.folder_problem(task["runs"], task["identifier"])
        return {"unfit": _remote.node_problem(task), "shared": shared}

    return probe


def _execute(threads: int) -> Any:
    max_crashes = MAX_CRASHES

    def tutelage_run(task: Json, coordinator: Any, needs: list[str], *logs: Files) -> Json:
        import platform

        import ray

        node, id = platform.node(), ray.get_runtime_context().get_node_id()
        try:
            from tutelage import _ray, _remote

            problem = _remote.node_problem(task)
        except Exception as error:
            problem = f"has no tutelage ({type(error).__name__}: {error})"
        if problem:
            return {"unfit": f"node {node} ({id[:8]}) {problem}", "id": id}
        _remote.set_threads(threads)
        if ray.get(coordinator.start.remote(task["name"], id)) >= max_crashes:
            return {"error": f"on {node}: its process was ended {max_crashes} times on healthy nodes"}
        observer = _ray.RayObserver(coordinator, task["name"])
        return {"id": id, **_remote.execute_task(task, list(zip(needs, logs, strict=True)), observer)}

    return tutelage_run


class RayObserver(TaskObserver):
    """Reports progress to the coordinator, and asks it whether to stop, both at limited rates."""

    def __init__(self, coordinator: Any, name: str) -> None:
        self._coordinator, self._name = coordinator, name
        self._reported = self._asked = time.monotonic()
        self._stop = False

    def round(self, round: int) -> None:
        """A round is finished."""
        if time.monotonic() - self._reported > POLL_SECONDS:
            self._reported = time.monotonic()
            self._coordinator.report.remote(self._name, round)

    def waits(self) -> None:
        """Another process has locked the folder of the run."""
        self._coordinator.report.remote(self._name, None)

    def wants_stop(self) -> bool:
        """Whether to stop; also if the coordinator is gone."""
        if not self._stop and time.monotonic() - self._asked > 2 * POLL_SECONDS:
            self._asked = time.monotonic()
            try:
                self._stop = ray.get(self._coordinator.stopping.remote(), timeout=60)
            except Exception:
                self._stop = True
        return self._stop


def _coordinator() -> Any:
    class Coordinator:
        """An actor on the node of the caller that collects the progress of all runs."""

        def __init__(self) -> None:
            self._started: dict[str, list[str]] = {}
            self._news: list[tuple[str, int | None]] = []
            self._stops = False

        def start(self, name: str, node: str) -> int:
            """A run starts; returns how often its process ended before on nodes that are still alive."""
            earlier = self._started.setdefault(name, [])
            crashes = 0
            if earlier:
                import ray

                alive = {node["NodeID"] for node in ray.nodes() if node["Alive"]}
                crashes = sum(node in alive for node in earlier)
            earlier.append(node)
            return crashes

        def report(self, name: str, round: int | None) -> None:
            self._news.append((name, round))

        def news(self) -> list[tuple[str, int | None]]:
            news, self._news = self._news, []
            return news

        def stop(self) -> list[str]:
            self._stops = True
            return list(self._started)

        def stopping(self) -> bool:
            return self._stops

    return ray.remote(num_cpus=0, max_concurrency=1)(Coordinator)
