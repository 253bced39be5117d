//! The name that somebody may have meant.

/// Nobody has mistyped a name that is longer.
const LONGEST: usize = 200;

/// How a sentence ends that comes before a list of names.
///
/// ```
/// assert_eq!(tutelage::suggest::did_you_mean(Some("hopper")), "; did you mean `hopper`?");
/// assert_eq!(tutelage::suggest::did_you_mean(None), ".");
/// ```
pub fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or(".".into(), |name| format!("; did you mean `{name}`?"))
}

/// The name that takes the fewest edits, at most one for every three letters.
///
/// ```
/// assert_eq!(tutelage::suggest::nearest("hoper", &["hopper", "ant"]), Some("hopper"));
/// assert_eq!(tutelage::suggest::nearest("humanoid", &["hopper", "ant"]), None);
/// ```
pub fn nearest<'a>(value: &str, names: &[&'a str]) -> Option<&'a str> {
    if value.len() > LONGEST {
        return None;
    }
    let lower = value.to_lowercase();
    let near = |&name: &&'a str| {
        let distance = strsim::damerau_levenshtein(&lower, name);
        (3 * distance <= lower.chars().count().max(name.len())).then_some((distance, name))
    };
    names.iter().filter_map(near).min_by_key(|&(distance, _)| distance).map(|(_, name)| name)
}
