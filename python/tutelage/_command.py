"""The ``tutelage`` command, in this process."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from pathlib import Path
from typing import NoReturn

from ._native import command
from ._run import Run, is_run_of_python
from .errors import PolicyError, TutelageError


def main() -> int:
    """Carries out the command line."""
    # The command listens for Ctrl-C itself, and a reader that is gone ends it as any other program.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    line = sys.argv[1:]
    asked = _asked_policy(line)
    if asked is None:
        return _command(line)
    try:
        _check_file(asked)
        rest = _without_policy(asked)
        code = _command(rest) if rest else 0
        return code or _export_policy(asked)
    except (TutelageError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


def _command(line: list[str]) -> int:
    return command(["tutelage", *line], [sys.executable, "-m", "tutelage._command"])


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ValueError(message)


def _asked_policy(line: list[str]) -> argparse.Namespace | None:
    """``export DIR --policy FILE`` of a run of an environment in Python, whose spaces only this half of the program knows.

    Whatever else the line is, or where it is misspelt, the native half has the words.
    """
    parser = _Parser(add_help=False, allow_abbrev=False)
    parser.add_argument("command")
    parser.add_argument("dir", type=Path)
    parser.add_argument("--policy", type=Path)
    parser.add_argument("--round", type=int)
    parser.add_argument("--out", "-o")
    parser.add_argument("--tensorboard")
    parser.add_argument("--threads")
    for flag in (["--force"], ["--json"], ["--quiet", "-q"]):
        parser.add_argument(*flag, action="store_true")
    try:
        asked = parser.parse_args(line)
    except ValueError:
        return None
    is_ours = asked.command == "export" and asked.policy is not None and is_run_of_python(asked.dir)
    return asked if is_ours else None


def _without_policy(asked: argparse.Namespace) -> list[str]:
    """The same line but for the policy, where anything is left to do."""
    named = [("--out", asked.out), ("--tensorboard", asked.tensorboard)]
    files = [word for flag, value in named if value is not None for word in (flag, value)]
    flags = [f"--{name}" for name in ("force", "json", "quiet") if getattr(asked, name)]
    return ["export", str(asked.dir), *files, *flags] if files else []


def _check_file(asked: argparse.Namespace) -> None:
    if asked.policy.suffix.lower() != ".onnx":
        raise PolicyError(f"{asked.policy}: the file's name must end in .onnx")
    if asked.policy.exists() and not asked.force:
        raise PolicyError(f"{asked.policy} exists; --force replaces it")


def _export_policy(asked: argparse.Namespace) -> int:
    Run(asked.dir).policy_of(asked.round).save(asked.policy)
    told = {"file": str(asked.policy), "what": "the policy"}
    print(json.dumps(told) if asked.json else f"{told['file']}  {told['what']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
