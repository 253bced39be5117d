"""What it costs to hand runs to Ray, beside running them here. To be run on a quiet machine, with the package built for release:

    python -m venv venv && venv/bin/pip install '.[ray]'
    venv/bin/python benches/ray_scaling/ray_scaling.py [RUNS]

1. Trivial runs (a grid, one round of one question, one episode, two training steps) through ``tutelage reproduce``: on the
   threads of this process, then on a Ray cluster of this machine, with a common folder and with logs that travel. Runs per
   second, the difference per run, and the most memory of the process that schedules.
2. Runs of about a second, the same way: the share of the cores' time that is spent in runs.

RUNS is 10,000 by default.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

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
SECOND = {"task": "cart-pole", "width": "64,64", "rounds": 5, "states": 50, "iterations": 1500, "episodes": 5}

WHERE = {
    "threads of this process": (),
    "Ray, common folder": ("--on", "ray", "--storage", "shared"),
    "Ray, logs travel": ("--on", "ray", "--storage", "none"),
}


def carry_out(folder: Path, settings: dict[str, object], seeds: int, more: tuple[str, ...]) -> tuple[float, float]:
    """Seconds from the first record of a figure's runs to the last, and the scheduler's most memory in MB."""
    figure = folder / "trivial.toml"
    figure.write_text(FIGURE.format(seeds=seeds, **settings))
    line = ["reproduce", str(figure), "--results", str(folder / "results"), "--runs", str(folder / "runs"), *more]
    environment = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled"}
    command = [sys.executable, "-m", "tutelage._command", *line]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        memory = 0.0
        while process.poll() is None:
            memory = most_memory(process.pid) or memory
            time.sleep(0.05)
    records = list((folder / "results").glob("*/*/*.json"))
    assert process.returncode == 0, (folder / "log").read_text()[-2000:]
    assert len(records) == seeds
    end = max(file.stat().st_mtime for file in records)
    first = min(file.stat().st_mtime for file in records)
    return end - first, memory


def most_memory(process: int) -> float | None:
    """The most that a process has had, in MB."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return None
    found = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")]
    return int(found[0]) / 1024 if found else None


def table(title: str, settings: dict[str, object], seeds: int) -> None:
    print(f"{title}: {seeds} runs, {os.cpu_count()} cores")
    print(f"{'':26} {'seconds':>9} {'runs/s':>9} {'ms more a run':>14} {'scheduler, MB':>14}")
    here = None
    for name, more in WHERE.items():
        with tempfile.TemporaryDirectory() as folder:
            seconds, memory = carry_out(Path(folder), settings, seeds, more)
        here = seconds if here is None else here
        cost = 1000 * (seconds - here) / seeds
        print(f"{name:26} {seconds:9.1f} {seeds / seconds:9.1f} {cost:14.2f} {memory:14.0f}", flush=True)
    print()


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    table("Trivial runs", TRIVIAL, runs)
    table("Runs of a second", SECOND, min(200, max(20, runs // 50)))


if __name__ == "__main__":
    main()
