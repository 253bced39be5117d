//! Bodies that no task has: random trees, some of them in a plane.

use articulated::{Articulation, Base, Geometry, Joint, Link, LinkId, WorldSettings, CollisionShape};
use rand::RngExt;
use rand::rngs::StdRng;
use tutelage_tasks::bullet::{Mechanism, Motor};

/// A random body in a random world.
pub fn random_mechanism(rng: &mut StdRng) -> Mechanism {
    let planar = rng.random_bool(0.4);
    let settings = WorldSettings {
        gravity: rng.random_range(-12.0..-3.0),
        time_step: rng.random_range(0.005..0.02),
        substeps: rng.random_range(1..5),
        iterations: rng.random_range(1..12),
        contact_erp: rng.random_range(0.1..0.9),
        floor_friction: rng.random_range(0.2..1.0),
    };
    let floating = !planar && rng.random_bool(0.6);
    let [x, y, z] = point(rng, planar);
    let base = Base {
        position: [x, y, 0.5 + z.abs()],
        mass: if floating { rng.random_range(1.0..20.0) } else { 0.0 },
        friction: rng.random_range(0.3..1.5),
        shapes: if floating { vec![shape(rng, false)] } else { Vec::new() },
    };
    let mut links: Vec<Link> = Vec::new();
    for index in 0..rng.random_range(1..9) {
        links.push(link(rng, planar, index));
    }
    let motors = links.iter().enumerate().filter_map(|(link, body)| match body.joint {
        Joint::Revolute { limits: Some(limits), .. } => Some(Motor { link, limits, torque: 10.0 }),
        _ => None,
    });
    let motors = motors.collect();
    Mechanism { settings, motors, body: Articulation { base, links } }
}

fn link(rng: &mut StdRng, planar: bool, index: usize) -> Link {
    let parent = match index {
        0 => LinkId::Base,
        _ if rng.random_bool(0.2) => LinkId::Base,
        _ => LinkId::Link(rng.random_range(0..index)),
    };
    let lower = rng.random_range(-1.5..0.0);
    let limits = rng.random_bool(0.6).then_some([lower, lower + 1.0]);
    let spin =
        if planar { [0.0, [1.0, -1.0, 0.7][rng.random_range(0..3)], 0.0] } else { axis(rng) };
    let joint = match rng.random_range(0..5) {
        0 => Joint::Fixed,
        1 => Joint::Prismatic { axis: if planar { point(rng, true) } else { axis(rng) } },
        _ => Joint::Revolute { axis: spin, limits },
    };
    let centred = planar && matches!(joint, Joint::Revolute { .. }) || rng.random_bool(0.5);
    let bare = rng.random_bool(0.2) && matches!(joint, Joint::Fixed);
    let shapes = if bare { 0 } else { rng.random_range(1..3) };
    Link {
        parent,
        joint,
        parent_to_pivot: point(rng, planar),
        pivot_to_center: if centred { [0.0; 3] } else { point(rng, planar) },
        mass: if bare { 0.0 } else { rng.random_range(0.5..8.0) },
        friction: rng.random_range(0.3..1.5),
        shapes: (0..shapes).map(|_| shape(rng, planar)).collect(),
    }
}

fn axis(rng: &mut StdRng) -> [f64; 3] {
    let simple = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    if rng.random_bool(0.6) { simple[rng.random_range(0..4)] } else { point(rng, false) }
}

fn point(rng: &mut StdRng, planar: bool) -> [f64; 3] {
    let mut any = || rng.random_range(-0.4..0.4);
    [any(), if planar { 0.0 } else { any() }, any()]
}

fn shape(rng: &mut StdRng, planar: bool) -> CollisionShape {
    let radius = rng.random_range(0.05..0.2);
    let geometry = match rng.random_range(0..3) {
        0 => Geometry::Sphere { radius },
        1 => Geometry::Segment { radius, from: point(rng, planar), to: point(rng, planar) },
        _ => Geometry::Capsule { radius, length: rng.random_range(0.1..0.6) },
    };
    let (sin, cos) =
        if rng.random_bool(0.5) { (0.0, 1.0) } else { rng.random_range(-1.5_f64..1.5).sin_cos() };
    let turned =
        if planar || rng.random_bool(0.5) { [0.0, sin, 0.0, cos] } else { [sin, 0.0, 0.0, cos] };
    let position = if rng.random_bool(0.4) { [0.0; 3] } else { point(rng, planar) };
    CollisionShape { geometry, position, rotation: turned }
}
