//! Figures as CSV.

use std::fmt::Write;

use crate::plot::Figure;

pub(crate) fn figure(figure: &Figure) -> String {
    let mut csv = String::from("panel,curve,x,y,low,high\n");
    for panel in &figure.panels {
        let title = quoted(&panel.title);
        for curve in &panel.curves {
            let name = quoted(&curve.name);
            for (i, (x, y)) in curve.points.iter().enumerate() {
                let band = curve.band.as_ref().and_then(|band| band.get(i));
                let band = band.map_or(",".into(), |(low, high)| format!("{low},{high}"));
                // Writing to a string does not fail.
                let _ = writeln!(csv, "{title},{name},{x},{y},{band}");
            }
        }
        for level in &panel.levels {
            let _ = writeln!(csv, "{title},{},,{},,", quoted(&level.name), level.y);
        }
    }
    csv
}

/// Quotes a field if necessary (RFC 4180).
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use crate::plot::{Curve, Figure, Panel};

    #[test]
    fn every_number_is_written() {
        let panel = Panel::new("Hopper, 64")
            .curve(Curve::new("a \"b\"", vec![(1.0, 2.5)]).band(vec![(2.0, 3.0)]))
            .curve(Curve::new("c", vec![(1.0, 0.1)]))
            .level("expert", 7.0);
        let expected = "panel,curve,x,y,low,high\n\
                        \"Hopper, 64\",\"a \"\"b\"\"\",1,2.5,2,3\n\
                        \"Hopper, 64\",c,1,0.1,,\n\
                        \"Hopper, 64\",expert,,7,,\n";
        assert_eq!(Figure::new("").panel(panel).csv(), expected);
    }
}
