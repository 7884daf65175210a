//! For servers: keep-alives, an end on a signal, and the body of a response.

#[cfg(feature = "http-body")]
mod event_body;
mod keep_alive;
#[cfg(feature = "http-body")]
mod rest;
mod until;

#[cfg(feature = "http-body")]
pub use self::event_body::EventBody;
pub use self::{keep_alive::KeepAlive, until::Until};
