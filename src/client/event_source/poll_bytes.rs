//! How an event source goes from phase to phase.

use super::{
    Attempt, ConnectionError, Connector, Contents, EventSource, Item, Refusal, Stopped,
    link::{Link, Phase, PhaseProjection},
    refusal::DEFAULT_MAX_BODY,
};
use crate::{
    Block, DecodeError, Event, Timer,
    client::{Action, Resend, ResponseHead, StopReason, Verdict},
};
use alloc::boxed::Box;
use bytes::Bytes;
use core::{
    ops::ControlFlow,
    task::{Context, Poll, ready},
    time::Duration,
};
use futures_core::Stream;
use http::{HeaderValue, Response};

/// How long the body of a refusal is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

impl<C: Connector, T: Timer> EventSource<C, T> {
    /// Goes on until there is another chunk, which may have an event in it, or an item that is no event.
    ///
    /// It is called for each chunk, and not for each event, and best not inlined where that is done.
    #[inline(never)]
    pub(super) fn poll_bytes(&mut self, context: &mut Context<'_>) -> Poll<ControlFlow<Option<Item<C::Error>>>> {
        loop {
            let mut link = self.link.as_mut().project();
            let error = match link.phase.as_mut().project() {
                PhaseProjection::Open { body } => match body.poll_next(context) {
                    Poll::Ready(Some(Ok(chunk))) => {
                        if self.is_silent {
                            link.idle.stop();
                        }
                        self.chunk = chunk.into();
                        return Poll::Ready(ControlFlow::Continue(()));
                    }
                    Poll::Ready(Some(Err(error))) => ConnectionError::Transport(error.into()),
                    Poll::Ready(None) => {
                        link.phase.set(Phase::Ended);
                        continue;
                    }
                    Poll::Pending => {
                        self.is_silent = true;
                        ready!(self.timeouts.poll(context, &self.timer, link.idle, link.eventless))
                    }
                },
                PhaseProjection::Ended => match self.finish() {
                    Some(item) => return Poll::Ready(ControlFlow::Break(Some(item))),
                    None => ConnectionError::Ended,
                },
                PhaseProjection::Connecting { response } => match response.poll(context) {
                    Poll::Ready(Ok(response)) => match self.take_in(response) {
                        Some(item) => return Poll::Ready(ControlFlow::Break(Some(item))),
                        None => continue,
                    },
                    Poll::Ready(Err(error)) => {
                        if self.connector.is_permanent(&error) {
                            self.reconnect.handle_permanent_error();
                        }
                        ConnectionError::Transport(error)
                    }
                    Poll::Pending => ready!(self.timeouts.poll_idle(context, &self.timer, link.idle)),
                },
                PhaseProjection::Refused { body, refusal } => {
                    let chunk = match body.poll_next(context) {
                        Poll::Ready(None) => {
                            if let Some(refusal) = refusal {
                                refusal.complete();
                            }
                            None
                        }
                        Poll::Ready(chunk) => chunk,
                        Poll::Pending => {
                            ready!(link.idle.as_mut().poll_sleep(context, &self.timer, PATIENCE));
                            None
                        }
                    };
                    if let (Some(Ok(chunk)), Some(refusal)) = (chunk, refusal.as_mut())
                        && refusal.take_in(&chunk.into())
                        && link.idle.poll_sleep(context, &self.timer, PATIENCE).is_pending()
                    {
                        return Poll::Ready(ControlFlow::Continue(()));
                    }
                    refusal.take().map_or(ConnectionError::Ended, ConnectionError::Refused)
                }
                PhaseProjection::Waiting { delay } => {
                    ready!(link.idle.poll_sleep(context, &self.timer, *delay));
                    self.waited = self.waited.saturating_add(*delay);
                    link.phase.set(Phase::Between { error: None });
                    continue;
                }
                PhaseProjection::Stopped { .. } => return Poll::Ready(ControlFlow::Break(None)),
                PhaseProjection::Between { error } => {
                    let error = error.take();
                    match self.go_on(error) {
                        Some(item) => return Poll::Ready(ControlFlow::Break(Some(item))),
                        None => continue,
                    }
                }
            };
            self.lose(error);
        }
    }

    /// Lets others have their turn, where a body has brought chunk after chunk and nothing in them. Bytes without an event may be
    /// too much of nothing as well.
    #[cold]
    pub(super) fn take_breath(&mut self, context: &mut Context<'_>) {
        let mut link = self.link.as_mut().project();
        if let PhaseProjection::Open { .. } = link.phase.as_mut().project() {
            self.is_silent = true;
            if let Poll::Ready(error) = self.timeouts.poll(context, &self.timer, link.idle, link.eventless) {
                self.lose(error);
            }
        }
        context.waker().wake_by_ref();
    }

    /// An event, which is what it is all for.
    #[inline(always)]
    pub(super) fn give(&mut self, event: Event) -> Item<C::Error> {
        if self.is_silent {
            self.end_silence();
        }
        self.reconnect.handle_event();
        Item::Event(event)
    }

    /// What the server says. Only an event is what the [event timeout](EventSource::with_event_timeout) waits for.
    pub(super) fn give_block(&mut self, block: Block) -> Option<Item<C::Error>> {
        let item = match block {
            Block::Event(event) => {
                // The event timeout may be running, though something else was given last.
                self.end_silence();
                return Some(self.give(event));
            }
            Block::Comment(comment) => Item::Comment(comment),
            Block::Retry(time) => Item::Retry(time),
            Block::Id(id) => Item::Id(id),
            Block::Dataless(event_type) => Item::Dataless(event_type),
            // No other is ever read.
            _ => return None,
        };
        self.end_idleness();
        Some(item)
    }

    /// Gives up a connection that has had no event for too long, whatever else comes from it. Returns whether it did.
    ///
    /// A server that sends comments without a pause must not keep the clock from running.
    pub(super) fn lose_if_eventless(&mut self, context: &mut Context<'_>) -> bool {
        let link = self.link.as_mut().project();
        let Poll::Ready(error) = self.timeouts.poll_event(context, &self.timer, link.eventless) else { return false };
        self.chunk = Bytes::new();
        self.lose(error);
        true
    }

    /// An event or a comment that cannot be given.
    #[cold]
    pub(super) fn pass_over(&mut self, error: DecodeError) -> Item<C::Error> {
        match error {
            _ if error.is_of_comment() => self.end_idleness(),
            // One that is cut off has not arrived.
            DecodeError::UnexpectedEof => self.end_silence(),
            _ => {
                self.end_silence();
                self.reconnect.handle_event();
            }
        }
        Item::Undecodable(error)
    }

    /// The next item of what the end of a body makes of its rest.
    fn finish(&mut self) -> Option<Item<C::Error>> {
        let outcome = match self.contents {
            Contents::Events => self.decoder.finish().map(|event| event.map(Block::Event)),
            Contents::Blocks => self.decoder.finish_block(),
        };
        match outcome {
            Ok(block) => block.and_then(|block| self.give_block(block)),
            Err(error) => Some(self.pass_over(error)),
        }
    }

    /// Nobody waits until the next item is asked for.
    #[cold]
    fn end_silence(&mut self) {
        self.end_idleness();
        self.link.as_mut().project().eventless.stop();
    }

    /// The same after what is no event.
    fn end_idleness(&mut self) {
        self.is_silent = false;
        self.link.as_mut().project().idle.stop();
    }

    /// Goes by what the rules say of a response.
    fn take_in(&mut self, response: Response<C::Body>) -> Option<Item<C::Error>> {
        let mut link = self.link.as_mut().project();
        link.idle.stop();
        let (head, body) = response.into_parts();
        let head = Response::from_parts(head, ());
        if let Some(resend) = head.extensions().get::<Resend>() {
            self.reconnect.handle_resend(*resend);
        }
        match self.reconnect.handle_response(self.waited, &ResponseHead::from(&head)) {
            Verdict::Open => {
                link.phase.set(Phase::Open { body });
                Some(Item::Open(Box::new(head)))
            }
            // There is nothing to be read that would be of interest.
            Verdict::Stop => {
                let refusal = Box::new(Refusal::new(head, DEFAULT_MAX_BODY));
                link.phase.set(Phase::Between { error: Some(ConnectionError::Refused(refusal)) });
                None
            }
            Verdict::Retry | Verdict::Fail => {
                let refusal = Some(Box::new(Refusal::new(head, DEFAULT_MAX_BODY)));
                link.phase.set(Phase::Refused { body, refusal });
                None
            }
        }
    }

    /// Drops the connection.
    fn lose(&mut self, error: ConnectionError<C::Error>) {
        self.reconnect.handle_disconnect(self.waited);
        // What it has begun will not go on.
        self.decoder.reset();
        self.link.set(Link::between(Some(error)));
    }

    /// Does what the rules say comes next, and says so of the last connection's error.
    fn go_on(&mut self, error: Option<ConnectionError<C::Error>>) -> Option<Item<C::Error>> {
        let mut link = self.link.as_mut().project();
        match self.reconnect.poll(self.waited, &self.decoder) {
            Action::Connect { last_event_id, .. } => {
                // The rules have seen to it that it can be one.
                let last_event_id = last_event_id.and_then(|id| HeaderValue::from_bytes(id.as_bytes()).ok());
                let attempt = Attempt::new(self.reconnect.attempts(), last_event_id);
                link.phase.set(Phase::Connecting { response: self.connector.connect(attempt) });
                None
            }
            Action::Wait(delay) => {
                link.phase.set(Phase::Waiting { delay });
                // The time passes from now on, whether anybody polls or not.
                link.idle.start(&self.timer, delay);
                let attempt = self.reconnect.attempts().saturating_add(1);
                error.map(|error| Item::Reconnecting { error, delay, attempt })
            }
            Action::Stop(reason) => {
                self.stop(reason, error);
                None
            }
            // There is nothing to read from.
            Action::Read => {
                self.reconnect.handle_disconnect(self.waited);
                None
            }
        }
    }

    pub(super) fn stop(&mut self, reason: StopReason, error: Option<ConnectionError<C::Error>>) {
        self.link.set(Link::stopped(Stopped::new(reason, error)));
    }

    /// The error of a connection that is over already, though it has not been given yet.
    pub(super) fn take_error(&mut self) -> Option<ConnectionError<C::Error>> {
        match self.link.as_mut().project().phase.project() {
            PhaseProjection::Between { error } => error.take(),
            PhaseProjection::Refused { refusal, .. } => refusal.take().map(ConnectionError::Refused),
            _ => None,
        }
    }
}
