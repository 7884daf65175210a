//! The reasons for which the program stops without completing its task.

#[derive(Debug, PartialEq)]
pub(crate) enum Stop {
    /// Exit code 1.
    Failed(String),
    /// The command line is wrong: exit code 2.
    Usage,
    /// This machine cannot compare: exit code 3.
    NotRun(String),
}
