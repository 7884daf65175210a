//! The connections of an event source, one after the other.

use crate::{
    event_source::{
        attempt::{Attempt, Report},
        clocks::Clocks,
        connection_error::ConnectionError,
        connector::Connector,
        handle::Delay,
        hooks::Hooks,
        item::Item,
        phase::{News, Phase},
        reader::{Contents, Found, Reader},
        stopped::Stopped,
        trace,
    },
    reconnect::{
        Reconnect, action::Action, resend::Resend, response_head::ResponseHead, stop_reason::StopReason,
        verdict::Verdict,
    },
    unexpected_body::{ReadEnd, UnexpectedBody},
    unexpected_response::{DEFAULT_MAX_BODY, UnexpectedResponse},
};
use alloc::{boxed::Box, sync::Arc};
use core::{
    mem,
    ops::ControlFlow,
    task::{Context, Poll, ready},
    time::Duration,
};
use eventwire::{BlockItem, DecodeError, Eof, Event, Position, Timer, internal::Turn};
use http::{HeaderValue, Response};

/// An event source without its hooks, which it gets with each poll.
///
/// [`Phase::poll`] says what has happened on the connection, and `handle_news` what follows from it.
pub(super) struct Session<C: Connector, T: Timer> {
    pub(super) connector: C,
    timer: T,
    pub(super) reconnect: Reconnect,
    /// The time for the rules: the sum of all delays. They need no other clock.
    waited: Duration,
    pub(super) reader: Reader,
    pub(super) cursor: Option<Box<str>>,
    /// What the connector reports of the last request.
    report: Arc<Report>,
    /// Whether the last connection was dropped because of a timeout.
    is_after_timeout: bool,
    /// How long reading the body of an unexpected response may take in total.
    pub(super) unexpected_body_timeout: Duration,
    /// How many bytes of it are kept.
    pub(super) max_unexpected_body: usize,
    /// Shared with the handles.
    pub(super) delay: Arc<Delay>,
    pub(super) clocks: Clocks<T::Sleep>,
    phase: Phase<C, T>,
}

/// An item, if the step has one.
type Next<C> = Option<Item<<C as Connector>::Error>>;

impl<C: Connector, T: Timer> Session<C, T> {
    /// Returns a session before the first connection.
    pub(super) fn new(connector: C, timer: T, reconnect: Reconnect) -> Session<C, T> {
        Session {
            connector,
            timer,
            reconnect,
            waited: Duration::ZERO,
            reader: Reader::new(),
            cursor: None,
            report: Arc::default(),
            is_after_timeout: false,
            unexpected_body_timeout: Duration::from_secs(5),
            max_unexpected_body: DEFAULT_MAX_BODY,
            delay: Arc::default(),
            clocks: Clocks::new(),
            phase: Phase::Due,
        }
    }

    pub(super) fn set_cursor(&mut self, cursor: Box<str>) {
        self.reconnect.handle_cursor(Some(&cursor));
        self.cursor = Some(cursor);
    }

    /// Returns why the source stopped, unless that has been taken.
    pub(super) fn stopped(&self) -> Option<&Stopped<C::Error>> {
        match &self.phase {
            Phase::Stopped(report) => Some(report),
            _ => None,
        }
    }

    /// Takes why the source stopped, once.
    pub(super) fn take_stopped(&mut self) -> Option<Stopped<C::Error>> {
        match mem::replace(&mut self.phase, Phase::Due) {
            Phase::Stopped(report) => {
                self.phase = Phase::Reported(report.without_error());
                Some(report)
            }
            phase => {
                self.phase = phase;
                None
            }
        }
    }

    /// Closes the source, and returns why it stopped, without the error if that has been taken.
    pub(super) fn into_stopped(mut self) -> Stopped<C::Error> {
        self.close();
        match self.phase {
            Phase::Stopped(report) | Phase::Reported(report) => report,
            _ => Stopped::new(StopReason::Closed, None),
        }
    }

    /// Returns whether there are no more items.
    pub(super) fn has_stopped(&self) -> bool {
        matches!(self.phase, Phase::Stopped(_) | Phase::Reported(_))
    }

    /// Drops the connection. The next poll makes another one, whether the source has stopped or not.
    pub(super) fn restart(&mut self) {
        self.reader.reset();
        self.reconnect.handle_restart();
        self.is_after_timeout = false;
        self.delay.end();
        self.leave();
    }

    /// Drops the connection, and stops unless the source has stopped before.
    pub(super) fn close(&mut self) {
        // Nothing that has arrived must be returned after the close.
        self.reader.reset();
        if !self.has_stopped() {
            self.reconnect.handle_close();
            self.stop(Stopped::new(StopReason::Closed, None));
        }
    }

    fn stop(&mut self, report: Stopped<C::Error>) {
        trace::stopped(&report);
        self.leave();
        self.delay.end();
        self.phase = Phase::Stopped(report);
    }

    /// Leaves the phase and stops the clocks. The rules are asked next, unless another phase follows.
    fn leave(&mut self) -> Phase<C, T> {
        self.clocks.end();
        mem::replace(&mut self.phase, Phase::Due)
    }

    #[inline(always)]
    pub(super) fn poll_next<D: Hooks<C::Error>>(&mut self, hooks: &mut D, context: &mut Context<'_>) -> Poll<Next<C>> {
        let guard = PanicGuard(self);
        let polled = guard.0.poll_item(hooks, context);
        mem::forget(guard);
        polled
    }

    #[inline(always)]
    fn poll_item<D: Hooks<C::Error>>(&mut self, hooks: &mut D, context: &mut Context<'_>) -> Poll<Next<C>> {
        let mut turn = Turn::default();
        loop {
            match self.reader.contents {
                Contents::Events => match self.reader.decode_event() {
                    Ok(Some(event)) => return Poll::Ready(Some(self.emit_event(hooks, context, event))),
                    Ok(None) => {}
                    Err(error) => return Poll::Ready(Some(self.report_undecodable(context, error))),
                },
                Contents::Blocks(methods) => match self.reader.decode_block(methods) {
                    Ok(Some(item)) => return Poll::Ready(Some(self.emit_item(hooks, context, item))),
                    Ok(None) => {}
                    Err(error) => return Poll::Ready(Some(self.report_undecodable(context, error))),
                },
            }
            if turn.poll(context).is_pending() {
                // Data may keep arriving without an event.
                self.note_activity(context);
                return Poll::Pending;
            }
            if let ControlFlow::Break(item) = ready!(self.poll_chunk(hooks, context)) {
                return Poll::Ready(item);
            }
        }
    }

    /// Applies the hooks to an event, and returns it as an item.
    #[inline(always)]
    fn emit_event<D: Hooks<C::Error>>(
        &mut self,
        hooks: &mut D,
        context: &mut Context<'_>,
        event: Event,
    ) -> Item<C::Error> {
        self.handle_event(hooks, context, &event);
        Item::Event(event)
    }

    #[inline(always)]
    fn handle_event<D: Hooks<C::Error>>(&mut self, hooks: &mut D, context: &mut Context<'_>, event: &Event) {
        if let Some(cursor) = hooks.cursor(event) {
            self.set_cursor(cursor.into_boxed_str());
        }
        let is_progress = hooks.is_progress(event);
        if is_progress {
            self.reconnect.handle_progress();
            self.clocks.stop();
        }
        if hooks.is_end(event) {
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

    /// Applies the hooks to the event of a block, if it is one, and returns the item.
    fn emit_item<D: Hooks<C::Error>>(
        &mut self,
        hooks: &mut D,
        context: &mut Context<'_>,
        item: BlockItem,
    ) -> Item<C::Error> {
        let event = match &item {
            BlockItem::Block(block) => block.clone().into_event(),
            BlockItem::Comment(_) => None,
        };
        match event {
            Some(event) => self.handle_event(hooks, context, &event),
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
        if let Phase::Open(_) = self.phase {
            self.clocks.poll_progress(context, &self.timer);
        }
    }

    /// Handles an event or a comment that cannot be decoded.
    #[cold]
    fn report_undecodable(&mut self, context: &mut Context<'_>, error: DecodeError) -> Item<C::Error> {
        match error {
            _ if error.is_in_comment() => self.note_activity(context),
            // A truncated event has not been received.
            DecodeError::Truncated => self.clocks.stop(),
            _ => {
                self.clocks.stop();
                self.reconnect.handle_undecodable();
            }
        }
        if self.reader.has_ended() {
            // The body is not an event stream in UTF-8.
            self.reconnect.handle_permanent_error();
            self.reader.drop_chunk();
            self.stop(Stopped::new(StopReason::Permanent, None));
        }
        Item::Undecodable(error)
    }

    /// Polls until there is another chunk, which may contain an event, or an item that is not an event.
    ///
    /// It is called once for each chunk, not for each event. Not inlined, which keeps the loop over the events small.
    #[inline(never)]
    fn poll_chunk<D: Hooks<C::Error>>(
        &mut self,
        hooks: &mut D,
        context: &mut Context<'_>,
    ) -> Poll<ControlFlow<Next<C>>> {
        loop {
            let news = ready!(self.phase.poll(context, &self.timer, &mut self.clocks, &self.delay, &mut self.reader));
            let ControlFlow::Break(news) = news else { return Poll::Ready(ControlFlow::Continue(())) };
            if let ControlFlow::Break(item) = self.handle_news(hooks, context, news) {
                return Poll::Ready(ControlFlow::Break(item));
            }
        }
    }

    /// Handles what has happened besides a chunk. Breaks with an item, or continues with the phase that follows.
    #[cold]
    fn handle_news<D: Hooks<C::Error>>(
        &mut self,
        hooks: &mut D,
        context: &mut Context<'_>,
        news: News<C>,
    ) -> ControlFlow<Next<C>> {
        let item = match news {
            News::Due(delay) => {
                self.waited = self.waited.saturating_add(delay);
                self.leave();
                self.follow_rules(hooks, None)
            }
            News::Response(response) => self.handle_response(hooks, response),
            News::Rejected(end) => self.handle_rejected(hooks, end),
            News::NoResponse(error) => self.handle_failure(hooks, error, self.report.error_verdict()),
            News::BodyFailed(error) => self.handle_failure(hooks, error, Verdict::RetryIfAllowed),
            News::TimedOut(error) => {
                if self.report.is_unsent() {
                    self.reconnect.handle_unsent(self.waited);
                }
                self.drop_connection(hooks, error)
            }
            News::BodyEnded => {
                self.handle_body_end(hooks);
                None
            }
            News::NoChunk => self.finish_body(hooks, context),
            News::Stopped => return ControlFlow::Break(None),
        };
        if item.is_some() { ControlFlow::Break(item) } else { ControlFlow::Continue(()) }
    }

    /// Opens a response if the hooks say so. Otherwise, its body is read before they decide what it means.
    fn handle_response<D: Hooks<C::Error>>(&mut self, hooks: &mut D, response: Response<C::Body>) -> Next<C> {
        // Only the future of the response ends here. The progress timeout keeps running if the response is opened.
        self.phase = Phase::Due;
        let (head, body) = response.into_parts();
        let head = Response::from_parts(head, ());
        if !hooks.opens(&ResponseHead::from(&head)) {
            let response = UnexpectedResponse::new(head, self.max_unexpected_body);
            self.leave();
            self.phase = Phase::Rejected(UnexpectedBody::new(response, body, self.unexpected_body_timeout));
            return None;
        }
        self.clocks.stop_idle();
        self.reconnect.handle_verdict(self.waited, Verdict::Open, None);
        trace::open(&head);
        #[cfg(feature = "json")]
        self.reader.note_begin();
        self.phase = Phase::Open(Box::pin(body));
        Some(Item::Open(Box::new(head)))
    }

    /// Passes an unexpected response to the rules, after its body has been read.
    fn handle_rejected<D: Hooks<C::Error>>(&mut self, hooks: &mut D, end: ReadEnd) -> Next<C> {
        self.is_after_timeout |= end == ReadEnd::TimedOut;
        let Phase::Rejected(body) = self.leave() else { return None };
        let response = body.into_response();
        let verdict = match self.unless_carried_out(hooks.response_verdict(&response)) {
            // Its body is gone.
            Verdict::Open => Verdict::Fail,
            verdict => verdict,
        };
        self.reconnect.handle_verdict(self.waited, verdict, response.retry_after());
        trace::unexpected_response(&response, verdict);
        self.follow_rules(hooks, Some(ConnectionError::UnexpectedResponse(response)))
    }

    /// Drops the connection after an error of the connector, which means `unless_decided` by default.
    fn handle_failure<D: Hooks<C::Error>>(
        &mut self,
        hooks: &mut D,
        error: C::Error,
        unless_decided: Verdict,
    ) -> Next<C> {
        self.leave();
        let verdict = hooks.error_verdict(&error).unwrap_or(unless_decided);
        match self.unless_carried_out(verdict) {
            Verdict::Open | Verdict::RetryIfAllowed => self.reconnect.handle_disconnect(self.waited),
            Verdict::NotProcessed => self.reconnect.handle_unsent(self.waited),
            Verdict::Stop => self.reconnect.handle_end(),
            Verdict::Fail => self.reconnect.handle_permanent_error(),
        }
        self.drop_connection(hooks, ConnectionError::Transport(error))
    }

    /// Returns the verdict, unless the connector knows better.
    fn unless_carried_out(&self, verdict: Verdict) -> Verdict {
        match verdict {
            // After a redirect, an earlier server may have carried the request out.
            Verdict::NotProcessed if self.report.was_carried_out() => Verdict::RetryIfAllowed,
            verdict => verdict,
        }
    }

    /// Enters the phase after the body. What its end means is known before the decoder is finished.
    fn handle_body_end<D: Hooks<C::Error>>(&mut self, hooks: &D) {
        self.leave();
        #[cfg(feature = "json")]
        self.reader.note_end();
        let decoder = &self.reader.decoder;
        let is_in_event = decoder.position() == Position::WithinBlock && decoder.eof() != Eof::Dispatch;
        let is_truncated = is_in_event || hooks.expects_end();
        self.phase = Phase::Ended(if is_truncated { ConnectionError::Truncated } else { ConnectionError::Ended });
    }

    /// Returns the next item that the decoder completes at the end of a body. After the last one, the connection is
    /// dropped.
    fn finish_body<D: Hooks<C::Error>>(&mut self, hooks: &mut D, context: &mut Context<'_>) -> Next<C> {
        match self.reader.finish() {
            Ok(Some(Found::Event(event))) => Some(self.emit_event(hooks, context, event)),
            Ok(Some(Found::Item(item))) => Some(self.emit_item(hooks, context, item)),
            Err(error) => Some(self.report_undecodable(context, error)),
            Ok(None) => match self.leave() {
                Phase::Ended(error) => self.drop_connection(hooks, error),
                _ => None,
            },
        }
    }

    fn drop_connection<D: Hooks<C::Error>>(&mut self, hooks: &mut D, error: ConnectionError<C::Error>) -> Next<C> {
        self.is_after_timeout |= error.is_timeout();
        self.reconnect.handle_disconnect(self.waited);
        // The next connection does not continue an unfinished event.
        self.reader.reset();
        self.leave();
        self.follow_rules(hooks, Some(error))
    }

    /// Asks the rules what comes next and does it. Returns the item for a reconnect, with the last connection's
    /// error.
    fn follow_rules<D: Hooks<C::Error>>(&mut self, hooks: &mut D, error: Option<ConnectionError<C::Error>>) -> Next<C> {
        self.reconnect.handle_resend(self.report.resend().unwrap_or(Resend::Always));
        match self.reconnect.poll(self.waited, &self.reader.decoder) {
            Action::Connect { last_event_id, .. } => {
                // The rules have checked that the ID is valid in a header.
                let last_event_id = last_event_id.and_then(|id| HeaderValue::from_bytes(id.as_bytes()).ok());
                self.report = Arc::default();
                let attempt = Attempt {
                    number: self.reconnect.attempts(),
                    last_event_id,
                    cursor: self.cursor.clone(),
                    is_after_timeout: mem::take(&mut self.is_after_timeout),
                    report: Arc::clone(&self.report),
                };
                trace::connecting(&attempt);
                self.phase = Phase::Connecting(Box::pin(self.connector.connect(attempt)));
                None
            }
            Action::Wait(delay) => {
                let attempt = self.reconnect.attempts().saturating_add(1);
                let delay = match &error {
                    Some(error) => hooks.delay(delay, attempt, error),
                    None => delay,
                };
                self.reconnect.set_delay(self.waited, delay);
                self.phase = Phase::Waiting { delay, sleep: Box::pin(self.timer.sleep(delay)) };
                self.delay.begin();
                trace::reconnecting(error.as_ref(), delay, attempt);
                error.map(|error| Item::Reconnecting { error, delay, attempt })
            }
            Action::Stop(reason) => {
                let is_incomplete = match reason {
                    // Before the last event, it is the answer of a server that no longer knows the stream.
                    StopReason::NoContent => hooks.expects_end(),
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

    /// Ends the session after a panic. What has been lost with it must not be a hole between two items.
    fn end_after_panic(&mut self) {
        self.reconnect.handle_permanent_error();
        self.reader.reset();
        self.delay.end();
        self.leave();
        // Not logged: the log may be what panics, and a second panic would abort.
        self.phase = Phase::Stopped(Stopped::failed(StopReason::Permanent, None));
    }
}

/// Ends the session if a function of the caller panics during the poll. Otherwise it is forgotten, so it costs nothing.
struct PanicGuard<'a, C: Connector, T: Timer>(&'a mut Session<C, T>);

impl<C: Connector, T: Timer> Drop for PanicGuard<'_, C, T> {
    #[cold]
    fn drop(&mut self) {
        self.0.end_after_panic();
    }
}
