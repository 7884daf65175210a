//! What can go wrong.

use std::{error, fmt};

/// Why the log did not do what was asked.
#[derive(Clone, Debug)]
pub struct Error;

impl Error {
    /// Returns whether an event that was being sent may be stored, although there was an error.
    #[must_use]
    pub fn may_be_stored(&self) -> bool {
        true
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not built yet")
    }
}

impl error::Error for Error {}
