//! A duration in an error message.

use core::{fmt, time::Duration};

/// A duration rounded to milliseconds, such as `30s` or `1.500s`.
#[derive(Debug)]
pub struct Rounded(pub Duration);

// `Duration`'s `Debug` would add more than 1 KB, compressed, to a page that prints errors.
impl fmt::Display for Rounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nearest = self.0.saturating_add(Duration::from_micros(500));
        match (nearest.as_secs(), nearest.subsec_millis()) {
            (0, milliseconds) => write!(f, "{milliseconds}ms"),
            (seconds, 0) => write!(f, "{seconds}s"),
            (seconds, milliseconds) => write!(f, "{seconds}.{milliseconds:03}s"),
        }
    }
}
