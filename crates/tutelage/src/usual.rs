//! The algorithm that learns where none is named: the one place that says so.

/// What an expert can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Help {
    /// Answers alone, perhaps days later: a person at a page, a list of recorded answers.
    Answers,
    /// Answers, and an action at every step: it can drive.
    AnswersAndDrives,
}

/// For experts that can drive.
const USUAL: &str = "bd-5";
/// For those that only answer: an algorithm in which no expert drives.
const USUAL_WITH_ANSWERS: &str = "bd-5";

/// The name of the algorithm that learns from such an expert where none is named.
///
/// ```
/// use tutelage::{Help, AlgorithmName, usual_algorithm};
///
/// let named: AlgorithmName = usual_algorithm(Help::Answers).parse().unwrap();
/// assert!(!named.needs_driver());
/// ```
pub fn usual_algorithm(help: Help) -> &'static str {
    match help {
        Help::AnswersAndDrives => USUAL,
        Help::Answers => USUAL_WITH_ANSWERS,
    }
}

/// The same in a sentence, as help texts and the documentation say it.
pub fn usual_in_words() -> String {
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
        for help in [Help::Answers, Help::AnswersAndDrives] {
            let named: AlgorithmName = usual_algorithm(help).parse().unwrap();
            assert!(!named.is_offline(), "{named} collects nothing");
            assert!(help == Help::AnswersAndDrives || !named.needs_driver(), "{named}");
            assert!(usual_in_words().contains(&format!("`{named}`")));
        }
    }
}
