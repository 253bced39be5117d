"""Interactive imitation learning: any Gymnasium environment, any Python expert, in one call that can always be repeated.

>>> import tutelage as tut
>>> run = tut.learn("CartPole-v1", expert, dir="runs/cart")  # starts, goes on, or returns what is done
>>> action, _ = run.policy.predict(observation)
"""

from __future__ import annotations

from . import bullet, errors
from ._compare import Comparison, Table, compare
from ._learn import Evaluation, evaluate, learn, resume
from ._native import program
from ._oracles import Fitted, Oracle, TrainingData
from ._person import Person
from ._policy import Policy, load_policy
from ._progress import Round
from ._run import Data, Run
from ._sweep import Sweep, sweep
from .errors import (
    EngineError,
    EnvError,
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

# The commit behind it is what `tutelage --version` tells.
__version__ = program()[0].split()[0]

__all__ = [
    "Comparison",
    "Data",
    "EngineError",
    "EnvError",
    "Evaluation",
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
