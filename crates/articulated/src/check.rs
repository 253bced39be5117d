//! Validation of bodies and settings.

use crate::Error;
use crate::body::{Articulation, CollisionShape, Geometry, Joint, LinkId, WorldSettings};
use crate::vector::length;

/// Limited by the bit set of coordinates of a row.
const MAX_JOINTS: usize = 26;

/// Limited by the bit set of links of a chain.
const MAX_LINKS: usize = 64;

/// The maximum of substeps and iterations. With more, a single step would seem to hang.
const MAX_REPEATS: u32 = 10_000;

pub(crate) fn check(settings: &WorldSettings, body: &Articulation) -> Result<(), Error> {
    let positive =
        |field: &str, value: f64| check_value(field, value, value > 0.0, "positive and finite");
    let not_negative = |field: &str, value: f64| {
        check_value(field, value, value >= 0.0, "finite and not negative")
    };
    positive("time_step", settings.time_step)?;
    let few = |field: &str, value: u32| {
        let fits = (1..=MAX_REPEATS).contains(&value);
        check_value(field, f64::from(value), fits, "at least 1 and at most 10000")
    };
    few("substeps", settings.substeps)?;
    few("iterations", settings.iterations)?;
    check_value("gravity", settings.gravity, true, "finite")?;
    not_negative("contact_erp", settings.contact_erp)?;
    not_negative("floor_friction", settings.floor_friction)?;
    let joints = body.links.iter().filter(|link| link.joint != Joint::Fixed).count();
    if joints > MAX_JOINTS {
        return Err(Error::Joints { found: joints, most: MAX_JOINTS });
    }
    if body.links.len() > MAX_LINKS {
        return Err(Error::Links { found: body.links.len(), most: MAX_LINKS });
    }
    check_mass("base", body.base.mass, body.base.shapes.is_empty())?;
    check_numbers("base", "position", body.base.position)?;
    check_surface("base", body.base.friction, &body.base.shapes)?;
    for (index, link) in body.links.iter().enumerate() {
        let name = format!("link {index}");
        check_mass(&name, link.mass, link.shapes.is_empty())?;
        check_numbers(&name, "parent_to_pivot", link.parent_to_pivot)?;
        check_numbers(&name, "pivot_to_center", link.pivot_to_center)?;
        check_joint(&name, &link.joint)?;
        check_surface(&name, link.friction, &link.shapes)?;
        if let LinkId::Link(parent) = link.parent
            && parent >= index
        {
            return Err(Error::Order { link: index, parent });
        }
    }
    Ok(())
}

fn check_joint(name: &str, joint: &Joint) -> Result<(), Error> {
    match *joint {
        Joint::Fixed => Ok(()),
        Joint::Prismatic { axis } => check_axis(name, axis),
        Joint::Revolute { axis, limits } => {
            check_numbers(name, "limits", limits.unwrap_or_default())?;
            check_axis(name, axis)
        }
    }
}

fn check_axis(name: &str, axis: [f64; 3]) -> Result<(), Error> {
    check_numbers(name, "axis", axis)?;
    let length = length(axis);
    check_value(&format!("length of {name}'s axis"), length, length > 0.0, "positive")
}

fn check_surface(name: &str, friction: f64, shapes: &[CollisionShape]) -> Result<(), Error> {
    let allowed = "finite and not negative";
    check_value(&format!("friction of {name}"), friction, friction >= 0.0, allowed)?;
    for shape in shapes {
        check_numbers(name, "shape's position", shape.position)?;
        check_numbers(name, "shape's rotation", shape.rotation)?;
        let (radius, rest) = match shape.geometry {
            Geometry::Sphere { radius } => (radius, [0.0; 6]),
            Geometry::Capsule { radius, length } => (radius, [length, 0.0, 0.0, 0.0, 0.0, 0.0]),
            Geometry::Segment { radius, from: [a, b, c], to: [d, e, f] } => {
                (radius, [a, b, c, d, e, f])
            }
        };
        check_numbers(name, "shape", rest)?;
        check_value(&format!("radius of {name}'s shape"), radius, radius > 0.0, "positive")?;
    }
    Ok(())
}

fn check_numbers<const N: usize>(name: &str, what: &str, numbers: [f64; N]) -> Result<(), Error> {
    numbers
        .into_iter()
        .try_for_each(|number| check_value(&format!("{name}'s {what}"), number, true, "finite"))
}

fn check_mass(name: &str, mass: f64, bare: bool) -> Result<(), Error> {
    check_value(
        &format!("mass of {name}"),
        mass,
        mass >= 0.0 && !(bare && mass > 0.0),
        "finite, not negative, and zero without shapes",
    )
}

fn check_value(field: &str, value: f64, fits: bool, allowed: &'static str) -> Result<(), Error> {
    if fits && value.is_finite() {
        Ok(())
    } else {
        Err(Error::Value { field: field.to_owned(), value, allowed })
    }
}
