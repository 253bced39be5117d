//! The hopper's torso on two legs with shorter feet.

use super::PLUM;
use super::hopper::{leg, torso};
use crate::bullet::model::Part;

pub(super) fn walker2d() -> Part {
    let right = leg(["thigh", "leg", "foot"], 0.0, 0.2);
    let left = painted(leg(["thigh_left", "leg_left", "foot_left"], 0.0, 0.2));
    Part { children: vec![right, left], ..torso() }
}

fn painted(part: Part) -> Part {
    Part { color: PLUM, children: part.children.into_iter().map(painted).collect(), ..part }
}
