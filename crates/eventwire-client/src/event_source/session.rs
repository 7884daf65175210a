//! The connections of an event source, one after the other.

use super::{
    Attempt, ConnectionError, Connector, Hooks, Item, Stopped, UnexpectedResponse,
    clocks::{Clocks, poll_sleep},
    handle::Delay,
    last_request::LastRequest,
    phase::{Phase, PhaseProjection, PhaseReplaced, Report},
    reader::{Contents, Found, Reader},
    trace, unexpected_response,
};
use crate::{Action, Reconnect, Resend, ResponseHead, StopReason, Verdict};
use alloc::{boxed::Box, sync::Arc};
use core::{
    mem,
    ops::ControlFlow,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use eventwire::{BlockItem, DecodeError, Eof, Event, Position, Timer, internal::Turn};
use futures_core::Stream;
use http::{HeaderValue, Response};
use pin_project_lite::pin_project;

/// An event source without its decisions, which it gets with each poll.
pub(super) struct Session<C: Connector, T: Timer> {
    connector: C,
    timer: T,
    reconnect: Reconnect,
    /// The time for the rules: the sum of all delays. They need no other clock.
    waited: Duration,
    reader: Reader,
    cursor: Option<Box<str>>,
    request: LastRequest,
    /// Whether the last connection was dropped because of a timeout.
    is_after_timeout: bool,
    /// How long reading the body of an unexpected response may take in total.
    unexpected_body_timeout: Duration,
    /// How many bytes of the body are kept.
    max_unexpected_body: usize,
    /// Shared with the handles.
    delay: Arc<Delay>,
    /// Boxed, so that the source can be moved and closed even if the connector's types are not `Unpin`.
    connection: Pin<Box<SessionConnection<C, T>>>,
}

type SessionConnection<C, T> =
    Connection<<C as Connector>::Connect, <C as Connector>::Body, <C as Connector>::Error, <T as Timer>::Sleep>;

pin_project! {
    /// Everything that must not move while it is polled.
    struct Connection<F, B, E, S> {
        #[pin]
        phase: Phase<F, B, E, S>,
        #[pin]
        clocks: Clocks<S>,
    }
}

impl<C: Connector, T: Timer> Session<C, T> {
    /// Returns a session before the first connection.
    pub(super) fn new(connector: C, timer: T, reconnect: Reconnect) -> Session<C, T> {
        let connection = Connection { phase: Phase::Between { error: None }, clocks: Clocks::new() };
        Session {
            connector,
            timer,
            reconnect,
            waited: Duration::ZERO,
            reader: Reader::new(),
            cursor: None,
            request: LastRequest::default(),
            is_after_timeout: false,
            unexpected_body_timeout: Duration::from_secs(5),
            max_unexpected_body: unexpected_response::DEFAULT_MAX_BODY,
            delay: Arc::default(),
            connection: Box::pin(connection),
        }
    }

    pub(super) fn connector(&self) -> &C {
        &self.connector
    }

    pub(super) fn reconnect(&self) -> &Reconnect {
        &self.reconnect
    }

    pub(super) fn reconnect_mut(&mut self) -> &mut Reconnect {
        &mut self.reconnect
    }

    pub(super) fn reader(&self) -> &Reader {
        &self.reader
    }

    pub(super) fn reader_mut(&mut self) -> &mut Reader {
        &mut self.reader
    }

    pub(super) fn cursor(&self) -> Option<&str> {
        self.cursor.as_deref()
    }

    pub(super) fn set_cursor(&mut self, cursor: Box<str>) {
        self.reconnect.handle_cursor(Some(&cursor));
        self.cursor = Some(cursor);
    }

    pub(super) fn delay(&self) -> &Arc<Delay> {
        &self.delay
    }

    pub(super) fn clocks(&mut self) -> Pin<&mut Clocks<T::Sleep>> {
        self.connection.as_mut().project().clocks
    }

    pub(super) fn set_max_refusal_body(&mut self, bytes: usize) {
        self.max_unexpected_body = bytes;
    }

    pub(super) fn set_refusal_timeout(&mut self, timeout: Duration) {
        self.unexpected_body_timeout = timeout;
    }

    /// Returns why the source stopped, unless that has been taken.
    pub(super) fn stopped(&self) -> Option<&Stopped<C::Error>> {
        match &self.connection.phase {
            Phase::Stopped { report: Report::Pending, stopped } => Some(stopped),
            _ => None,
        }
    }

    /// Takes why the source stopped, once.
    pub(super) fn take_stopped(&mut self) -> Option<Stopped<C::Error>> {
        match self.connection.as_mut().project().phase.project() {
            PhaseProjection::Stopped { report, stopped } if *report == Report::Pending => {
                *report = Report::Taken;
                Some(stopped.take())
            }
            _ => None,
        }
    }

    /// Closes the source, and returns why it stopped, without the error if that has been taken.
    pub(super) fn into_stopped(mut self) -> Stopped<C::Error> {
        self.close();
        match self.connection.as_mut().project().phase.project() {
            PhaseProjection::Stopped { stopped, .. } => stopped.take(),
            _ => Stopped::new(StopReason::Closed, None),
        }
    }

    /// Returns whether there are no more items.
    pub(super) fn has_stopped(&self) -> bool {
        matches!(self.connection.phase, Phase::Stopped { .. })
    }

    /// Drops the connection. The next poll makes another one, whether the source has stopped or not.
    pub(super) fn restart(&mut self) {
        self.reader.reset();
        self.reconnect.handle_restart();
        self.is_after_timeout = false;
        self.delay.end();
        self.enter(Phase::Between { error: None });
    }

    /// Drops the connection, and stops unless the source has stopped before.
    pub(super) fn close(&mut self) {
        // Nothing that has arrived must be returned after the close.
        self.reader.reset();
        if !self.has_stopped() {
            self.reconnect.handle_close();
            let reason = self.reconnect.stop_reason().unwrap_or(StopReason::Closed);
            let error = self.take_error().filter(|_| reason != StopReason::Closed);
            self.stop(Stopped::new(reason, error));
        }
    }

    fn stop(&mut self, stopped: Stopped<C::Error>) {
        trace::stopped(&stopped);
        self.enter(Phase::Stopped { report: Report::Pending, stopped });
        self.delay.end();
    }

    /// Drops the connection and stops the clocks.
    fn enter(&mut self, next: Phase<C::Connect, C::Body, C::Error, T::Sleep>) {
        let mut connection = self.connection.as_mut().project();
        connection.phase.set(next);
        connection.clocks.end();
    }

    /// Returns the error of a connection that has ended, if it has not been returned yet.
    fn take_error(&mut self) -> Option<ConnectionError<C::Error>> {
        match self.connection.as_mut().project().phase.project_replace(Phase::Between { error: None }) {
            PhaseReplaced::Between { error } => error,
            PhaseReplaced::Ended { error } => Some(error),
            PhaseReplaced::Refused { refusal, .. } => Some(ConnectionError::UnexpectedResponse(refusal)),
            _ => None,
        }
    }

    #[inline(always)]
    pub(super) fn poll_next<D: Hooks<C::Error>>(
        &mut self,
        decisions: &mut D,
        context: &mut Context<'_>,
    ) -> Poll<Option<Item<C::Error>>> {
        let guard = PollGuard(self);
        let polled = guard.0.poll_item(decisions, context);
        mem::forget(guard);
        polled
    }

    #[inline(always)]
    fn poll_item<D: Hooks<C::Error>>(
        &mut self,
        decisions: &mut D,
        context: &mut Context<'_>,
    ) -> Poll<Option<Item<C::Error>>> {
        let mut turn = Turn::default();
        loop {
            match self.reader.contents() {
                Contents::Events => match self.reader.decode_event() {
                    Ok(Some(event)) => return Poll::Ready(Some(self.emit_event(decisions, context, event))),
                    Ok(None) => {}
                    Err(error) => return Poll::Ready(Some(self.report_undecodable(context, error))),
                },
                Contents::Blocks(methods) => match self.reader.decode_block(methods) {
                    Ok(Some(item)) => return Poll::Ready(Some(self.emit_item(decisions, context, item))),
                    Ok(None) => {}
                    Err(error) => return Poll::Ready(Some(self.report_undecodable(context, error))),
                },
            }
            if turn.poll(context).is_pending() {
                self.poll_timeouts(decisions, context);
                return Poll::Pending;
            }
            if let ControlFlow::Break(item) = ready!(self.poll_chunk(decisions, context)) {
                return Poll::Ready(item);
            }
        }
    }

    /// Applies the decisions to an event, and returns it as an item.
    #[inline(always)]
    fn emit_event<D>(&mut self, decisions: &mut D, context: &mut Context<'_>, event: Event) -> Item<C::Error>
    where
        D: Hooks<C::Error>,
    {
        self.handle_event(decisions, context, &event);
        Item::Event(event)
    }

    #[inline(always)]
    fn handle_event<D: Hooks<C::Error>>(&mut self, decisions: &mut D, context: &mut Context<'_>, event: &Event) {
        if let Some(cursor) = decisions.cursor(event) {
            self.set_cursor(cursor.into_boxed_str());
        }
        let is_progress = decisions.is_progress(event);
        if is_progress {
            self.reconnect.handle_progress();
            self.clocks().stop();
        }
        if decisions.is_end(event) {
            self.finish();
        } else if !is_progress {
            self.note_activity(context);
        }
    }

    /// Stops after the last event, and does not wait for the server to close, because servers keep streams open after
    /// it. If the end of the body has already arrived, hyper reuses the connection.
    fn finish(&mut self) {
        self.reconnect.handle_end();
        self.reader.drop_chunk();
        self.stop(Stopped::new(StopReason::Finished, None));
    }

    /// Applies the decisions to the event of a block, if it is one, and returns the item.
    fn emit_item<D>(&mut self, decisions: &mut D, context: &mut Context<'_>, item: BlockItem) -> Item<C::Error>
    where
        D: Hooks<C::Error>,
    {
        let event = match &item {
            BlockItem::Block(block) => block.clone().into_event(),
            BlockItem::Comment(_) => None,
        };
        match event {
            Some(event) => self.handle_event(decisions, context, &event),
            None => self.note_activity(context),
        }
        match item {
            BlockItem::Block(block) => Item::Block(block),
            BlockItem::Comment(comment) => Item::Comment(comment),
        }
    }

    /// Handles an item that is not progress. The progress timeout keeps running.
    #[cold]
    fn note_activity(&mut self, context: &mut Context<'_>) {
        let mut connection = self.connection.as_mut().project();
        connection.clocks.as_mut().stop_idle();
        if let PhaseProjection::Open { .. } = connection.phase.project() {
            connection.clocks.poll_progress_clock(context, &self.timer);
        }
    }

    /// Handles an event or a comment that cannot be decoded.
    #[cold]
    fn report_undecodable(&mut self, context: &mut Context<'_>, error: DecodeError) -> Item<C::Error> {
        match error {
            _ if error.is_in_comment() => self.note_activity(context),
            // A truncated event has not been received.
            DecodeError::Truncated => self.clocks().stop(),
            _ => {
                self.clocks().stop();
                self.reconnect.handle_undecodable();
            }
        }
        if self.reader.has_ended() {
            self.fail();
        }
        Item::Undecodable(error)
    }

    /// Stops because the body is not an event stream in UTF-8.
    fn fail(&mut self) {
        self.reconnect.handle_permanent_error();
        self.reader.drop_chunk();
        self.stop(Stopped::new(StopReason::Permanent, None));
    }

    /// Polls until there is another chunk, which may contain an event, or an item that is not an event.
    ///
    /// It is called once for each chunk, not for each event. Not inlined, which keeps the loop over the events
    /// small. Each phase either returns, or enters another phase, which is polled next.
    #[inline(never)]
    fn poll_chunk<D: Hooks<C::Error>>(
        &mut self,
        decisions: &mut D,
        context: &mut Context<'_>,
    ) -> Poll<ControlFlow<Option<Item<C::Error>>>> {
        loop {
            let connection = self.connection.as_mut().project();
            let mut clocks = connection.clocks;
            let item = match connection.phase.project() {
                PhaseProjection::Open { body } => {
                    match clocks.as_mut().progress_timeout(context, &self.timer) {
                        Some(timeout) => self.drop_connection(ConnectionError::ProgressTimeout(timeout)),
                        None => match body.poll_next(context) {
                            Poll::Ready(Some(Ok(chunk))) => {
                                clocks.stop_idle();
                                self.reader.set_chunk(chunk.into());
                                return Poll::Ready(ControlFlow::Continue(()));
                            }
                            Poll::Ready(Some(Err(error))) => {
                                self.lose_connection(decisions, error.into(), Verdict::RetryIfAllowed);
                            }
                            Poll::Ready(None) => self.end_body(decisions),
                            Poll::Pending => {
                                let idle = clocks.poll_silence(context, &self.timer, ConnectionError::IdleTimeout);
                                self.drop_connection(ready!(idle));
                            }
                        },
                    }
                    None
                }
                PhaseProjection::Ended { .. } => {
                    let item = self.finish_body(decisions, context);
                    if item.is_none()
                        && let Some(error) = self.take_error()
                    {
                        self.drop_connection(error);
                    }
                    item
                }
                PhaseProjection::Connecting { response } => match response.poll(context) {
                    Poll::Ready(Ok(response)) => self.handle_response(decisions, response),
                    Poll::Ready(Err(error)) => {
                        self.lose_connection(decisions, error, self.request.error_verdict());
                        None
                    }
                    Poll::Pending => {
                        let error = ready!(clocks.poll_silence(context, &self.timer, ConnectionError::ResponseTimeout));
                        if self.request.is_unsent() {
                            self.reconnect.handle_unsent(self.waited);
                        }
                        self.drop_connection(error);
                        None
                    }
                },
                PhaseProjection::Refused { body, refusal, sleep } => {
                    match body.poll_next(context).map(|chunk| refusal.read(chunk)) {
                        Poll::Ready(true) => {
                            clocks.stop_idle();
                            return Poll::Ready(ControlFlow::Continue(()));
                        }
                        Poll::Ready(false) => {}
                        Poll::Pending => {
                            if clocks.poll_idle(context, &self.timer).is_pending() {
                                ready!(poll_sleep(sleep, context, &self.timer, self.unexpected_body_timeout));
                            }
                            self.is_after_timeout = true;
                        }
                    }
                    self.end_refusal(decisions);
                    None
                }
                PhaseProjection::Waiting { delay, sleep } => {
                    if !self.delay.is_over(context.waker()) {
                        ready!(sleep.as_mut().poll(context));
                    }
                    self.delay.end();
                    // For the rules, the delay is over in both cases.
                    self.waited = self.waited.saturating_add(*delay);
                    self.enter(Phase::Between { error: None });
                    None
                }
                PhaseProjection::Between { error } => {
                    let error = error.take();
                    self.next_phase(decisions, error)
                }
                PhaseProjection::Stopped { .. } => return Poll::Ready(ControlFlow::Break(None)),
            };
            if item.is_some() {
                return Poll::Ready(ControlFlow::Break(item));
            }
        }
    }

    /// Enters the phase after the body. What its end means is known before the decoder is finished.
    fn end_body<D: Hooks<C::Error>>(&mut self, decisions: &D) {
        #[cfg(feature = "json")]
        self.reader.note_end();
        let decoder = self.reader.decoder();
        let is_in_event = decoder.position() == Position::WithinBlock && decoder.eof() != Eof::Dispatch;
        let is_truncated = is_in_event || decisions.expects_end();
        let error = if is_truncated { ConnectionError::Truncated } else { ConnectionError::Ended };
        self.connection.as_mut().project().phase.set(Phase::Ended { error });
    }

    /// Drops the connection after an error of the connector, which means `unless_decided` by default.
    fn lose_connection<D>(&mut self, decisions: &mut D, error: C::Error, unless_decided: Verdict)
    where
        D: Hooks<C::Error>,
    {
        let verdict = decisions.error_verdict(&error).unwrap_or(unless_decided);
        match self.unless_carried_out(verdict) {
            Verdict::Open | Verdict::RetryIfAllowed => self.reconnect.handle_disconnect(self.waited),
            Verdict::NotProcessed => self.reconnect.handle_unsent(self.waited),
            Verdict::Stop => self.reconnect.handle_end(),
            Verdict::Fail => self.reconnect.handle_permanent_error(),
        }
        self.drop_connection(ConnectionError::Transport(error));
    }

    /// Returns the verdict, unless the connector knows better.
    fn unless_carried_out(&self, verdict: Verdict) -> Verdict {
        match verdict {
            // After a redirect, an earlier server may have carried the request out.
            Verdict::NotProcessed if self.request.was_carried_out() => Verdict::RetryIfAllowed,
            verdict => verdict,
        }
    }

    /// Returns the next item that the decoder completes at the end of a body.
    fn finish_body<D>(&mut self, decisions: &mut D, context: &mut Context<'_>) -> Option<Item<C::Error>>
    where
        D: Hooks<C::Error>,
    {
        match self.reader.finish() {
            Ok(found) => found.map(|found| match found {
                Found::Event(event) => self.emit_event(decisions, context, event),
                Found::Item(item) => self.emit_item(decisions, context, item),
            }),
            Err(error) => Some(self.report_undecodable(context, error)),
        }
    }

    /// Passes the head of a response to the rules, and follows their verdict.
    fn handle_response<D>(&mut self, decisions: &mut D, response: Response<C::Body>) -> Option<Item<C::Error>>
    where
        D: Hooks<C::Error>,
    {
        self.clocks().stop_idle();
        let (head, body) = response.into_parts();
        let head = Response::from_parts(head, ());
        if decisions.opens(&ResponseHead::from(&head)) {
            self.reconnect.handle_verdict(self.waited, Verdict::Open, None);
            trace::open(&head);
            #[cfg(feature = "json")]
            self.reader.note_begin();
            // The progress timeout keeps running.
            self.connection.as_mut().project().phase.set(Phase::Open { body });
            return Some(Item::Open(Box::new(head)));
        }
        let refusal = Box::new(UnexpectedResponse::new(head, self.max_unexpected_body));
        if refusal.wants_body() {
            self.enter(Phase::Refused { body, refusal, sleep: None });
        } else {
            self.handle_refusal(decisions, refusal);
        }
        None
    }

    /// Drops the body of an unexpected response, of which no more is needed.
    fn end_refusal<D: Hooks<C::Error>>(&mut self, decisions: &mut D) {
        let phase = self.connection.as_mut().project().phase;
        if let PhaseReplaced::Refused { refusal, .. } = phase.project_replace(Phase::Between { error: None }) {
            self.handle_refusal(decisions, refusal);
        }
    }

    /// Passes a refusal to the rules, after its body has been read.
    fn handle_refusal<D: Hooks<C::Error>>(&mut self, decisions: &mut D, refusal: Box<UnexpectedResponse>) {
        let verdict = match self.unless_carried_out(decisions.response_verdict(&refusal)) {
            // Its body is gone.
            Verdict::Open => Verdict::Fail,
            verdict => verdict,
        };
        self.reconnect.handle_verdict(self.waited, verdict, refusal.retry_after());
        trace::unexpected_response(&refusal, verdict);
        self.enter(Phase::Between { error: Some(ConnectionError::UnexpectedResponse(refusal)) });
    }

    /// Asks the rules what comes next and does it. Returns the item for a reconnect, with the last connection's
    /// error.
    fn next_phase<D>(&mut self, decisions: &mut D, error: Option<ConnectionError<C::Error>>) -> Option<Item<C::Error>>
    where
        D: Hooks<C::Error>,
    {
        self.reconnect.handle_resend(self.request.resend());
        match self.reconnect.poll(self.waited, self.reader.decoder()) {
            Action::Connect { last_event_id, .. } => {
                // The rules have checked that the ID is valid in a header.
                let last_event_id = last_event_id.and_then(|id| HeaderValue::from_bytes(id.as_bytes()).ok());
                self.request = LastRequest::default();
                let attempt = Attempt::new(
                    self.reconnect.attempts(),
                    last_event_id,
                    self.cursor.clone(),
                    mem::take(&mut self.is_after_timeout),
                    self.request.clone(),
                );
                trace::connecting(&attempt);
                let response = self.connector.connect(attempt);
                self.connection.as_mut().project().phase.set(Phase::Connecting { response });
                None
            }
            Action::Wait(delay) => {
                let attempt = self.reconnect.attempts().saturating_add(1);
                let delay = match &error {
                    Some(error) => decisions.delay(delay, attempt, error),
                    None => delay,
                };
                self.reconnect.set_delay(self.waited, delay);
                let sleep = Box::pin(self.timer.sleep(delay));
                self.connection.as_mut().project().phase.set(Phase::Waiting { delay, sleep });
                self.delay.begin();
                trace::reconnecting(error.as_ref(), delay, attempt);
                error.map(|error| Item::Reconnecting { error, delay, attempt })
            }
            Action::Stop(reason) => {
                let is_incomplete = match reason {
                    // Before the last event, it is the answer of a server that no longer knows the stream.
                    StopReason::NoContent => decisions.expects_end(),
                    StopReason::NotResent => self.reconnect.resend() == Resend::Unknown,
                    _ => false,
                };
                self.stop(match is_incomplete {
                    true => Stopped::failed(reason, error),
                    false => Stopped::new(reason, error),
                });
                None
            }
            // There is no connection to read from.
            Action::Read => {
                self.reconnect.handle_disconnect(self.waited);
                None
            }
        }
    }

    fn drop_connection(&mut self, error: ConnectionError<C::Error>) {
        self.is_after_timeout |= error.is_timeout();
        self.reconnect.handle_disconnect(self.waited);
        // The next connection does not continue an unfinished event.
        self.reader.reset();
        self.enter(Phase::Between { error: Some(error) });
    }

    /// Polls the timeouts after many chunks in a row without an event, because data may keep arriving without one.
    #[cold]
    fn poll_timeouts<D: Hooks<C::Error>>(&mut self, decisions: &mut D, context: &mut Context<'_>) {
        self.note_activity(context);
        let connection = self.connection.as_mut().project();
        if let PhaseProjection::Refused { sleep, .. } = connection.phase.project()
            && poll_sleep(sleep, context, &self.timer, self.unexpected_body_timeout).is_ready()
        {
            self.is_after_timeout = true;
            self.end_refusal(decisions);
        }
    }

    /// Ends the session after a panic. What has been lost with it must not be a hole between two items.
    fn end_after_panic(&mut self) {
        self.reconnect.handle_permanent_error();
        self.reader.reset();
        self.delay.end();
        // Not logged: the log may be what panics, and a second panic would abort.
        let stopped = Stopped::failed(StopReason::Permanent, None);
        self.enter(Phase::Stopped { report: Report::Pending, stopped });
    }
}

/// Ends the session if a function of the caller panics during the poll. Otherwise it is forgotten, so it costs nothing.
struct PollGuard<'a, C: Connector, T: Timer>(&'a mut Session<C, T>);

impl<C: Connector, T: Timer> Drop for PollGuard<'_, C, T> {
    #[cold]
    fn drop(&mut self) {
        self.0.end_after_panic();
    }
}
