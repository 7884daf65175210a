//! The innermost source of an error.

use std::error::Error;

/// Returns the innermost source. HTTP clients wrap it in several errors, whose messages only describe where it
/// happened.
pub(crate) fn root_cause<'e>(mut error: &'e (dyn Error + 'static)) -> &'e (dyn Error + 'static) {
    while let Some(source) = error.source() {
        error = source;
    }
    error
}
