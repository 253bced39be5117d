"""The ``tutelage`` command, run in this process."""

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
    """Runs the command line and returns the exit code."""
    # The native command handles Ctrl-C itself.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    line = sys.argv[1:]
    export = _policy_export(line)
    if export is None:
        return _command(line)
    try:
        _check_file(export)
        rest = _without_policy(export)
        code = _command(rest) if rest else 0
        return code or _export_policy(export)
    except (TutelageError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


def _command(line: list[str]) -> int:
    return command(["tutelage", *line], [sys.executable, "-m", "tutelage"])


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ValueError(message)


def _policy_export(line: list[str]) -> argparse.Namespace | None:
    """``export DIR --policy FILE`` of a run in a Gymnasium environment, whose spaces only Python knows.

    Returns ``None`` for all other command lines, including invalid ones, which the native command handles.
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
        export = parser.parse_args(line)
    except ValueError:
        return None
    is_ours = export.command == "export" and export.policy is not None and is_run_of_python(export.dir)
    return export if is_ours else None


def _without_policy(export: argparse.Namespace) -> list[str]:
    """The command line without the policy, or an empty list if nothing is left to export."""
    options = [("--out", export.out), ("--tensorboard", export.tensorboard)]
    files = [word for flag, value in options if value is not None for word in (flag, value)]
    flags = [f"--{name}" for name in ("force", "json", "quiet") if getattr(export, name)]
    return ["export", str(export.dir), *files, *flags] if files else []


def _check_file(export: argparse.Namespace) -> None:
    if export.policy.suffix.lower() != ".onnx":
        raise PolicyError(f"{export.policy}: the file name must end in .onnx")
    if export.policy.exists() and not export.force:
        raise PolicyError(f"{export.policy} exists; --force replaces it")


def _export_policy(export: argparse.Namespace) -> int:
    Run(export.dir).policy_of(export.round).save(export.policy)
    row = {"file": str(export.policy), "what": "the policy"}
    print(json.dumps(row) if export.json else f"{row['file']}  {row['what']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
