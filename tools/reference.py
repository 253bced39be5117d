"""The reference side of every comparison: the four locomotion tasks in pybullet_envs.

The golden files, the live comparison and the benchmark share these functions, so that they compare the same things.
"""

import contextlib
import ctypes
import os
import sys
import warnings

# pybullet_envs measures progress with a dot product of NumPy's BLAS. Its last bit depends on OpenBLAS's kernel: the one for AVX-512
# fuses multiplication and addition, the others do not. This must be set before NumPy is loaded.
os.environ.setdefault("OPENBLAS_CORETYPE", "Haswell")

import numpy as np  # noqa: E402

#: Our names of the tasks, and the names under which pybullet_envs registers them.
TASKS = {
    "hopper": "HopperBulletEnv-v0",
    "walker2d": "Walker2DBulletEnv-v0",
    "half-cheetah": "HalfCheetahBulletEnv-v0",
    "ant": "AntBulletEnv-v0",
}

#: Joints start uniformly within this distance of zero.
POSE_RANGE = 0.1


class ReferenceTask:
    """A task of pybullet_envs whose initial joint pose is given instead of drawn.

    An environment object's first episode differs from all later ones (the floor is missing from the mean over
    the parts until it ends), so a `settled` task has already spent its first reset.
    """

    def __init__(self, name, settled=True):
        self._env = make(name)
        self.width = self._env.observation_space.shape[0]
        self.joints = self._env.action_space.shape[0]
        if settled:
            self.reset(np.zeros(self.joints))

    def reset(self, pose):
        """Starts an episode with the actuated joints at `pose` (radians, at rest); returns the state."""
        source = _GivenPose(pose)
        self._env.unwrapped.robot.np_random = source
        with silent():  # Bullet's loaders print to standard output
            state = self._env.reset()
        source.expect_used_up()
        return state

    def step(self, action):
        """Returns state (f32), reward (f64), terminated, truncated: the flags exclude each other, as in gym."""
        state, reward, done, info = self._env.step(action)
        truncated = bool(info.get("TimeLimit.truncated", False))
        return state, reward, bool(done) and not truncated, truncated

    def close(self):
        """Disconnects from the physics server."""
        self._env.close()


class _GivenPose:
    """Stands in for the task's random generator and hands out a given pose, joint by joint."""

    def __init__(self, pose):
        self._left = [float(angle) for angle in pose]

    def uniform(self, low, high):
        assert (low, high) == (-POSE_RANGE, POSE_RANGE), f"the task drew from [{low}, {high}]"
        if not self._left:
            raise ValueError("the pose has fewer angles than the task has actuated joints")
        return self._left.pop(0)

    def expect_used_up(self):
        if self._left:
            raise ValueError(f"the pose has {len(self._left)} angles more than the task has actuated joints")


def random_pose(rng, joints):
    """A pose as a reset draws it: independent, uniform in [-0.1, 0.1]."""
    return rng.uniform(-POSE_RANGE, POSE_RANGE, joints)


def load_policy(path):
    """The mean action of a trained agent, state -> action in [-1, 1].

    The file holds W0 b0 W1 b1 W2 b2 (weights [in, out], tanh between layers) and the running moments
    rms_mean, rms_var by which states are normalised: clip((s - mean) / sqrt(var + 1e-8), -10, 10).
    """
    weights = dict(np.load(path))
    scale = np.sqrt(weights["rms_var"] + 1e-8)

    def act(state):
        hidden = np.clip((state - weights["rms_mean"]) / scale, -10, 10)
        hidden = np.tanh(hidden @ weights["W0"] + weights["b0"])
        hidden = np.tanh(hidden @ weights["W1"] + weights["b1"])
        return np.clip(hidden @ weights["W2"] + weights["b2"], -1, 1)

    return act


def make(name):
    """A task of pybullet_envs as its users see it: with gym's time limit, drawing its own poses."""
    with silent(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import gym
        import pybullet_envs  # noqa: F401  (registers the tasks)

        gym.logger.set_level(gym.logger.ERROR)
        return gym.make(TASKS[name])


@contextlib.contextmanager
def silent():
    """Discards what C++ and imported modules write to the standard streams; exceptions still pass."""
    _flush()
    kept = [os.dup(1), os.dup(2)]
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        _flush()
        for number, original in zip((1, 2), kept):
            os.dup2(original, number)
            os.close(original)


def _flush():
    """Empties Python's buffers and those of the C library."""
    sys.stdout.flush()
    sys.stderr.flush()
    ctypes.CDLL(None).fflush(None)
