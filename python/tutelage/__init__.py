"""Interactive imitation learning with any Gymnasium environment and any Python expert.

>>> import tutelage as tut
>>> run = tut.learn("CartPole-v1", expert, dir="runs/cart")  # starts, resumes or returns the run
>>> action, _ = run.policy.predict(observation)
"""

from __future__ import annotations

from typing import Any

from . import bullet, errors
from ._compare import Comparison, Table, compare
from ._learn import Evaluation, evaluate, learn, resume
from ._native import version
from ._oracles import Fitted, Oracle, TrainingData
from ._person import Person
from ._policy import Policy, load_policy
from ._progress import Round
from ._run import Data, Run
from ._sweep import Sweep, sweep
from .errors import (
    EnvError,
    ExecutorError,
    ExpertError,
    ExpertLeft,
    FolderInUse,
    OracleError,
    PolicyError,
    SpaceError,
    SpecError,
    StoreError,
    SweepError,
    TutelageError,
    TutelageWarning,
)

bullet.register()

# `tutelage --version` also reports the commit.
__version__ = version().split()[0]

__all__ = [
    "Comparison",
    "Data",
    "EnvError",
    "Evaluation",
    "ExecutorError",
    "ExpertError",
    "ExpertLeft",
    "Fitted",
    "FolderInUse",
    "Oracle",
    "OracleError",
    "Person",
    "Policy",
    "PolicyError",
    "Round",
    "Run",
    "SpaceError",
    "SpecError",
    "StoreError",
    "Sweep",
    "SweepError",
    "Table",
    "TrainingData",
    "TutelageError",
    "TutelageWarning",
    "__version__",
    "bullet",
    "compare",
    "errors",
    "evaluate",
    "learn",
    "load_policy",
    "resume",
    "sweep",
]


def __getattr__(name: str) -> Any:
    if name in errors.RENAMED:
        return getattr(errors, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
