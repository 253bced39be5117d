"""Plays the same episodes in pybullet_envs and in `tutelage replay`, and reports the first step that differs.

    python tools/compare_live.py target/release/tutelage [--tasks hopper ant] [--episodes 3] [--steps 1500]

Episodes continue after termination and after the time limit. States, rewards and flags must be equal bit for bit. Exit code 0 if all agree, 1 on any difference, 2 if the binary fails.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from reference import TASKS, ReferenceTask, random_pose  # before NumPy: it picks the arithmetic

import numpy as np  # isort: skip


def main():
    options = parse_arguments()
    agree = True
    for task in options.tasks:
        rng = np.random.default_rng([options.seed, list(TASKS).index(task)])
        differences = compare(task, rng, options)
        agree &= not differences
        steps = f"{options.episodes} x {options.steps} steps"
        print(f"{task:14} {steps}: {'; '.join(differences) or 'equal'}", flush=True)
    sys.exit(0 if agree else 1)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=Path, help="the tutelage binary")
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS))
    parser.add_argument("--episodes", type=int, default=3)
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def compare(task, rng, options):
    """What differs, as a list of sentences, in the first episode that differs at all."""
    reference = ReferenceTask(task)
    try:
        for episode in range(options.episodes):
            pose = random_pose(rng, reference.joints)
            actions = rng.uniform(-1.2, 1.2, (options.steps, reference.joints)).astype(np.float32)
            expected = play(reference, pose, actions)
            differences = differing(expected, replay(options.binary, task, pose, actions))
            if differences:
                return [f"episode {episode}: {difference}" for difference in differences]
        return []
    finally:
        reference.close()


def play(reference, pose, actions):
    """The episode in pybullet, in the arrays that `tutelage replay` writes."""
    initial = reference.reset(pose)
    states, rewards, terminated, truncated = zip(*(reference.step(action) for action in actions))
    return {
        "states": np.array([initial, *states], np.float32),
        "rewards": np.array(rewards, np.float64),
        "terminated": np.array(terminated, bool),
        "truncated": np.array(truncated, bool),
    }


def replay(binary, task, pose, actions):
    """The episode in our task."""
    with tempfile.TemporaryDirectory() as folder:
        given = {"--actions": f"{folder}/actions.npy", "--pose": f"{folder}/pose.npy", "--out": f"{folder}/out.npz"}
        np.save(given["--actions"], actions)
        np.save(given["--pose"], pose)
        arguments = [word for pair in given.items() for word in pair]
        done = subprocess.run([binary, "replay", task, *arguments], capture_output=True, text=True)
        if done.returncode != 0:
            print(f"{binary} replay {task} failed with exit code {done.returncode}:\n{done.stderr}", file=sys.stderr)
            sys.exit(2)
        return dict(np.load(given["--out"]))


def differing(expected, actual):
    """One sentence for each array that differs, naming the first step and the two values there."""
    found = []
    for name, wanted in expected.items():
        got = actual.get(name)
        if got is None or got.shape != wanted.shape:
            found.append(f"{name} has shape {None if got is None else got.shape}, not {wanted.shape}")
            continue
        wrong = unequal(name, wanted, got).reshape(len(wanted), -1)
        if wrong.any():
            step = int(np.argmax(wrong.any(axis=1)))
            column = int(np.argmax(wrong[step]))
            ours, theirs = (array.reshape(len(wanted), -1)[step, column] for array in (got, wanted))
            count = int(wrong.any(axis=1).sum())
            found.append(f"{name}[{step}][{column}] is {ours!r}, pybullet has {theirs!r} ({count} steps differ)")
    return found


def unequal(name, wanted, got):
    if name == "rewards":
        return got.astype(np.float64) != wanted
    if name == "states":
        return got.astype(np.float32).view(np.uint32) != wanted.view(np.uint32)
    return got.astype(bool) != wanted


if __name__ == "__main__":
    main()
