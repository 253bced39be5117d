"""The overhead of runs on Ray, compared with local runs, measured on an idle machine with a release build:

    python -m venv venv && venv/bin/pip install '.[ray]'
    venv/bin/python benches/ray_scaling/ray_scaling.py [--runs 10000] [--long 200] [--planned 50000]

1. Trivial runs (a grid, one round with one label, one episode, two training steps) through ``tutelage reproduce``: on threads,
   and on a local Ray cluster, with a shared folder and with logs that are sent. Reported are runs per second from the first
   record to the last, efficiency (the time on threads divided by this time), the difference per run, and the CPU time per run
   and peak memory of the scheduling process. On threads, its CPU time includes the run itself.
2. The same for runs of about a second.
3. Planning: time and memory per planned run.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

FIGURE = """
title = 'Trivial'
draw = 'curves'
tasks = ['{task}']
seeds = '1-{seeds}'

[[rows]]
name = 'trivial'
class = 'mlp:{width}'
rounds = {rounds}
states_per_round = {states}
oracle = {{ budget = 'iterations={iterations}' }}
evaluation = {{ episodes = {episodes} }}
algorithms = ['dagger']
"""

TRIVIAL = {"task": "grid", "width": "2", "rounds": 1, "states": 1, "iterations": 2, "episodes": 1}
SECOND = {"task": "cart-pole", "width": "64,64", "rounds": 5, "states": 50, "iterations": 1000, "episodes": 5}

WHERE = {
    "threads": (),
    "Ray, shared folder": ("--on", "ray", "--storage", "shared"),
    "Ray, logs sent": ("--on", "ray", "--storage", "none"),
}

TICKS = os.sysconf("SC_CLK_TCK")


class Usage(NamedTuple):
    """The CPU seconds of a process and its peak memory in MB."""

    processor: float = 0.0
    memory: float = 0.0


def main() -> None:
    options = parse_arguments()
    table("Trivial runs", TRIVIAL, options.runs)
    table("Runs of a second", SECOND, options.long)
    planning(options.planned)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10_000, help="number of trivial runs")
    parser.add_argument("--long", type=int, default=200, help="number of runs of a second")
    parser.add_argument("--planned", type=int, default=50_000, help="number of planned runs")
    return parser.parse_args()


def table(title: str, settings: dict[str, object], seeds: int) -> None:
    print(f"{title}: {seeds} runs, {os.cpu_count()} cores")
    columns = ("seconds", "runs/s", "efficiency", "ms more a run", "scheduler, ms a run", "scheduler, MB")
    print(f"{'':26}" + "".join(f"{column:>20}" for column in columns))
    here = None
    for name, more in WHERE.items():
        with tempfile.TemporaryDirectory() as folder:
            seconds, used = carry_out(Path(folder), settings, seeds, more)
        here = seconds if here is None else here
        each = [1000 * (seconds - here) / seeds, 1000 * used.processor / seeds]
        rates = (f"{seconds:.1f}", f"{seeds / seconds:.1f}", f"{here / seconds:.0%}")
        numbers = (*rates, *(f"{cost:.2f}" for cost in each), f"{used.memory:.0f}")
        print(f"{name:26}" + "".join(f"{number:>20}" for number in numbers), flush=True)
    print()


def carry_out(folder: Path, settings: dict[str, object], seeds: int, more: tuple[str, ...]) -> tuple[float, Usage]:
    """Returns the seconds from a figure's first record to its last, and the scheduler's usage in that time."""
    results = folder / "results"
    line = [*figure(folder, settings, seeds), "--results", str(results), "--runs", str(folder / "runs"), *more]
    with (folder / "log").open("w") as log:
        process = start(line, stdout=log, stderr=log)
        first, at_first, last = 0.0, None, Usage()
        while process.poll() is None:
            last = usage(process.pid) or last
            if at_first is None and next(results.glob("*/*.jsonl"), None):
                first, at_first = time.time(), last
            time.sleep(0.05)
    assert process.returncode == 0, (folder / "log").read_text()[-2000:]
    (records,) = results.glob("*/*.jsonl")
    assert len(records.read_text().splitlines()) == seeds
    since_first = last.processor - (at_first or Usage()).processor
    return records.stat().st_mtime - first, Usage(since_first, last.memory)


def figure(folder: Path, settings: dict[str, object], seeds: int) -> list[str]:
    file = folder / "trivial.toml"
    file.write_text(FIGURE.format(seeds=seeds, **settings))
    return ["reproduce", str(file)]


def start(line: list[str], **streams: Any) -> subprocess.Popen[bytes]:
    # Ray's default timeout for starting a cluster is too short for a busy machine.
    ray = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled", "RAY_raylet_start_wait_time_s": "120"}
    environment = {**os.environ, **ray}
    return subprocess.Popen([sys.executable, "-m", "tutelage", *line], env=environment, **streams)


def usage(process: int) -> Usage | None:
    try:
        status = Path(f"/proc/{process}/status").read_text()
        times = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return None
    most = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")]
    # A process that has just ended has no memory entry.
    return Usage((int(times[11]) + int(times[12])) / TICKS, int(most[0]) / 1024) if most else None


def planning(runs: int) -> None:
    """Prints the cost of a planned run, from the difference between few and many."""
    few, many = (plan(count) for count in (10, runs))
    seconds, memory = (1e6 * (more - less) / (runs - 10) for less, more in zip(few, many, strict=True))
    print(f"Planning {runs} runs: {many.processor:.1f} s and {many.memory:.0f} MB, {seconds:.0f} µs and {memory:.0f} B a run")


def plan(runs: int) -> Usage:
    with tempfile.TemporaryDirectory() as folder:
        process = start([*figure(Path(folder), TRIVIAL, runs), "--plan"], stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        assert status == 0
    return Usage(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


if __name__ == "__main__":
    main()
