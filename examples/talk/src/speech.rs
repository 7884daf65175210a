//! The speech of one answer.

use std::collections::VecDeque;

use futures_util::future::BoxFuture;
use futures_util::stream::FuturesOrdered;
use futures_util::{FutureExt, StreamExt};

use crate::passages::Passage;
use crate::sound::Sound;
use crate::speaker::Speaker;

/// The number of passages that are spoken at the same time.
const AT_ONCE: usize = 2;

/// Speaks passages, at most two at a time. The sounds are returned in the order of the passages.
///
/// Nothing runs in the background. When this is dropped, so are the speaker's futures.
pub(crate) struct Speech {
    speaker: Speaker,
    waiting: VecDeque<Passage>,
    spoken: FuturesOrdered<BoxFuture<'static, (u64, Sound)>>,
}

impl Speech {
    pub(crate) fn new(speaker: Speaker) -> Speech {
        Speech { speaker, waiting: VecDeque::new(), spoken: FuturesOrdered::new() }
    }

    pub(crate) fn push(&mut self, passage: Passage) {
        self.waiting.push_back(passage);
        self.start();
    }

    /// Returns the number of the next passage and its sound; `None` if no passage is left.
    pub(crate) async fn next(&mut self) -> Option<(u64, Sound)> {
        let next = self.spoken.next().await;
        self.start();
        next
    }

    fn start(&mut self) {
        while self.spoken.len() < AT_ONCE
            && let Some(Passage { number, text }) = self.waiting.pop_front()
        {
            self.spoken.push_back(self.speaker.speak(text).map(move |sound| (number, sound)).boxed());
        }
    }
}
