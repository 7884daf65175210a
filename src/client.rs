//! A client that reconnects: what the `EventSource` of a browser does, over any HTTP client, on any runtime.
//!
//! # The first event
//!
//! With the crate [`eventwire-reqwest`] it is one method away:
//!
#![cfg_attr(not(doctest), doc = include_str!("../docs/reconnect.md"))]
//!
//! It runs for as long as the server wants. When the connection drops, it reconnects after a delay and sends the last event ID. A
//! permanent failure ends the stream with an error. To see each connection come and go, read the [`EventSource`] itself, whose items
//! are [`Item`]s:
//!
#![cfg_attr(not(doctest), doc = include_str!("../docs/client-items.md"))]
//!
//! # JSON or events
//!
//! Some servers answer a POST with JSON instead of an event stream, for example one that does not know
//! `"stream": true`. Such a response stops the source, and its [`Refusal`] has the body: all of it, if the limits on
//! size and time allow. An event stream ends with the event that `with_end` names; if it is cut off before that, it is an error:
//!
#![cfg_attr(not(doctest), doc = include_str!("../docs/json-or-events.md"))]
//!
//! With feature `tracing`, connections, refusals, delays and the end are [logged](EventSource#logs). The feature is one of the
//! crate `eventwire`, also for those who use `eventwire-reqwest`: `cargo add eventwire --features tracing`.
//!
//! # Its parts
//!
//! | | | needs |
//! |---|---|---|
//! | [`Reconnect`] | decides what to do next, and when, without I/O, a clock or `std`; its settings are a [`ReconnectPolicy`] | |
//! | [`EventSource`] | a stream that does it, over a [`Connector`] and a [`Timer`](crate::Timer) | feature `client` |
//! | `eventwire_reqwest` | `.eventsource()` on reqwest's requests: on sockets with tokio, in browsers with their `fetch` | the crate [`eventwire-reqwest`] |
//! | `eventwire_web` | the same over a browser's `fetch`, without reqwest | the crate [`eventwire-web`] |
//!
//! For another HTTP client, write a function from an [`Attempt`] to a future of a response: see [`connector_fn`], and
//! the example `hyper-client` in the repository. In a browser nothing has to be `Send`.
//!
//! [`eventwire-reqwest`]: https://docs.rs/eventwire-reqwest
//! [`eventwire-web`]: https://docs.rs/eventwire-web
//!
//! # What to know about HTTP
//!
//! **HTTP/1.1 and HTTP/2.** Over HTTP/1.1 each event stream needs a connection of its own. Browsers open at most six to a host, for all
//! tabs together, so a few event streams [can block a site][authoring]. Over HTTP/2 they share one connection, on which the server allows
//! [at least 100 streams][streams] if it does as the RFC recommends. reqwest and hyper do not limit the number of connections. But over HTTP/2
//! they go on using a connection whose peer is gone, unless they [check it](EventSource::with_idle_timeout).
//!
//! **Proxies.** A proxy may hold events back until its buffer is full. nginx does so unless its configuration says [`proxy_buffering
//! off`][nginx] or the response has the header `X-Accel-Buffering: no`. (`EventBody`, behind the feature `http-body`, has the headers for a
//! response.) Proxies also close connections that are silent, often after a minute. A comment every 15 seconds [prevents that][authoring], and
//! lets the client detect a dead connection.
//!
//! **Compression.** A server may compress an event stream if the client [accepts that][accept]. reqwest does with one of its features `gzip`,
//! `deflate`, `brotli` or `zstd`: it asks for compression, and decodes the body. The events then arrive when the server's compressor
//! flushes. Many middlewares do not flush after each event, and hold events back: exclude `text/event-stream` there, or send
//! `Accept-Encoding: identity`. A response in a [coding] that the HTTP client has not decoded is refused.
//!
//! **Binary data.** An event stream is [text in UTF-8][format], and carries nothing else. Encode binary data, for example as
//! [base64]: it takes 4 bytes for 3, a third more. For large data, send a URL in the event, and let the client fetch it.
//!
//! **Redirects.** The HTTP client follows them, and each attempt starts again at the URL of the request. reqwest
//! follows ten. All headers go along, also `Last-Event-ID` and those such as `X-Api-Key`; but if the host, the port or
//! the scheme changes, reqwest drops `Authorization`, `Cookie` and `Proxy-Authorization`. After a 301, a 302 or a 303,
//! a POST becomes a GET without a body, as in browsers (and as [RFC 9110][redirects] allows); 307 and 308 keep it. A
//! redirect that cannot be followed [is a network error][fetch], which is retried like a lost connection. A redirect
//! without a `Location`, or one that the HTTP client is told not to follow, is a response like any other, and refused.
//!
//! [authoring]: https://html.spec.whatwg.org/multipage/server-sent-events.html#authoring-notes
//! [streams]: https://www.rfc-editor.org/rfc/rfc9113#section-6.5.2
//! [nginx]: https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_buffering
//! [accept]: https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3
//! [coding]: https://www.rfc-editor.org/rfc/rfc9110#section-8.4
//! [format]: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
//! [base64]: https://www.rfc-editor.org/rfc/rfc4648#section-4
//! [redirects]: https://www.rfc-editor.org/rfc/rfc9110#section-15.4
//! [fetch]: https://fetch.spec.whatwg.org/#http-redirect-fetch
//!
//! # What Chromium does otherwise
//!
//! The tests run the same 46 scenarios through this client and through the `EventSource` of Chromium 156, over real connections that are
//! cut in events and characters, reset, redirected, refused, mislabelled. What the server sees (how many requests, in which order, where to,
//! with which `Last-Event-ID`) and what the client sees (open, each event, reconnecting, closed) is the same, but for these:
//!
//! | scenario | why it is not the same here |
//! |---|---|
//! | 301 | The HTTP client follows redirects, and each attempt begins anew at the URL that it was given. Chromium goes on from where the last redirect led, the temporary ones included. |
//! | 307, each time | the same |
//! | 302 to an ftp: URL | To Fetch, a redirect to a scheme other than HTTP's is a network error, after which an event source reconnects. Chromium stops. |
//! | 429 with Retry-After | The standard has these fail. But servers answer so when they restart or have too much to do, and want their clients to come back. To follow the standard, return `Fail` from `with_verdict`. |
//! | 500, 502, 503, 504 | the same |
//! | another charset | The standard has parameters of the content type ignored, and every event stream be UTF-8. |
//! | plain text that says it is gzip | A body that the HTTP client has not decoded is no event stream, and would look like silence. Chromium opens, fails to decode it, and reconnects forever. |
//! | an ID with U+0001 | A header's value has no control characters in HTTP, and most clients and servers refuse one. Chromium sends it. |
//!
//! And Chromium waits for just the reconnection time before each attempt, however many have failed; `retry: 0` has it ask without a
//! pause. Here there is [jitter, and backoff](ReconnectPolicy#the-delays).

#[cfg(feature = "client")]
mod event_source;
mod reconnect;

#[cfg(feature = "client")]
pub use self::event_source::{
    Attempt, ConnectionError, Connector, Decide, EventSource, Item, Refusal, Stopped, connector_fn,
};
pub use self::reconnect::{
    Action, Headers, ReadyState, Reconnect, ReconnectPolicy, Resend, ResponseHead, StopReason, Verdict,
};

/// Types that other items of this module return. You rarely need to name them.
#[cfg(feature = "client")]
pub mod adapters {
    pub use super::event_source::{
        ConnectorFn, SourceEventStream, WithCursor, WithDelay, WithEnd, WithErrorVerdict, WithProgress, WithVerdict,
    };
}
