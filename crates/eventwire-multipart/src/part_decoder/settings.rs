//! The settings of a decoder.

use crate::LengthPolicy;

#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) length_policy: LengthPolicy,
    pub(super) has_strict_lengths: bool,
    pub(super) requires_close: bool,
    /// The limit in bytes, like the next one.
    pub(super) max_preamble_size: usize,
    pub(super) max_headers_size: usize,
    pub(super) max_headers: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            length_policy: LengthPolicy::default(),
            has_strict_lengths: false,
            requires_close: false,
            max_preamble_size: 64 * 1024,
            max_headers_size: 16 * 1024,
            max_headers: 64,
        }
    }
}
