/// An error from building a [`crate::World`].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A number in the settings or the body is not finite or is out of range.
    #[error("{field} is {value}, but must be {allowed}")]
    Value {
        /// The name of the number.
        field: String,
        /// Its value.
        value: f64,
        /// The accepted values.
        allowed: &'static str,
    },
    /// A link comes before its parent.
    #[error("link {link} has parent {parent}; a parent must come before its children")]
    Order {
        /// Index of the link.
        link: usize,
        /// Index of its parent.
        parent: usize,
    },
    /// The body has more joints than the solver supports.
    #[error("the body has {found} joints; at most {most} are supported")]
    Joints {
        /// The number of joints.
        found: usize,
        /// The maximum.
        most: usize,
    },
    /// The body has more links than a world supports.
    #[error("the body has {found} links; at most {most} are supported")]
    Links {
        /// The number of links.
        found: usize,
        /// The maximum.
        most: usize,
    },
    /// This processor does not support the requested instruction set.
    #[error("this processor does not support {0}")]
    Instructions(crate::InstructionSet),
}
