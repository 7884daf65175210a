//! The innermost cause of an error.

use std::error::Error;

/// HTTP clients wrap the cause in several layers, whose messages only say where it happened.
pub(crate) fn root_cause<'e>(mut error: &'e (dyn Error + 'static)) -> &'e (dyn Error + 'static) {
    while let Some(source) = error.source() {
        error = source;
    }
    error
}
