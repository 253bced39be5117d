//! One leg below a torso. All parts share the world's frame at zero pose; heights are measured from
//! the floor.

use super::{SAND, degrees, hinge, part, planar_root};
use crate::bullet::model::{Part, Point, Solid};

pub(super) const HIP: f32 = 1.05;
pub(super) const KNEE: f32 = 0.6;
pub(super) const ANKLE: f32 = 0.1;

pub(super) fn hopper() -> Part {
    let names = ["thigh", "leg", "foot"];
    Part { children: vec![leg(names, -0.13, 0.26)], ..torso() }
}

pub(super) fn torso() -> Part {
    Part { solids: vec![upright(1.45, HIP, 0.05)], color: SAND, ..part("torso", planar_root()) }
}

/// Thigh, shank and foot; the foot reaches from `heel` to `toe` along x.
pub(super) fn leg([thigh, shank, foot]: [&'static str; 3], heel: f32, toe: f32) -> Part {
    let foot = Part {
        solids: vec![Solid::Bone { from: [heel, 0.0, ANKLE], to: [toe, 0.0, ANKLE], radius: 0.06 }],
        ..part(foot, pitch(ANKLE, [-45.0, 45.0]))
    };
    let shank = Part {
        solids: vec![upright(KNEE, ANKLE, 0.04)],
        children: vec![foot],
        ..part(shank, pitch(KNEE, [-150.0, 0.0]))
    };
    Part {
        solids: vec![upright(HIP, KNEE, 0.05)],
        children: vec![shank],
        ..part(thigh, pitch(HIP, [-150.0, 0.0]))
    }
}

fn upright(top: f32, bottom: f32, radius: f32) -> Solid {
    Solid::Bone { from: [0.0, 0.0, top], to: [0.0, 0.0, bottom], radius }
}

fn pitch(height: f32, limits: [f32; 2]) -> Vec<crate::bullet::model::PartJoint> {
    let axis: Point = [0.0, -1.0, 0.0];
    hinge(axis, [0.0, 0.0, height], degrees(limits))
}
