/// Why a world could not be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A number of the settings or the body is not finite, or outside its range.
    #[error("{field} is {value}, but must be {allowed}")]
    Value {
        /// Which one.
        field: String,
        /// Its value.
        value: f64,
        /// What it may be.
        allowed: &'static str,
    },
    /// A link hangs on a link that does not come before it.
    #[error("link {link} hangs on link {parent}, but a parent comes before its children")]
    Order {
        /// The child.
        link: usize,
        /// Its supposed parent.
        parent: usize,
    },
    /// There are more joints than the solver has room for.
    #[error("there are {found} joints, but at most {most} are possible")]
    Joints {
        /// How many there are.
        found: usize,
        /// How many there may be.
        most: usize,
    },
    /// There are more links than a world keeps track of.
    #[error("there are {found} links, but at most {most} are possible")]
    Links {
        /// How many there are.
        found: usize,
        /// How many there may be.
        most: usize,
    },
    /// The processor lacks the instructions that were asked for.
    #[error("this processor has no {0}")]
    Instructions(crate::InstructionSet),
}
