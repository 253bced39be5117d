use crate::Task;

/// Why an environment refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TaskError {
    /// A slice has the wrong width.
    #[error("{task}: {what} has width {given}, but must have {expected}")]
    Width {
        /// The task.
        task: Task,
        /// Which slice: the action, the state or the pose.
        what: &'static str,
        /// Its width.
        given: usize,
        /// The width of the task.
        expected: usize,
    },
    /// An action or pose is not a number, or infinite.
    #[error("{task}: {what} {index} is {value}, but must be finite")]
    NotFinite {
        /// The task.
        task: Task,
        /// Which slice: the action or the pose.
        what: &'static str,
        /// The coordinate.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// A step before the first reset, or after the end of an episode.
    #[error("{task}: the episode {why}; reset before the next step")]
    NeedsReset {
        /// The task.
        task: Task,
        /// What happened to the episode.
        why: &'static str,
    },
    /// The physics could not be set up.
    #[error("{task}: {source}")]
    Physics {
        /// The task.
        task: Task,
        /// The reason.
        source: bullet::Error,
    },
}
