#!/usr/bin/env python3
"""Compares the MLP oracle with PyTorch and JAX in one run on one machine.

Trains tanh networks with Adam on minibatches of 200 rows and the clipped squared loss. Prints the time of one iteration of one
member, and the ratios. Each library is measured at its best (torch_side.py, jax_side.py), with one thread and with two.

    python3 -m venv .venv && .venv/bin/pip install -r benches/oracle_speed/requirements.txt
    .venv/bin/python benches/oracle_speed/run.py

The sides alternate, and each number is the best of several repeats. Run it on an otherwise idle machine.
"""

import argparse
import itertools
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).parent
PEERS = {"torch": "PyTorch", "jax": "JAX"}
NETWORKS = [((28, 64, 64, 8), (1, 5, 25)), ((15, 4, 3), (1, 25)), ((26, 12, 6), (1, 25)), ((22, 24, 6), (1, 25))]


def ours(binary, widths, members, threads):
    weights = sum(a * b for a, b in itertools.pairwise(widths))
    iterations = 2000 if weights * members < 20000 else 500
    return lines([binary, shape(widths), members, threads, iterations, 1])


def theirs(peer, widths, members, threads):
    return lines([sys.executable, HERE / f"{peer}_side.py", shape(widths), members, threads])


def shape(widths):
    return "-".join(map(str, widths))


def lines(command):
    output = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in output.splitlines()]


def best_of(repeats, measures):
    """Returns for every measure the least wall time, CPU time and time to act over all repeats and variants."""
    results = [[measure() for measure in measures] for _ in range(repeats)]
    least = lambda key, turns: min(way[key] for turn in turns for way in turn)
    return [{key: least(key, turns) for key in ("wall_us", "cpu_us", "act_us")} for turns in zip(*results)]


def compare(binary, widths, members, options):
    cases = [(side, threads) for side in ["ours", *options.baseline] for threads in (1, 2)]
    measure = lambda side, threads: (
        lambda: ours(binary, widths, members, threads) if side == "ours" else theirs(side, widths, members, threads)
    )
    results = dict(zip(cases, best_of(options.repeats, [measure(*case) for case in cases])))
    print(f"\n{shape(widths)}, E = {members}: µs per iteration and member (wall, processor); µs to act in 25 states")
    for (side, threads), result in results.items():
        name = f"{PEERS.get(side, 'this project')}, {threads} thread{'s' * (threads > 1)}"
        print(f"  {name:28} {result['wall_us']:9.2f} {result['cpu_us']:9.2f} {result['act_us']:9.1f}")
    for peer in options.baseline:
        of = lambda threads: results[peer, threads]["wall_us"] / results["ours", threads]["wall_us"]
        best = lambda side, key: min(results[side, threads][key] for threads in (1, 2))
        print(f"  {PEERS[peer]} / ours: one thread {of(1):.1f}x, two threads {of(2):.1f}x,"
              f" best of each {best(peer, 'wall_us') / best('ours', 'wall_us'):.1f}x,"
              f" acting {best(peer, 'act_us') / best('ours', 'act_us'):.1f}x", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--baseline", "--beside", nargs="+", choices=PEERS, default=list(PEERS))
    parser.add_argument("--binary", type=pathlib.Path, help="the built train_speed example, instead of building it")
    options = parser.parse_args()
    binary = options.binary or build()
    for widths, sizes in NETWORKS:
        for members in sizes:
            compare(binary, widths, members, options)


def build():
    command = ["cargo", "build", "--release", "--quiet", "-p", "tutelage-oracles", "--example", "train_speed"]
    subprocess.run(command, cwd=ROOT, check=True)
    return ROOT / "target" / "release" / "examples" / "train_speed"


if __name__ == "__main__":
    main()
