"""PyTorch's side: `torch_side.py WIDTHS MEMBERS THREADS`, one JSON line per way of training (see run.py).

A plain loop over one network, or all members batched into one `baddbmm` per layer; each with the default, the `foreach` and
the `fused` Adam.
"""

import itertools
import json
import sys
import time

import torch

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


def train(widths, members, optimiser, iterations):
    """Microseconds (wall, processor) per iteration and member."""
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


def act(widths, members, states=25):
    """Microseconds to act with all members in `states` states."""
    network = list(layers(widths, members))
    x = torch.rand(states, widths[0])
    x = x.expand(members, -1, -1) if members > 1 else x
    best = float("inf")
    with torch.no_grad():
        for _ in range(300):
            start = time.perf_counter()
            actions = forward(network, x).clamp(-1, 1)
            actions.mean(dim=0) if members > 1 else actions
            best = min(best, (time.perf_counter() - start) * 1e6)
    return best


def main():
    widths, members, threads = [int(w) for w in sys.argv[1].split("-")], int(sys.argv[2]), int(sys.argv[3])
    torch.set_num_threads(threads)
    weights = sum(a * b for a, b in itertools.pairwise(widths))
    iterations = max(20, min(400, int(4e6 / (weights * members))))
    for optimiser in OPTIMISERS:
        wall, cpu = train(widths, members, optimiser, iterations)
        print(json.dumps({"way": f"{optimiser} Adam", "wall_us": wall, "cpu_us": cpu, "act_us": act(widths, members)}))


if __name__ == "__main__":
    main()
