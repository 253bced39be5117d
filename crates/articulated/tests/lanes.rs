//! Lanes are independent and bit-identical to single worlds under each instruction set.
#![allow(clippy::unwrap_used)] // helpers of tests are tests

use articulated::{
    Articulation, Base, CollisionShape, Error, Geometry, InstructionSet, Joint, JointState, Link,
    LinkId, World, WorldSettings,
};

const SETTINGS: WorldSettings = WorldSettings {
    gravity: -9.8,
    time_step: 0.016,
    substeps: 3,
    iterations: 6,
    contact_erp: 0.5,
    floor_friction: 0.9,
};

fn shape(geometry: Geometry) -> CollisionShape {
    CollisionShape { geometry, position: [0.02, 0.0, 0.0], rotation: [0.0, 0.0, 0.0, 1.0] }
}

/// A body with two legs on a ball or a rail. It is planar if it is on a rail and its hinges are
/// about y.
fn walker(floating: bool, axis: [f64; 3]) -> Articulation {
    let ball = shape(Geometry::Sphere { radius: 0.15 });
    let bone = shape(Geometry::Segment { radius: 0.05, from: [0.0; 3], to: [0.1, 0.0, -0.3] });
    let base = Base {
        position: [0.0, 0.0, 1.0],
        mass: if floating { 3.0 } else { 0.0 },
        friction: 0.8,
        shapes: if floating { vec![ball] } else { Vec::new() },
    };
    let link = |parent, joint, pivot: [f64; 3], mass, shapes| Link {
        parent,
        joint,
        parent_to_pivot: pivot,
        pivot_to_center: [0.0; 3],
        mass,
        friction: 0.8,
        shapes,
    };
    let rail = Joint::Prismatic { axis: [0.0, 0.0, 1.0] };
    let hinge = Joint::Revolute { axis, limits: Some([-0.7, 0.4]) };
    let links = vec![
        link(LinkId::Base, rail, [0.0; 3], 1.0, vec![ball]),
        link(LinkId::Link(0), hinge, [0.1, 0.0, -0.1], 0.5, vec![bone]),
        link(LinkId::Link(0), hinge, [-0.1, 0.0, -0.1], 0.5, vec![bone, ball]),
        link(LinkId::Link(2), hinge, [0.0, 0.0, -0.3], 0.3, vec![bone]),
    ];
    Articulation { base, links }
}

fn bodies() -> [Articulation; 3] {
    [walker(false, [0.0, 1.0, 0.0]), walker(false, [0.3, 1.0, 0.0]), walker(true, [-1.0, 1.0, 0.0])]
}

fn available() -> impl Iterator<Item = InstructionSet> {
    InstructionSet::ALL.into_iter().filter(|set| set.is_available())
}

/// All readable values of a lane, as bits.
fn bits(world: &World, lane: usize) -> Vec<u64> {
    let joints = (0..world.links()).flat_map(|link| {
        let JointState { position, velocity } = world.joint(lane, link);
        [position, velocity]
    });
    let links = std::iter::once(LinkId::Base).chain((0..world.links()).map(LinkId::Link));
    let motions = links.flat_map(|link| {
        let motion = world.motion(lane, link);
        let touches = f64::from(u8::from(world.touches_floor(lane, link)));
        [&motion.position[..], &motion.rotation, &motion.velocity, &[touches]].concat()
    });
    joints.chain(motions).map(f64::to_bits).collect()
}

/// A different start for each lane.
fn start(lane: usize) -> impl Iterator<Item = (usize, JointState)> {
    (0..4).map(move |link| {
        let sign = if (link + lane).is_multiple_of(2) { 1.0 } else { -1.0 };
        (link, JointState { position: sign * 0.1 * lane as f64, velocity: 0.3 * link as f64 })
    })
}

fn torque(lane: usize, link: usize, time: usize) -> f64 {
    ((lane * 7 + link * 3 + time) % 11) as f64 - 5.0
}

/// Which lanes step at a time: all, or some.
fn active(time: usize) -> u8 {
    if time.is_multiple_of(4) { (time as u8).wrapping_mul(37) } else { 0xff }
}

#[test]
fn each_lane_equals_a_single_world() {
    for (body, set) in bodies().iter().flat_map(|body| available().map(move |set| (body, set))) {
        let mut world = World::with(set, &SETTINGS, body).unwrap();
        let mut alone: Vec<World> =
            (0..set.lanes()).map(|_| World::new(&SETTINGS, body).unwrap()).collect();
        for (lane, alone) in alone.iter_mut().enumerate() {
            world.set_joints(lane, start(lane));
            alone.set_joints(0, start(lane));
        }
        let mut touched = false;
        for time in 0..200 {
            for (lane, alone) in alone.iter_mut().enumerate() {
                if active(time) >> lane & 1 != 0 {
                    (0..4).for_each(|link| world.add_torque(lane, link, torque(lane, link, time)));
                    (0..4).for_each(|link| alone.add_torque(0, link, torque(lane, link, time)));
                    alone.step(1);
                }
            }
            world.step(active(time));
            for (lane, alone) in alone.iter().enumerate() {
                assert_eq!(bits(&world, lane), bits(alone, 0), "{set}, lane {lane}, step {time}");
                touched |= (0..4).any(|link| world.touches_floor(lane, LinkId::Link(link)));
            }
        }
        assert!(touched, "{set}: no contact was tried");
    }
}

#[test]
fn snapshots_restore_in_any_lane_and_instruction_set() {
    for (body, set) in bodies().iter().flat_map(|body| available().map(move |set| (body, set))) {
        let mut alone = World::new(&SETTINGS, body).unwrap();
        alone.set_joints(0, start(1));
        (0..40).for_each(|_| alone.step(1));
        let mut world = World::with(set, &SETTINGS, body).unwrap();
        let last = set.lanes() - 1;
        let untouched = bits(&world, 0);
        world.restore(last, &alone.save(0));
        assert_eq!(bits(&world, last), bits(&alone, 0));
        assert!(last == 0 || bits(&world, 0) == untouched);
        (0..20).for_each(|_| alone.step(1));
        (0..20).for_each(|_| world.step(0xff));
        assert_eq!(bits(&world, last), bits(&alone, 0), "{set}");
    }
}

#[test]
fn a_diverged_lane_does_not_affect_others() {
    for (body, set) in bodies().iter().flat_map(|body| available().map(move |set| (body, set))) {
        let mut worlds = [0, 1].map(|_| World::with(set, &SETTINGS, body).unwrap());
        for (wild, world) in worlds.iter_mut().enumerate() {
            (0..set.lanes()).for_each(|lane| world.set_joints(lane, start(lane)));
            let velocity = if wild == 1 { 1e300 } else { 0.0 };
            world.set_joints(0, [(1, JointState { position: 0.0, velocity })]);
            (0..50).for_each(|_| world.step(0xff));
        }
        let [tame, wild] = &worlds;
        assert!(tame.joint(0, 1).velocity.is_finite());
        for link in 0..4 {
            assert!(wild.joint(0, link).velocity.is_nan(), "{set}: joint {link}");
        }
        for lane in 1..set.lanes() {
            assert_eq!(bits(tame, lane), bits(wild, lane), "{set}, lane {lane}");
        }
    }
}

#[test]
fn unsupported_instruction_sets_are_rejected() {
    for set in InstructionSet::ALL {
        let world = World::with(set, &SETTINGS, &walker(true, [0.0, 1.0, 0.0]));
        match world {
            Ok(world) => assert!(set.is_available() && world.lanes() == set.lanes()),
            Err(error) => {
                assert!(!set.is_available());
                assert_eq!(error, Error::Instructions(set));
            }
        }
    }
    assert!(InstructionSet::Portable.is_available());
    assert!(available().all(|set| set.lanes() <= InstructionSet::widest().lanes()));
}
