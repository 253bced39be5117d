//! The four robots, written from their dimensions. Lengths in meters, angles in radians.

use tutelage_draw::Color;

use crate::bullet::Robot;
use crate::bullet::model::{JointKind, Model, Part, PartJoint, Point, Solid};

const COPPER: Color = Color::new(204, 133, 77);
const PLUM: Color = Color::new(153, 82, 140);
const SAND: Color = Color::new(222, 179, 122);

impl Robot {
    /// The robot's body.
    pub(crate) fn model(self) -> Model {
        match self {
            Robot::Hopper => Model::new(&hopper(), 0.8),
            Robot::Walker2d => Model::new(&walker2d(), 0.8),
            Robot::HalfCheetah => Model::new(&half_cheetah(), 0.8),
            Robot::Ant => Model::new(&ant(), 1.5),
        }
    }
}

// Hopper and walker: all parts share the world's frame at zero pose; heights are measured from the floor.
const HIP: f32 = 1.05;
const KNEE: f32 = 0.6;
const ANKLE: f32 = 0.1;

/// One leg below a torso.
fn hopper() -> Part {
    Part { children: vec![leg(["thigh", "leg", "foot"], -0.13, 0.26)], ..torso() }
}

/// The hopper's torso on two legs with shorter feet.
fn walker2d() -> Part {
    let right = leg(["thigh", "leg", "foot"], 0.0, 0.2);
    let left = painted(leg(["thigh_left", "leg_left", "foot_left"], 0.0, 0.2));
    Part { children: vec![right, left], ..torso() }
}

fn painted(part: Part) -> Part {
    Part { color: PLUM, children: part.children.into_iter().map(painted).collect(), ..part }
}

fn torso() -> Part {
    Part { solids: vec![upright(1.45, HIP, 0.05)], color: SAND, ..part("torso", planar_root()) }
}

/// Thigh, shank and foot; the foot reaches from `heel` to `toe` along x.
fn leg([thigh, shank, foot]: [&'static str; 3], heel: f32, toe: f32) -> Part {
    let pitch = |height, limits| hinge([0.0, -1.0, 0.0], [0.0, 0.0, height], degrees(limits));
    let sole = Solid::Bone { from: [heel, 0.0, ANKLE], to: [toe, 0.0, ANKLE], radius: 0.06 };
    let foot = Part { solids: vec![sole], ..part(foot, pitch(ANKLE, [-45.0, 45.0])) };
    let bone = |name, bone, top, child| Part {
        solids: vec![bone],
        children: vec![child],
        ..part(name, pitch(top, [-150.0, 0.0]))
    };
    let shank = bone(shank, upright(KNEE, ANKLE, 0.04), KNEE, foot);
    bone(thigh, upright(HIP, KNEE, 0.05), HIP, shank)
}

fn upright(top: f32, bottom: f32, radius: f32) -> Solid {
    Solid::Bone { from: [0.0, 0.0, top], to: [0.0, 0.0, bottom], radius }
}

const CHEETAH_RADIUS: f32 = 0.046;

/// A long torso with a head, a hind and a fore leg of three parts each. The feet weigh 10 kg.
fn half_cheetah() -> Part {
    let spine = Solid::Bone { from: [-0.5, 0.0, 0.0], to: [0.5, 0.0, 0.0], radius: CHEETAH_RADIUS };
    let hind = chain([
        segment("bthigh", [-0.5, 0.0, 0.0], [-0.52, 1.05], limb([0.1, 0.0, -0.13], -3.8, 0.145)),
        segment(
            "bshin",
            [0.16, 0.0, -0.25],
            [-0.785, 0.785],
            limb([-0.14, 0.0, -0.07], -2.03, 0.15),
        ),
        segment(
            "bfoot",
            [-0.28, 0.0, -0.14],
            [-0.4, 0.785],
            limb([0.03, 0.0, -0.097], -0.27, 0.094),
        ),
    ]);
    let fore = chain([
        segment("fthigh", [0.5, 0.0, 0.0], [-1.5, 0.8], limb([-0.07, 0.0, -0.12], 0.52, 0.133)),
        segment("fshin", [-0.14, 0.0, -0.24], [-1.2, 1.1], limb([0.065, 0.0, -0.09], -0.6, 0.106)),
        segment("ffoot", [0.13, 0.0, -0.18], [-3.1, -0.3], limb([0.045, 0.0, -0.07], -0.6, 0.07)),
    ]);
    Part {
        origin: [0.0, 0.0, 0.7],
        solids: vec![spine, limb([0.6, 0.0, 0.1], 0.87, 0.15)],
        color: SAND,
        children: vec![hind, fore],
        ..part("torso", planar_root())
    }
}

fn chain([thigh, shin, foot]: [Part; 3]) -> Part {
    let foot = Part { mass: Some(10.0), color: PLUM, ..foot };
    let shin = Part { color: PLUM, children: vec![foot], ..shin };
    Part { children: vec![shin], ..thigh }
}

fn segment(name: &'static str, origin: Point, limits: [f32; 2], solid: Solid) -> Part {
    Part { origin, solids: vec![solid], ..part(name, hinge([0.0, 1.0, 0.0], [0.0; 3], limits)) }
}

fn limb(center: Point, angle: f32, half_length: f32) -> Solid {
    Solid::Tilted { center, angle, radius: CHEETAH_RADIUS, half_length }
}

/// A ball on four legs.
fn ant() -> Part {
    Part {
        origin: [0.0, 0.0, 0.75],
        solids: vec![Solid::Sphere { radius: 0.25 }],
        color: SAND,
        children: vec![
            ant_leg(["front_left_leg", "aux_1", "front_left_foot"], [1.0, 1.0]),
            ant_leg(["front_right_leg", "aux_2", "front_right_foot"], [-1.0, 1.0]),
            ant_leg(["left_back_leg", "aux_3", "left_back_foot"], [-1.0, -1.0]),
            ant_leg(["right_back_leg", "aux_4", "right_back_foot"], [1.0, -1.0]),
        ],
        ..part("torso", Vec::new())
    }
}

/// A leg towards the diagonal `(x, y)` of signs: a stub welded to the ball, an upper part on a
/// vertical hip and a foot on a level ankle.
fn ant_leg([stub, upper, foot]: [&'static str; 3], [x, y]: [f32; 2]) -> Part {
    let (range, color) = if x > 0.0 { ([30.0, 100.0], COPPER) } else { ([-100.0, -30.0], PLUM) };
    let reach = |length: f32| [x * length, y * length, 0.0];
    let piece = |name, length, joints| {
        let bone = Solid::Bone { from: [0.0; 3], to: reach(length), radius: 0.08 };
        Part { solids: vec![bone], color, ..part(name, joints) }
    };
    let ankle = hinge([-x * y, 1.0, 0.0], [0.0; 3], degrees(range));
    let hip = hinge([0.0, 0.0, 1.0], [0.0; 3], degrees([-40.0, 40.0]));
    let foot = Part { origin: reach(0.2), ..piece(foot, 0.4, ankle) };
    let upper = Part { origin: reach(0.2), children: vec![foot], ..piece(upper, 0.2, hip) };
    Part { children: vec![upper], ..piece(stub, 0.2, Vec::new()) }
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
