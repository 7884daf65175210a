//! Hooks: what the user's code decides.

use crate::{
    event_source::connection_error::ConnectionError,
    reconnect::{response_head::ResponseHead, verdict::Verdict},
    unexpected_response::UnexpectedResponse,
};
use alloc::string::String;
use core::time::Duration;
use eventwire::Event;

/// What an [`EventSource`](crate::EventSource) lets your code decide; `E` is the connector's error.
///
/// Each method has a default, and `()` uses all of them. Implement this trait, and pass your type to
/// [`with_hooks`](crate::EventSource::with_hooks). The type can have state, because nearly all methods get
/// `&mut self`. For a single one, a closure may be enough:
/// [`with_response_verdict`](crate::EventSource::with_response_verdict),
/// [`with_error_verdict`](crate::EventSource::with_error_verdict) and [`with_end`](crate::EventSource::with_end).
/// Nothing is boxed, and nothing has to be `Send`: the source is `Send` if your type and closures are.
///
/// ```
/// use eventwire::Event;
/// use eventwire_client::Hooks;
///
/// /// An answer of OpenAI's Responses API. If the connection drops, a GET continues it:
/// /// see `Resend::WithCursor`.
/// #[derive(Default)]
/// struct Answer { id: Option<String> }
///
/// impl<E> Hooks<E> for Answer {
///     fn cursor(&mut self, event: &Event) -> Option<String> {
///         let data: serde_json::Value = serde_json::from_str(event.data()).ok()?;
///         if let Some(id) = data["response"]["id"].as_str() {
///             self.id = Some(id.to_owned());
///         }
///         let (id, number) = (self.id.as_ref()?, data["sequence_number"].as_u64()?);
///         Some(format!("{id}?stream=true&starting_after={number}"))
///     }
///
///     fn is_progress(&mut self, event: &Event) -> bool {
///         event.event_type().ends_with(".delta")
///     }
///
///     fn is_end(&mut self, event: &Event) -> bool {
///         matches!(
///             event.event_type(),
///             "response.completed" | "response.incomplete" | "response.failed"
///         )
///     }
///
///     fn expects_end(&self) -> bool {
///         true
///     }
/// }
/// # let mut answer = Answer::default();
/// # let mut cursor = |data| Hooks::<std::io::Error>::cursor(&mut answer, &Event::new(data));
/// # assert_eq!(cursor("{}"), None);
/// # let created = "{\"sequence_number\":0,\"response\":{\"id\":\"resp_1\"}}";
/// # assert_eq!(cursor(created).unwrap(), "resp_1?stream=true&starting_after=0");
/// # assert_eq!(cursor("{\"sequence_number\":7}").unwrap(), "resp_1?stream=true&starting_after=7");
/// ```
///
/// Each event passes through three methods, once each, in this order: [`cursor`](Hooks::cursor),
/// [`is_progress`](Hooks::is_progress), [`is_end`](Hooks::is_end).
// One type for all hooks: a parameter for each would be six in each signature, and boxed closures would have to be
// `Send` or not.
pub trait Hooks<E> {
    /// Returns whether the response is an event stream, whose body is to be read. Defaults to whether
    /// [`Verdict::default_for`] is [`Open`](Verdict::Open): a 200 of type `text/event-stream` that is not compressed.
    ///
    /// Any other response is unexpected.
    fn opens(&mut self, head: &ResponseHead<'_>) -> bool {
        Verdict::default_for(head) == Verdict::Open
    }

    /// Returns what an unexpected response means: try again, or stop. Defaults to [`Verdict::default_for`] its
    /// [head](UnexpectedResponse::head).
    ///
    /// It is called when the body has been read, up to [the limit](crate::EventSource::with_max_unexpected_body) and
    /// [the time](crate::EventSource::with_unexpected_body_timeout). [`Verdict::Open`] is the same as
    /// [`Verdict::Fail`], because the body is gone.
    fn response_verdict(&mut self, response: &UnexpectedResponse) -> Verdict {
        Verdict::default_for(&response.head())
    }

    /// Returns what an error of the connector means, or `None` for the default meaning. Defaults to `None`.
    ///
    /// | result | meaning |
    /// |---|---|
    /// | `None` | the connector decides: it [reports][reports] a permanent error, or that the request was not sent; otherwise, a lost connection |
    /// | [`Verdict::NotProcessed`] | the request was not carried out: it is sent again, even if it is a POST, unless a [redirect][carried] shows that it was |
    /// | [`Verdict::RetryIfAllowed`], [`Verdict::Open`] | a lost connection |
    /// | [`Verdict::Stop`] | the stream is complete |
    /// | [`Verdict::Fail`] | the error is permanent |
    ///
    /// It is called if there is no response, and if the body fails. If the body fails, the request may have been
    /// carried out, so [`Verdict::NotProcessed`] then means a lost connection.
    ///
    /// [reports]: crate::Attempt#reports
    /// [carried]: crate::Attempt::handle_carried_out
    fn error_verdict(&mut self, error: &E) -> Option<Verdict> {
        let _ = error;
        None
    }

    /// Returns the delay before the next attempt. Defaults to `delay`, which is the [policy's][policy].
    ///
    /// The result is not checked against the policy's limits. `attempt` is the number of the next attempt since the
    /// last progress, from 1. `error` is why the last connection could not be made or ended.
    ///
    /// [policy]: crate#the-delays
    fn delay(&mut self, delay: Duration, attempt: u32, error: &ConnectionError<E>) -> Duration {
        let _ = (attempt, error);
        delay
    }

    /// Returns whether this event is progress: a sign that the connection works as it should. Defaults to `true`.
    ///
    /// Pings, usage reports and empty deltas are events, but do not show that the answer continues. An event that is
    /// not progress does not reset the [progress timeout](crate::EventSource::with_progress_timeout), the number of
    /// attempts or the delay, and does not count for
    /// [`Resend::UntilProgress`](crate::Resend::UntilProgress).
    fn is_progress(&mut self, event: &Event) -> bool {
        let _ = event;
        true
    }

    /// Returns the cursor of this event: where the next request continues, for APIs that do not resume by event ID.
    /// Defaults to `None`, which keeps the last cursor.
    ///
    /// The connector gets the last cursor [with each attempt](crate::Attempt::cursor). Examples are OpenAI's
    /// `sequence_number`, which becomes `starting_after` in the query, and Gemini's `last_event_id`.
    ///
    /// If the first request is a POST, also set [`Resend::WithCursor`](crate::Resend::WithCursor): by
    /// default, the source does not reconnect after a POST that may have been carried out. To start from a saved
    /// cursor, use [`with_cursor`](crate::EventSource::with_cursor).
    fn cursor(&mut self, event: &Event) -> Option<String> {
        let _ = event;
        None
    }

    /// Returns whether this is the last event of the stream. Defaults to `false`.
    ///
    /// The source returns the last event like any other. Then it drops the connection and stops without an error,
    /// with [`StopReason::Finished`](crate::StopReason::Finished).
    ///
    /// Also implement [`expects_end`](Hooks::expects_end), unless the stream may end without this event.
    fn is_end(&mut self, event: &Event) -> bool {
        let _ = event;
        false
    }

    /// Returns whether a stream is incomplete without [its last event](Hooks::is_end). Defaults to `false`.
    ///
    /// If it is `true` and a body ends before that event, the connection counts as lost, with
    /// [`ConnectionError::Truncated`]. A response with the verdict [`Verdict::Stop`], such as a 204, is then a failure
    /// as well: the server no longer knows the stream.
    fn expects_end(&self) -> bool {
        false
    }
}

/// All defaults.
impl<E> Hooks<E> for () {}
