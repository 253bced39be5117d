//! A ball on four legs. Each leg is a stub welded to the ball, an upper part on a vertical hip and
//! a foot on a level ankle.

use tutelage_draw::Color;

use super::{COPPER, PLUM, SAND, degrees, hinge, part};
use crate::bullet::model::{Part, Point, Solid};

pub(super) fn ant() -> Part {
    let ball = Solid::Sphere { radius: 0.25 };
    let (forward, backward) = ([30.0, 100.0], [-100.0, -30.0]);
    Part {
        origin: [0.0, 0.0, 0.75],
        solids: vec![ball],
        color: SAND,
        children: vec![
            leg(
                ["front_left_leg", "aux_1", "front_left_foot"],
                [1.0, 1.0],
                [-1.0, 1.0, 0.0],
                forward,
                COPPER,
            ),
            leg(
                ["front_right_leg", "aux_2", "front_right_foot"],
                [-1.0, 1.0],
                [1.0, 1.0, 0.0],
                backward,
                PLUM,
            ),
            leg(
                ["left_back_leg", "aux_3", "left_back_foot"],
                [-1.0, -1.0],
                [-1.0, 1.0, 0.0],
                backward,
                PLUM,
            ),
            leg(
                ["right_back_leg", "aux_4", "right_back_foot"],
                [1.0, -1.0],
                [1.0, 1.0, 0.0],
                forward,
                COPPER,
            ),
        ],
        ..part("torso", Vec::new())
    }
}

/// A leg towards the diagonal `(x, y)` of signs.
fn leg(
    [stub, upper, foot]: [&'static str; 3],
    [x, y]: [f32; 2],
    ankle: Point,
    range: [f32; 2],
    color: Color,
) -> Part {
    let reach = |length: f32| [x * length, y * length, 0.0];
    let bone = |length| vec![Solid::Bone { from: [0.0; 3], to: reach(length), radius: 0.08 }];
    let foot = Part {
        origin: reach(0.2),
        solids: bone(0.4),
        color,
        ..part(foot, hinge(ankle, [0.0; 3], degrees(range)))
    };
    let hip = hinge([0.0, 0.0, 1.0], [0.0; 3], degrees([-40.0, 40.0]));
    let upper = Part {
        origin: reach(0.2),
        solids: bone(0.2),
        color,
        children: vec![foot],
        ..part(upper, hip)
    };
    Part { solids: bone(0.2), color, children: vec![upper], ..part(stub, Vec::new()) }
}
