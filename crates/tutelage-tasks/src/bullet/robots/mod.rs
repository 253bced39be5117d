//! The four robots, written from their dimensions. Lengths in meters, angles in radians.

mod ant;
mod half_cheetah;
mod hopper;
mod walker2d;

use crate::bullet::Robot;
use tutelage_draw::Color;

use crate::bullet::model::{JointKind, Model, Part, PartJoint, Point};

const COPPER: Color = Color::new(204, 133, 77);
const PLUM: Color = Color::new(153, 82, 140);
const SAND: Color = Color::new(222, 179, 122);

impl Robot {
    /// The robot's body.
    pub(crate) fn model(self) -> Model {
        match self {
            Robot::Hopper => Model::new(&hopper::hopper(), 0.8),
            Robot::Walker2d => Model::new(&walker2d::walker2d(), 0.8),
            Robot::HalfCheetah => Model::new(&half_cheetah::half_cheetah(), 0.8),
            Robot::Ant => Model::new(&ant::ant(), 1.5),
        }
    }
}

/// The three passive joints that keep a planar robot in the plane of x and z.
fn planar_root() -> Vec<PartJoint> {
    let joint = |kind, axis| PartJoint { kind, axis, pivot: [0.0; 3] };
    vec![
        joint(JointKind::Slide, [1.0, 0.0, 0.0]),
        joint(JointKind::Slide, [0.0, 0.0, 1.0]),
        joint(JointKind::Spin, [0.0, 1.0, 0.0]),
    ]
}

fn hinge(axis: Point, pivot: Point, limits: [f32; 2]) -> Vec<PartJoint> {
    vec![PartJoint { kind: JointKind::Hinge(limits), axis, pivot }]
}

/// Limits given in whole degrees, converted in single precision.
fn degrees(limits: [f32; 2]) -> [f32; 2] {
    limits.map(|angle| angle * std::f32::consts::PI / 180.0)
}

/// A part at its parent's origin whose mass follows from its volume.
fn part(name: &'static str, joints: Vec<PartJoint>) -> Part {
    Part {
        name,
        origin: [0.0; 3],
        joints,
        solids: Vec::new(),
        mass: None,
        color: COPPER,
        children: Vec::new(),
    }
}
