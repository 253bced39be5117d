//! Worlds: building, stepping, reading, saving.

use crate::body::{Articulation, LinkId, WorldSettings};
use crate::check::check;
use crate::lane_group::DynLaneGroup;
use crate::multibody::{MultiBody, is_planar, node};
use crate::state::LaneState;
use crate::vector::quaternion;
use crate::{Error, InstructionSet};

/// One articulated body above a floor, in each of a few lanes.
///
/// Lanes share the body and nothing else: each is in its own state, and none can disturb another. Calls with a lane at or beyond
/// [`World::lanes`] or a link at or beyond [`World::links`] panic.
pub struct World {
    lanes: Box<dyn DynLaneGroup>,
}

/// Position and velocity of a joint: meters and m/s, or radians and rad/s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointState {
    /// Where it is.
    pub position: f64,
    /// How fast it moves.
    pub velocity: f64,
}

/// Where a link's center of mass is and how it moves, in the world's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkMotion {
    /// In meters.
    pub position: [f64; 3],
    /// Orientation, as a unit quaternion x, y, z, w.
    pub rotation: [f64; 4],
    /// In m/s.
    pub velocity: [f64; 3],
}

/// A state of one lane of a [`World`], to go back to, in any lane.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneSnapshot {
    state: LaneState,
    links: usize,
}

impl World {
    /// Builds a world of one lane, at rest with all joints at zero.
    pub fn new(settings: &WorldSettings, body: &Articulation) -> Result<World, Error> {
        World::with(InstructionSet::Portable, settings, body)
    }

    /// Builds a world with the lanes of an instruction set, all at rest with all joints at zero.
    pub fn with(
        instructions: InstructionSet,
        settings: &WorldSettings,
        body: &Articulation,
    ) -> Result<World, Error> {
        check(settings, body)?;
        let lanes = instructions.build(MultiBody::new(settings, body), is_planar(body))?;
        Ok(World { lanes })
    }

    /// How many lanes there are.
    pub fn lanes(&self) -> usize {
        self.lanes.count()
    }

    /// How many links there are besides the base.
    pub fn links(&self) -> usize {
        self.lanes.multibody().links.len()
    }

    /// Puts joints of a lane at given states; velocities of links follow.
    pub fn set_joints(
        &mut self,
        lane: usize,
        joints: impl IntoIterator<Item = (usize, JointState)>,
    ) {
        for (link, JointState { position, velocity }) in joints {
            self.lanes.set_joint(lane, self.coordinate(link), position, velocity);
        }
        self.lanes.update(lane);
    }

    /// Adds a torque (or force, for a slide) that acts on a joint through all substeps of the lane's next step.
    pub fn add_torque(&mut self, lane: usize, link: usize, torque: f64) {
        self.lanes.add_torque(lane, self.coordinate(link), torque);
    }

    /// Simulates one `time_step` in the lanes whose bit is set in `active`; nothing changes in the others.
    pub fn step(&mut self, active: u8) {
        self.lanes.step(active);
    }

    /// Position and velocity of a link's joint.
    pub fn joint(&self, lane: usize, link: usize) -> JointState {
        let [position, velocity] = self.lanes.joint(lane, self.coordinate(link));
        JointState { position, velocity }
    }

    /// World position of a link's center of mass.
    pub fn position(&self, lane: usize, link: LinkId) -> [f64; 3] {
        self.motion(lane, link).position
    }

    /// World positions of all links' centres of mass, in order, as many as `positions` has room for.
    pub fn positions(&self, lane: usize, positions: &mut [[f64; 3]]) {
        self.lanes.positions(lane, positions);
    }

    /// World orientation of a link, as a unit quaternion x, y, z, w.
    pub fn rotation(&self, lane: usize, link: LinkId) -> [f64; 4] {
        self.motion(lane, link).rotation
    }

    /// World velocity of a link's center of mass.
    pub fn velocity(&self, lane: usize, link: LinkId) -> [f64; 3] {
        self.motion(lane, link).velocity
    }

    /// Where a link is and how it moves: position, orientation and velocity together.
    pub fn motion(&self, lane: usize, link: LinkId) -> LinkMotion {
        let motion = self.lanes.motion(lane, self.node(link));
        LinkMotion {
            position: motion.position,
            rotation: quaternion(motion.rotation),
            velocity: motion.velocity,
        }
    }

    /// Whether a link has a contact point with the floor; a point counts while it is closer than a breaking threshold, which grows with
    /// the link's size.
    pub fn touches_floor(&self, lane: usize, link: LinkId) -> bool {
        self.lanes.touches(lane, self.node(link))
    }

    /// Moments of inertia about a link's axes, which follow from the bounding box of its shapes.
    pub fn inertia(&self, link: LinkId) -> [f64; 3] {
        let multibody = self.lanes.multibody();
        match link {
            LinkId::Base => multibody.base.inertia,
            LinkId::Link(link) => multibody.links[link].body.inertia,
        }
    }

    /// Everything that later steps of a lane depend on.
    pub fn save(&self, lane: usize) -> LaneSnapshot {
        let mut state = LaneState::default();
        self.lanes.save(lane, &mut state);
        LaneSnapshot { state, links: self.links() }
    }

    /// Takes a lane back to a state that a lane of this world, or of one built alike, was in.
    ///
    /// # Panics
    /// If the snapshot is of a world with a different number of links, joints or shapes.
    pub fn restore(&mut self, lane: usize, snapshot: &LaneSnapshot) {
        let fits = self.links() == snapshot.links && self.save(lane).state.is_like(&snapshot.state);
        assert!(fits, "the snapshot is of another body");
        self.lanes.restore(lane, &snapshot.state);
    }

    fn node(&self, link: LinkId) -> usize {
        // Before it is counted on, since the last number there is would come round to the base.
        if let LinkId::Link(link) = link {
            assert!(link < self.links(), "there is no link {link}, only {}", self.links());
        }
        node(link)
    }

    fn coordinate(&self, link: usize) -> usize {
        let Some(joint) = self.lanes.multibody().links[link].joint else {
            panic!("link {link} is welded");
        };
        joint.coordinate
    }
}

impl std::fmt::Debug for World {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (lanes, links) = (self.lanes(), self.links());
        formatter.debug_struct("World").field("lanes", &lanes).field("links", &links).finish()
    }
}
