"""Writes the reference trajectories with which the Bullet tasks are tested, as pybullet_envs plays them.

    python tools/make_golden.py --expert hopper=PATH.npz --expert walker2d=PATH.npz ...

Four recordings per task; crates/tutelage-tasks/tests/golden/README.md describes the files. Without an --expert
for a task its `expert` recording is left as it is.
"""

import argparse
import itertools
from pathlib import Path

from reference import TASKS, ReferenceTask, load_policy, random_pose  # before NumPy: it picks the arithmetic

import numpy as np  # isort: skip

GOLDEN = Path(__file__).resolve().parent.parent / "crates" / "tutelage-tasks" / "tests" / "golden"

#: States are stored at every step before `DENSE`, and at every `STRIDE`th from there on; all of them are hashed.
DENSE, STRIDE = 200, 10


def main():
    options = parse_arguments()
    options.out.mkdir(parents=True, exist_ok=True)
    for task in options.tasks:
        rng = np.random.default_rng([options.seed, list(TASKS).index(task)])
        for kind, recording in recordings(task, rng, options.experts.get(task)):
            path = options.out / f"{task}-{kind}.npz"
            np.savez_compressed(path, **recording)
            print(f"{path.name:28} {summary(recording)}  {path.stat().st_size / 1024:.0f} KiB")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=GOLDEN, help="where the files go (default: the tests' folder)")
    parser.add_argument("--seed", type=int, default=4, help="with 4 the ant is thrown on its back too")
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS))
    parser.add_argument("--expert", action="append", default=[], metavar="TASK=PATH", help="a trained agent's weights")
    options = parser.parse_args()
    options.experts = dict(expert.split("=", 1) for expert in options.expert)
    for task in options.experts:
        if task not in TASKS:
            parser.error(f"--expert: unknown task {task!r}; expected one of {', '.join(TASKS)}")
    return options


def recordings(task, rng, expert):
    """Yields (kind, recording) for one task."""
    settled = ReferenceTask(task)
    yield "random", record(settled, rng, grid_actions(rng, settled.joints), steps=2200)
    yield "unbroken", record(settled, rng, kicks(rng, settled.joints), steps=1400, restart=False)
    if expert is not None:
        yield "expert", record(settled, rng, rounded(load_policy(expert)), steps=2200)
    settled.close()
    fresh = ReferenceTask(task, settled=False)
    yield "first", record(fresh, rng, grid_actions(rng, fresh.joints), steps=40, restart=False)
    fresh.close()


def grid_actions(rng, joints):
    """Uniform random actions on a grid of 1/64, which compress well."""
    return lambda state: (rng.integers(-64, 64, joints, endpoint=True) / 64).astype(np.float32)


def kicks(rng, joints):
    """Random signs held for 20 steps: violent enough to throw an ant on its back, and beyond the clipping at 1."""
    held = itertools.chain.from_iterable(
        itertools.repeat(rng.choice([-1.25, 1.25], joints).astype(np.float32), 20) for _ in itertools.count()
    )
    return lambda state: next(held)


def rounded(policy):
    """A policy's actions on a grid of 1/256: as good an agent, in half the bytes."""
    return lambda state: (np.round(policy(state) * 256) / 256).astype(np.float32)


def record(task, rng, act, steps, restart=True):
    """Plays `steps` steps, with a new episode after each end if `restart`, else on and on past the end."""
    starts, poses, initial, actions, states, rewards, flags = [], [], [], [], [], [], []
    ended = True
    for step in range(steps):
        if ended:
            starts.append(step)
            poses.append(random_pose(rng, task.joints))
            state = task.reset(poses[-1])
            initial.append(state)
        actions.append(act(state))
        state, reward, terminated, truncated = task.step(actions[-1])
        states.append(state)
        rewards.append(reward)
        flags.append(terminated + 2 * truncated)
        ended = restart and (terminated or truncated)
    states = np.array(states, np.float32)
    stored = np.array([step for step in range(steps) if step < DENSE or step % STRIDE == 0], np.uint32)
    return {
        "starts": np.array(starts, np.uint32),
        "poses": np.array(poses, np.float64),
        "initial_states": np.array(initial, np.float32),
        "actions": np.array(actions, np.float32),
        "rewards": np.array(rewards, np.float64),
        "flags": np.array(flags, np.uint8),
        "state_hashes": fnv1a(states),
        "stored_steps": stored,
        "stored_states": states[stored],
    }


def fnv1a(states):
    """The 64-bit FNV-1a hash of each row's bytes, as little-endian f32."""
    rows = np.ascontiguousarray(states, "<f4").view(np.uint8)
    hashes = np.full(len(rows), 0xCBF29CE484222325, np.uint64)
    for column in rows.T:
        hashes = (hashes ^ column.astype(np.uint64)) * np.uint64(0x100000001B3)
    return hashes


def summary(recording):
    ends, steps = recording["flags"], len(recording["actions"])
    return (
        f"{steps} steps, {len(recording['starts'])} episodes, {np.sum(ends == 1)} steps terminated, "
        f"{np.sum(ends == 2)} truncated, reward {recording['rewards'].sum():.1f}"
    )


if __name__ == "__main__":
    main()
