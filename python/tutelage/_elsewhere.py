"""Runs elsewhere: what is carried out there, and engines that take it there.

The scheduler is the native half's. An engine has ``send(name, task, needs, is_needed, post)``, which returns at once and tells
``post`` how it goes, ``stop()``, ``close()``, ``at_once`` and ``notes``. An errand is a dict of plain values, so that anything
can carry it.
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
from .errors import EngineError, FolderInUse, StoreError, TutelageError

Files = list[tuple[str, bytes]]


class Post(Protocol):
    """Where an engine tells of one run."""

    def round(self, round: int) -> None: ...
    def waits(self) -> None: ...
    def done(self, result: str | None, files: Files) -> None: ...
    def lost(self, why: str) -> None: ...
    def failed(self, why: str) -> None: ...


class Ear:
    """Nobody: whoever is told how a run goes where it is carried out, and says when to stop."""

    def round(self, round: int) -> None:
        """A round is over."""

    def waits(self) -> None:
        """Another process still has the run's folder."""

    def wants_stop(self) -> bool:
        """Whether to stop at the next safe point."""
        return False


def hire(engine: str, address: str | None, storage: str | None, runs: str | PathLike[str]) -> Any:
    """The engine of this name, for a figure's runs."""
    if engine != "ray":
        raise EngineError(f"there is no engine {engine!r}; there is 'ray'")
    from ._ray import RayEngine

    return RayEngine("figure", runs, address, storage)


# The folder of runs ------------------------------------------------------------------------------------------------------------

MARK = ".tutelage-runs"


def mark(runs: Path) -> str:
    """Notes in the folder of runs a word by which others know that they see the same one."""
    try:
        runs.mkdir(parents=True, exist_ok=True)
        _try_writing(runs)
        return _word(runs / MARK)
    except OSError as error:
        raise StoreError(f"cannot write to the folder of runs {runs}: {error.strerror or error}") from error


def _try_writing(folder: Path) -> None:
    tempfile.TemporaryFile(dir=folder).close()


def _word(file: Path) -> str:
    try:
        return file.read_text()
    except FileNotFoundError:
        pass
    word = uuid.uuid4().hex
    temporary = file.with_name(f"{MARK}.{word}")
    try:
        temporary.write_text(word)
        try:
            os.link(temporary, file)  # whoever is first
        except OSError:
            if not file.exists():
                temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)
    return file.read_text()


def unseen(runs: str, word: str) -> str | None:
    """Why runs cannot be kept in the folder of runs here; nothing where it is here, the same, and can be written."""
    folder = Path(runs)
    try:
        if (folder / MARK).read_text() != word:
            return f"sees another folder of runs at {runs}"
    except OSError:
        return f"does not see the folder of runs {runs}"
    try:
        _try_writing(folder)
    except OSError as error:
        return f"cannot write to the folder of runs {runs}: {error.strerror or error}"
    return None


def pack(dir: Path) -> Files:
    """The files of a run's folder."""
    files = [file for file in dir.rglob("*") if file.is_file() and file.suffix != ".tutelage-part"]
    return [(str(file.relative_to(dir)), file.read_bytes()) for file in sorted(files)]


def pack_log(dir: Path) -> Files:
    """What others need of a run's folder."""
    return [(name, (dir / name).read_bytes()) for name in _native.travelling_files() if (dir / name).exists()]


def unpack(files: Files, dir: Path) -> None:
    """Puts files into a run's folder."""
    for name, content in files:
        (dir / name).parent.mkdir(parents=True, exist_ok=True)
        _native.replace_file(dir / name, content)


# On the other side -------------------------------------------------------------------------------------------------------------


def errand(kind: str, name: str, task: bytes, runs: Path, storage: str, is_needed: bool) -> Json:
    """One run, complete: ``kind`` is ``"figure"`` or ``"learn"``; ``storage`` is ``"shared"``, ``"none"`` or ``"auto"``."""
    mine = runs / name
    return {
        "kind": kind,
        "name": name,
        "task": task,
        "runs": str(runs.absolute()),
        "word": mark(runs),
        "storage": storage,
        "is_needed": is_needed,
        "program": _native.program(),
        # Where an earlier attempt was stopped, it is continued.
        "files": pack(mine) if storage != "shared" and (mine / "log.bin").exists() else [],
    }


def carry_out(errand: Json, needs: list[tuple[str, Files]], ear: Ear | None = None) -> Json:
    """Carries out a run: its ``result`` and ``files``, or an ``error``, or why this node is ``unfit``."""
    node, ear = platform.node(), ear or Ear()
    unfit = unfitness(errand)
    if unfit:
        return {"unfit": f"{node} {unfit}"}
    try:
        if errand["storage"] != "none" and not unseen(errand["runs"], errand["word"]):
            return {"result": _carry_out_in(errand, Path(errand["runs"]), ear), "files": []}
        with tempfile.TemporaryDirectory(prefix="tutelage-") as home:
            for name, files in [*needs, (errand["name"], errand["files"])]:
                unpack(files, Path(home) / name)
            result = _carry_out_in(errand, Path(home), ear)
            returns = errand["is_needed"] or result is None
            return {"result": result, "files": pack(Path(home) / errand["name"]) if returns else []}
    except TutelageError as error:
        return {"error": f"on {node}: {error}"}
    except Exception as error:
        return {"error": f"on {node}: {type(error).__name__}: {error}"}


def compute_with(threads: int) -> None:
    """Has this process compute with so many threads, where it has not begun: runs that share a machine share its cores."""
    os.environ["RAYON_NUM_THREADS"] = str(max(1, threads))


def unfitness(errand: Json) -> str | None:
    """Why runs of whoever sent this would not have the same bits here, or could not be written."""
    (version, arithmetic), (theirs, their_arithmetic) = _native.program(), errand["program"]
    if version != theirs:
        return f"has tutelage {version}, and the run was sent by {theirs}; install the same on all nodes"
    if arithmetic != their_arithmetic:
        return f"computes with {arithmetic}, and the run was sent from {their_arithmetic}: its bits would differ"
    return unseen(errand["runs"], errand["word"]) if errand["storage"] == "shared" else None


def _carry_out_in(errand: Json, runs: Path, ear: Ear) -> str | None:
    if errand["kind"] == "figure":
        return _native.carry_out_elsewhere(errand["task"], runs, ear)
    return _learn(errand["task"], runs / errand["name"], ear)


def _learn(task: bytes, dir: Path, ear: Ear) -> str | None:
    from ._learn import learn

    call = pickle.loads(task)
    expert = call["expert"] and call["expert"](call["env"])

    def callback(result: Any) -> bool:
        ear.round(result.round)
        return not ear.wants_stop()

    waited = False
    while True:
        try:
            run = learn(call["env"], expert, dir=dir, callback=callback, progress=False, **call["settings"])
            return "finished" if run.finished else None
        except FolderInUse:
            # Whoever was to carry out the run before, and was given up, may still be at it.
            if not waited:
                ear.waits()
            waited = True
            if ear.wants_stop():
                return None
            time.sleep(0.2)


def deliver(outcome: Json, post: Post) -> None:
    """Tells what came of a run."""
    if outcome.get("unfit") or outcome.get("error"):
        post.failed(outcome.get("unfit") or outcome["error"])
    else:
        post.done(outcome["result"], outcome["files"])


# On executors, and in processes of their own -----------------------------------------------------------------------------------


class ExecutorEngine:
    """Takes runs to any :class:`concurrent.futures.Executor`."""

    def __init__(self, kind: str, runs: str | PathLike[str], executor: Executor, at_once: int | None = None) -> None:
        self._kind, self._runs, self._executor = kind, Path(runs), executor
        self._futures: set[Future[Json]] = set()
        self._lock = threading.Lock()
        self.at_once = at_once or getattr(executor, "_max_workers", None) or os.cpu_count() or 1
        self.notes: list[str] = []

    def send(self, name: str, task: bytes, needs: list[str], is_needed: bool, post: Post) -> None:
        """Submits a run."""
        try:
            parcel = errand(self._kind, name, task, self._runs, "auto", is_needed)
        except StoreError as error:
            post.failed(str(error))
            return
        packed = [(need, pack_log(self._runs / need)) for need in needs]
        future = self._submit(parcel, packed)
        with self._lock:
            self._futures.add(future)
        future.add_done_callback(lambda future: self._ended(future, post))

    def _submit(self, parcel: Json, needs: list[tuple[str, Files]]) -> Future[Json]:
        return self._executor.submit(carry_out, parcel, needs)

    def _ended(self, future: Future[Json], post: Post) -> None:
        with self._lock:
            self._futures.discard(future)
        try:
            deliver(future.result(), post)
        except (CancelledError, KeyboardInterrupt):
            post.done(None, [])
        except BrokenExecutor as error:
            post.lost(f"its executor is broken: {error}")
        except BaseException as error:
            post.failed(f"{type(error).__name__}: {error}")

    def stop(self) -> None:
        """Drops what has not begun; what runs goes on to its end, or to where Ctrl-C stops it."""
        with self._lock:
            futures = list(self._futures)
        for future in futures:
            future.cancel()

    def close(self) -> None:
        """Leaves the executor to whoever made it."""


class ProcessEngine(ExecutorEngine):
    """A process for every run, as many at once as there are cores."""

    def __init__(self, kind: str, runs: str | PathLike[str], at_once: int | None = None) -> None:
        at_once = at_once or _cores()
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._stopping = False
        super().__init__(kind, runs, ThreadPoolExecutor(at_once), at_once)

    def _submit(self, parcel: Json, needs: list[tuple[str, Files]]) -> Future[Json]:
        return self._executor.submit(self._carry_out, parcel, needs)

    def _carry_out(self, parcel: Json, needs: list[tuple[str, Files]]) -> Json:
        # What can be imported here can be imported there.
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)}
        command = [sys.executable, "-m", "tutelage._worker"]
        with subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            with self._lock:
                self._processes.add(process)
            try:
                answer, _ = process.communicate(pickle.dumps((parcel, needs)))
            finally:
                with self._lock:
                    self._processes.discard(process)
        if process.returncode == 0:
            outcome: Json = pickle.loads(answer)
            return outcome
        if self._stopping:
            return {"result": None, "files": []}
        raise BrokenExecutor(f"its process ended with code {process.returncode}")

    def stop(self) -> None:
        """Stops every process; a run goes on from its last answer."""
        self._stopping = True
        super().stop()
        with self._lock:
            processes = list(self._processes)
        for process in processes:
            process.terminate()

    def close(self) -> None:
        """Ends the threads that waited for processes."""
        self._executor.shutdown(wait=False, cancel_futures=True)


def _cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
