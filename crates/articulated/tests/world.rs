//! Physics that can be checked by hand, exact snapshots, independence, and validation.
#![allow(clippy::unwrap_used)] // helpers of tests are tests

use articulated::{
    Articulation, Base, CollisionShape, Error, Geometry, Joint, JointState, Link, LinkId, World,
    WorldSettings,
};

const SETTINGS: WorldSettings = WorldSettings {
    gravity: -9.8,
    time_step: 0.01,
    substeps: 4,
    iterations: 20,
    contact_erp: 0.2,
    floor_friction: 0.8,
};

const UPRIGHT: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

/// A ball of radius 0.1 and 2 kg with its center at a height.
fn ball(height: f64) -> Articulation {
    let shape = CollisionShape {
        geometry: Geometry::Sphere { radius: 0.1 },
        position: [0.0; 3],
        rotation: UPRIGHT,
    };
    let base = Base { position: [0.0, 0.0, height], mass: 2.0, friction: 0.5, shapes: vec![shape] };
    Articulation { base, links: Vec::new() }
}

/// A rod of 1 m that hangs from a hinge 2 m above the floor and swings about y.
fn pendulum(limits: Option<[f64; 2]>) -> Articulation {
    let rod = Geometry::Segment { radius: 0.05, from: [0.0, 0.0, 0.5], to: [0.0, 0.0, -0.5] };
    let base = Base { position: [0.0, 0.0, 2.0], mass: 0.0, friction: 0.5, shapes: Vec::new() };
    let link = Link {
        parent: LinkId::Base,
        joint: Joint::Revolute { axis: [0.0, 1.0, 0.0], limits },
        parent_to_pivot: [0.0; 3],
        pivot_to_center: [0.0, 0.0, -0.5],
        mass: 3.0,
        friction: 0.5,
        shapes: vec![CollisionShape { geometry: rod, position: [0.0; 3], rotation: UPRIGHT }],
    };
    Articulation { base, links: vec![link] }
}

fn world(body: &Articulation) -> World {
    World::new(&SETTINGS, body).unwrap()
}

#[test]
fn snapshots_of_a_different_body_are_rejected() {
    let [ball, pendulum] = [ball(1.0), pendulum(None)].map(|body| world(&body).save(0));
    let welded = {
        let mut body = self::pendulum(None);
        body.links[0].joint = Joint::Fixed;
        world(&body).save(0)
    };
    let bare = {
        let mut body = self::pendulum(None);
        (body.links[0].mass, body.links[0].shapes) = (0.0, Vec::new());
        world(&body).save(0)
    };
    let mut world = world(&self::pendulum(None));
    world.restore(0, &pendulum);
    for other in [ball, welded, bare] {
        let restore = std::panic::AssertUnwindSafe(|| world.restore(0, &other));
        assert!(std::panic::catch_unwind(restore).is_err());
    }
}

#[test]
fn a_ball_falls_and_rests_on_the_floor() {
    let mut world = world(&ball(1.0));
    for _ in 0..10 {
        world.step(1);
    }
    // 0.1 s of free fall: 4.9 cm and 0.98 m/s, a little less with Bullet's damping.
    assert!((world.position(0, LinkId::Base)[2] - 0.951).abs() < 0.002);
    assert!((world.velocity(0, LinkId::Base)[2] + 0.98).abs() < 0.01);
    assert!(!world.touches_floor(0, LinkId::Base));
    for _ in 0..200 {
        world.step(1);
    }
    assert!((world.position(0, LinkId::Base)[2] - 0.1).abs() < 1e-3);
    assert!(world.touches_floor(0, LinkId::Base));
}

#[test]
fn the_inertia_of_a_ball_is_two_fifths_m_r_squared() {
    let world = world(&ball(1.0));
    for moment in world.inertia(LinkId::Base) {
        assert!((moment - 0.4 * 2.0 * 0.01).abs() < 1e-15);
    }
}

#[test]
fn a_torque_acts_for_one_step() {
    let mut world =
        World::new(&WorldSettings { gravity: 0.0, ..SETTINGS }, &pendulum(None)).unwrap();
    let about_the_hinge = world.inertia(LinkId::Link(0))[1] + 3.0 * 0.25;
    world.add_torque(0, 0, 2.0);
    world.step(1);
    let spin = world.joint(0, 0).velocity;
    assert!((spin - 2.0 * 0.01 / about_the_hinge).abs() < 1e-4, "{spin}");
    world.step(1);
    assert!(world.joint(0, 0).velocity <= spin);
}

#[test]
fn a_limit_pushes_back() {
    let mut world = world(&pendulum(Some([-0.5, 0.5])));
    world.set_joints(0, [(0, JointState { position: 0.45, velocity: 3.0 })]);
    for _ in 0..20 {
        world.step(1);
        assert!(world.joint(0, 0).position < 0.6);
    }
    assert!(world.joint(0, 0).position < 0.5);
}

#[test]
fn snapshots_during_contact_are_exact() {
    let mut world = world(&ball(0.12));
    let run = |world: &mut World| -> Vec<[f64; 3]> {
        (0..30)
            .map(|_| {
                world.step(1);
                world.position(0, LinkId::Base)
            })
            .collect()
    };
    run(&mut world);
    assert!(world.touches_floor(0, LinkId::Base));
    let snapshot = world.save(0);
    let first = run(&mut world);
    world.restore(0, &snapshot);
    assert_eq!(run(&mut world), first);
}

#[test]
fn worlds_on_several_threads_are_independent() {
    let center_velocity = || {
        let mut world = world(&pendulum(Some([-1.0, 1.0])));
        world.set_joints(0, [(0, JointState { position: 0.9, velocity: 0.0 })]);
        (0..500).for_each(|_| world.step(1));
        world.joint(0, 0)
    };
    let alone = center_velocity();
    let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(center_velocity)).collect();
    for thread in threads {
        assert_eq!(thread.join().unwrap(), alone);
    }
}

#[test]
fn invalid_numbers_and_link_orders_are_rejected() {
    let refuse = |settings: WorldSettings, body: &Articulation| {
        World::new(&settings, body).unwrap_err().to_string()
    };
    let error = refuse(WorldSettings { time_step: 0.0, ..SETTINGS }, &ball(1.0));
    assert_eq!(error, "time_step is 0, but must be positive and finite");
    let error = refuse(WorldSettings { floor_friction: f64::NAN, ..SETTINGS }, &ball(1.0));
    assert_eq!(error, "floor_friction is NaN, but must be finite and not negative");

    let mut heavy = pendulum(None);
    heavy.links[0].mass = f64::INFINITY;
    assert!(refuse(SETTINGS, &heavy).starts_with("mass of link 0 is inf"));
    let mut point = pendulum(None);
    point.links[0].shapes.clear();
    assert!(refuse(SETTINGS, &point).starts_with("mass of link 0 is 3"));
    let mut loop_ = pendulum(None);
    loop_.links[0].parent = LinkId::Link(0);
    assert_eq!(World::new(&SETTINGS, &loop_).unwrap_err(), Error::Order { link: 0, parent: 0 });
    let mut bent = pendulum(None);
    bent.links[0].parent_to_pivot[1] = f64::NAN;
    let error = refuse(SETTINGS, &bent);
    assert_eq!(error, "link 0's parent_to_pivot is NaN, but must be finite");
    let mut loose = pendulum(None);
    loose.links[0].joint = Joint::Revolute { axis: [0.0; 3], limits: None };
    assert_eq!(refuse(SETTINGS, &loose), "length of link 0's axis is 0, but must be positive");
    let mut flat = ball(1.0);
    flat.base.shapes[0].geometry = Geometry::Sphere { radius: 0.0 };
    assert_eq!(refuse(SETTINGS, &flat), "radius of base's shape is 0, but must be positive");
    let mut slick = ball(1.0);
    slick.base.friction = -0.1;
    assert!(refuse(SETTINGS, &slick).starts_with("friction of base is -0.1"));
    let mut long = pendulum(None);
    long.links = vec![Link { joint: Joint::Fixed, ..long.links[0].clone() }; 65];
    assert_eq!(World::new(&SETTINGS, &long).unwrap_err(), Error::Links { found: 65, most: 64 });
    let mut centipede = pendulum(None);
    centipede.links = vec![centipede.links[0].clone(); 27];
    assert_eq!(
        World::new(&SETTINGS, &centipede).unwrap_err(),
        Error::Joints { found: 27, most: 26 }
    );
}

#[test]
fn substeps_and_iterations_are_limited() {
    for count in [0, 10_001, u32::MAX] {
        for (field, settings) in [
            ("substeps", WorldSettings { substeps: count, ..SETTINGS }),
            ("iterations", WorldSettings { iterations: count, ..SETTINGS }),
        ] {
            let error = World::new(&settings, &ball(1.0)).unwrap_err().to_string();
            let expected = format!("{field} is {count}, but must be at least 1 and at most 10000");
            assert_eq!(error, expected);
        }
    }
    // Each substep moves the ball: in one of the whole step it falls g t², in many of them half of
    // that.
    let fallen = |substeps| {
        let mut world = World::new(&WorldSettings { substeps, ..SETTINGS }, &ball(1.0)).unwrap();
        world.step(1);
        (1.0 - world.position(0, LinkId::Base)[2]) / (9.8 * 0.01 * 0.01)
    };
    assert!((fallen(1) - 1.0).abs() < 1e-3, "{}", fallen(1));
    assert!((fallen(1000) - 0.5).abs() < 1e-3, "{}", fallen(1000));
}

#[test]
fn nonfinite_shapes_and_limits_are_rejected() {
    for bad in [f64::NAN, f64::INFINITY] {
        let refuse = |body: &Articulation| World::new(&SETTINGS, body).unwrap_err().to_string();
        for limits in [[bad, 0.5], [-0.5, bad]] {
            let error = refuse(&pendulum(Some(limits)));
            assert_eq!(error, format!("link 0's limits is {bad}, but must be finite"));
        }
        let mut round = ball(1.0);
        round.base.shapes[0].geometry = Geometry::Sphere { radius: bad };
        assert_eq!(
            refuse(&round),
            format!("radius of base's shape is {bad}, but must be positive")
        );
        let mut far = ball(1.0);
        far.base.shapes[0].position[1] = bad;
        assert_eq!(refuse(&far), format!("base's shape's position is {bad}, but must be finite"));
        let mut turned = ball(1.0);
        turned.base.shapes[0].rotation[3] = bad;
        assert_eq!(
            refuse(&turned),
            format!("base's shape's rotation is {bad}, but must be finite")
        );
        let mut long = ball(1.0);
        long.base.shapes[0].geometry = Geometry::Capsule { radius: 0.1, length: bad };
        assert_eq!(refuse(&long), format!("base's shape is {bad}, but must be finite"));
    }
}

#[test]
fn an_out_of_range_link_panics() {
    let world = world(&pendulum(None));
    for link in [1, usize::MAX - 1, usize::MAX] {
        let calls: [&dyn Fn() -> bool; 2] =
            [&|| world.motion(0, LinkId::Link(link)).position[2] > 0.0, &|| {
                world.touches_floor(0, LinkId::Link(link))
            }];
        for call in calls {
            let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).unwrap_err();
            let message = panic.downcast::<String>().unwrap();
            assert_eq!(*message, format!("there is no link {link}, only 1"));
        }
    }
}

#[test]
#[should_panic(expected = "link 0 has a fixed joint")]
fn a_fixed_joint_has_no_state() {
    let mut body = pendulum(None);
    body.links[0].joint = Joint::Fixed;
    world(&body).joint(0, 0);
}
