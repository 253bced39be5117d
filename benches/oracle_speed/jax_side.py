"""JAX's side: `jax_side.py WIDTHS MEMBERS THREADS`, one JSON line per way of training (see run.py).

Training is one compiled program: a `scan` over iterations, and a `vmap` over members. XLA decides by itself how many threads it
uses, so one thread means that this process may use one core. Compiling is not counted.
"""

import functools
import itertools
import json
import os
import sys
import time

if sys.argv[3] == "1":
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

import jax
import jax.numpy as jnp

BATCH, ROWS, RATE = 200, 1000, 2.5e-4
BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8


def layers(widths, key):
    pairs = list(itertools.pairwise(widths))
    keys = jax.random.split(key, len(pairs))
    return [(jax.random.normal(k, pair) / pair[0] ** 0.5, jnp.zeros(pair[1])) for k, pair in zip(keys, pairs)]


def forward(network, x):
    for i, (weight, bias) in enumerate(network):
        x = x @ weight + bias
        if i + 1 < len(network):
            x = jnp.tanh(x)
    return x


def loss(network, x, y):
    error = jnp.clip(forward(network, x), -1, 1) - jnp.clip(y, -1, 1)
    return jnp.mean(error * error)


def step(states, labels, carry, rows):
    """One iteration of Adam on one minibatch."""
    network, mean, square, t = carry
    gradient = jax.grad(loss)(network, states[rows], labels[rows])
    t = t + 1
    mean = jax.tree.map(lambda m, g: BETA1 * m + (1 - BETA1) * g, mean, gradient)
    square = jax.tree.map(lambda s, g: BETA2 * s + (1 - BETA2) * g * g, square, gradient)
    first, second = 1 / (1 - BETA1**t), 1 / (1 - BETA2**t)
    move = lambda p, m, s: p - RATE * (m * first) / (jnp.sqrt(s * second) + EPSILON)
    return (jax.tree.map(move, network, mean, square), mean, square, t), None


def train_one(states, labels, network, rows):
    zeros = jax.tree.map(jnp.zeros_like, network)
    carry, _ = jax.lax.scan(functools.partial(step, states, labels), (network, zeros, zeros, 0.0), rows)
    return carry[0]


def measure(function, per):
    """Microseconds (wall, processor), the compilation left out."""
    jax.block_until_ready(function())
    wall, cpu = time.perf_counter(), time.process_time()
    jax.block_until_ready(function())
    return (time.perf_counter() - wall) * per, (time.process_time() - cpu) * per


def main():
    widths, members = [int(w) for w in sys.argv[1].split("-")], int(sys.argv[2])
    iterations = max(200, 2000 // members)
    keys = jax.random.split(jax.random.key(1), members)
    networks = jax.vmap(functools.partial(layers, widths))(keys)
    states = jax.random.uniform(jax.random.key(2), (ROWS, widths[0]), minval=-1, maxval=1)
    labels = jax.random.uniform(jax.random.key(3), (ROWS, widths[-1]), minval=-1, maxval=1)
    rows = jax.random.randint(jax.random.key(4), (members, iterations, BATCH), 0, ROWS)
    if members == 1:
        networks, rows = jax.tree.map(lambda a: a[0], (networks, rows))
        train, act = jax.jit(train_one), jax.jit(forward)
    else:
        train = jax.jit(jax.vmap(train_one, in_axes=(None, None, 0, 0)))
        act = jax.jit(lambda n, x: jnp.clip(jax.vmap(forward, in_axes=(0, None))(n, x), -1, 1).mean(axis=0))
    wall, cpu = measure(lambda: train(states, labels, networks, rows), 1e6 / (iterations * members))
    act_us = min(measure(lambda: act(networks, states[:25]), 1e6)[0] for _ in range(300))
    print(json.dumps({"way": "jit(scan)", "wall_us": wall, "cpu_us": cpu, "act_us": act_us}))


if __name__ == "__main__":
    main()
