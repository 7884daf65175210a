//! An HTTP client for event streams.

use super::reqwest::{Client, ClientBuilder, redirect::Policy, retry};
#[cfg(feature = "http2")]
use std::time::Duration;

/// Returns reqwest's `ClientBuilder` with the settings that event streams need. All of them can be changed.
///
/// * It follows no redirects, because reqwest does not show which ones it has followed. Let the event source follow
///   them, by [`.with_redirects(10)`](super::RequestBuilderExt::with_redirects).
/// * It sends no `Referer`.
/// * It sends no request again itself, because the event source does it, after a delay. By default, reqwest sends a
///   request up to twice more [over HTTP/2](crate#http2).
/// * With feature `http2`, it checks each HTTP/2 connection every 20 seconds, and closes one that does not answer
///   within 10 seconds; see [HTTP/2](crate#http2).
///
/// ```no_run
#[doc = import!("{RequestBuilderExt, client_builder}")]
/// use std::time::Duration;
///
/// # fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let client = client_builder()
///     .connect_timeout(Duration::from_secs(10))
///     .build()?;
/// let source =
///     client.get("https://example.com/events").with_redirects(10).eventsource()?;
/// # let _ = source;
/// # Ok(())
/// # }
/// ```
///
/// In browsers there is no such function, because reqwest has no such settings there.
pub fn client_builder() -> ClientBuilder {
    let builder = Client::builder().redirect(Policy::none()).referer(false).retry(retry::never());
    #[cfg(feature = "http2")]
    let builder = builder
        .http2_keep_alive_interval(Duration::from_secs(20))
        .http2_keep_alive_timeout(Duration::from_secs(10))
        .http2_keep_alive_while_idle(true);
    builder
}
