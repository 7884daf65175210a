//! The differences between sockets and browsers.

#[cfg(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none")))]
mod browser;
#[cfg(not(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none"))))]
mod sockets;

#[cfg(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none")))]
pub use self::browser::{Chunks, PlatformTimer, Sending};
#[cfg(not(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none"))))]
pub use self::sockets::{Chunks, PlatformTimer, Sending};

#[cfg(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none")))]
pub(crate) use self::browser::{Redirects, is_unsent, response, seeded, send, uncached};
#[cfg(not(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none"))))]
pub(crate) use self::sockets::{Redirects, is_unsent, response, seeded, send, uncached};
