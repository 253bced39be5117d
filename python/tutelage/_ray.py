"""Ray carries runs to other machines: ``pip install tutelage[ray]``.

One task a run. Ray begins it again when its node is lost, as often as it takes; an error of the run itself is an answer like
any other, and final. Where all nodes see the folder of runs, a task that is begun again goes on where its predecessor's log
ends, and waits for the log's lock while that predecessor lives. Elsewhere logs travel with the tasks.
"""

from __future__ import annotations

import socket
import threading
from os import PathLike
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ._elsewhere import Ear, Files, Post, deliver, errand, pack_log
from ._spaces import Json
from .errors import EngineError, SpecError, StoreError

try:
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy
except ImportError as missing:
    raise EngineError("Ray is not installed here: pip install 'tutelage[ray]'") from missing

CRASHES = 5
"""So often a run's process may end on nodes that live on, before the run is held to be the reason."""
NEWS = 0.5
"""Seconds between two looks at how runs go."""
PATIENCE = 120.0
"""Seconds that a node has to answer a first question."""


class RayEngine:
    """Takes runs to a Ray cluster."""

    def __init__(
        self,
        kind: str,
        runs: str | PathLike[str],
        address: str | None = None,
        storage: str | None = None,
        resources: Json | None = None,
    ) -> None:
        self._kind, self._runs = kind, Path(runs).absolute()
        self._options = {"max_retries": -1, "retry_exceptions": False, "num_cpus": 1, **_checked(resources or {})}
        self._connected = _connect(address)
        self._unfit: dict[str, str] = {}
        self._logs: dict[str, Any] = {}
        self._posts: dict[str, Post] = {}
        self._references: dict[str, Any] = {}
        self._lock = threading.Lock()
        self._over = threading.Event()
        here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
        self.desk = _desk().options(scheduling_strategy=here).remote()
        self._task = ray.remote(_errand(int(self._options["num_cpus"])))
        self.storage = self._roll_call(storage)
        nodes = [node for node in ray.nodes() if node["Alive"] and _works(node) and node["NodeID"] not in self._unfit]
        cpus = int(sum(node["Resources"]["CPU"] for node in nodes))
        self.at_once = min(4096, max(64, 4 * cpus))
        where = f"in {self._runs}" if self.storage == "shared" else "with their logs travelling"
        self.notes = [f"Ray: {len(nodes)} nodes with {cpus} CPUs carry out the runs, {where}"]
        self.notes += [f"{words}; it gets no runs" for words in self._unfit.values()]
        threading.Thread(target=self._listen, daemon=True).start()

    def _roll_call(self, storage: str | None) -> str:
        """Asks every node whether it is fit to carry out runs, and sees the folder of runs."""
        nodes = {node["NodeID"]: node["NodeManagerHostname"] for node in ray.nodes() if node["Alive"] and _works(node)}
        question = errand(self._kind, "", b"", self._runs, storage or "auto", is_needed=False)
        answers = {}
        for node in nodes:
            there = NodeAffinitySchedulingStrategy(node, soft=False)
            probe = ray.remote(_probe()).options(num_cpus=0, max_retries=0, scheduling_strategy=there)
            answers[node] = probe.remote(question)
        seen = []
        for node, answer in answers.items():
            try:
                found = ray.get(answer, timeout=PATIENCE)
            except Exception as error:
                found = {"unfit": f"does not answer ({type(error).__name__})"}
            if found.get("unfit"):
                self._unfit[node] = f"node {nodes[node]} ({node[:8]}) {found['unfit']}"
            else:
                seen.append(found["sees"])
        if not seen:
            words = "; ".join(self._unfit.values()) or "it has no node with CPUs"
            raise EngineError(f"no node of the Ray cluster can carry out runs: {words}")
        return storage or ("shared" if all(seen) else "none")

    def send(self, name: str, task: bytes, needs: list[str], is_needed: bool, post: Post) -> None:
        """Hands a run to Ray."""
        try:
            parcel = errand(self._kind, name, task, self._runs, self.storage, is_needed)
        except StoreError as error:
            post.failed(str(error))
            return
        with self._lock:
            self._posts[name] = post
        self._submit(parcel, [] if self.storage == "shared" else needs)

    def _submit(self, parcel: Json, needs: list[str]) -> None:
        name, options = parcel["name"], dict(self._options)
        if self._unfit:
            # Nodes that join later may be fit; these are not.
            options["label_selector"] = {"ray.io/node-id": f"!in({','.join(self._unfit)})"}
        reference = self._task.options(**options).remote(parcel, self.desk, needs, *[self._log(need) for need in needs])
        with self._lock:
            self._references[name] = reference
        reference.future().add_done_callback(lambda future: self._ended(parcel, needs, future))

    def _log(self, name: str) -> Any:
        """The log of a finished run, as an object that Ray brings to whoever needs it."""
        with self._lock:
            if name not in self._logs:
                self._logs[name] = ray.put(pack_log(self._runs / name))
            return self._logs[name]

    def _ended(self, parcel: Json, needs: list[str], future: Any) -> None:
        name = parcel["name"]
        try:
            outcome = future.result()
        except BaseException as error:
            outcome = _explained(error)
        if outcome.get("unfit") and not self._over.is_set():
            is_news = outcome["id"] not in self._unfit
            self._unfit[outcome["id"]] = outcome["unfit"]
            if self._is_somebody_fit():
                if not is_news:
                    self._submit(parcel, needs)
                    return
                # Whoever waits is told of a node that joined later, once.
                outcome = {"lost": f"{outcome['unfit']}; it gets no runs"}
        with self._lock:
            self._references.pop(name, None)
            post = self._posts.pop(name, None)
        if post is None:
            return
        if "lost" in outcome:
            post.lost(outcome["lost"])
        else:
            deliver(outcome, post)

    def _is_somebody_fit(self) -> bool:
        return any(node["Alive"] and _works(node) and node["NodeID"] not in self._unfit for node in ray.nodes())

    def _listen(self) -> None:
        """Passes on what the nodes tell."""
        while not self._over.wait(NEWS):
            try:
                news = ray.get(self.desk.news.remote())
            except Exception:
                continue
            for name, round in news:
                with self._lock:
                    post = self._posts.get(name)
                if post is None:
                    continue
                if round is None:
                    post.waits()
                else:
                    post.round(round)

    def attempts(self) -> dict[str, int]:
        """How often each run was begun."""
        attempts: dict[str, int] = ray.get(self.desk.attempts.remote())
        return attempts

    def stop(self) -> None:
        """Has runs that are under way stop at a safe point, and drops those that have not begun."""
        with self._lock:
            if self._over.is_set():
                return
            self._over.set()
            references = dict(self._references)
        begun = ray.get(self.desk.stop.remote())
        for name, reference in references.items():
            if name not in begun:
                ray.cancel(reference, force=False)

    def close(self) -> None:
        """Leaves the cluster as it was found."""
        self._over.set()
        if self._connected:
            ray.shutdown()


def _checked(resources: Json) -> Json:
    allowed = ("num_cpus", "num_gpus", "memory", "resources")
    if unknown := [name for name in resources if name not in allowed]:
        raise SpecError(f"resources[{unknown[0]!r}] = {resources[unknown[0]]!r}: allowed are {', '.join(allowed)}")
    return resources


def _works(node: Json) -> bool:
    return float(node["Resources"].get("CPU", 0)) > 0


def _connect(address: str | None) -> bool:
    """Joins a cluster; whether it was us who did."""
    if ray.is_initialized():
        return False
    if address not in (None, "auto", "local"):
        _knock(str(address))
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", configure_logging=False)
    except Exception as error:
        raise EngineError(f"no Ray cluster at {address or 'hand'}: {error}") from error
    return True


def _knock(address: str) -> None:
    """Whether anybody listens there; Ray itself asks for minutes, and may end the process."""
    parts = urlsplit(address if "//" in address else f"//{address}")
    try:
        host, port = parts.hostname, parts.port or (10001 if parts.scheme == "ray" else 6379)
    except ValueError as error:
        raise EngineError(f"{address} is no address of a Ray cluster: {error}; allowed is HOST:PORT") from error
    try:
        socket.create_connection((host or "", port), timeout=10).close()
    except OSError as error:
        raise EngineError(f"no Ray cluster at {address}: {error}") from error


def _explained(error: BaseException) -> Json:
    """What Ray raised in place of an answer."""
    if isinstance(error, ray.exceptions.TaskCancelledError):
        return {"result": None, "files": []}
    words = str(error).strip().splitlines() or [type(error).__name__]
    if isinstance(error, ray.exceptions.RayTaskError):
        return {"error": words[-1]}
    return {"lost": f"{type(error).__name__}: {words[0]}"}


# What is carried out on nodes travels as a value, not as a name: so a node without this package can still say so.


def _probe() -> Any:
    def probe(question: Json) -> Json:
        try:
            from tutelage import _elsewhere
        except Exception as error:
            return {"unfit": f"has no tutelage ({type(error).__name__}: {error})"}
        unfit = _elsewhere.unfitness(question)
        return {"unfit": unfit, "sees": not _elsewhere.unseen(question["runs"], question["word"])}

    return probe


def _errand(threads: int) -> Any:
    crashes = CRASHES

    def tutelage_run(parcel: Json, desk: Any, names: list[str], *logs: Files) -> Json:
        import platform

        import ray

        node, id = platform.node(), ray.get_runtime_context().get_node_id()
        try:
            from tutelage import _elsewhere, _ray
        except Exception as error:
            words = f"node {node} ({id[:8]}) has no tutelage ({type(error).__name__}: {error})"
            return {"unfit": words, "id": id}
        if unfit := _elsewhere.unfitness(parcel):
            return {"unfit": f"node {node} ({id[:8]}) {unfit}", "id": id}
        _elsewhere.compute_with(threads)
        if ray.get(desk.begins.remote(parcel["name"], id)) >= crashes:
            return {"error": f"on {node}: its process was ended {crashes} times, and not by the end of a node"}
        ear = _ray.DeskEar(desk, parcel["name"])
        return {"id": id, **_elsewhere.carry_out(parcel, list(zip(names, logs, strict=True)), ear)}

    return tutelage_run


class DeskEar(Ear):
    """Tells the desk how a run goes, now and then, and asks it whether to stop."""

    def __init__(self, desk: Any, name: str) -> None:
        import time

        self._desk, self._name, self._clock = desk, name, time.monotonic
        self._told = self._asked = self._clock()
        self._stop = False

    def round(self, round: int) -> None:
        """A round is over."""
        if self._clock() - self._told > NEWS:
            self._told = self._clock()
            self._desk.tell.remote(self._name, round)

    def waits(self) -> None:
        """Another process still has the run's folder."""
        self._desk.tell.remote(self._name, None)

    def wants_stop(self) -> bool:
        """Whether somebody wants to stop, or nobody is there any more."""
        if not self._stop and self._clock() - self._asked > 2 * NEWS:
            self._asked = self._clock()
            try:
                self._stop = ray.get(self._desk.stopping.remote(), timeout=60)
            except Exception:
                self._stop = True
        return self._stop


def _desk() -> Any:
    class Desk:
        """Beside whoever waits for the runs: where nodes tell how they go."""

        def __init__(self) -> None:
            self._begun: dict[str, list[str]] = {}
            self._news: list[tuple[str, int | None]] = []
            self._stops = False

        def begins(self, name: str, node: str) -> int:
            """A run is begun; how often its process ended before on a node that lives."""
            earlier = self._begun.setdefault(name, [])
            crashes = 0
            if earlier:
                import ray

                alive = {node["NodeID"] for node in ray.nodes() if node["Alive"]}
                crashes = sum(node in alive for node in earlier)
            earlier.append(node)
            return crashes

        def attempts(self) -> dict[str, int]:
            return {name: len(nodes) for name, nodes in self._begun.items()}

        def tell(self, name: str, round: int | None) -> None:
            self._news.append((name, round))

        def news(self) -> list[tuple[str, int | None]]:
            news, self._news = self._news, []
            return news

        def stop(self) -> list[str]:
            self._stops = True
            return list(self._begun)

        def stopping(self) -> bool:
            return self._stops

    return ray.remote(num_cpus=0, max_concurrency=1)(Desk)
