#!/usr/bin/env python3
"""Kills and faults without end: runs of all algorithms, worlds and thread counts are killed and hindered, and must come to the bytes
of a run that nobody disturbed.

    tools/kills.py PROGRAM STATE.json --kills 10000      # the same again goes on; a summary is printed at the end

Disturbance k of the whole tool is a function of k: which case, which kind, which moment.
- "moment": SIGKILL at a random moment.
- "call": SIGKILL before the n-th system call of a kind that touches files (strace -e inject).
- "fault": the n-th such call fails with ENOSPC, EIO, EMFILE, EDQUOT or EINTR; the run may stop in words, and is resumed.
After a few disturbances of a run it is resumed and left alone, and its log and policies are compared, byte by byte.
"""
import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

SIZES = "--class mlp:8 --states-per-round 8 --sampling stride(3) --budget iterations=60 --episodes 2 --rounds 3"
ALGORITHMS = [
    "bc", "dagger", "bd-2", "mp-2(4) --d0 uniform(-1,1)", "mftpl-p-2(2) --d0 uniform(-1,1)", "dagger-constant(0.5)", "dagger-power(0.5)",
    "dagger-linear(3)", "ensemble-dagger-2(0.1,0.5)", "hg-dagger-2(0.05)", "active-bd-2(3)",
]
WORLDS = ["cart-pole", "pendulum", "drive-5", "grid"]
THREADS = ["1", "2"]
CALLS = ["openat", "write", "fsync", "fdatasync", "rename", "unlink", "mkdir", "flock", "ftruncate"]
FAULTS = {"openat": ["EMFILE", "EIO"], "write": ["ENOSPC", "EIO", "EDQUOT", "EINTR"], "fsync": ["EIO", "EINTR"], "fdatasync": ["EIO"],
          "rename": ["ENOSPC", "EIO"], "mkdir": ["EDQUOT"], "ftruncate": ["EIO"]}
DISTURBANCES_PER_RUN = 4


def arguments(case, out):
    world, algorithm, threads = case
    return ["learn", world, "-a", *algorithm.split(), *SIZES.split(), "--threads", threads, "--out", str(out)]


def content(run):
    files = sorted((run / "policies").iterdir()) + [run / "log.bin"]
    return {file.name: file.read_bytes() for file in files if not file.name.endswith("-part")}


class Tool:
    def __init__(self, program, state):
        self.program, self.state_file = str(Path(program).resolve()), Path(state)
        fresh = {"done": 0, "killed": 0, "faults": 0, "untouched": 0, "compared": 0, "differ": [], "refused": [], "by_kind": {}}
        self.state = json.loads(self.state_file.read_text()) if self.state_file.exists() else fresh
        self.folder = Path(tempfile.mkdtemp(prefix="kills-"))
        self.expected = {}

    def run(self, args, wrap=(), timeout=600):
        return subprocess.run([*wrap, self.program, *args], cwd=self.folder, capture_output=True, text=True, timeout=timeout)

    def expect(self, case):
        """Bytes and seconds of the undisturbed run; None where this algorithm is not for this world."""
        key = case[:2]
        if key not in self.expected:
            out, start = self.folder / "whole", time.time()
            done = self.run(arguments(case, out))
            self.expected[key] = (content(out), time.time() - start) if done.returncode == 0 else None
            shutil.rmtree(out, ignore_errors=True)
        return self.expected[key]

    def disturb(self, kind, args, seconds, rng):
        if kind == "moment":
            child = subprocess.Popen([self.program, *args], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(rng.random() * seconds)
            child.send_signal(signal.SIGKILL)
            return child.wait() == -signal.SIGKILL
        call, when = rng.choice(CALLS), int(1 + 60 * rng.random() ** 3)
        what = "signal=KILL"
        if kind == "fault":
            call = rng.choice(list(FAULTS))
            what = "error=" + rng.choice(FAULTS[call])
        trace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:{what}:when={when}"]
        return self.run(args, trace).returncode != 0

    def one_run(self, rng):
        case = (rng.choice(WORLDS), rng.choice(ALGORITHMS), rng.choice(THREADS))
        expected = self.expect(case)
        if expected is None:
            return
        out = self.folder / "run"
        shutil.rmtree(out, ignore_errors=True)
        for _ in range(DISTURBANCES_PER_RUN):
            kind = rng.choice(["moment", "call", "call", "fault"])
            hit = self.disturb(kind, arguments(case, out), expected[1], rng)
            self.state["done"] += 1
            counter = "untouched" if not hit else "faults" if kind == "fault" else "killed"
            self.state[counter] += 1
            self.state["by_kind"][kind] = self.state["by_kind"].get(kind, 0) + int(hit)
        last = self.run(arguments(case, out))
        if last.returncode != 0:
            self.state["refused"].append([*case, self.state["done"], last.stderr[-300:]])
        elif content(out) != expected[0]:
            self.state["differ"].append([*case, self.state["done"]])
        self.state["compared"] += 1

    def go(self, kills):
        while self.state["killed"] + self.state["faults"] < kills:
            self.one_run(random.Random(self.state["done"]))
            self.state["done"] += 1  # a run that cannot be is not drawn again
            part = self.state_file.with_suffix(".part")
            part.write_text(json.dumps(self.state, indent=1))
            os.replace(part, self.state_file)
        shutil.rmtree(self.folder, ignore_errors=True)
        print({key: value if isinstance(value, (int, dict)) else len(value) for key, value in self.state.items()})


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("state")
    parser.add_argument("--kills", type=int, default=10_000)
    given = parser.parse_args()
    Tool(given.program, given.state).go(given.kills)
