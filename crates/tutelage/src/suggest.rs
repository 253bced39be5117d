//! Suggestions for mistyped names.

/// Longer names get no suggestion: the distance takes time and memory proportional to the length.
const LONGEST: usize = 200;

/// The end of a sentence that precedes a list of names.
///
/// ```
/// assert_eq!(tutelage::suggest::did_you_mean(Some("hopper")), "; did you mean `hopper`?");
/// assert_eq!(tutelage::suggest::did_you_mean(None), ".");
/// ```
pub fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or(".".into(), |name| format!("; did you mean `{name}`?"))
}

/// The name with the fewest edits, at most one for every three letters.
///
/// ```
/// assert_eq!(tutelage::suggest::nearest("hoper", &["hopper", "ant"]), Some("hopper"));
/// assert_eq!(tutelage::suggest::nearest("humanoid", &["hopper", "ant"]), None);
/// ```
pub fn nearest<'a>(value: &str, names: &[&'a str]) -> Option<&'a str> {
    let lower = (value.len() <= LONGEST).then(|| value.to_lowercase())?;
    let near = |&name: &&'a str| {
        let edits = strsim::damerau_levenshtein(&lower, name);
        (3 * edits <= lower.chars().count().max(name.len())).then_some((edits, name))
    };
    names.iter().filter_map(near).min_by_key(|&(edits, _)| edits).map(|(_, name)| name)
}
