"""Old names of arguments, which still work with a ``DeprecationWarning``."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

Target = TypeVar("Target", bound=Callable[..., Any])

LEARN = {"standardise": "standardize", "lanes": "num_envs", "keep": "keep_policies"}
RESUME = EVALUATE = {"lanes": "num_envs"}
SWEEP = {**LEARN, "on": "executor", "at_once": "concurrency"}
BULLET = {"normalised": "normalized"}
PERSON = {
    "again": "repeat_every",
    "grace": "undo_seconds",
    "pace": "step_seconds",
    "names": "action_names",
    "ends": "bound_labels",
    "aim": "goal",
}


def renamed(names: dict[str, str]) -> Callable[[Target], Target]:
    """Makes a function or a class accept these old names of its keyword arguments."""

    def decorate(target: Any) -> Any:
        function = vars(target)["__init__"] if isinstance(target, type) else target

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            for old, new in names.items():
                if old in kwargs:
                    warn(f"{target.__name__}({old}=…)", f"{new}=…")
                    kwargs[new] = kwargs.pop(old)
            return function(*args, **kwargs)

        if not isinstance(target, type):
            return wrapper
        target.__init__ = wrapper  # type: ignore[misc]
        return target

    return decorate


def warn(old: str, new: str) -> None:
    """Warns about an old name in the code of the caller's caller."""
    warnings.warn(f"{old} is deprecated, use {new}", DeprecationWarning, stacklevel=3)
