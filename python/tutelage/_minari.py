"""The annotations of a run as a Minari dataset: ``pip install tutelage[minari]``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._spaces import Json, Observations, space_of
from .errors import StoreError

if TYPE_CHECKING:
    from ._run import Data


def create_dataset(data: Data, task: Json, name: str, about: Json) -> Any:
    """Makes a dataset with an episode for each one with annotations; actions are the expert's."""
    import minari
    from minari.data_collector import EpisodeBuffer

    if not len(data):
        raise StoreError("there are no annotations yet")
    observation_space, action_space = space_of(task["observation"]), space_of(task["action"])
    observations = Observations(observation_space)
    buffers = []
    origins = np.stack([data.rounds, data.episodes], axis=1)
    for number, origin in enumerate(np.unique(origins, axis=0)):
        rows = np.flatnonzero((origins == origin).all(axis=1))
        rows = rows[np.argsort(data.times[rows], kind="stable")]
        # An episode has one more observation than actions, so the last one is repeated.
        states = data.states[np.append(rows, rows[-1])]
        asked = np.append(np.ones(len(rows), bool), False)
        buffers.append(
            EpisodeBuffer(
                id=number,
                seed=None,
                observations=observations.unflatten(states),
                actions=data.actions[rows],
                rewards=np.zeros(len(rows)),
                terminations=np.zeros(len(rows), bool),
                truncations=np.append(np.zeros(len(rows) - 1, bool), True),
                infos={
                    "asked": asked,
                    "round": np.append(data.rounds[rows], -1),
                    "episode": np.append(data.episodes[rows], -1),
                    "time": np.append(data.times[rows], -1),
                },
            )
        )
    return minari.create_dataset_from_buffers(
        name, buffers, observation_space=observation_space, action_space=action_space, **about
    )
