//! For servers: keep-alives, and the body of a response.

#[cfg(feature = "http-body")]
mod event_body;
#[cfg(feature = "http-body")]
mod final_retry;
mod keep_alive;
#[cfg(feature = "std")]
mod random;
#[cfg(feature = "http-body")]
mod rest;

#[cfg(feature = "http-body")]
pub use self::event_body::EventBody;
pub use self::keep_alive::KeepAlive;
#[cfg(feature = "std")]
pub use self::random::random_seed;
