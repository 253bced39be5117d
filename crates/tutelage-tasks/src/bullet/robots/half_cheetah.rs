//! A long torso with a head, a hind and a fore leg of three parts each. The feet weigh 10 kg.

use super::{PLUM, SAND, hinge, part, planar_root};
use crate::bullet::model::{Part, Point, Solid};

const RADIUS: f32 = 0.046;
const FOOT_MASS: Option<f64> = Some(10.0);

pub(super) fn half_cheetah() -> Part {
    let spine = Solid::Bone { from: [-0.5, 0.0, 0.0], to: [0.5, 0.0, 0.0], radius: RADIUS };
    Part {
        origin: [0.0, 0.0, 0.7],
        solids: vec![spine, limb([0.6, 0.0, 0.1], 0.87, 0.15)],
        color: SAND,
        children: vec![hind_leg(), fore_leg()],
        ..part("torso", planar_root())
    }
}

fn hind_leg() -> Part {
    let foot = segment(
        "bfoot",
        [-0.28, 0.0, -0.14],
        [-0.4, 0.785],
        limb([0.03, 0.0, -0.097], -0.27, 0.094),
    );
    let shin = segment(
        "bshin",
        [0.16, 0.0, -0.25],
        [-0.785, 0.785],
        limb([-0.14, 0.0, -0.07], -2.03, 0.15),
    );
    let thigh =
        segment("bthigh", [-0.5, 0.0, 0.0], [-0.52, 1.05], limb([0.1, 0.0, -0.13], -3.8, 0.145));
    chain(thigh, shin, foot)
}

fn fore_leg() -> Part {
    let foot =
        segment("ffoot", [0.13, 0.0, -0.18], [-3.1, -0.3], limb([0.045, 0.0, -0.07], -0.6, 0.07));
    let shin =
        segment("fshin", [-0.14, 0.0, -0.24], [-1.2, 1.1], limb([0.065, 0.0, -0.09], -0.6, 0.106));
    let thigh =
        segment("fthigh", [0.5, 0.0, 0.0], [-1.5, 0.8], limb([-0.07, 0.0, -0.12], 0.52, 0.133));
    chain(thigh, shin, foot)
}

fn chain(thigh: Part, shin: Part, foot: Part) -> Part {
    let foot = Part { mass: FOOT_MASS, color: PLUM, ..foot };
    let shin = Part { color: PLUM, children: vec![foot], ..shin };
    Part { children: vec![shin], ..thigh }
}

fn segment(name: &'static str, origin: Point, limits: [f32; 2], solid: Solid) -> Part {
    Part { origin, solids: vec![solid], ..part(name, hinge([0.0, 1.0, 0.0], [0.0; 3], limits)) }
}

fn limb(center: Point, angle: f32, half_length: f32) -> Solid {
    Solid::Tilted { center, angle, radius: RADIUS, half_length }
}
