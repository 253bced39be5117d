//! The registry of tasks.

use std::any::Any;
use std::fmt;
use std::str::FromStr;

use tutelage::env::LaneError;
use tutelage::suggest::{did_you_mean, nearest};
use tutelage::{Bounds, Element, Env, Expert, SpaceKind, Spaces, SyncVectorEnv, VectorEnv};
use tutelage_draw::render::Render;
use tutelage_tasks::bullet::Robot;
use tutelage_tasks::worlds::{CartPoleEnv, DriveEnv, DriveFiveEnv, GridEnv, PendulumEnv, World};

use crate::spec::{Class, TrainingBudget};

/// A task of the registry: its index there.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Task(usize);

struct Entry {
    name: &'static str,
    /// Another known name, or nothing.
    alias: &'static str,
    about: &'static str,
    /// The duration of a displayed step, in hundredths of a second.
    pace: u16,
    defaults: Defaults,
    names: ValueNames,
    make: Make,
}

/// The names of a task's values, for people who act in it.
#[derive(Clone, Copy, Debug, Default)]
pub struct ValueNames {
    /// The names of the actions, or of the coordinates of an action.
    pub actions: &'static [&'static str],
    /// The meaning of the least and of the greatest value of each coordinate.
    pub ends: &'static [[&'static str; 2]],
    /// The names of the coordinates of a state.
    pub states: &'static [&'static str],
}

impl ValueNames {
    const NONE: Self = Self { actions: &[], ends: &[], states: &[] };
}

/// The default settings of a task.
#[derive(Clone, Copy, Debug)]
pub struct Defaults {
    /// The hidden widths of networks that represent the expert, or nearly.
    pub realizable: &'static [usize],
    /// The hidden widths of networks that are too small for the expert.
    pub nonrealizable: &'static [usize],
    /// The number of rounds with two hidden layers or more.
    pub rounds: usize,
    /// The number of rounds with any other class.
    pub shallow_rounds: usize,
    /// The number of states that the expert labels in a round.
    pub states_per_round: usize,
    /// The number of steps between two queries.
    pub stride: usize,
    /// The training length of a network.
    pub budget: TrainingBudget,
    /// The learning rate of Adam.
    pub learning_rate: f64,
    /// The number of examples in a minibatch.
    pub batch: usize,
    /// The number of episodes of an evaluation.
    pub episodes: usize,
    /// The bounds of d₀, which is uniform over a box.
    pub cover: [f32; 2],
}

impl Defaults {
    /// The defaults in environments that are not registered.
    pub const CUSTOM: Self = Self {
        realizable: &[64, 64],
        nonrealizable: &[8],
        rounds: 20,
        shallow_rounds: 20,
        states_per_round: 50,
        stride: 5,
        budget: TrainingBudget::Iterations(1000),
        learning_rate: 3e-3,
        batch: 100,
        episodes: 20,
        cover: [-2.0, 2.0],
    };

    /// The settings of the paper's experiments.
    const ROBOT: Self = Self {
        stride: 20,
        budget: TrainingBudget::Epochs(2000),
        learning_rate: 2.5e-4,
        batch: 200,
        episodes: 25,
        ..Self::CUSTOM
    };

    /// Defaults with which a network learns a small world in a few seconds. DAgger, BD-5 and MFTPL-P reach 95 % of the
    /// expert's reward.
    const fn world(hidden: &'static [usize], rounds: usize, states: usize, stride: usize) -> Self {
        Self {
            realizable: hidden,
            nonrealizable: &[2],
            rounds,
            shallow_rounds: rounds,
            states_per_round: states,
            stride,
            ..Self::CUSTOM
        }
    }

    /// Returns the number of rounds with this class.
    pub(crate) fn rounds_for(&self, class: &Class) -> usize {
        match class {
            Class::Mlp(hidden) if hidden.len() > 1 => self.rounds,
            _ => self.shallow_rounds,
        }
    }
}

/// How the environments of a task are created.
enum Make {
    Robot(Robot),
    Continuous(Factory<f32>),
    Discrete(Factory<u32>),
}

/// Creates the parts of a small world whose actions are made of `A`.
pub(crate) struct Factory<A: 'static> {
    pub(crate) stage: fn() -> Box<dyn Render<Action = A>>,
    pub(crate) expert: fn() -> BoxExpert<A>,
}

/// The expert of a task.
pub type BoxExpert<A> = Box<dyn Expert<State = f32, Action = A> + Send>;
/// The environments of a task.
pub type BoxEnvs<A> = Box<dyn VectorEnv<State = f32, Action = A> + Send>;

const fn factory<W: World + 'static>() -> Factory<W::Action> {
    Factory { stage: || Box::new(W::default()), expert: || Box::new(W::default().expert()) }
}

const fn robot(
    robot: Robot,
    alias: &'static str,
    small: &'static [usize],
    [rounds, shallow_rounds]: [usize; 2],
) -> Entry {
    Entry {
        name: robot.name(),
        alias,
        about: "run as far as possible",
        pace: 2,
        defaults: Defaults { nonrealizable: small, rounds, shallow_rounds, ..Defaults::ROBOT },
        names: ValueNames::NONE,
        make: Make::Robot(robot),
    }
}

/// The range sensors of a car from right to left, and its speed.
const SENSORS: &[&str] = &[
    "free at 90° right",
    "free at 60° right",
    "free at 34° right",
    "free at 15° right",
    "free ahead",
    "free at 15° left",
    "free at 34° left",
    "free at 60° left",
    "free at 90° left",
    "speed",
];

/// All tasks in the order in which they are listed. The robots are first, in the order of [`Robot`].
static ENTRIES: [Entry; 9] = [
    robot(Robot::Hopper, "HopperBulletEnv-v0", &[8], [20, 40]),
    robot(Robot::Walker2d, "Walker2DBulletEnv-v0", &[24], [50, 50]),
    robot(Robot::HalfCheetah, "HalfCheetahBulletEnv-v0", &[12], [50, 50]),
    robot(Robot::Ant, "AntBulletEnv-v0", &[8], [20, 40]),
    Entry {
        name: "cart-pole",
        alias: "",
        about: "balance a pole on a cart",
        pace: 3,
        defaults: Defaults {
            budget: TrainingBudget::Iterations(400),
            learning_rate: 1e-2,
            ..Defaults::world(&[16], 10, 40, 5)
        },
        names: ValueNames {
            actions: &["push left", "push right"],
            ends: &[],
            states: &["place", "speed", "angle", "spin"],
        },
        make: Make::Discrete(factory::<CartPoleEnv>()),
    },
    Entry {
        name: "pendulum",
        alias: "",
        about: "swing a pendulum up and keep it there",
        pace: 5,
        defaults: Defaults::world(&[32, 32], 10, 50, 5),
        names: ValueNames {
            actions: &["torque"],
            ends: &[["right", "left"]],
            states: &["cosine of the angle", "sine of the angle", "spin"],
        },
        make: Make::Continuous(factory::<PendulumEnv>()),
    },
    Entry {
        name: "drive",
        alias: "",
        about: "drive a car around a track by its range sensors",
        pace: 5,
        defaults: Defaults::world(&[32], 10, 50, 8),
        names: ValueNames {
            actions: &["steering", "throttle"],
            ends: &[["right", "left"], ["brake", "gas"]],
            states: SENSORS,
        },
        make: Make::Continuous(factory::<DriveEnv>()),
    },
    Entry {
        name: "drive-5",
        alias: "",
        about: "the same with five keys",
        pace: 5,
        defaults: Defaults { learning_rate: 5e-3, ..Defaults::world(&[32, 32], 15, 60, 10) },
        names: ValueNames {
            actions: &["roll", "left", "right", "gas", "brake"],
            ends: &[],
            states: SENSORS,
        },
        make: Make::Discrete(factory::<DriveFiveEnv>()),
    },
    Entry {
        name: "grid",
        alias: "",
        about: "find the way through a maze",
        pace: 25,
        defaults: Defaults {
            budget: TrainingBudget::Iterations(800),
            learning_rate: 5e-3,
            episodes: 50,
            ..Defaults::world(&[64], 20, 80, 25)
        },
        names: ValueNames { actions: &["up", "right", "down", "left"], ends: &[], states: &[] },
        make: Make::Discrete(factory::<GridEnv>()),
    },
];

/// An unknown task.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown task `{name}`{} Expected one of {}", did_you_mean(*nearest), Task::names().join(", "))]
pub struct UnknownTask {
    /// The name.
    pub name: String,
    /// The most similar name, if there is a similar one.
    pub nearest: Option<&'static str>,
}

impl Task {
    /// Returns all tasks.
    pub fn all() -> impl ExactSizeIterator<Item = Self> {
        (0..ENTRIES.len()).map(Self)
    }

    /// Returns the names of all tasks.
    pub fn names() -> Vec<&'static str> {
        ENTRIES.iter().map(|entry| entry.name).collect()
    }

    /// Returns the task of a robot.
    pub fn of_robot(robot: Robot) -> Self {
        Self(robot as usize)
    }

    fn entry(self) -> &'static Entry {
        &ENTRIES[self.0]
    }

    /// Returns the name.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// Returns another known name, or nothing.
    pub fn alias(self) -> &'static str {
        self.entry().alias
    }

    /// Returns the aim in a few words.
    pub fn about(self) -> &'static str {
        self.entry().about
    }

    /// Returns the duration of a displayed step, in hundredths of a second.
    pub fn pace(self) -> u16 {
        self.entry().pace
    }

    /// Creates an environment that can be drawn, if the task is a small world with actions of this type.
    pub fn stage<A: Element>(self) -> Option<Box<dyn Render<Action = A>>> {
        self.factory().map(|factory| (factory.stage)())
    }

    /// Returns the names of its values.
    pub fn value_names(self) -> &'static ValueNames {
        &self.entry().names
    }

    /// Returns the default settings.
    pub fn defaults(self) -> &'static Defaults {
        &self.entry().defaults
    }

    /// Returns the kind of its actions.
    pub fn actions(self) -> SpaceKind {
        match self.entry().make {
            Make::Robot(_) | Make::Continuous(_) => SpaceKind::Continuous,
            Make::Discrete(_) => SpaceKind::Discrete,
        }
    }

    /// Returns the sizes of its spaces and its horizon.
    pub fn shape(self) -> (Spaces, usize) {
        match &self.entry().make {
            Make::Robot(robot) => {
                let (states, actions) = (robot.state_width(), robot.action_width());
                (Spaces { states, actions }, tutelage_tasks::bullet::HORIZON)
            }
            Make::Continuous(factory) => shape(&(factory.stage)()),
            Make::Discrete(factory) => shape(&(factory.stage)()),
        }
    }

    /// Returns the bounds of its actions, if they are vectors.
    pub fn bounds(self) -> Option<Bounds> {
        match &self.entry().make {
            Make::Robot(robot) => Some(Bounds::unit(robot.action_width()).clipping()),
            Make::Continuous(factory) => Some((factory.stage)().bounds()),
            Make::Discrete(_) => None,
        }
    }

    /// Returns the robot, if the task has one.
    pub fn robot(self) -> Option<Robot> {
        if let Make::Robot(robot) = self.entry().make { Some(robot) } else { None }
    }

    /// Returns the default number of rounds with this class.
    pub fn rounds(self, class: &Class) -> usize {
        self.entry().defaults.rounds_for(class)
    }

    /// Returns the factory of a small world, if the task is one with actions of this type.
    pub(crate) fn factory<A: Element>(self) -> Option<&'static Factory<A>> {
        let factory: &dyn Any = match &self.entry().make {
            Make::Robot(_) => return None,
            Make::Continuous(factory) => factory,
            Make::Discrete(factory) => factory,
        };
        factory.downcast_ref()
    }
}

fn shape<E: Env>(env: &E) -> (Spaces, usize) {
    (env.spaces(), env.horizon())
}

impl<A: Element> Factory<A> {
    /// Creates this number of environments, which are stepped together.
    pub(crate) fn envs(&self, count: usize) -> Result<BoxEnvs<A>, LaneError> {
        let stages: Vec<_> = (0..count.max(1)).map(|_| (self.stage)()).collect();
        Ok(Box::new(SyncVectorEnv::new(stages)?))
    }
}

impl FromStr for Task {
    type Err = UnknownTask;

    /// Accepts names and aliases in any case.
    fn from_str(name: &str) -> Result<Self, UnknownTask> {
        let is_it = |task: &Self| {
            name.eq_ignore_ascii_case(task.name())
                || (!name.is_empty() && name.eq_ignore_ascii_case(task.alias()))
        };
        Self::all().find(is_it).ok_or_else(|| UnknownTask {
            name: name.into(),
            nearest: nearest(name, &Self::names()),
        })
    }
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Task({})", self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_aliases_parse_in_any_case() {
        for task in Task::all() {
            assert_eq!(task.name().parse(), Ok(task));
            if !task.alias().is_empty() {
                assert_eq!(task.alias().to_uppercase().parse(), Ok(task));
            }
        }
        assert_eq!("hoper".parse::<Task>().unwrap_err().nearest, Some("hopper"));
        assert_eq!("humanoid".parse::<Task>().unwrap_err().nearest, None);
        assert!("".parse::<Task>().is_err());
    }

    #[test]
    fn entries_are_distinct_and_consistent() {
        for task in Task::all() {
            assert_eq!(Task::all().filter(|other| other.name() == task.name()).count(), 1);
            let (Spaces { states, actions }, horizon) = task.shape();
            assert!(states > 0 && actions > 0 && horizon > 0, "{task}");
            assert_eq!(task.bounds().is_some(), task.actions() == SpaceKind::Continuous);
            assert_eq!(task.robot().map(Task::of_robot).unwrap_or(task), task);
            let ValueNames { actions: named, ends, states: senses } = task.value_names();
            assert!(task.robot().is_some() || named.len() == actions, "{task}");
            assert!(ends.is_empty() || ends.len() == actions, "{task}");
            assert!(senses.is_empty() || senses.len() == states, "{task}");
        }
        assert_eq!("pendulum".parse::<Task>().unwrap().bounds().unwrap().high(), [2.0]);
    }

    #[test]
    fn rounds_of_robots_are_the_papers() {
        let rounds = |class: Class| -> Vec<usize> {
            Task::all().take(4).map(|task| task.rounds(&class)).collect()
        };
        assert_eq!(rounds(Class::Mlp(vec![64, 64])), [20, 50, 50, 20]);
        assert_eq!(rounds(Class::Mlp(vec![8])), [40, 50, 50, 40]);
        assert_eq!(rounds(Class::Linear), [40, 50, 50, 40]);
    }
}
