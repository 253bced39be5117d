//! The declarations of `shim/shim.h`.

use std::ffi::c_int;
use std::ptr::NonNull;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) kind: c_int,
    pub(crate) radius: f64,
    pub(crate) from: [f64; 3],
    pub(crate) to: [f64; 3],
    pub(crate) length: f64,
    pub(crate) position: [f64; 3],
    pub(crate) rotation: [f64; 4],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub(crate) parent: c_int,
    pub(crate) joint: c_int,
    pub(crate) limited: c_int,
    pub(crate) shapes: c_int,
    pub(crate) axis: [f64; 3],
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    pub(crate) mass: f64,
    pub(crate) friction: f64,
    pub(crate) parent_to_pivot: [f64; 3],
    pub(crate) pivot_to_centre: [f64; 3],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Base {
    pub(crate) fixed: c_int,
    pub(crate) shapes: c_int,
    pub(crate) position: [f64; 3],
    pub(crate) mass: f64,
    pub(crate) friction: f64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) gravity: f64,
    pub(crate) time_step: f64,
    pub(crate) substeps: c_int,
    pub(crate) iterations: c_int,
    pub(crate) contact_erp: f64,
    pub(crate) floor_friction: f64,
}

/// A `tb_world`, only ever behind a pointer.
#[repr(C)]
pub(crate) struct World {
    _private: [u8; 0],
}

/// A `tb_snapshot`, only ever behind a pointer.
#[repr(C)]
pub(crate) struct Snapshot {
    _private: [u8; 0],
}

unsafe extern "C" {
    pub(crate) fn tb_world_new(
        settings: *const Settings,
        base: *const Base,
        links: *const Link,
        count: c_int,
        shapes: *const Shape,
    ) -> NonNull<World>;
    pub(crate) fn tb_world_free(world: *mut World);
    pub(crate) fn tb_set_joint(world: *mut World, link: c_int, position: f64, velocity: f64);
    pub(crate) fn tb_update_poses(world: *mut World);
    pub(crate) fn tb_add_torque(world: *mut World, link: c_int, torque: f64);
    pub(crate) fn tb_step(world: *mut World);
    pub(crate) fn tb_joint(world: *const World, link: c_int, position_velocity: *mut f64);
    pub(crate) fn tb_position(world: *const World, link: c_int, xyz: *mut f64);
    pub(crate) fn tb_rotation(world: *const World, link: c_int, xyzw: *mut f64);
    pub(crate) fn tb_velocity(world: *const World, link: c_int, linear: *mut f64);
    pub(crate) fn tb_touches_floor(world: *const World, link: c_int) -> c_int;
    pub(crate) fn tb_save(world: *const World) -> NonNull<Snapshot>;
    pub(crate) fn tb_restore(world: *mut World, snapshot: *const Snapshot);
    pub(crate) fn tb_snapshot_free(snapshot: *mut Snapshot);
}
