//! The adapters that read chunks from a source, and what else stands between chunks and their reader.

mod blocks;
#[cfg(feature = "http-body")]
mod body_chunks;
mod box_error;
mod chain;
mod content_coding;
mod error;
mod events;
mod excerpt;
#[cfg(feature = "json")]
mod line_events;
mod media_type;
mod next;
#[cfg(feature = "std")]
mod read_chunks;
#[cfg(feature = "json")]
mod rest;
mod rounded;
mod tap;
mod timeout;
mod turn;
mod watchdog;

#[cfg(feature = "http-body")]
pub use self::body_chunks::BodyChunks;
#[cfg(feature = "std")]
pub use self::read_chunks::ReadChunks;
#[cfg(feature = "http-body")]
pub use self::tap::TapError;
pub use self::{
    blocks::Blocks,
    box_error::BoxError,
    chain::Chain,
    content_coding::content_codings,
    error::Error,
    events::{Events, NoTimer},
    excerpt::Excerpt,
    media_type::MediaTypes,
    next::Next,
    rounded::Rounded,
    tap::{End, Observe, Tap},
    timeout::Timeout,
    turn::Turn,
    watchdog::Watchdog,
};
#[cfg(feature = "json")]
pub use self::{line_events::LineEvents, rest::Rest};

#[cfg(feature = "json")]
pub(crate) use self::events::beginning;

/// The state of the source of an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SourceState {
    /// It may have more chunks.
    Open,
    /// Its last item was an error.
    Failed,
    /// It has ended. What it left unfinished has not been returned completely.
    Ending,
    /// Everything has been returned.
    Ended,
}
