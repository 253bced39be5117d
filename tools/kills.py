#!/usr/bin/env python3
"""Disturbs runs of all algorithms, tasks and thread counts, and compares the resumed runs with undisturbed ones, byte by byte.

    tools/kills.py PROGRAM STATE.json --kills 10000      # the same command resumes; prints a summary at the end

Run k of the tool is a function of k: its case, disturbances and moments. Most of the time is spent waiting for the disk, so
several processes at once are faster, each with its own state and another `--first` k. `--join` joins their states:

    tools/kills.py --join ONE.json TWO.json > kills.json

- "moment": SIGKILL at a random moment.
- "call": SIGKILL at the n-th system call of a kind that touches files (strace -e inject).
- "fault": the n-th such call fails with ENOSPC, EIO, EMFILE, EDQUOT or EINTR, once or from then on; the run may stop with an error.
- "power": the power is cut after the n-th system call, on a disk that keeps what was synced and an arbitrary part of the rest
  (`power.py`).
- "device": the blocks of a file system on a loop device, as they are at a random moment, are mounted again. Only if this process
  may mount.

After each disturbance the log must contain every record that was durable before, which are all but the last one. At the end the
run is resumed without disturbance, and its log and policies are compared.
"""
import argparse
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import tempfile
import time
from pathlib import Path

import power

SIZES = "--class mlp:4 --states-per-round 4 --sampling stride(2) --budget iterations=10 --episodes 1 --rounds 3".split()
D0 = ["--d0", "uniform(-1,1)"]
ALGORITHMS = {
    "bc": [], "dagger": [], "bd-2": [], "mp-2(4)": D0, "mftpl-p-2(2)": D0, "growing-mp-2(2)": D0, "shuffled-mp-2(2)": D0,
    "dagger-constant(0.5)": [],
    "dagger-power(0.5)": [], "dagger-linear(3)": [], "bd-power-2(0.5)": [], "dart(1)": [], "ensemble-dagger-2(0.1,0.5)": [],
    "hg-dagger-2(0.05)": [], "handover-dagger": [], "handover-bd-2": [], "handover-mp-2(2)": D0, "windows-bd-2(0.5,0.1,0.05,6,1)": [],
    "active-bd-2(3)": [], "bagging-2": None, "supervised": None,
}
WORLDS = ["cart-pole", "pendulum", "drive", "drive-5", "grid", "hopper", "walker2d", "half-cheetah", "ant"]
CALLS = ["openat", "write", "fsync", "fdatasync", "rename", "unlink", "mkdir", "flock", "ftruncate", "close"]
FAULTS = {"openat": ["EMFILE", "EIO", "ENOSPC", "EDQUOT"], "write": ["ENOSPC", "EIO", "EDQUOT", "EINTR"], "fsync": ["EIO", "EINTR", "ENOSPC"],
          "fdatasync": ["EIO", "EDQUOT"], "rename": ["ENOSPC", "EIO"], "mkdir": ["EDQUOT", "ENOSPC"], "ftruncate": ["EIO", "EINTR"],
          "read": ["EIO", "EINTR"], "flock": ["EINTR"]}
KINDS = ["moment", "call", "call", "call", "fault", "fault", "power", "power", "power", "device"]
DISTURBANCES_PER_RUN = 8
IMAGE_BYTES = 4 << 20


def content(run):
    files = sorted((run / "policies").iterdir()) + [run / "log.bin"]
    return {file.name: file.read_bytes() for file in files}


def crc32c_of_byte(byte):
    for _ in range(8):
        byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
    return byte


CRC32C = [crc32c_of_byte(byte) for byte in range(256)]


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ CRC32C[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def whole_records(run):
    """The log up to the end of its last whole record."""
    log = run / "log.bin"
    data = log.read_bytes() if log.exists() else b""
    return data[: ends_of_records(data)[-1]]


def ends_of_records(data):
    """Returns the end of each complete record of a log: a header of 12 bytes, then length, two checksums and payload.

    A power cut may leave zeros after the last record. They count as an incomplete record.
    """
    place = 12 if len(data) >= 12 else 0
    ends = [place]
    while place + 12 <= len(data):
        length, *checksums = struct.unpack_from("<III", data, place)
        end = place + 12 + length
        if end > len(data) or checksums != [crc32c(data[place : place + 4]), crc32c(data[place + 12 : end])]:
            break
        place = end
        ends.append(place)
    return ends


def all_but_last(records):
    """A record is written only once the one before it is on the disk; the first one is written together with the header."""
    ends = ends_of_records(records)
    return records[: ends[-2]] if len(ends) > 2 else b""


class Device:
    """A small file system on a loop device."""

    def __init__(self, folder):
        self.image, self.mount_point = folder / "disk.img", folder / "disk"
        self.spare_image, self.spare_mount_point = folder / "spare.img", folder / "spare"
        self.mount_point.mkdir()
        self.spare_mount_point.mkdir()
        self.fresh()

    def fresh(self):
        self.unmount()
        with open(self.image, "wb") as image:
            image.truncate(IMAGE_BYTES)
        subprocess.run(["mkfs.ext4", "-q", "-F", self.image], check=True, capture_output=True)
        self.mount()

    def mount(self):
        subprocess.run(["mount", "-o", "loop", self.image, self.mount_point], check=True, capture_output=True)

    def unmount(self):
        subprocess.run(["umount", self.mount_point], capture_output=True)

    def leave(self):
        """For good: a child that is only just being killed may hold it for a moment more."""
        subprocess.run(["umount", "--lazy", self.mount_point], capture_output=True)

    def cut(self):
        """Mounts the blocks as they are now. They are read twice: blocks that were written meanwhile would be of two moments."""
        while (blocks := self.image.read_bytes()) != self.image.read_bytes():
            pass
        return blocks

    def durable(self, run):
        """The records that would be left of a run if the power were cut now."""
        self.spare_image.write_bytes(self.cut())
        subprocess.run(["mount", "-o", "loop", self.spare_image, self.spare_mount_point], check=True, capture_output=True)
        try:
            return whole_records(self.spare_mount_point / run.name)
        finally:
            subprocess.run(["umount", self.spare_mount_point], check=True, capture_output=True)

    def restore(self, blocks):
        self.unmount()
        self.image.write_bytes(blocks)
        self.mount()


class Tool:
    def __init__(self, program, state, first):
        self.program, self.state_file = str(Path(program).resolve()), Path(state)
        fresh = {"first": first, "runs": 0, "disturbed": 0, "untouched": 0, "impossible": 0, "differ": [], "lost": [], "refused": [], "by": {}, "cpu_seconds": 0}
        self.state = json.loads(self.state_file.read_text()) if self.state_file.exists() else fresh
        self.cpu_before = self.state["cpu_seconds"]
        self.folder = Path(tempfile.mkdtemp(prefix="kills-"))
        self.expected = {}
        try:
            self.device = Device(self.folder)
        except (OSError, subprocess.CalledProcessError):
            self.device = None

    def arguments(self, case, out):
        world, algorithm, threads = case
        extra = ALGORITHMS[algorithm]
        if extra is None:
            return ["retrain", self.stored(world), "-a", algorithm, "-q", "--threads", threads, "--out", str(out)]
        return ["learn", world, "-a", algorithm, *extra, *SIZES, "-q", "--threads", threads, "--out", str(out)]

    def stored(self, world):
        """Returns a finished run on this world, as data for retraining."""
        name = f"stored-{world}"
        if not (self.folder / name).exists():
            self.run(["learn", world, "-a", "dagger", *SIZES, "-q", "--out", name])
        return name

    def run(self, args, wrap=(), timeout=600):
        return subprocess.run([*wrap, self.program, *args], cwd=self.folder, capture_output=True, text=True, timeout=timeout)

    def expect(self, case):
        """Returns the bytes and seconds of the undisturbed run; None if this algorithm does not support this world."""
        key = case[:2]
        if key not in self.expected:
            out, start = self.folder / "whole", time.time()
            done = self.run(self.arguments(case, out))
            self.expected[key] = (content(out), time.time() - start) if done.returncode == 0 else None
            shutil.rmtree(out, ignore_errors=True)
        return self.expected[key]

    def disturb(self, kind, args, out, seconds, rng):
        """Whether something happened, and what it was called."""
        if kind == "moment":
            child = self.start(args)
            time.sleep(rng.random() * seconds)
            child.kill()
            return child.wait() == -signal.SIGKILL, kind
        if kind == "device":
            return self.cut_device(args, seconds, rng), kind
        if kind == "power":
            return self.cut_power(args, out, rng), kind
        call = rng.choice(CALLS if kind == "call" else list(FAULTS))
        # What comes first is not the project's: the loader opens libraries.
        when = int(1 + 100 * rng.random() ** 3) + (7 if call in ("openat", "close", "read") else 0)
        what, name = "signal=KILL", f"call {call}"
        if kind == "fault":
            error = rng.choice(FAULTS[call])
            what, name = f"error={error}", f"fault {error} {call}"
            when = f"{when}{rng.choice(['', '+'])}" if error != "EINTR" else when
        trace = self.folder / "trace"
        wrap = ["strace", "-f", "-qq", "-o", str(trace), "-e", f"trace={call}", "-e", f"inject={call}:{what}:when={when}"]
        done = self.run(args, wrap)
        return (done.returncode != 0 if kind == "call" else "INJECTED" in trace.read_text(errors="replace")), name

    def start(self, args):
        return subprocess.Popen([self.program, *args], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def cut_power(self, args, out, rng):
        disk, trace = power.Disk(out), self.folder / "trace"
        self.run(args, ["strace", "-f", "-qq", "-xx", "-s", "16000000", "-o", str(trace), "-e", f"trace={power.CALLS}"])
        calls = list(power.calls(trace.read_text()))
        moment = rng.randrange(len(calls))
        for call in calls[:moment]:
            disk.play(*call)
        strict = rng.random() < 0.5
        disk.write_after_cut(lambda count: 0 if strict else rng.randint(0, count))
        return any(call[0] in ("write", "mkdir") for call in calls[moment:])

    def cut_device(self, args, seconds, rng):
        child = self.start(args)
        time.sleep(rng.random() * seconds)
        child.send_signal(signal.SIGSTOP)
        blocks = self.device.cut()
        child.kill()
        at_work = child.wait() == -signal.SIGKILL
        self.device.restore(blocks)
        return at_work

    def one_run(self, rng):
        case = (rng.choice(WORLDS), rng.choice(list(ALGORITHMS)), rng.choice("12"))
        expected = self.expect(case)
        if expected is None:
            self.state["impossible"] += 1
            return
        kinds = [rng.choice(KINDS) for _ in range(DISTURBANCES_PER_RUN)]
        out = self.folder / "run"
        if "device" in kinds:
            if self.device:
                self.device.fresh()
                out = self.device.mount_point / "run"
            kinds = ["device" if kind == "power" and self.device else "power" if kind == "device" and not self.device else kind for kind in kinds]
        shutil.rmtree(out, ignore_errors=True)
        before = b""
        for kind in kinds:
            hit, name = self.disturb(kind, self.arguments(case, out), out, expected[1], rng)
            records = whole_records(out)
            if not records.startswith(before):
                self.note("lost", case, name, out)
            if not expected[0]["log.bin"].startswith(records):
                self.note("differ", case, name, out)
            before = self.durable(records, out)
            if not before.startswith(all_but_last(records)):
                self.note("lost", case, f"{name}: never synced", out)
            self.count(case, name, hit)
            if not hit and records == expected[0]["log.bin"]:
                break
        last = self.run(self.arguments(case, out))
        if last.returncode != 0:
            self.note("refused", case, last.stderr[-300:], out)
        elif content(out) != expected[0]:
            self.note("differ", case, "at last", out)

    def durable(self, records, out):
        """Returns the records that must survive a power cut. A killed process may not have synced its last record."""
        return self.device.durable(out) if self.device and out.parent == self.device.mount_point else records

    def note(self, what, case, name, out):
        """Writes a finding down, and keeps the folder as it was found."""
        run = self.state["first"] + self.state["runs"]
        self.state[what].append([*case, run, name])
        shutil.copytree(out, self.state_file.with_name(f"{what}-{run}-{len(self.state[what])}"))

    def count(self, case, name, hit):
        if not hit:
            self.state["untouched"] += 1
            return
        self.state["disturbed"] += 1
        for key in (*case[:2], f"{case[2]} threads", name):
            self.state["by"][key] = self.state["by"].get(key, 0) + 1

    def go(self, kills):
        while self.state["disturbed"] < kills:
            self.one_run(random.Random(self.state["first"] + self.state["runs"]))
            self.state["runs"] += 1
            spent = os.times()
            self.state["cpu_seconds"] = round(self.cpu_before + sum(spent[:4]), 1)
            part = self.state_file.with_suffix(".part")
            part.write_text(json.dumps(self.state, indent=1, sort_keys=True))
            os.replace(part, self.state_file)
        print(json.dumps(summary(self.state), indent=1))


def joined(states):
    """Several states as one."""
    one = {"by": {}, "first": [state["first"] for state in states]}
    for state in states:
        for what, found in state.items():
            if what not in one:
                one[what] = found
            elif what == "by":
                for name, count in found.items():
                    one["by"][name] = one["by"].get(name, 0) + count
            elif what != "first":
                one[what] = one[what] + found
    return one


def summary(state):
    """What was disturbed, how and how often, and what came of it."""
    by = state["by"]
    part = lambda names: {name: by[name] for name in names if name in by}
    kinds = {"kill at a random moment": by.get("moment", 0), "power cut, replayed": by.get("power", 0), "power cut on a device": by.get("device", 0)}
    for kind, start in (("kill at a call", "call "), ("fault", "fault ")):
        kinds[kind] = {name.removeprefix(start): count for name, count in sorted(by.items()) if name.startswith(start)}
    found = {what: len(state[what]) for what in ("lost", "differ", "refused")}
    counts = {name: state[name] for name in ("disturbed", "runs", "cpu_seconds")}
    tasks, threads = part(WORLDS), part(("1 threads", "2 threads"))
    return {**counts, **found, "kinds": kinds, "tasks": tasks, "threads": threads, "algorithms": part(ALGORITHMS)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("program", nargs="?")
    parser.add_argument("state", nargs="?")
    parser.add_argument("--kills", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="where a new state begins to count its runs")
    parser.add_argument("--join", nargs="+", type=Path, metavar="STATE", help="print these states as one")
    given = parser.parse_args()
    if given.join:
        print(json.dumps(joined([json.loads(state.read_text()) for state in given.join]), indent=1, sort_keys=True))
        exit(0)
    if not (given.program and given.state):
        parser.error("a program and a state are needed")
    signal.signal(signal.SIGTERM, lambda *_: exit(1))
    tool = Tool(given.program, given.state, given.first)
    try:
        tool.go(given.kills)
    finally:
        if tool.device:
            tool.device.leave()
        shutil.rmtree(tool.folder, ignore_errors=True)
