//! The algorithm that learns where none is named: the one place that says so.

/// What an expert can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpertCapability {
    /// Answers alone, perhaps days later: a person at a page, a list of recorded answers.
    Labels,
    /// Answers, and an action at every step: it can drive.
    LabelsAndDrives,
}

/// For experts that can drive.
const USUAL: &str = "bd-5";
/// For those that only answer: an algorithm in which no expert drives.
const USUAL_WITH_ANSWERS: &str = "bd-5";

/// The name of the algorithm that learns from such an expert where none is named.
///
/// ```
/// use tutelage::{ExpertCapability, AlgorithmName, default_algorithm};
///
/// let named: AlgorithmName = default_algorithm(ExpertCapability::Labels).parse().unwrap();
/// assert!(!named.needs_driver());
/// ```
pub fn default_algorithm(help: ExpertCapability) -> &'static str {
    match help {
        ExpertCapability::LabelsAndDrives => USUAL,
        ExpertCapability::Labels => USUAL_WITH_ANSWERS,
    }
}

/// The same in a sentence, as help texts and the documentation say it.
pub fn describe_default_algorithms() -> String {
    let exception = match USUAL == USUAL_WITH_ANSWERS {
        true => String::new(),
        false => format!(", and `{USUAL_WITH_ANSWERS}` where the expert only answers"),
    };
    format!("Where no algorithm is named, `{USUAL}` learns{exception}.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AlgorithmName;

    #[test]
    fn nobody_who_only_answers_is_asked_to_drive() {
        for help in [ExpertCapability::Labels, ExpertCapability::LabelsAndDrives] {
            let named: AlgorithmName = default_algorithm(help).parse().unwrap();
            assert!(!named.is_offline(), "{named} collects nothing");
            assert!(help == ExpertCapability::LabelsAndDrives || !named.needs_driver(), "{named}");
            assert!(describe_default_algorithms().contains(&format!("`{named}`")));
        }
    }
}
