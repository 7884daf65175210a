//! How an event source moves from phase to phase.

use super::{
    Attempt, ConnectionError, Connector, Decide, EventSource, Item, Refusal, Stopped,
    last_request::LastRequest,
    link::{Clocks, Phase, PhaseProjection},
    trace,
};
use crate::{Action, Resend, ResponseHead, StopReason, Verdict};
use alloc::boxed::Box;
use core::{
    mem,
    ops::ControlFlow,
    task::{Context, Poll, ready},
};
use eventwire::{Eof, Position, Timer, is_last_poll};
use futures_core::Stream;
use http::{HeaderValue, Response};

impl<C: Connector, T: Timer, D: Decide<C::Error>> EventSource<C, T, D> {
    /// Polls until there is another chunk, which may contain an event, or an item that is not an event.
    ///
    /// It is called once for each chunk, not for each event. Not inlined, which keeps the loop over the events
    /// small.
    #[inline(never)]
    pub(super) fn poll_bytes(&mut self, context: &mut Context<'_>) -> Poll<ControlFlow<Option<Item<C::Error>>>> {
        self.guard(|source| source.poll_phases(context))
    }

    #[inline]
    fn poll_phases(&mut self, context: &mut Context<'_>) -> Poll<ControlFlow<Option<Item<C::Error>>>> {
        loop {
            let mut link = self.link.as_mut().project();
            let error = match link.phase.as_mut().project() {
                PhaseProjection::Open { .. } if self.clocks == Clocks::EventTimeoutOver => {
                    match link.eventless.poll_timeout(context, &self.timer) {
                        Poll::Ready(timeout) => ConnectionError::EventTimeout(timeout),
                        Poll::Pending => {
                            self.clocks = Clocks::Running;
                            continue;
                        }
                    }
                }
                PhaseProjection::Open { body } => match body.poll_next(context) {
                    Poll::Ready(Some(Ok(chunk))) => {
                        if self.clocks != Clocks::Stopped {
                            link.idle.stop();
                        }
                        self.chunk = chunk.into();
                        return Poll::Ready(ControlFlow::Continue(()));
                    }
                    Poll::Ready(Some(Err(error))) => {
                        let error = error.into();
                        self.judge(&error, Verdict::RetryIfAllowed);
                        ConnectionError::Transport(error)
                    }
                    Poll::Ready(None) => {
                        let error = Some(self.end_of_body());
                        self.link.as_mut().project().phase.set(Phase::Ended { error });
                        continue;
                    }
                    Poll::Pending => {
                        self.clocks = Clocks::Running;
                        ready!(self.link.as_mut().poll_silence(context, &self.timer, ConnectionError::IdleTimeout))
                    }
                },
                // The last poll is only for the body: there must be no new connection. No timer has this waker. If an
                // adapter has one of its own for each of its streams, it polls this one again only when it is woken.
                _ if is_last_poll() => {
                    context.waker().wake_by_ref();
                    return Poll::Pending;
                }
                PhaseProjection::Ended { .. } => match self.finish(context) {
                    Some(item) => return Poll::Ready(ControlFlow::Break(Some(item))),
                    None => self.take_error().unwrap_or(ConnectionError::Ended),
                },
                PhaseProjection::Connecting { response } => match response.poll(context) {
                    Poll::Ready(Ok(response)) => match self.take_in(response) {
                        Some(item) => return Poll::Ready(ControlFlow::Break(Some(item))),
                        None => continue,
                    },
                    Poll::Ready(Err(error)) => {
                        self.judge(&error, self.request.error_verdict());
                        ConnectionError::Transport(error)
                    }
                    Poll::Pending => {
                        let error = ready!(self.link.as_mut().poll_silence(
                            context,
                            &self.timer,
                            ConnectionError::ResponseTimeout
                        ));
                        if self.request.is_unsent() {
                            self.reconnect.handle_unsent(self.waited);
                        }
                        error
                    }
                },
                PhaseProjection::Refused { body, refusal } => {
                    let wants_more = body.poll_next(context).map(|chunk| {
                        link.idle.as_mut().stop();
                        match (chunk, refusal.as_mut()) {
                            (Some(Ok(chunk)), Some(refusal)) => refusal.take_in(&chunk.into()),
                            (None, Some(refusal)) => {
                                refusal.complete();
                                false
                            }
                            _ => false,
                        }
                    });
                    match wants_more {
                        Poll::Ready(true) => return Poll::Ready(ControlFlow::Continue(())),
                        Poll::Ready(false) => {}
                        Poll::Pending => {
                            ready!(self.link.as_mut().poll_refusal(context, &self.timer, self.refusal_timeout));
                            self.is_after_timeout = true;
                        }
                    }
                    self.take_error().unwrap_or(ConnectionError::Ended)
                }
                PhaseProjection::Waiting { delay } => {
                    if !self.delay.is_over(context.waker()) {
                        ready!(link.idle.as_mut().poll_sleep(context, &self.timer, *delay));
                    }
                    self.delay.end();
                    link.idle.stop();
                    // For the rules, the delay is over in both cases.
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

    /// Lets other tasks run, after many chunks in a row without an event. Polls the timeouts, because even data that
    /// keeps arriving may contain no event for too long.
    #[cold]
    pub(super) fn take_breath(&mut self, context: &mut Context<'_>) {
        match self.link.phase {
            Phase::Open { .. } => {
                self.clocks = Clocks::Running;
                if let Poll::Ready(error) =
                    self.link.as_mut().poll_silence(context, &self.timer, ConnectionError::IdleTimeout)
                {
                    self.lose(error);
                }
            }
            Phase::Refused { .. } => {
                if self.link.as_mut().poll_refusal(context, &self.timer, self.refusal_timeout).is_ready()
                    && let Some(error) = self.take_error()
                {
                    self.lose(error);
                }
            }
            _ => {}
        }
        context.waker().wake_by_ref();
    }

    /// Returns what the end of the body means. The decoder has not been finished yet.
    fn end_of_body(&self) -> ConnectionError<C::Error> {
        if self.decoder.position() == Position::WithinBlock && self.decoder.eof() != Eof::Dispatch {
            ConnectionError::EndedInEvent
        } else if self.decisions.expects_end() {
            ConnectionError::EndedEarly
        } else {
            ConnectionError::Ended
        }
    }

    /// Passes the meaning of an error of the connector to the rules.
    fn judge(&mut self, error: &C::Error, unless_decided: Verdict) {
        let verdict = self.decisions.error_verdict(error).unwrap_or(unless_decided);
        match self.unless_carried_out(verdict) {
            Verdict::Open | Verdict::RetryIfAllowed => self.reconnect.handle_disconnect(self.waited),
            Verdict::TurnedAway => self.reconnect.handle_unsent(self.waited),
            Verdict::Stop => self.reconnect.handle_end(),
            Verdict::Fail => self.reconnect.handle_permanent_error(),
        }
    }

    /// Returns the verdict, unless the connector knows better.
    fn unless_carried_out(&self, verdict: Verdict) -> Verdict {
        match verdict {
            // After a redirect, an earlier server may have carried the request out.
            Verdict::TurnedAway if self.request.was_carried_out() => Verdict::RetryIfAllowed,
            verdict => verdict,
        }
    }

    /// Passes the head of a response to the rules, and follows their verdict.
    fn take_in(&mut self, response: Response<C::Body>) -> Option<Item<C::Error>> {
        self.link.as_mut().project().idle.stop();
        let (head, body) = response.into_parts();
        let head = Response::from_parts(head, ());
        let rules = ResponseHead::from(&head);
        let verdict = self.decisions.verdict(&rules);
        let verdict = self.unless_carried_out(verdict);
        self.reconnect.handle_verdict(self.waited, verdict, rules.retry_after());
        trace::answered(&head, verdict);
        let mut link = self.link.as_mut().project();
        match verdict {
            Verdict::Open => {
                // The event timeout keeps running.
                self.clocks = Clocks::Running;
                link.phase.set(Phase::Open { body });
                Some(Item::Open(Box::new(head)))
            }
            Verdict::TurnedAway | Verdict::RetryIfAllowed | Verdict::Fail if self.max_refusal_body > 0 => {
                link.eventless.stop();
                let refusal = Some(Box::new(Refusal::new(head, self.max_refusal_body)));
                link.phase.set(Phase::Refused { body, refusal });
                None
            }
            // The body is not needed.
            _ => {
                let refusal = Box::new(Refusal::new(head, self.max_refusal_body));
                self.link.as_mut().leave(Phase::Between { error: Some(ConnectionError::Refused(refusal)) });
                None
            }
        }
    }

    /// Drops the connection.
    pub(super) fn lose(&mut self, error: ConnectionError<C::Error>) {
        self.is_after_timeout |= error.is_timeout();
        self.reconnect.handle_disconnect(self.waited);
        // The next connection does not continue an unfinished event.
        self.decoder.reset();
        self.link.as_mut().leave(Phase::Between { error: Some(error) });
    }

    /// Asks the rules what comes next and does it. Returns the item for a reconnect, with the last connection's
    /// error.
    fn go_on(&mut self, error: Option<ConnectionError<C::Error>>) -> Option<Item<C::Error>> {
        let mut link = self.link.as_mut().project();
        self.reconnect.handle_resend(self.request.resend());
        match self.reconnect.poll(self.waited, &self.decoder) {
            Action::Connect { last_event_id, .. } => {
                // The rules have checked that the ID is valid in a header.
                let last_event_id = last_event_id.and_then(|id| HeaderValue::from_bytes(id.as_bytes()).ok());
                self.request = LastRequest::default();
                let attempt = Attempt {
                    number: self.reconnect.attempts(),
                    last_event_id,
                    cursor: self.cursor.clone(),
                    is_after_timeout: mem::take(&mut self.is_after_timeout),
                    request: self.request.clone(),
                };
                trace::connecting(&attempt);
                link.phase.set(Phase::Connecting { response: self.connector.connect(attempt) });
                None
            }
            Action::Wait(delay) => {
                let attempt = self.reconnect.attempts().saturating_add(1);
                let delay = match &error {
                    Some(error) => self.decisions.delay(delay, attempt, error),
                    None => delay,
                };
                self.reconnect.set_delay(self.waited, delay);
                link.phase.set(Phase::Waiting { delay });
                self.delay.begin();
                // The delay begins now, whether the source is polled or not.
                link.idle.start(&self.timer, delay);
                trace::reconnecting(error.as_ref(), delay, attempt);
                error.map(|error| Item::Reconnecting { error, delay, attempt })
            }
            Action::Stop(reason) => {
                let is_incomplete = match reason {
                    // Before the last event, it is the answer of a server that no longer knows the stream.
                    StopReason::NoContent => self.decisions.expects_end(),
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
}

impl<C: Connector, T: Timer, D> EventSource<C, T, D> {
    pub(super) fn stop(&mut self, stopped: Stopped<C::Error>) {
        trace::stopped(&stopped);
        self.link.as_mut().leave(Phase::stopped(stopped));
        self.delay.end();
    }

    /// Returns the error of a connection that has ended, if it has not been returned yet.
    pub(super) fn take_error(&mut self) -> Option<ConnectionError<C::Error>> {
        match self.link.as_mut().project().phase.project() {
            PhaseProjection::Between { error } | PhaseProjection::Ended { error } => error.take(),
            PhaseProjection::Refused { refusal, .. } => refusal.take().map(ConnectionError::Refused),
            _ => None,
        }
    }
}
