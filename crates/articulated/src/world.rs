//! The simulated world.

use crate::body::{Articulation, LinkId, WorldSettings};
use crate::check::check;
use crate::lane_group::DynLaneGroup;
use crate::multibody::{MultiBody, is_planar, node};
use crate::state::LaneState;
use crate::vector::quaternion;
use crate::{Error, InstructionSet};

/// A simulation of one articulated body above a floor, in one or several lanes.
///
/// Lanes share the body and nothing else: each is in its own state, and none can disturb another.
/// Calls with a lane at or beyond [`World::lanes`] or a link at or beyond [`World::links`] panic.
pub struct World {
    lanes: Box<dyn DynLaneGroup>,
}

/// Position and velocity of a joint: meters and m/s, or radians and rad/s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointState {
    /// The position.
    pub position: f64,
    /// The velocity.
    pub velocity: f64,
}

/// Pose and velocity of a link's center of mass, in the world's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkMotion {
    /// In meters.
    pub position: [f64; 3],
    /// Orientation, as a unit quaternion x, y, z, w.
    pub rotation: [f64; 4],
    /// In m/s.
    pub velocity: [f64; 3],
}

/// A saved state of one lane of a [`World`]. It can be restored in any lane.
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

    /// Returns the number of lanes.
    pub fn lanes(&self) -> usize {
        self.lanes.count()
    }

    /// Returns the number of links, without the base.
    pub fn links(&self) -> usize {
        self.lanes.multibody().links.len()
    }

    /// Sets joint positions and velocities in a lane.
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

    /// Adds a torque (a force for a prismatic joint) that acts on a joint through all substeps of
    /// the lane's next step.
    pub fn add_torque(&mut self, lane: usize, link: usize, torque: f64) {
        self.lanes.add_torque(lane, self.coordinate(link), torque);
    }

    /// Simulates one `time_step` in the lanes whose bit is set in `active`; nothing changes in the
    /// others.
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

    /// World positions of all links' centers of mass, in order, as many as `positions` has room
    /// for.
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

    /// Returns position, orientation and velocity of a link.
    pub fn motion(&self, lane: usize, link: LinkId) -> LinkMotion {
        let motion = self.lanes.motion(lane, self.node(link));
        LinkMotion {
            position: motion.position,
            rotation: quaternion(motion.rotation),
            velocity: motion.velocity,
        }
    }

    /// Whether a link has a contact point with the floor; a point counts while it is closer than a
    /// breaking threshold, which grows with the link's size.
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

    /// Saves the complete state of a lane.
    pub fn save(&self, lane: usize) -> LaneSnapshot {
        let mut state = LaneState::default();
        self.lanes.save(lane, &mut state);
        LaneSnapshot { state, links: self.links() }
    }

    /// Restores a saved state in a lane. The snapshot must come from a world with an equal body.
    ///
    /// # Panics
    /// If the snapshot is of a world with a different number of links, joints or shapes.
    pub fn restore(&mut self, lane: usize, snapshot: &LaneSnapshot) {
        let fits = self.links() == snapshot.links && self.save(lane).state.is_like(&snapshot.state);
        assert!(fits, "the snapshot belongs to a different body");
        self.lanes.restore(lane, &snapshot.state);
    }

    fn node(&self, link: LinkId) -> usize {
        // Check before `node` adds 1, since `usize::MAX` would wrap around to the base.
        if let LinkId::Link(link) = link {
            assert!(link < self.links(), "there is no link {link}, only {}", self.links());
        }
        node(link)
    }

    fn coordinate(&self, link: usize) -> usize {
        let Some(joint) = self.lanes.multibody().links[link].joint else {
            panic!("link {link} has a fixed joint");
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
