"""A run's answers as a Minari dataset: ``pip install tutelage[minari]``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._spaces import Json, Observations, space_of
from .errors import StoreError

if TYPE_CHECKING:
    from ._run import Data


def create_dataset(data: Data, task: Json, name: str, about: Json) -> Any:
    """An episode for every round; actions are the expert's."""
    import minari
    from minari.data_collector import EpisodeBuffer

    if not len(data):
        raise StoreError("there are no annotations yet")
    observation_space, action_space = space_of(task["observation"]), space_of(task["action"])
    observations = Observations(observation_space)
    buffers = []
    for number in np.unique(data.rounds):
        rows = np.flatnonzero(data.rounds == number)
        # An episode has one observation more than actions: the last is there twice.
        states = data.states[np.append(rows, rows[-1])]
        asked = np.append(np.ones(len(rows), bool), False)
        buffers.append(
            EpisodeBuffer(
                id=int(number) - 1,
                seed=None,
                observations=observations.unflatten(states),
                actions=data.actions[rows],
                rewards=np.zeros(len(rows)),
                terminations=np.zeros(len(rows), bool),
                truncations=np.append(np.zeros(len(rows) - 1, bool), True),
                infos={
                    "asked": asked,
                    "episode": np.append(data.episodes[rows], -1),
                    "time": np.append(data.times[rows], -1),
                },
            )
        )
    return minari.create_dataset_from_buffers(
        name, buffers, observation_space=observation_space, action_space=action_space, **about
    )
