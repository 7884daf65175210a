//! The differences between sockets and browsers.

#[cfg(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none")))]
mod browser;
#[cfg(not(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none"))))]
mod sockets;

#[cfg(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none")))]
pub use self::browser::{Chunks, PlatformTimer};
#[cfg(not(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none"))))]
pub use self::sockets::{Chunks, PlatformTimer};

#[cfg(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none")))]
pub(crate) use self::browser::{Redirects, Sending, is_unsent, response, seeded, send, uncached};
#[cfg(not(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none"))))]
pub(crate) use self::sockets::{Redirects, Sending, is_unsent, response, seeded, send, uncached};
