//! The values that a block borrows from the present chunk.

use crate::line::Scanned;

/// The values of a block that are contained in the present chunk. Each takes precedence over the buffered one.
#[derive(Clone, Copy, Default)]
pub(super) struct BorrowedFields<'c> {
    /// The only data line so far. If it is set, no data is buffered.
    pub(super) data: Option<Scanned<'c>>,
    pub(super) event_type: Option<Scanned<'c>>,
    pub(super) id: Option<Scanned<'c>>,
}

/// The values of a block whose lines are all ASCII and each set a different value.
#[derive(Clone, Copy, Default)]
pub(super) struct AsciiFields<'c> {
    pub(super) data: Option<&'c str>,
    pub(super) event_type: Option<&'c str>,
    pub(super) id: Option<&'c str>,
}

impl<'c> AsciiFields<'c> {
    /// The data of a finished event, in which it is always set.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn finished_data(&self) -> Scanned<'c> {
        Scanned::from(self.data.unwrap_or_default())
    }

    /// Sets the value of a line in the form that most servers write, if the value is not set yet.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn set(&mut self, line: &'c str) -> bool {
        for (value, prefix) in [(&mut self.data, "data: "), (&mut self.event_type, "event: "), (&mut self.id, "id: ")] {
            if value.is_none()
                && let Some(text) = line.strip_prefix(prefix)
            {
                *value = Some(text);
                return true;
            }
        }
        false
    }
}

impl<'c> From<AsciiFields<'c>> for BorrowedFields<'c> {
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn from(plain: AsciiFields<'c>) -> BorrowedFields<'c> {
        BorrowedFields {
            data: plain.data.map(Scanned::from),
            event_type: plain.event_type.map(Scanned::from),
            id: plain.id.map(Scanned::from),
        }
    }
}
