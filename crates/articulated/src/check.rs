//! Refuses bodies and settings that cannot be simulated.

use crate::Error;
use crate::body::{Articulation, Joint, LinkId, Settings};

/// Joint coordinates that the bits of a row can tell apart.
const MOST_JOINTS: usize = 26;

/// Links that the bits of a way can tell apart.
const MOST_LINKS: usize = 64;

pub(crate) fn check(settings: &Settings, body: &Articulation) -> Result<(), Error> {
    let positive =
        |field: &str, value: f64| check_value(field, value, value > 0.0, "positive and finite");
    let not_negative = |field: &str, value: f64| {
        check_value(field, value, value >= 0.0, "finite and not negative")
    };
    positive("time_step", settings.time_step)?;
    positive("substeps", f64::from(settings.substeps))?;
    positive("iterations", f64::from(settings.iterations))?;
    check_value("gravity", settings.gravity, true, "finite")?;
    not_negative("contact_erp", settings.contact_erp)?;
    not_negative("floor_friction", settings.floor_friction)?;
    let joints = body.links.iter().filter(|link| link.joint != Joint::Weld).count();
    if joints > MOST_JOINTS {
        return Err(Error::Joints { found: joints, most: MOST_JOINTS });
    }
    if body.links.len() > MOST_LINKS {
        return Err(Error::Links { found: body.links.len(), most: MOST_LINKS });
    }
    check_mass("base", body.base.mass, body.base.shapes.is_empty())?;
    for (index, link) in body.links.iter().enumerate() {
        check_mass(&format!("link {index}"), link.mass, link.shapes.is_empty())?;
        if let LinkId::Link(parent) = link.parent
            && parent >= index
        {
            return Err(Error::Order { link: index, parent });
        }
    }
    Ok(())
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
