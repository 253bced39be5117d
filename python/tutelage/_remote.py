"""Runs in other processes and on other machines: tasks, their execution, and executors that send them.

The scheduler is part of the native half. An executor has ``send(name, payload, needs, is_needed, events)``, which returns at
once and reports to ``events``, ``stop()``, ``close()``, ``concurrency`` and ``notes``. A task is a dict of plain values.
"""

from __future__ import annotations

import os
import pickle
import platform
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

from . import _native
from ._spaces import Json
from .errors import ExecutorError, FolderInUse, StoreError, TutelageError

Files = list[tuple[str, bytes]]
Needs = list[tuple[str, Files]]


class TaskEvents(Protocol):
    """Receives the events of one task."""

    def round(self, round: int) -> None: ...
    def waits(self) -> None: ...
    def done(self, output: str | None, files: Files) -> None: ...
    def lost(self, why: str) -> None: ...
    def failed(self, why: str) -> None: ...


class TaskObserver:
    """Observes a run on the machine that executes it. This one ignores all events."""

    def round(self, round: int) -> None:
        """A round is finished."""

    def waits(self) -> None:
        """Another process has locked the folder of the run."""

    def wants_stop(self) -> bool:
        """Whether to stop at the next safe point."""
        return False


def connect(kind: str, address: str | None, storage: str | None, runs: str | PathLike[str]) -> Any:
    """Returns an executor for the runs of a figure."""
    if kind != "ray":
        raise ExecutorError(f"unknown executor {kind!r}, expected 'ray'")
    from ._ray import RayExecutor

    return RayExecutor("figure", runs, address, storage)


# The folder of runs ------------------------------------------------------------------------------------------------------------

MARK = ".tutelage-runs"
"""A file whose content identifies a folder of runs, so that nodes can tell whether they see the same one."""


def identify_folder(runs: Path) -> str:
    """Returns the identifier of a folder of runs, and creates it if necessary."""
    try:
        runs.mkdir(parents=True, exist_ok=True)
        _try_writing(runs)
        return _identifier(runs / MARK)
    except OSError as error:
        raise StoreError(f"cannot write to the folder of runs {runs}: {error.strerror or error}") from error


def _try_writing(folder: Path) -> None:
    tempfile.TemporaryFile(dir=folder).close()


def _identifier(file: Path) -> str:
    if not file.exists():
        temporary = file.with_name(f"{MARK}.{uuid.uuid4().hex}")
        try:
            temporary.write_text(temporary.suffix[1:])
            try:
                os.link(temporary, file)  # fails if another process was first
            except OSError:
                if not file.exists():
                    temporary.replace(file)
        finally:
            temporary.unlink(missing_ok=True)
    return file.read_text()


def folder_problem(runs: str, identifier: str) -> str | None:
    """Returns why this node cannot use the folder of runs, or ``None`` if it sees the same one and can write to it."""
    folder = Path(runs)
    try:
        if (folder / MARK).read_text() != identifier:
            return f"sees another folder of runs at {runs}"
    except OSError:
        return f"does not see the folder of runs {runs}"
    try:
        _try_writing(folder)
    except OSError as error:
        return f"cannot write to the folder of runs {runs}: {error.strerror or error}"
    return None


def pack(dir: Path) -> Files:
    """Reads all files of a run's folder."""
    files = [file for file in dir.rglob("*") if file.is_file() and file.suffix != ".tutelage-part"]
    return [(str(file.relative_to(dir)), file.read_bytes()) for file in sorted(files)]


def pack_log(dir: Path) -> Files:
    """Reads the files of a run's folder that other runs need."""
    return [(name, (dir / name).read_bytes()) for name in _native.run_files() if (dir / name).exists()]


def unpack(files: Files, dir: Path) -> None:
    """Writes files into a run's folder."""
    for name, content in files:
        (dir / name).parent.mkdir(parents=True, exist_ok=True)
        _native.replace_file(dir / name, content)


# Tasks -------------------------------------------------------------------------------------------------------------------------


def make_task(kind: str, name: str, payload: bytes, runs: Path, storage: str, is_needed: bool) -> Json:
    """Describes a run: ``kind`` is ``"figure"`` or ``"learn"``, ``storage`` is ``"shared"``, ``"none"`` or ``"auto"``."""
    folder = runs / name
    return {
        "kind": kind,
        "name": name,
        "payload": payload,
        "runs": str(runs.absolute()),
        "identifier": identify_folder(runs),
        "storage": storage,
        "is_needed": is_needed,
        "version": _native.version(),
        "arithmetic": _native.arithmetic(),
        # A run that was stopped resumes from these files.
        "files": pack(folder) if storage != "shared" and (folder / "log.bin").exists() else [],
    }


def execute_task(task: Json, needs: Needs, observer: TaskObserver | None = None) -> Json:
    """Executes a run. Returns its ``output`` and ``files``, or an ``error``, or why this node is ``unfit``."""
    node, observer = platform.node(), observer or TaskObserver()
    if problem := node_problem(task):
        return {"unfit": f"{node} {problem}"}
    try:
        if task["storage"] != "none" and not folder_problem(task["runs"], task["identifier"]):
            return {"output": _execute_in(task, Path(task["runs"]), observer), "files": []}
        with tempfile.TemporaryDirectory(prefix="tutelage-") as home:
            for name, files in [*needs, (task["name"], task["files"])]:
                unpack(files, Path(home) / name)
            output = _execute_in(task, Path(home), observer)
            returns_files = task["is_needed"] or output is None
            return {"output": output, "files": pack(Path(home) / task["name"]) if returns_files else []}
    except TutelageError as error:
        return {"error": f"on {node}: {error}"}
    except Exception as error:
        return {"error": f"on {node}: {type(error).__name__}: {error}"}


def set_threads(threads: int) -> None:
    """Sets the number of threads of this process, if it has not computed yet."""
    os.environ["RAYON_NUM_THREADS"] = str(max(1, threads))


def node_problem(task: Json) -> str | None:
    """Returns why this node cannot execute a task with bit-identical results, or ``None`` if it can."""
    version, arithmetic = _native.version(), _native.arithmetic()
    if version != task["version"]:
        return f"has tutelage {version}, but the run was sent by {task['version']}; install the same version on all nodes"
    if arithmetic != task["arithmetic"]:
        return f"computes with {arithmetic}, but the run was sent from {task['arithmetic']}, so its bits would differ"
    return folder_problem(task["runs"], task["identifier"]) if task["storage"] == "shared" else None


def _execute_in(task: Json, runs: Path, observer: TaskObserver) -> str | None:
    if task["kind"] == "figure":
        return _native.execute_remote(task["payload"], runs, observer)
    return _learn(task["payload"], runs / task["name"], observer)


def _learn(payload: bytes, dir: Path, observer: TaskObserver) -> str | None:
    from ._learn import learn

    call = pickle.loads(payload)
    expert = call["expert"] and call["expert"](call["env"])

    def callback(result: Any) -> bool:
        observer.round(result.round)
        return not observer.wants_stop()

    waited = False
    while True:
        try:
            run = learn(call["env"], expert, dir=dir, callback=callback, progress=False, **call["settings"])
            return "finished" if run.finished else None
        except FolderInUse:
            # A process that was considered lost may still execute the run.
            if not waited:
                observer.waits()
            waited = True
            if observer.wants_stop():
                return None
            time.sleep(0.2)


def report(outcome: Json, events: TaskEvents) -> None:
    """Reports the outcome of a task."""
    if outcome.get("unfit") or outcome.get("error"):
        events.failed(outcome.get("unfit") or outcome["error"])
    else:
        events.done(outcome["output"], outcome["files"])


# Executors ---------------------------------------------------------------------------------------------------------------------


class FuturesExecutor:
    """Sends runs to any :class:`concurrent.futures.Executor`."""

    def __init__(self, kind: str, runs: Path, executor: Executor, concurrency: int | None = None) -> None:
        self._kind, self._runs, self._executor = kind, runs, executor
        self._futures: set[Future[Json]] = set()
        self._lock = threading.Lock()
        self.concurrency = concurrency or getattr(executor, "_max_workers", None) or os.cpu_count() or 1
        self.notes: list[str] = []

    def send(self, name: str, payload: bytes, needs: list[str], is_needed: bool, events: TaskEvents) -> None:
        """Submits a run."""
        try:
            task = make_task(self._kind, name, payload, self._runs, "auto", is_needed)
        except StoreError as error:
            events.failed(str(error))
            return
        future = self._submit(task, [(need, pack_log(self._runs / need)) for need in needs])
        with self._lock:
            self._futures.add(future)
        future.add_done_callback(lambda future: self._ended(future, events))

    def _submit(self, task: Json, needs: Needs) -> Future[Json]:
        return self._executor.submit(execute_task, task, needs)

    def _ended(self, future: Future[Json], events: TaskEvents) -> None:
        with self._lock:
            self._futures.discard(future)
        try:
            report(future.result(), events)
        except (CancelledError, KeyboardInterrupt):
            events.done(None, [])
        except BrokenExecutor as error:
            events.lost(f"its executor is broken: {error}")
        except BaseException as error:
            events.failed(f"{type(error).__name__}: {error}")

    def stop(self) -> None:
        """Cancels waiting runs. Running ones continue until they end or Ctrl-C reaches them."""
        with self._lock:
            futures = list(self._futures)
        for future in futures:
            future.cancel()

    def close(self) -> None:
        """Does nothing: the executor belongs to the caller."""


class ProcessExecutor(FuturesExecutor):
    """Executes every run in a separate process, by default one per core at a time."""

    def __init__(self, kind: str, runs: Path, concurrency: int | None = None) -> None:
        concurrency = concurrency or _cores()
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._stopping = False
        super().__init__(kind, runs, ThreadPoolExecutor(concurrency), concurrency)

    def _submit(self, task: Json, needs: Needs) -> Future[Json]:
        return self._executor.submit(self._execute, task, needs)

    def _execute(self, task: Json, needs: Needs) -> Json:
        # The process must be able to import what this one can.
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)}
        command = [sys.executable, "-c", "from tutelage._remote import worker; worker()"]
        with subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            with self._lock:
                self._processes.add(process)
            try:
                answer, _ = process.communicate(pickle.dumps((task, needs)))
            finally:
                with self._lock:
                    self._processes.discard(process)
        if process.returncode == 0:
            outcome: Json = pickle.loads(answer)
            return outcome
        if self._stopping:
            return {"output": None, "files": []}
        raise BrokenExecutor(f"its process ended with code {process.returncode}")

    def stop(self) -> None:
        """Stops all processes. Runs resume from their last label."""
        self._stopping = True
        super().stop()
        with self._lock:
            processes = list(self._processes)
        for process in processes:
            process.terminate()

    def close(self) -> None:
        """Ends the threads that wait for processes."""
        self._executor.shutdown(wait=False, cancel_futures=True)


def worker() -> None:
    """Executes the task on standard input and writes the outcome to standard output: the main function of a process."""
    task, needs = pickle.load(sys.stdin.buffer)
    # Output of environments and experts must not mix with the outcome.
    outcome_file = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    set_threads(1)
    outcome = execute_task(task, needs)
    outcome_file.write(pickle.dumps(outcome))
    outcome_file.close()


def _cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
