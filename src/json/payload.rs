//! The types that the data of an event can be read into.

use super::WithEvent;
use serde_core::de::DeserializeOwned;

/// A type that a [`JsonStream`](crate::JsonStream) reads events into: any `T` that is [`DeserializeOwned`], or
/// [`WithEvent<T>`](WithEvent).
///
/// You rarely need to name it. Generic code can require `T: DeserializeOwned`, or `T: Payload` to allow both.
///
/// A value outlives the text that it was read from, so it must own its text: use `String`, not `&str`. For a type
/// that borrows, the compiler reports that the "implementation of `Deserialize` is not general enough". For a type
/// that does not implement `Deserialize`, it reports this error:
///
/// ```compile_fail,E0277
/// # use eventwire::Events;
/// # use std::convert::Infallible;
/// struct Token { text: String } // without `#[derive(serde::Deserialize)]`
///
/// # let chunks = [Ok::<_, Infallible>("data: {\"text\":\"Hi\"}\n\n")];
/// // error: the data of an event cannot be read as JSON into `Token`
/// let tokens = Events::new(chunks.into_iter()).json::<Token>();
/// ```
///
/// This trait is sealed: it cannot be implemented for other types.
#[diagnostic::on_unimplemented(
    message = "the data of an event cannot be read as JSON into `{Self}`",
    label = "not `DeserializeOwned`, and not `WithEvent` of such a type",
    note = "if this is your own type, add `#[derive(serde::Deserialize)]`",
    note = "to get the event together with each value, use `WithEvent<T>`"
)]
pub trait Payload: sealed::FromEvent {}

// Without this attribute, the compiler would report serde's trait and not mention events.
#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned> Payload for T {}

// This does not overlap: `WithEvent` belongs to this crate, so the compiler knows that it has no `Deserialize`.
#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned> Payload for WithEvent<T> {}

pub(super) mod sealed {
    use super::{super::json_error::JsonError, DeserializeOwned, WithEvent};
    use crate::event::Event;
    use core::{convert::Infallible, mem};

    pub trait FromEvent: Sized {
        /// Reads the event's data. The event may be taken.
        fn from_event(event: &mut Event) -> Result<Self, JsonError<Infallible>>;
    }

    impl<T: DeserializeOwned> FromEvent for T {
        #[inline]
        fn from_event(event: &mut Event) -> Result<T, JsonError<Infallible>> {
            match serde_json::from_str(event.data()) {
                Ok(value) => Ok(value),
                Err(error) => Err(JsonError::payload::<T>(error, mem::take(event))),
            }
        }
    }

    impl<T: DeserializeOwned> FromEvent for WithEvent<T> {
        #[inline]
        fn from_event(event: &mut Event) -> Result<WithEvent<T>, JsonError<Infallible>> {
            match serde_json::from_str(event.data()) {
                Ok(value) => Ok(WithEvent { value, event: mem::take(event) }),
                Err(error) => Err(JsonError::payload::<T>(error, mem::take(event))),
            }
        }
    }
}
