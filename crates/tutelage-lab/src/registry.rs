//! The tasks: what there is to learn, how it is usually learned, and who teaches it.

use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use tutelage::env::LaneError;
use tutelage::suggest::{did_you_mean, nearest};
use tutelage::{Bounds, Element, Env, Expert, SpaceKind, Spaces, SyncVectorEnv, VectorEnv};
use tutelage_draw::render::Render;
use tutelage_envs::Robot;
use tutelage_worlds::{CartPoleEnv, DriveEnv, DriveFiveEnv, GridEnv, PendulumEnv, World};

use crate::spec::{BudgetSpec, Class};

/// A task, by its entry in the registry.
#[derive(Clone, Copy)]
pub struct Task(&'static Entry);

/// An entry of the registry.
struct Entry {
    name: &'static str,
    /// Another name that people may know it by.
    alias: &'static str,
    about: &'static str,
    /// Hundredths of a second that a step takes where somebody watches.
    pace: u16,
    defaults: Defaults,
    words: Words,
    make: Make,
}

/// What the numbers of a task are called, where people act in it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Words {
    /// The actions by name, or the coordinates of an action.
    pub actions: &'static [&'static str],
    /// What the least and the greatest value of each coordinate mean.
    pub ends: &'static [[&'static str; 2]],
    /// The numbers of a state.
    pub states: &'static [&'static str],
}

impl Words {
    const NONE: Self = Self { actions: &[], ends: &[], states: &[] };
}

/// How a task is usually learned.
#[derive(Clone, Copy, Debug)]
pub struct Defaults {
    /// Hidden widths of networks that contain the expert, or nearly.
    pub realizable: &'static [usize],
    /// Hidden widths of networks that are too small for it.
    pub nonrealizable: &'static [usize],
    /// N for networks of two layers or more, and for all others.
    pub rounds: [usize; 2],
    /// K.
    pub states_per_round: usize,
    /// Every how many steps a state is asked about.
    pub stride: usize,
    /// How long a network trains.
    pub budget: BudgetSpec,
    /// Adam's step.
    pub learning_rate: f64,
    /// Examples per step.
    pub batch: usize,
    /// T, the episodes of an evaluation.
    pub episodes: usize,
    /// The ends of d₀'s box.
    pub cover: [f32; 2],
}

impl Defaults {
    /// N for this class.
    pub(crate) fn rounds_for(&self, class: &Class) -> usize {
        let deep = matches!(class, Class::Mlp(hidden) if hidden.len() > 1);
        self.rounds[usize::from(!deep)]
    }
}

/// How the worlds of a task are made.
enum Make {
    Robot(Robot),
    Continuous(Maker<f32>),
    Discrete(Maker<u32>),
}

/// The parts of a world whose actions are made of `A`.
pub(crate) struct Maker<A: 'static> {
    pub(crate) stage: fn() -> Box<dyn Render<Action = A>>,
    pub(crate) expert: fn() -> BoxExpert<A>,
}

/// An expert of a world.
pub type BoxExpert<A> = Box<dyn Expert<State = f32, Action = A>>;
/// Environments of a world.
pub type BoxEnvs<A> = Box<dyn VectorEnv<State = f32, Action = A>>;

const fn maker<W: World + 'static>() -> Maker<W::Action> {
    Maker { stage: || Box::new(W::default()), expert: || Box::new(W::default().expert()) }
}

const fn robot(
    name: &'static str,
    alias: &'static str,
    robot: Robot,
    small: &'static [usize],
    rounds: [usize; 2],
) -> Entry {
    let defaults = Defaults {
        realizable: &[64, 64],
        nonrealizable: small,
        rounds,
        states_per_round: 50,
        stride: 20,
        budget: BudgetSpec::Epochs(2000),
        learning_rate: 2.5e-4,
        batch: 200,
        episodes: 25,
        cover: [-2.0, 2.0],
    };
    let about = "run as far as possible";
    let words = Words::NONE;
    Entry { name, alias, about, pace: 2, defaults, words, make: Make::Robot(robot) }
}

/// What the worlds' defaults have in common. With them, DAgger, BD-5 and MFTPL-P reach 95 % of the expert's reward.
const WORLD: Defaults = Defaults {
    realizable: &[32],
    nonrealizable: &[2],
    rounds: [10; 2],
    states_per_round: 50,
    stride: 5,
    budget: BudgetSpec::Iterations(1000),
    learning_rate: 3e-3,
    batch: 100,
    episodes: 20,
    cover: [-2.0, 2.0],
};

const fn world(
    name: &'static str,
    about: &'static str,
    pace: u16,
    defaults: Defaults,
    words: Words,
    make: Make,
) -> Entry {
    Entry { name, alias: "", about, pace, defaults, words, make }
}

/// What a car senses, from right to left.
const SENSES: &[&str] = &[
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

/// All tasks, in the order in which they are listed.
static ENTRIES: [Entry; 9] = [
    robot("hopper", "HopperBulletEnv-v0", Robot::Hopper, &[8], [20, 40]),
    robot("walker2d", "Walker2DBulletEnv-v0", Robot::Walker2d, &[24], [50, 50]),
    robot("half-cheetah", "HalfCheetahBulletEnv-v0", Robot::HalfCheetah, &[12], [50, 50]),
    robot("ant", "AntBulletEnv-v0", Robot::Ant, &[8], [20, 40]),
    world(
        "cart-pole",
        "balance a pole on a cart",
        3,
        Defaults {
            realizable: &[16],
            states_per_round: 40,
            budget: BudgetSpec::Iterations(400),
            learning_rate: 1e-2,
            ..WORLD
        },
        Words {
            actions: &["push left", "push right"],
            ends: &[],
            states: &["place", "speed", "angle", "spin"],
        },
        Make::Discrete(maker::<CartPoleEnv>()),
    ),
    world(
        "pendulum",
        "swing a pendulum up and keep it there",
        5,
        Defaults { realizable: &[32, 32], ..WORLD },
        Words {
            actions: &["torque"],
            ends: &[["right", "left"]],
            states: &["cosine of the angle", "sine of the angle", "spin"],
        },
        Make::Continuous(maker::<PendulumEnv>()),
    ),
    world(
        "drive",
        "drive a car around a track by its range sensors",
        5,
        Defaults { stride: 8, ..WORLD },
        Words {
            actions: &["steering", "throttle"],
            ends: &[["right", "left"], ["brake", "gas"]],
            states: SENSES,
        },
        Make::Continuous(maker::<DriveEnv>()),
    ),
    world(
        "drive-5",
        "the same with five keys",
        5,
        Defaults {
            realizable: &[32, 32],
            rounds: [15; 2],
            states_per_round: 60,
            stride: 10,
            learning_rate: 5e-3,
            ..WORLD
        },
        Words { actions: &["roll", "left", "right", "gas", "brake"], ends: &[], states: SENSES },
        Make::Discrete(maker::<DriveFiveEnv>()),
    ),
    world(
        "grid",
        "find the way through a maze",
        25,
        Defaults {
            realizable: &[64],
            rounds: [20; 2],
            states_per_round: 80,
            stride: 25,
            budget: BudgetSpec::Iterations(800),
            learning_rate: 5e-3,
            episodes: 50,
            ..WORLD
        },
        Words { actions: &["up", "right", "down", "left"], ends: &[], states: &[] },
        Make::Discrete(maker::<GridEnv>()),
    ),
];

/// An unknown task.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no task `{name}`{} The tasks are {}", did_you_mean(*nearest), Task::names().join(", "))]
pub struct UnknownTask {
    /// The name that was given.
    pub name: String,
    /// The task whose name is nearest to it, where one is near.
    pub nearest: Option<&'static str>,
}

impl Task {
    /// All tasks.
    pub fn all() -> impl ExactSizeIterator<Item = Self> {
        ENTRIES.iter().map(Self)
    }

    /// The names of all tasks.
    pub fn names() -> Vec<&'static str> {
        ENTRIES.iter().map(|entry| entry.name).collect()
    }

    /// The task of a robot.
    pub fn of_robot(robot: Robot) -> Self {
        let is_it = |task: &Self| task.robot() == Some(robot);
        Self::all().find(is_it).unwrap_or(Self(&ENTRIES[0]))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Another name that people may know it by, or nothing.
    pub fn alias(self) -> &'static str {
        self.0.alias
    }

    /// What is to be done in it.
    pub fn about(self) -> &'static str {
        self.0.about
    }

    /// Hundredths of a second that a step takes where somebody watches.
    pub fn pace(self) -> u16 {
        self.0.pace
    }

    /// Creates an environment to be drawn, if the task is a world with actions of this type.
    pub fn stage<A: Element>(self) -> Option<Box<dyn Render<Action = A>>> {
        self.maker().map(|maker| (maker.stage)())
    }

    /// What its numbers are called.
    pub fn words(self) -> &'static Words {
        &self.0.words
    }

    /// How it is usually learned.
    pub fn defaults(self) -> &'static Defaults {
        &self.0.defaults
    }

    /// What its actions are made of.
    pub fn actions(self) -> SpaceKind {
        match self.0.make {
            Make::Robot(_) | Make::Continuous(_) => SpaceKind::Continuous,
            Make::Discrete(_) => SpaceKind::Discrete,
        }
    }

    /// The sizes of its spaces and its horizon.
    pub fn shape(self) -> (Spaces, usize) {
        match &self.0.make {
            Make::Robot(robot) => {
                let (states, actions) = (robot.state_width(), robot.action_width());
                (Spaces { states, actions }, tutelage_envs::HORIZON)
            }
            Make::Continuous(maker) => shape(&(maker.stage)()),
            Make::Discrete(maker) => shape(&(maker.stage)()),
        }
    }

    /// The box that its actions lie in, where they are vectors.
    pub fn bounds(self) -> Option<Bounds> {
        match &self.0.make {
            Make::Robot(robot) => Some(Bounds::unit(robot.action_width()).clipping()),
            Make::Continuous(maker) => Some((maker.stage)().bounds()),
            Make::Discrete(_) => None,
        }
    }

    /// The robot, where it is one.
    pub fn robot(self) -> Option<Robot> {
        match self.0.make {
            Make::Robot(robot) => Some(robot),
            Make::Continuous(_) | Make::Discrete(_) => None,
        }
    }

    /// N in the paper for a robot, or what the world takes.
    pub fn rounds(self, class: &Class) -> usize {
        self.0.defaults.rounds_for(class)
    }

    /// The parts of the world, if the task is one with actions of this type.
    pub(crate) fn maker<A: Element>(self) -> Option<&'static Maker<A>> {
        let maker: &dyn Any = match &self.0.make {
            Make::Robot(_) => return None,
            Make::Continuous(maker) => maker,
            Make::Discrete(maker) => maker,
        };
        maker.downcast_ref()
    }
}

fn shape<E: Env>(env: &E) -> (Spaces, usize) {
    (env.spaces(), env.horizon())
}

impl<A: Element> Maker<A> {
    /// So many environments, stepped together.
    pub(crate) fn envs(&self, count: usize) -> Result<BoxEnvs<A>, LaneError> {
        let stages: Vec<_> = (0..count.max(1)).map(|_| (self.stage)()).collect();
        Ok(Box::new(SyncVectorEnv::new(stages)?))
    }
}

impl FromStr for Task {
    type Err = UnknownTask;

    /// Accepts our names and other known ones, in any case.
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

impl PartialEq for Task {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Task {}

impl Hash for Task {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
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
        let error = "humanoid".parse::<Task>().unwrap_err().to_string();
        assert!(error.contains("`humanoid`. The tasks are hopper"), "{error}");
        assert!("".parse::<Task>().is_err());
    }

    #[test]
    fn entries_are_told_apart_and_know_their_shapes() {
        for (i, task) in Task::all().enumerate() {
            assert!(Task::all().take(i).all(|other| other != task));
            let (Spaces { states, actions }, horizon) = task.shape();
            assert!(states > 0 && actions > 0 && horizon > 0, "{task}");
            assert_eq!(task.bounds().is_some(), task.actions() == SpaceKind::Continuous);
            assert_eq!(task.robot().map(Task::of_robot).unwrap_or(task), task);
            let Words { actions: named, ends, states: senses } = task.words();
            assert!(task.robot().is_some() || named.len() == actions, "{task}");
            assert!(ends.is_empty() || ends.len() == actions, "{task}");
            assert!(senses.is_empty() || senses.len() == states, "{task}");
        }
        assert_eq!("pendulum".parse::<Task>().unwrap().bounds().unwrap().high(), [2.0]);
    }

    #[test]
    fn the_robots_settings_are_the_papers() {
        let rounds = |class: Class| -> Vec<usize> {
            Task::all().take(4).map(|task| task.rounds(&class)).collect()
        };
        assert_eq!(rounds(Class::Mlp(vec![64, 64])), [20, 50, 50, 20]);
        assert_eq!(rounds(Class::Mlp(vec![8])), [40, 50, 50, 40]);
        assert_eq!(rounds(Class::Linear), [40, 50, 50, 40]);
    }
}
