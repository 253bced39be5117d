#!/usr/bin/env python3
"""The MLP oracle beside PyTorch, in one run on one machine.

Trains tanh networks with Adam on minibatches of 200 rows and the clipped squared loss, in PyTorch and in this project, and prints the time of
one iteration of one member and the ratios. PyTorch is measured at its best: a plain loop over one network, and all members
batched into one `baddbmm` per layer, each with the default, the `foreach` and the `fused` Adam, with one thread and with two.

    python3 -m venv .venv && .venv/bin/pip install -r benches/oracle_speed/requirements.txt
    .venv/bin/python benches/oracle_speed/run.py

Both sides take turns, and each number is the best of several repeats, so that other work on the machine touches both alike.
"""

import argparse
import itertools
import json
import pathlib
import subprocess
import sys
import time

import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
BATCH, ROWS, RATE = 200, 1000, 2.5e-4
OPTIMISERS = {"foreach": {"foreach": True}, "fused": {"fused": True}, "plain": {"foreach": False}}


def layers(widths, members):
    """Fresh weights [E, in, out] and biases [E, 1, out]; one member has no first axis (and biases [out])."""
    shape = (members,) if members > 1 else ()
    for n_in, n_out in itertools.pairwise(widths):
        weight = torch.randn(*shape, n_in, n_out) / n_in**0.5
        bias = torch.zeros(*shape, 1, n_out) if members > 1 else torch.zeros(n_out)
        yield weight.requires_grad_(), bias.requires_grad_()


def forward(network, x):
    multiply = torch.baddbmm if x.dim() == 3 else torch.addmm
    for i, (weight, bias) in enumerate(network):
        x = multiply(bias, x, weight)
        if i + 1 < len(network):
            x = torch.tanh(x)
    return x


def torch_train(widths, members, optimiser, threads, iterations):
    """Microseconds (wall, processor) per iteration and member."""
    torch.set_num_threads(threads)
    network = list(layers(widths, members))
    adam = torch.optim.Adam([p for pair in network for p in pair], lr=RATE, **OPTIMISERS[optimiser])
    states, labels = torch.rand(ROWS, widths[0]) * 2 - 1, torch.rand(ROWS, widths[-1]) * 2 - 1
    shape = (members, BATCH) if members > 1 else (BATCH,)
    indices = torch.randint(0, ROWS, (iterations + 3, *shape))
    for i in range(iterations + 3):
        if i == 3:
            wall, cpu = time.perf_counter(), time.process_time()
        x, y = states[indices[i]], labels[indices[i]]
        error = forward(network, x).clamp(-1, 1) - y.clamp(-1, 1)
        # The members' losses are added, not averaged: each descends its own.
        loss = (error * error).mean(dim=(-1, -2)).sum()
        adam.zero_grad(set_to_none=True)
        loss.backward()
        adam.step()
    per = 1e6 / (iterations * members)
    return (time.perf_counter() - wall) * per, (time.process_time() - cpu) * per


def torch_act(widths, members, threads, states=25):
    """Microseconds to act with all members in `states` states."""
    torch.set_num_threads(threads)
    network = list(layers(widths, members))
    x = torch.rand(states, widths[0]).expand(members, -1, -1)
    best = float("inf")
    with torch.no_grad():
        for _ in range(300):
            start = time.perf_counter()
            forward(network, x).clamp(-1, 1).mean(dim=0)
            best = min(best, (time.perf_counter() - start) * 1e6)
    return best


def rust_train(binary, widths, members, threads, iterations):
    command = [binary, "-".join(map(str, widths)), str(members), str(threads), str(iterations), "1"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def best_of(repeats, *measures):
    """The best result of each measure over so many turns; a result is a tuple of numbers, each the smaller the better."""
    results = [[measure() for measure in measures] for _ in range(repeats)]
    return [tuple(map(min, zip(*column))) for column in zip(*results)]


def compare(binary, widths, members, repeats):
    weights = sum(a * b for a, b in itertools.pairwise(widths))
    iterations = max(20, min(400, int(2e6 / (weights * members) * 2)))
    rust_iterations = 2000 if members > 1 or weights > 1000 else 20000
    rust = lambda threads: lambda: tuple(
        rust_train(binary, widths, members, threads, rust_iterations)[key] for key in ("wall_us", "cpu_us")
    )
    variants = [(o, t) for o in OPTIMISERS for t in (1, 2)]
    peers = [lambda o=o, t=t: torch_train(widths, members, o, t, iterations) for o, t in variants]
    one, two, *torch_times = best_of(repeats, rust(1), rust(2), *peers)
    shape = "-".join(map(str, widths))
    print(f"\n{shape}, E = {members}: µs per iteration and member (wall, processor)")
    print(f"  {'this project, 1 thread':34} {one[0]:9.2f} {one[1]:9.2f}")
    print(f"  {'this project, 2 threads':34} {two[0]:9.2f} {two[1]:9.2f}   {one[0] / two[0]:.2f}x one thread")
    for (optimiser, threads), (wall, cpu) in zip(variants, torch_times):
        label = f"PyTorch, {optimiser} Adam, {threads} thread{'s' * (threads > 1)}"
        print(f"  {label:34} {wall:9.2f} {cpu:9.2f}")
    best_wall = min(wall for wall, _ in torch_times)
    best_cpu_one = min(cpu for (_, threads), (_, cpu) in zip(variants, torch_times) if threads == 1)
    print(f"  PyTorch's best / ours: wall {best_wall / min(one[0], two[0]):.1f}x,"
          f" processor time on one thread {best_cpu_one / one[1]:.1f}x", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    build = ["cargo", "build", "--release", "--quiet", "-p", "tutelage-oracles", "--example", "train_speed"]
    subprocess.run(build, cwd=ROOT, check=True)
    binary = ROOT / "target" / "release" / "examples" / "train_speed"
    print(f"PyTorch {torch.__version__}, Python {sys.version.split()[0]}")

    for widths, members in [
        ((28, 64, 64, 8), 1), ((28, 64, 64, 8), 5), ((28, 64, 64, 8), 25),
        ((15, 4, 3), 1), ((15, 4, 3), 25), ((26, 12, 6), 1), ((26, 12, 6), 25), ((22, 24, 6), 1), ((22, 24, 6), 25),
    ]:
        compare(binary, widths, members, arguments.repeats)

    runs = [rust_train(binary, (28, 64, 64, 8), 25, threads, 50) for threads in (1, 2) for _ in range(arguments.repeats)]
    ours = min(run["act_us"] for run in runs)
    theirs = min(torch_act((28, 64, 64, 8), 25, threads) for threads in (1, 2))
    print(f"\nacting, 25 states x 25 members of 28-64-64-8: {ours:.0f} µs, PyTorch {theirs:.0f} µs ({theirs / ours:.1f}x)")
    print(f"peak memory of our process at E = 25: {max(run['peak_rss_mb'] for run in runs):.0f} MB")


if __name__ == "__main__":
    main()
