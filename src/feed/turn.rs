//! How long a poll goes on without an item.

use core::task::{Context, Poll};

/// How many chunks one poll reads without returning an item.
///
/// Some sources always have another chunk, for example those that decompress. Without a limit, a poll that finds no
/// item in them would not return, and no timeout could end, not even one around it. tokio's cooperative budget stops
/// everything in the task after 128 operations, timers included, so a timer must be polled before that.
const MOST: u32 = 64;

/// Counts the chunks that one poll reads.
#[derive(Debug, Default)]
pub struct Turn {
    chunks: u32,
}

impl Turn {
    /// Ready if the poll may read another chunk. If it must end, this is pending, and wakes the task.
    #[inline]
    pub fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if self.chunks == MOST {
            self.chunks = 0;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        self.chunks += 1;
        Poll::Ready(())
    }
}
