//! A lane of a world and the oracle that it is compared with.

use articulated::{Joint, JointState, LinkId, World};
use rand::RngExt;
use rand::rngs::StdRng;
use tutelage_tasks::bullet::{Mechanism, Motor};

use crate::oracle::{Oracle, Snapshot};
use crate::recording::Recording;

/// What drives a lane for a while.
enum Drive {
    /// A trained agent's actions from this row on, disturbed by noise of this size.
    Recorded { row: usize, noise: f64 },
    /// Each action uniform in [-scale, scale].
    Random { scale: f64 },
    /// Each motor at full torque one way or the other, for a few steps.
    Bang { held: Vec<f64> },
    /// No torque.
    Limp,
}

pub struct Lane<'a> {
    pub index: usize,
    pub oracle: Oracle,
    rest: Snapshot,
    rest_here: Option<articulated::LaneSnapshot>,
    mechanism: &'a Mechanism,
    recording: Option<&'a Recording>,
    drive: Drive,
    /// Steps until the lane is reset, or disturbed, or driven otherwise.
    left: usize,
}

impl<'a> Lane<'a> {
    pub fn new(index: usize, mechanism: &'a Mechanism, recording: Option<&'a Recording>) -> Self {
        let oracle = Oracle::new(&mechanism.settings, &mechanism.body);
        let rest = oracle.save();
        Lane {
            index,
            oracle,
            rest,
            rest_here: None,
            mechanism,
            recording,
            drive: Drive::Limp,
            left: 0,
        }
    }

    /// Decides what happens next, to both alike.
    pub fn prepare(&mut self, world: &mut World, rng: &mut StdRng) {
        if self.rest_here.is_none() {
            self.rest_here = Some(world.save(self.index));
        }
        if self.left == 0 {
            self.begin(world, rng);
        }
        self.left -= 1;
        let row = match &mut self.drive {
            Drive::Recorded { row, .. } => std::mem::replace(row, *row + 1),
            _ => 0,
        };
        for (motor, &Motor { link, torque, .. }) in self.mechanism.motors.iter().enumerate() {
            let action = match &mut self.drive {
                Drive::Recorded { noise, .. } => {
                    let actions = self.recording.map(|recording| &recording.actions);
                    let action = actions.map_or(0.0, |actions| actions[[row, motor]]);
                    f64::from(action) + *noise * rng.random_range(-1.0..1.0)
                }
                Drive::Random { scale } => rng.random_range(-*scale..*scale),
                Drive::Bang { held } => {
                    if rng.random_bool(0.1) {
                        held[motor] = -held[motor];
                    }
                    held[motor]
                }
                Drive::Limp => continue,
            };
            let torque = torque * action.clamp(-1.0, 1.0);
            world.add_torque(self.index, link, torque);
            self.oracle.add_torque(link, torque);
        }
    }

    fn begin(&mut self, world: &mut World, rng: &mut StdRng) {
        let motors = self.mechanism.motors.len();
        match (rng.random_range(0..6), self.recording) {
            (0 | 1, Some(recording)) => return self.replay(recording, world, rng),
            (0 | 2, _) => self.reset(world, self.pose(rng, 0.1, 0.0)),
            (1 | 3, _) => self.reset(world, self.pose(rng, 3.0, 10.0)),
            (4, _) => self.set(world, self.disturbed(rng)),
            _ => {} // keep the state
        }
        self.left = [40, 200, 1500][rng.random_range(0..3)];
        self.drive = match rng.random_range(0..4) {
            0 => Drive::Random { scale: 1.0 },
            1 => Drive::Random { scale: 0.2 },
            2 => Drive::Bang { held: vec![1.0; motors] },
            _ => Drive::Limp,
        };
    }

    /// An episode of a trained agent, exactly or nearly.
    fn replay(&mut self, recording: &Recording, world: &mut World, rng: &mut StdRng) {
        let Recording { starts, poses, actions } = recording;
        let episode = rng.random_range(0..starts.len());
        let start = starts[episode] as usize;
        let end = starts.get(episode + 1).map_or(actions.nrows(), |&next| next as usize);
        let pose = self.mechanism.motors.iter().zip(poses.row(episode));
        let pose =
            pose.map(|(motor, &position)| (motor.link, JointState { position, velocity: 0.0 }));
        self.reset(world, pose.collect());
        self.drive =
            Drive::Recorded { row: start, noise: [0.0, 1e-3, 0.3][rng.random_range(0..3)] };
        self.left = end - start;
    }

    fn reset(&mut self, world: &mut World, joints: Vec<(usize, JointState)>) {
        self.oracle.restore(&self.rest);
        if let Some(rest) = &self.rest_here {
            world.restore(self.index, rest);
        }
        self.set(world, joints);
    }

    fn set(&mut self, world: &mut World, joints: Vec<(usize, JointState)>) {
        self.oracle.set_joints(joints.iter().copied());
        world.set_joints(self.index, joints);
    }

    /// Random positions up to `spread` and speeds up to `speed` of the motors and, if `speed` is not zero, of the root's joints.
    fn pose(&self, rng: &mut StdRng, spread: f64, speed: f64) -> Vec<(usize, JointState)> {
        let mut any =
            |spread: f64| if spread > 0.0 { rng.random_range(-spread..spread) } else { 0.0 };
        let motors = self.mechanism.motors.iter().map(|motor| motor.link);
        let links: Vec<usize> =
            if speed > 0.0 { self.joints().collect() } else { motors.collect() };
        let joint = |link| (link, JointState { position: any(spread), velocity: any(speed) });
        links.into_iter().map(joint).collect()
    }

    /// Some joints somewhere else, contacts and all the rest as they are.
    fn disturbed(&self, rng: &mut StdRng) -> Vec<(usize, JointState)> {
        let joints: Vec<usize> = self.joints().collect();
        let mut chosen = Vec::new();
        for link in joints {
            if rng.random_bool(0.4) {
                let JointState { position, velocity } = self.oracle.joint(link);
                let position = position + rng.random_range(-0.05..0.05);
                chosen.push((
                    link,
                    JointState { position, velocity: velocity + rng.random_range(-2.0..2.0) },
                ));
            }
        }
        chosen
    }

    fn joints(&self) -> impl Iterator<Item = usize> {
        let links = self.mechanism.body.links.iter().enumerate();
        links.filter(|(_, link)| link.joint != Joint::Fixed).map(|(index, _)| index)
    }

    /// Compares all that can be read.
    pub fn compare(&mut self, world: &World) -> Result<(), String> {
        let lane = self.index;
        let mut finite = true;
        let mut same = |what: &str, link: LinkId, ours: &[f64], theirs: &[f64]| {
            finite &= theirs.iter().all(|x| x.is_finite());
            let equal =
                |(x, y): (&f64, &f64)| x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan();
            if ours.iter().zip(theirs).all(equal) {
                Ok(())
            } else {
                Err(format!("{what} of {link:?} is {ours:?}, not {theirs:?}"))
            }
        };
        for link in self.joints() {
            let ([ours, theirs], at) =
                ([world.joint(lane, link), self.oracle.joint(link)], LinkId::Link(link));
            let both = |state: JointState| [state.position, state.velocity];
            same("joint", at, &both(ours), &both(theirs))?;
        }
        let links = (0..self.oracle.links()).map(LinkId::Link);
        for link in std::iter::once(LinkId::Base).chain(links) {
            // Ignore the sign of zero, which can differ for a planar robot's y.
            let unsigned = |v: [f64; 3]| v.map(|x| if x == 0.0 { 0.0 } else { x });
            let (ours, theirs) = (world.position(lane, link), self.oracle.position(link));
            same("position", link, &unsigned(ours), &unsigned(theirs))?;
            same("rotation", link, &world.rotation(lane, link), &self.oracle.rotation(link))?;
            let (ours, theirs) = (world.velocity(lane, link), self.oracle.velocity(link));
            same("velocity", link, &unsigned(ours), &unsigned(theirs))?;
            if world.touches_floor(lane, link) != self.oracle.touches_floor(link) {
                return Err(format!("whether {link:?} touches the floor differs"));
            }
        }
        if !finite {
            self.left = 0;
            return Err("a number is not finite".into());
        }
        Ok(())
    }
}
