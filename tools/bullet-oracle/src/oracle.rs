//! One articulated body above a floor, stepped by Bullet's own C++.

use std::ffi::c_int;
use std::ptr::NonNull;

use articulated::{Articulation, Geometry, Joint, JointState, LinkId, WorldSettings, CollisionShape};

use crate::ffi;

/// What `articulated::World` is compared with. Calls with a link index at or beyond [`Oracle::links`] panic.
#[derive(Debug)]
pub struct Oracle {
    raw: NonNull<ffi::World>,
    /// Degree of freedom of each link's joint: false for welds.
    moves: Vec<bool>,
}

// SAFETY: a `tb_world` is a tree of heap objects that only this handle reaches; nothing in it is tied to the thread that made it, and
// Bullet is compiled without thread-local state.
unsafe impl Send for Oracle {}

/// A state of a [`Oracle`], to go back to.
#[derive(Debug)]
pub struct Snapshot {
    raw: NonNull<ffi::Snapshot>,
    links: usize,
}

// SAFETY: a `tb_snapshot` is plain data on the heap that only this handle reaches.
unsafe impl Send for Snapshot {}

impl Oracle {
    /// Builds a world, at rest with all joints at zero, of a body that `articulated::World` has accepted.
    pub fn new(settings: &WorldSettings, body: &Articulation) -> Oracle {
        let base = ffi::Base {
            fixed: c_int::from(body.base.mass == 0.0),
            shapes: body.base.shapes.len() as c_int,
            position: body.base.position,
            mass: body.base.mass,
            friction: body.base.friction,
        };
        let links: Vec<ffi::Link> = body.links.iter().map(raw_link).collect();
        let shapes: Vec<ffi::Shape> = body
            .base
            .shapes
            .iter()
            .chain(body.links.iter().flat_map(|link| &link.shapes))
            .map(raw_shape)
            .collect();
        // SAFETY: the pointers are valid for the call, `links` has the given length, and `shapes` holds as many entries as the base
        // and the links announce, in their order. Parents precede children in an accepted body.
        let raw = unsafe {
            ffi::tb_world_new(
                &raw_settings(settings),
                &base,
                links.as_ptr(),
                links.len() as c_int,
                shapes.as_ptr(),
            )
        };
        let moves = body.links.iter().map(|link| link.joint != Joint::Fixed).collect();
        Oracle { raw, moves }
    }

    /// How many links there are besides the base.
    pub fn links(&self) -> usize {
        self.moves.len()
    }

    /// Puts joints at given states; velocities of links follow.
    pub fn set_joints(&mut self, joints: impl IntoIterator<Item = (usize, JointState)>) {
        for (link, state) in joints {
            let link = self.joint_index(link);
            // SAFETY: `raw` is a live world and `link` names a joint of one degree of freedom.
            unsafe { ffi::tb_set_joint(self.raw.as_ptr(), link, state.position, state.velocity) };
        }
        // SAFETY: `raw` is a live world.
        unsafe { ffi::tb_update_poses(self.raw.as_ptr()) };
    }

    /// Adds a torque (or force, for a slide) that acts on a joint through all substeps of the next step.
    pub fn add_torque(&mut self, link: usize, torque: f64) {
        let link = self.joint_index(link);
        // SAFETY: `raw` is a live world and `link` names a joint of one degree of freedom.
        unsafe { ffi::tb_add_torque(self.raw.as_ptr(), link, torque) };
    }

    /// Simulates one `time_step`.
    pub fn step(&mut self) {
        // SAFETY: `raw` is a live world.
        unsafe { ffi::tb_step(self.raw.as_ptr()) };
    }

    /// Position and velocity of a link's joint.
    pub fn joint(&self, link: usize) -> JointState {
        let link = self.joint_index(link);
        let mut state = [0.0; 2];
        // SAFETY: `raw` is a live world, `link` names a joint of one degree of freedom, and `state` has room for two numbers.
        unsafe { ffi::tb_joint(self.raw.as_ptr(), link, state.as_mut_ptr()) };
        JointState { position: state[0], velocity: state[1] }
    }

    /// World position of a link's centre of mass.
    pub fn position(&self, link: LinkId) -> [f64; 3] {
        let mut xyz = [0.0; 3];
        // SAFETY: `raw` is a live world, the index is -1 or that of a link, and `xyz` has room for three numbers.
        unsafe { ffi::tb_position(self.raw.as_ptr(), self.index(link), xyz.as_mut_ptr()) };
        xyz
    }

    /// World orientation of a link, as a unit quaternion x, y, z, w.
    pub fn rotation(&self, link: LinkId) -> [f64; 4] {
        let mut xyzw = [0.0; 4];
        // SAFETY: as in `position`, with room for four numbers.
        unsafe { ffi::tb_rotation(self.raw.as_ptr(), self.index(link), xyzw.as_mut_ptr()) };
        xyzw
    }

    /// World velocity of a link's centre of mass.
    pub fn velocity(&self, link: LinkId) -> [f64; 3] {
        let mut linear = [0.0; 3];
        // SAFETY: as in `position`.
        unsafe { ffi::tb_velocity(self.raw.as_ptr(), self.index(link), linear.as_mut_ptr()) };
        linear
    }

    /// Whether a link has a contact point with the floor; a point counts while it is closer than Bullet's breaking threshold.
    pub fn touches_floor(&self, link: LinkId) -> bool {
        // SAFETY: `raw` is a live world and the index is -1 or that of a link.
        unsafe { ffi::tb_touches_floor(self.raw.as_ptr(), self.index(link)) != 0 }
    }

    /// Everything that later steps depend on.
    pub fn save(&self) -> Snapshot {
        // SAFETY: `raw` is a live world.
        let raw = unsafe { ffi::tb_save(self.raw.as_ptr()) };
        Snapshot { raw, links: self.links() }
    }

    /// Goes back to a state that this world, or one built alike, was in.
    ///
    /// # Panics
    /// If the snapshot is of a world with another number of links.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        assert_eq!(self.links(), snapshot.links, "the snapshot is of another body");
        // SAFETY: both pointers are live, and the snapshot has a state for each link.
        unsafe { ffi::tb_restore(self.raw.as_ptr(), snapshot.raw.as_ptr()) };
    }

    fn index(&self, link: LinkId) -> c_int {
        match link {
            LinkId::Base => -1,
            LinkId::Link(link) => {
                assert!(link < self.links(), "there is no link {link}, only {}", self.links());
                link as c_int
            }
        }
    }

    fn joint_index(&self, link: usize) -> c_int {
        assert!(self.moves[link], "link {link} is welded");
        link as c_int
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        // SAFETY: `raw` came from `tb_world_new` and is freed once.
        unsafe { ffi::tb_world_free(self.raw.as_ptr()) };
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        // SAFETY: `raw` came from `tb_save` and is freed once.
        unsafe { ffi::tb_snapshot_free(self.raw.as_ptr()) };
    }
}

fn raw_settings(settings: &WorldSettings) -> ffi::Settings {
    ffi::Settings {
        gravity: settings.gravity,
        time_step: settings.time_step,
        substeps: settings.substeps as c_int,
        iterations: settings.iterations as c_int,
        contact_erp: settings.contact_erp,
        floor_friction: settings.floor_friction,
    }
}

fn raw_link(link: &articulated::Link) -> ffi::Link {
    let (joint, axis, limits) = match link.joint {
        Joint::Fixed => (0, [0.0; 3], None),
        Joint::Prismatic { axis } => (1, axis, None),
        Joint::Revolute { axis, limits } => (2, axis, limits),
    };
    let [lower, upper] = limits.unwrap_or_default();
    ffi::Link {
        parent: match link.parent {
            LinkId::Base => -1,
            LinkId::Link(parent) => parent as c_int,
        },
        joint,
        limited: c_int::from(limits.is_some()),
        shapes: link.shapes.len() as c_int,
        axis,
        lower,
        upper,
        mass: link.mass,
        friction: link.friction,
        parent_to_pivot: link.parent_to_pivot,
        pivot_to_centre: link.pivot_to_center,
    }
}

fn raw_shape(shape: &CollisionShape) -> ffi::Shape {
    let empty = ffi::Shape {
        kind: 0,
        radius: 0.0,
        from: [0.0; 3],
        to: [0.0; 3],
        length: 0.0,
        position: shape.position,
        rotation: shape.rotation,
    };
    match shape.geometry {
        Geometry::Sphere { radius } => ffi::Shape { kind: 0, radius, ..empty },
        Geometry::Segment { radius, from, to } => ffi::Shape { kind: 1, radius, from, to, ..empty },
        Geometry::Capsule { radius, length } => ffi::Shape { kind: 2, radius, length, ..empty },
    }
}
