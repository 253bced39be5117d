"""Compares our Bullet tasks with pybullet_envs or EnvPool: environment steps per CPU-second, and their ratio.

    .venv/bin/python benches/env_speed/run.py [--baseline pybullet] [--lanes 24] [--steps 10000] [--repetitions 5]
                                              [--tasks hopper ant] [--json]

With `--lanes N` our side (and EnvPool's) steps N robots at once on one thread; otherwise one environment. pybullet always
steps one. The sides alternate, so that a change in the machine's speed affects both. The ratio is the median over the
repetitions, with the smallest and largest in brackets. The Rust side is built first.
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TASKS = ["hopper", "walker2d", "half-cheetah", "ant"]


def main():
    options = parse_arguments()
    lanes = [str(options.lanes)] if options.lanes else []
    ours = [str(options.binary or build())]
    theirs = [sys.executable, str(Path(__file__).with_name(f"{options.baseline}_side.py"))]
    their_lanes = lanes if options.baseline == "envpool" else []
    if not options.json:
        print(f"{'task':14}{'tutelage':>12}{options.baseline:>12}{'ratio':>8}    (steps per CPU-second, medians)")
    for task in options.tasks:
        pairs = [
            (speed(ours, task, options.steps, lanes), speed(theirs, task, options.steps, their_lanes))
            for _ in range(options.repetitions)
        ]
        report(task, pairs, options)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--baseline", "--beside", choices=["pybullet", "envpool"], default="pybullet")
    parser.add_argument("--lanes", type=int, help="number of robots that are stepped together (default: one environment)")
    parser.add_argument("--steps", type=int, default=10_000, help="env steps per measurement")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=TASKS)
    parser.add_argument("--binary", type=Path, help="the built env_speed example, instead of building it")
    parser.add_argument("--json", action="store_true", help="one JSON line per task instead of a table")
    return parser.parse_args()


def build():
    """Builds the Rust example and returns its path, as cargo reports it."""
    command = ["cargo", "build", "--release", "-p", "tutelage-tasks", "--example", "env_speed"]
    done = subprocess.run(
        [*command, "--message-format=json-render-diagnostics"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    )
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    return next(m["executable"] for m in messages if m.get("target", {}).get("name") == "env_speed")


def speed(command, task, steps, lanes):
    """Steps per CPU-second, from the JSON line that all sides print."""
    done = subprocess.run([*command, task, str(steps), *lanes], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])["steps_per_cpu_second"]


def report(task, pairs, options):
    ours, theirs = (statistics.median(column) for column in zip(*pairs))
    ratios = [ours / theirs for ours, theirs in pairs]
    ratio = statistics.median(ratios)
    if options.json:
        figures = {"task": task, "lanes": options.lanes or 1, "tutelage": ours, options.baseline: theirs}
        print(json.dumps(figures | {"ratio": ratio, "ratios": ratios}), flush=True)
    else:
        print(f"{task:14}{ours:12.0f}{theirs:12.0f}{ratio:7.2f}x    [{min(ratios):.2f}, {max(ratios):.2f}]", flush=True)


if __name__ == "__main__":
    main()
