//! The innermost cause of an error.

use std::error::Error;

/// Returns the innermost cause. HTTP clients wrap it in several layers, whose messages only name the step that failed.
pub(crate) fn root_cause<'e>(mut error: &'e (dyn Error + 'static)) -> &'e (dyn Error + 'static) {
    while let Some(source) = error.source() {
        error = source;
    }
    error
}
