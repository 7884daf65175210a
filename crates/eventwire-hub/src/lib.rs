//! One event stream for thousands of readers.

mod channel;
mod cursor;
mod gap;
mod history;
mod merged;
mod position;
mod record;
mod resume;
mod stats;
mod subscription;
mod sync;
mod up_to_date;
mod waiting;

pub use crate::{
    channel::{AppendError, Channel, SendError},
    gap::{Gap, Lag},
    history::History,
    merged::{MergeError, Merged, Source},
    position::{InvalidPosition, Position},
    resume::Resume,
    stats::Stats,
    subscription::{Start, Subscription},
    up_to_date::UpToDate,
};
#[cfg(any(doc, doctest))]
pub mod serving_many {
    //! Serving many.
    //!
    //! # Readers that do not read
}
