//! How an event source turns the decoder's blocks into items.

use super::{
    Connector, Contents, Decide, EventSource, Item, Stopped,
    link::{Clocks, PhaseProjection},
    unwinding::KeepEvent,
};
use crate::StopReason;
use bytes::Bytes;
use core::{mem, task::Context};
use eventwire::{BlockItem, DecodeError, Event, Timer, poll_last};

impl<C: Connector, T: Timer, D: Decide<C::Error>> EventSource<C, T, D> {
    /// Applies the decisions to an event, and returns it as an item.
    #[inline(always)]
    pub(super) fn give(&mut self, context: &mut Context<'_>, event: Event) -> Item<C::Error> {
        let keep = KeepEvent { event: &event, source: self };
        keep.source.handle_event(context, keep.event);
        mem::forget(keep);
        Item::Event(event)
    }

    #[inline(always)]
    fn handle_event(&mut self, context: &mut Context<'_>, event: &Event) {
        if let Some(cursor) = self.decisions.cursor(event) {
            self.cursor = Some(cursor.into_boxed_str());
            self.reconnect.handle_cursor(self.cursor.as_deref());
        }
        let is_progress = self.decisions.is_progress(event);
        if is_progress {
            self.reconnect.handle_progress();
        }
        let is_end = self.decisions.is_end(event);
        if is_progress && self.clocks != Clocks::Stopped {
            self.stop_clocks();
        }
        if is_end {
            self.guard(EventSource::finish_stream);
        } else if !is_progress {
            self.pass_by(context);
        }
    }

    /// Stops after the last event, and does not wait for the server to close, because servers keep streams open after
    /// it. If the end of the body has already arrived, hyper reuses the connection.
    fn finish_stream(&mut self) {
        self.reconnect.handle_end();
        self.chunk = Bytes::new();
        if let PhaseProjection::Open { body } = self.link.as_mut().project().phase.project() {
            poll_last(body);
        }
        self.stop(Stopped::new(StopReason::Finished, None));
    }

    /// Returns a block as an item.
    pub(super) fn give_block(&mut self, context: &mut Context<'_>, block: BlockItem) -> Option<Item<C::Error>> {
        let item = match block {
            BlockItem::Block(block) => {
                if let Some(event) = block.event() {
                    let event = event.to_event();
                    self.give(context, event);
                } else {
                    self.pass_by(context);
                }
                return Some(Item::Block(block));
            }
            BlockItem::Comment(comment) => Item::Comment(comment),
        };
        self.pass_by(context);
        Some(item)
    }

    /// Handles an item that is not progress. The [event timeout](EventSource::with_event_timeout) keeps running.
    ///
    /// It is polled here, because a server that sends comments without a pause must not keep it from ending.
    #[cold]
    fn pass_by(&mut self, context: &mut Context<'_>) {
        self.guard(|source| {
            let mut link = source.link.as_mut().project();
            link.idle.stop();
            if let PhaseProjection::Open { .. } = link.phase.as_mut().project() {
                let timeout = link.eventless.poll_timeout(context, &source.timer);
                source.clocks = if timeout.is_ready() { Clocks::EventTimeoutOver } else { Clocks::Running };
            }
        });
    }

    /// Handles an event or a comment that cannot be decoded.
    #[cold]
    pub(super) fn pass_over(&mut self, context: &mut Context<'_>, error: DecodeError) -> Item<C::Error> {
        match error {
            _ if error.is_of_comment() => self.pass_by(context),
            // A truncated event has not been received.
            DecodeError::UnexpectedEof => self.stop_clocks(),
            _ => {
                self.stop_clocks();
                self.reconnect.handle_undecodable();
            }
        }
        Item::Undecodable(error)
    }

    /// Returns the next item that the decoder completes at the end of a body.
    pub(super) fn finish(&mut self, context: &mut Context<'_>) -> Option<Item<C::Error>> {
        let outcome = match &self.contents {
            Contents::Blocks(reader) => (reader.finish)(&mut self.decoder),
            _ => match self.decoder.finish() {
                Ok(event) => return event.map(|event| self.give(context, event)),
                Err(error) => Err(error),
            },
        };
        match outcome {
            Ok(block) => block.and_then(|block| self.give_block(context, block)),
            Err(error) => Some(self.pass_over(context, error)),
        }
    }

    /// Stops both clocks: no time counts until the next item is polled for.
    #[cold]
    fn stop_clocks(&mut self) {
        self.clocks = Clocks::Stopped;
        let link = self.link.as_mut().project();
        link.idle.stop();
        link.eventless.stop();
    }
}
