//! The name that somebody may have meant.

/// The name that takes the fewest edits, at most one for every three letters.
///
/// ```
/// assert_eq!(tutelage::nearest("hoper", &["hopper", "ant"]), Some("hopper"));
/// assert_eq!(tutelage::nearest("humanoid", &["hopper", "ant"]), None);
/// ```
pub fn nearest<'a>(value: &str, names: &[&'a str]) -> Option<&'a str> {
    let lower = value.to_lowercase();
    let near = |&name: &&'a str| {
        let distance = strsim::damerau_levenshtein(&lower, name);
        (3 * distance <= lower.chars().count().max(name.len())).then_some((distance, name))
    };
    names.iter().filter_map(near).min_by_key(|&(distance, _)| distance).map(|(_, name)| name)
}
