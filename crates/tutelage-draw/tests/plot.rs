//! Properties of all figures.

use tutelage_draw::plot::{Curve, Figure, FigureError, Panel, Scale, Style};

/// Returns all values of an attribute, in order.
fn attributes<'a>(svg: &'a str, name: &str) -> Vec<&'a str> {
    let key = format!(" {name}=\"");
    svg.split(&key).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn legends_name_each_curve_once() {
    let panel = |title| {
        Panel::new(title)
            .x("annotations", Scale::Linear)
            .y("reward", Scale::Linear)
            .curve(Curve::new("BD-5 < MP", vec![(0.0, 1.0), (1.0, 2.0)]))
    };
    let svg = Figure::new("both").panel(panel("left")).panel(panel("right")).svg();
    assert_eq!(svg.matches("BD-5 &lt; MP").count(), 1);
    assert_eq!(svg.matches("annotations").count(), 2);
    for text in ["both", "left", "right"] {
        assert!(svg.contains(text), "{text}");
    }
}

#[test]
fn a_curve_keeps_its_color_in_every_panel() {
    let curve = |name: &str| Curve::new(name, vec![(0.0, 1.0), (1.0, 2.0)]);
    let svg = Figure::new("")
        .panel(Panel::new("").curve(curve("a")).curve(curve("b")))
        .panel(Panel::new("").curve(curve("b")))
        .svg();
    let strokes = attributes(&svg, "stroke");
    let [a, b] = [0, 1].map(|i| {
        let [r, g, b] = tutelage_draw::Color::palette(i).rgb;
        format!("#{r:02x}{g:02x}{b:02x}")
    });
    // In the panels and once in the legend.
    assert_eq!(strokes.iter().filter(|s| **s == a).count(), 2);
    assert_eq!(strokes.iter().filter(|s| **s == b).count(), 3);
}

#[test]
fn everything_lies_inside_the_page() {
    let long = |i| Curve::new(format!("a curve with a long name, number {i}"), vec![(1.0, 1e6)]);
    let panel = (0..12).fold(
        Panel::new("t").y("y", Scale::Linear).curve(Curve::new("x", vec![(0.0, -1e6), (9.0, 1e6)])),
        |panel, i| panel.curve(long(i)),
    );
    let svg = Figure::new("").panel(panel).svg();
    let number = |text: &str| text.parse::<f64>().unwrap();
    let (width, height) =
        (number(attributes(&svg, "width")[0]), number(attributes(&svg, "height")[0]));
    assert!(attributes(&svg, "x").iter().all(|&x| (0.0..=width).contains(&number(x))));
    assert!(attributes(&svg, "y").iter().all(|&y| (0.0..=height).contains(&number(y))));
}

#[test]
fn incomplete_rows_are_centered() {
    let panel = || Panel::new("").curve(Curve::new("", vec![(0.0, 0.0), (1.0, 1.0)]));
    let figure = (0..3).fold(Figure::new("").columns(2), |figure, _| figure.panel(panel()));
    let svg = figure.svg();
    // The frames, each a clipping rectangle before it is an outline.
    let left = |i: usize| {
        let frames = svg.split("fill=\"none\" height").skip(1);
        let x = frames.clone().nth(i).unwrap().split(" x=\"").nth(1).unwrap();
        x.split('"').next().unwrap().parse::<f64>().unwrap()
    };
    assert!((left(2) - (left(0) + left(1)) / 2.0).abs() < 0.02);
}

#[test]
fn color_bars_replace_legend_entries() {
    let color = tutelage_draw::Color::blue_to_red;
    let names: Vec<String> = (1..=9).map(|n| format!("round {n}")).collect();
    let ramp = || names.iter().zip(0..).map(|(name, i)| (name.clone(), color(f64::from(i) / 8.0)));
    let curves = ramp()
        .map(|(name, color)| Curve::new(name, vec![(0.0, 1.0)]).color(color).style(Style::Points));
    let panel = curves.fold(Panel::new(""), Panel::curve).curve(Curve::new("other", vec![]));
    let svg = Figure { ramp: ramp().collect(), ..Figure::new("").panel(panel) }.svg();
    let shown = |name: &&String| svg.contains(&format!(">\n{name}\n<"));
    let shown: Vec<&String> = names.iter().filter(shown).collect();
    assert_eq!(shown, ["round 1", "round 3", "round 5", "round 7", "round 9"]);
    assert_eq!(svg.matches("height=\"12\"").count(), 9, "a patch for each");
    assert!(svg.contains("other"));
}

#[test]
fn small_print_is_wrapped() {
    let words: Vec<String> = (0..90).map(|i| format!("word{i},")).collect();
    let panel =
        Panel::new("t").note(words[..30].join(" ")).curve(Curve::new("x", vec![(0.0, 1.0)]));
    let svg = Figure::new("").panel(panel).caption(words[30..].join(" ")).svg();
    assert!(words.iter().all(|word| svg.contains(word.as_str())));
    let number = |text: &str| text.parse::<f64>().unwrap();
    let height = number(attributes(&svg, "height")[0]);
    assert!(attributes(&svg, "y").iter().all(|&y| (0.0..=height).contains(&number(y))));
    let plain =
        Figure::new("").panel(Panel::new("t").curve(Curve::new("x", vec![(0.0, 1.0)]))).svg();
    assert!(height > number(attributes(&plain, "height")[0]), "small print has its own space");
}

#[test]
fn invalid_data_is_skipped() {
    let points = vec![(0.0, f64::NAN), (1.0, f64::INFINITY), (2.0, -1.0), (3.0, 0.0), (4.0, 2.0)];
    for style in [Style::Solid, Style::Dashed, Style::Dotted, Style::Marked, Style::Points] {
        let curve = Curve::new("c", points.clone()).band(vec![(f64::NAN, 1.0); 5]).style(style);
        let panel = Panel::new("").y("loss", Scale::Log).curve(curve);
        let figure = Figure::new("").panel(panel);
        assert!(!figure.svg().contains("NaN") && !figure.svg().contains("inf"));
        assert!(figure.png().is_ok());
    }
    assert!(Figure::new("").png().is_ok(), "a figure without panels");
}

#[test]
fn figures_are_saved() {
    let dir = tempfile::tempdir().unwrap();
    let figure = Figure::new("f").panel(Panel::new("p").curve(Curve::new("c", vec![(0.0, 1.0)])));
    figure.save(&dir.path().join("f")).unwrap();
    assert!(["svg", "csv"].iter().all(|end| dir.path().join(format!("f.{end}")).is_file()));
    assert!(std::fs::read(dir.path().join("f.png")).unwrap().starts_with(b"\x89PNG"));
    let error = figure.save(&dir.path().join("no/f")).unwrap_err();
    assert!(matches!(error, FigureError::Write { path, .. } if path.ends_with("no/f.svg")));
}
