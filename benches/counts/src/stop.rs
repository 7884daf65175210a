//! Why the program ends without having done what it was asked to do.

#[derive(Debug, PartialEq)]
pub(crate) enum Stop {
    /// Exit code 1.
    Failed(String),
    /// The command line is wrong: exit code 2.
    Usage,
    /// This machine cannot compare: exit code 3, as in the other scripts of the repository.
    NotRun(String),
}
