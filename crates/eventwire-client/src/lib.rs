//! Event streams over any HTTP client and any async runtime: one response that is checked and opened, or a client that
//! reconnects, like the `EventSource` of browsers.
//!
//! # The first event
//!
//! With the crate [`eventwire-reqwest`], a request becomes a stream of events:
//!
//! ```sh
//! cargo add anyhow eventwire-reqwest reqwest@0.13
//! cargo add tokio --features full
//! ```
//!
//! ```rust,no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use eventwire_reqwest::RequestBuilderExt;
//!
//! let client = eventwire_reqwest::client_builder().build()?;
//! let mut events = client
//!     .get("https://example.com/events")
//!     .with_redirects(10)
//!     .eventsource()?
//!     .events();
//! while let Some(event) = events.next().await {
//!     let event = event?;
//!     println!("{}: {}", event.event_type(), event.data());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! When the connection drops, the stream reconnects after a delay and sends the last event ID. A permanent failure
//! ends the stream with an error. In browsers, [`eventwire-web`] does the same without reqwest. For another HTTP
//! client, `cargo add eventwire-client`, and [write a connector](#other-http-clients).
//!
//! # One response
//!
//! A stream that is not continued, such as a model's answer, needs no reconnecting. [`open`] checks one response and
//! returns its events, and requests of [`eventwire-reqwest`] and [`eventwire-web`] have a method for it:
//!
//! ```rust,no_run
//! # async fn example(request: reqwest::RequestBuilder) -> Result<(), Box<dyn std::error::Error>> {
//! use eventwire_client::OpenError;
//! use eventwire_reqwest::RequestBuilderExt;
//! use std::time::Duration;
//!
//! let events = match request.open().with_timeout(Duration::from_secs(60)).await {
//!     Ok(events) => events,
//!     Err(OpenError::Refused(response)) if response.status() == 429 => {
//!         println!("try again in {:?}", response.retry_after());
//!         return Ok(());
//!     }
//!     Err(error) => return Err(error.into()), // its text says what the server answered
//! };
//! let mut events = events.with_idle_timeout(Duration::from_secs(60));
//! while let Some(event) = events.next().await {
//!     println!("{}", event?.data());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! For readers that block, such as ureq's, there is [`open_reader`]. In your tests, the server of the crate
//! [`eventwire-test`](https://docs.rs/eventwire-test) sends what your program should survive.
//!
//! # The items
//!
//! `.events()` returns the events alone. To see connections open and drop, read the [`EventSource`] itself. Its
//! items are [`Item`]s:
//!
//! ```rust,no_run
//! # async fn example(request: reqwest::RequestBuilder) -> Result<(), Box<dyn std::error::Error>> {
//! use eventwire_client::Item;
//! use eventwire_reqwest::RequestBuilderExt;
//! use std::time::Duration;
//!
//! let mut source = request
//!     .with_redirects(10)
//!     .eventsource()?
//!     .with_idle_timeout(Duration::from_secs(60))
//!     .with_last_event_id("41")?; // continues after this event
//! while let Some(item) = source.next().await {
//!     match item {
//!         Item::Open(response) => println!("open: {}", response.status()),
//!         Item::Event(event) => println!("{}", event.data()),
//!         Item::Reconnecting { error, delay, attempt, .. } => {
//!             println!("{error}; attempt {attempt} in {delay:.1?}");
//!         }
//!         Item::Undecodable(error) => println!("{error}"),
//!         _ => {}
//!     }
//! }
//! if let Some(response) = source.stopped().and_then(|stopped| stopped.response()) {
//!     println!("{}", response.text()); // the body of a 401, for example
//! }
//! source.into_result()?;
//! # Ok(())
//! # }
//! ```
//!
//! # What is retried
//!
//! | what happens | what the client does |
//! |---|---|
//! | no connection can be made, the connection is lost, or the body ends | reconnects, if the request [may be sent again](#what-is-sent-again) |
//! | status 429 | reconnects, even after a POST |
//! | status 500, 502, 503 or 504 | reconnects, if the request may be sent again |
//! | status 204 | stops without an error |
//! | any other status, another content type than `text/event-stream`, or a body that is still compressed | stops with a failure; the [`UnexpectedResponse`] contains the response |
//! | an error that is [permanent](Attempt::handle_permanent_error), such as an invalid URL | stops with a failure |
//! | a [limit on attempts](ReconnectPolicy::with_max_attempts) is reached | stops with a failure |
//! | an event is [too large] | returns [`Item::Undecodable`] and keeps the connection |
//! | the decoder [has ended], because the body is not UTF-8 | returns [`Item::Undecodable`] and stops with a failure |
//!
//! Before each retry the client waits for a [delay](#the-delays).
//!
//! [`with_response_verdict`](EventSource::with_response_verdict) changes which responses are retried, and
//! [`with_error_verdict`](EventSource::with_error_verdict) which errors of the HTTP client.
//!
//! # What is sent again
//!
//! A GET is sent again whenever the connection is lost. A POST may have an effect each time: a language model may
//! charge twice. So it is sent again only in two cases:
//!
//! * No server processed it: the connection could not be made or, over HTTP/2, the server refused the stream.
//! * The server answered 429, so it turned the request away before carrying it out. [A 503 is no
//!   exception](Verdict#why-a-post-is-not-sent-again-after-a-503), because it does not prove that.
//!
//! After anything else, the server may have carried out the POST, and a lost connection ends the stream with a failure.
//! What the connector cannot know counts as sent. Other methods follow the one that they resemble
//! ([`Resend::for_method`]). [`Resend`] lists the other choices, and [`ReconnectPolicy::with_resend`] sets one. An HTTP
//! client that follows redirects can hide that a server has received the request;
//! [`.with_redirects(10)`][with-redirects] avoids that.
//!
//! # How the stream ends
//!
//! A GET reconnects until the server answers 204, a failure is permanent, a limit on attempts is reached, or you
//! close or drop the source.
//!
//! With a POST, the stream ends when the body of its response ends or the connection breaks. If the body ends between
//! two events, the stream ends without an error. If it ends inside an event, or if the connection breaks, the stream
//! ends with a failure. After a method that is [neither idempotent nor POST](Resend::Unknown), any end of the body is a
//! failure. A body that ends too early, but between two events, looks complete. Over HTTP/2, so does one that hyper has
//! ended because the server [reset the stream][reset] without an error. To detect both, set the last event of the
//! stream with [`with_end`](EventSource::with_end). If the body ends before that event, the connection counts as lost.
//!
//! [`stopped`](EventSource::stopped) returns why the stream ended, and [`into_result`](EventSource::into_result)
//! returns a failure as an error. The stream of [`events`](EventSource::events) returns a failure as its last item.
//! If the first 5 attempts open no event stream, that is a failure, so that a mistyped host is an error.
//!
//! # The delays
//!
//! Each delay is a random time between the reconnection time and a maximum. The reconnection time is the server's last
//! `retry`, or 3 seconds. The maximum is at first twice the reconnection time. It doubles with each further attempt
//! without progress, up to 30 seconds. So the delays are 3 to 6 seconds, then 3 to 12, 3 to 24, and 3 to 30. No delay
//! is shorter than 100 ms, so `retry: 0` does not cause a busy loop.
//!
//! Only progress resets the maximum: an event, unless you [decide otherwise](Hooks::is_progress). An open connection
//! alone is not progress. So a server that answers 200 and closes at once is not asked more often than one that does
//! not answer.
//!
//! After a response with a `Retry-After`, the delay is that time, up to one hour, plus a random part of up to a quarter
//! of it, so that clients that were refused together do not reconnect together. A `Retry-After` of zero, or in the
//! past, is ignored.
//!
//! [`Handle::reconnect_now`](Handle) ends a delay early, for example when the network is back.
//!
//! # Timeouts
//!
//! A dead peer looks like an idle one. Two timeouts detect it, and both are off by default:
//! [`with_idle_timeout`](EventSource::with_idle_timeout) for any data, and
//! [`with_progress_timeout`](EventSource::with_progress_timeout) for events that are [progress](Hooks::is_progress).
//! Both also apply to the time until the response. When one ends, the connection counts as lost.
//!
//! A slow consumer does not cause a timeout. When the source returns an item, the idle timeout stops, and starts
//! again with the next poll. The progress timeout does the same, but only after an event that is progress or that could
//! not be decoded; after any other item it keeps running. While you do not poll the source, at most a quarter of a
//! running timeout passes.
//!
//! # Settings
//!
//! | setting | default | set by |
//! |---|---|---|
//! | attempts in a row without progress | no limit | [`with_max_attempts`] |
//! | attempts until a first event stream is open | 5; no limit if the one above is set | [`with_max_first_attempts`] |
//! | reconnection time, until the server sets one | 3 seconds | [`with_reconnection_time`] |
//! | delay | 100 ms to 30 seconds | [`with_min_delay`], [`with_max_delay`] |
//! | delay that a server may ask for | up to 1 hour | [`with_max_server_delay`] |
//! | what is sent again | [by method](#what-is-sent-again) | [`with_resend`] |
//! | length of the last event ID | up to 8 KiB | [`with_max_last_event_id`] |
//! | idle timeout, progress timeout | off | [`with_idle_timeout`], [`with_progress_timeout`] |
//! | body of an unexpected response | up to 16 KiB, for up to 5 seconds ([`open`](Opening::with_max_unexpected_body): more of JSON) | [`with_max_unexpected_body`], [`with_unexpected_body_timeout`] |
//! | size of an event | up to 16 MiB | [`Decoder::with_max_event_size`][too large] |
//!
//! Your own code can [decide](EventSource#hooks) what a response, an error or an event means: pass a closure, or a
//! type that implements [`Hooks`].
//!
//! [`with_max_attempts`]: ReconnectPolicy::with_max_attempts
//! [`with_max_first_attempts`]: ReconnectPolicy::with_max_first_attempts
//! [`with_reconnection_time`]: ReconnectPolicy::with_reconnection_time
//! [`with_min_delay`]: ReconnectPolicy::with_min_delay
//! [`with_max_delay`]: ReconnectPolicy::with_max_delay
//! [`with_max_server_delay`]: ReconnectPolicy::with_max_server_delay
//! [`with_resend`]: ReconnectPolicy::with_resend
//! [`with_max_last_event_id`]: ReconnectPolicy::with_max_last_event_id
//! [`with_idle_timeout`]: EventSource::with_idle_timeout
//! [`with_progress_timeout`]: EventSource::with_progress_timeout
//! [`with_max_unexpected_body`]: EventSource::with_max_unexpected_body
//! [`with_unexpected_body_timeout`]: EventSource::with_unexpected_body_timeout
//!
//! # JSON or events
//!
//! Some servers answer a POST with JSON instead of an event stream, for example if they do not know the parameter
//! `"stream": true`. [`open`] then returns [`OpenError::WrongContentType`]. Its [`UnexpectedResponse`] contains the
//! whole answer, up to 16 MiB:
//!
//! ```rust,no_run
//! # async fn example(client: reqwest::Client, question: String) -> Result<(), Box<dyn std::error::Error>> {
//! use eventwire_client::OpenError;
//! use eventwire_reqwest::{Dialect, RequestBuilderExt};
//!
//! #[derive(serde::Deserialize)]
//! struct Answer { text: String }
//!
//! match client.post("https://example.com/answers").body(question).open().await {
//!     Ok(events) => {
//!         let mut tokens = events.json_with::<Answer>(Dialect::OPENAI);
//!         while let Some(token) = tokens.next().await {
//!             println!("{}", token?.text);
//!         }
//!     }
//!     Err(OpenError::WrongContentType(answer)) if answer.is_json() => {
//!         println!("{}", answer.json::<Answer>()?.text);
//!     }
//!     Err(error) => return Err(error.into()),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! An [`EventSource`] stops after such a response, and [`stopped`](EventSource::stopped) returns it.
//!
//! If the answer has the content type of an event stream and is something else, such as JSON with an error or the HTML
//! page of a proxy, the events of [`open`] end with [`Error::NotEventStream`], which shows its beginning, and values
//! with the server's message if it can be parsed. An `EventSource` reconnects after it, as after every body that ends,
//! and [`Resend`] says for which requests; only its values show the text, if it stops there.
//!
//! # Other HTTP clients
//!
//! A [`Connector`] sends the requests. [`connector_fn`] makes one from a function that gets an [`Attempt`] and
//! returns a future of an `http::Response` whose body is a stream of chunks. A [`Timer`] makes the
//! delays.
//!
//! ```
//! # futures_util::FutureExt::now_or_never(async {
//! use eventwire_client::{EventSource, connector_fn};
//! # use std::{convert::Infallible, future, time::Duration};
//! # type Body = futures_util::stream::Iter<std::array::IntoIter<Result<String, Infallible>, 1>>;
//! # async fn send(request: http::Request<()>) -> Result<http::Response<Body>, http::Error> {
//! #     let accept = request.headers()["accept"].to_str().unwrap().to_owned();
//! #     let response = http::Response::builder().header("content-type", accept);
//! #     response.body(futures_util::stream::iter([Ok("data: hello\n\n".to_owned())]))
//! # }
//! # let sleep = |_: Duration| future::ready(());
//!
//! let connector = connector_fn(async |attempt| {
//!     let mut request = http::Request::get("https://example.com/events").body(())?;
//!     // `Accept`, `Cache-Control` and `Last-Event-ID`
//!     attempt.add_to(request.headers_mut());
//!     send(request).await // by your HTTP client
//! });
//! // `sleep` is the timer, for example `tokio::time::sleep`.
//! let mut events = EventSource::with_connector(connector, sleep).events();
//! assert_eq!(events.next().await.unwrap().unwrap().data(), "hello");
//! # }).unwrap();
//! ```
//!
//! There are recipes for [hyper], awc and others. Neither the connector nor the timer has to be `Send`. If the function
//! sends POST requests, add [`with_resend`](adapters::ConnectorFn::with_resend); otherwise they are sent again like a
//! GET. Without `async`, drive [`Reconnect`] in a loop.
//!
//! # The parts of the client
//!
//! | | | needs |
//! |---|---|---|
//! | [`Reconnect`] | decides what to do next and when, without I/O, a clock or `std`; a [`ReconnectPolicy`] contains its settings | |
//! | [`open`] | checks one response, and returns its events as an [`Opened`] | a [`Timer`] for its timeouts |
//! | [`EventSource`] | a stream of items: follows [`Reconnect`], with a [`Connector`] for the requests and a [`Timer`] for the delays | |
//! | `eventwire_reqwest` | `.open()` and `.eventsource()` on reqwest's requests: on sockets with tokio, in browsers with `fetch` | the crate [`eventwire-reqwest`] |
//! | `eventwire_web` | the same with a browser's `fetch`, without reqwest | the crate [`eventwire-web`] |
//!
//! With feature `tracing`, the client [logs](EventSource#logs) connections, unexpected responses, delays and
//! its end, but no data.
//! `eventwire-reqwest` and `eventwire-web` have features of the same names, `json`, `multipart` and `tracing`.
//!
//! [hyper]: https://docs.rs/eventwire/latest/eventwire/recipes/clients/#hyper
//! [`eventwire-reqwest`]: https://docs.rs/eventwire-reqwest
//! [`eventwire-web`]: https://docs.rs/eventwire-web
//!
//! # What to know about HTTP
//!
//! **HTTP/1.1 and HTTP/2.** Over HTTP/1.1, each event stream needs a separate connection. Browsers open at most six
//! connections to a host, for all tabs together, so a few event streams [can block a site][authoring]. Over HTTP/2,
//! the streams share one connection, on which a server should allow [at least 100 streams][streams]. reqwest and
//! hyper do not limit the number of connections. But over HTTP/2, dropping a response does not close the connection: if
//! the peer is gone, they may use the dead connection for all further requests. So let the HTTP client check its
//! connections, as reqwest does with the settings of eventwire-reqwest's [`client_builder`]. A connector can also use a
//! fresh connection [after a timeout](Attempt::is_after_timeout).
//!
//! **Proxies.** A proxy may hold back events until its buffer is full. nginx does, unless its configuration sets
//! [`proxy_buffering off`][nginx] or the response has the header `X-Accel-Buffering: no`. (`EventBody`, with feature
//! `http-body`, sets this header.) Proxies also close silent connections, often after a minute. A comment every 15
//! seconds [prevents that][authoring], and lets the client detect a dead connection.
//!
//! **Compression.** A server may compress an event stream if the client [accepts that][accept]. With one of the
//! features `gzip`, `deflate`, `brotli` or `zstd`, reqwest asks for compression and decodes the body. The events
//! then arrive when the server's compressor flushes. Many middlewares do not flush after each event: exclude
//! `text/event-stream` there, or send `Accept-Encoding: identity`. A response in a [coding] that the HTTP client has
//! not decoded is rejected.
//!
//! **Binary data.** An event stream contains only [text in UTF-8][format]. Encode binary data, for example as
//! [base64], which needs a third more bytes. For large data, send a URL in the event and let the client fetch it.
//!
//! **Redirects.** Each attempt starts again at the URL of the request. With `eventwire-reqwest` and
//! [`.with_redirects(10)`][with-redirects], the event source follows redirects as a [browser][fetch] does, but not to
//! another origin unless you allow it. Otherwise the HTTP client follows them, by its own rules, and may hide what
//! happened to a POST. A redirect that cannot be followed is retried like a lost connection. One to another origin that
//! you do not allow is a permanent failure. A redirect without a `Location`, or one that the HTTP client is told not to
//! follow, is rejected like any other response.
//!
//! [`Timer`]: https://docs.rs/eventwire/latest/eventwire/trait.Timer.html
//! [too large]: https://docs.rs/eventwire/latest/eventwire/struct.Decoder.html#method.with_max_event_size
//! [has ended]: https://docs.rs/eventwire/latest/eventwire/enum.Position.html#variant.Ended
//! [`Error::NotEventStream`]: https://docs.rs/eventwire/latest/eventwire/enum.Error.html#variant.NotEventStream
//! [reset]: https://docs.rs/eventwire-reqwest/latest/eventwire_reqwest/#http2
//! [with-redirects]: https://docs.rs/eventwire-reqwest/latest/eventwire_reqwest/#redirects
//! [`client_builder`]: https://docs.rs/eventwire-reqwest/latest/eventwire_reqwest/fn.client_builder.html
//! [authoring]: https://html.spec.whatwg.org/multipage/server-sent-events.html#authoring-notes
//! [streams]: https://www.rfc-editor.org/rfc/rfc9113#section-6.5.2
//! [nginx]: https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_buffering
//! [accept]: https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3
//! [coding]: https://www.rfc-editor.org/rfc/rfc9110#section-8.4
//! [format]: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
//! [base64]: https://www.rfc-editor.org/rfc/rfc4648#section-4
//! [fetch]: https://fetch.spec.whatwg.org/#http-redirect-fetch
//!
//! # What differs from a browser
//!
//! The tests run the same 46 scenarios through this client and through the `EventSource` of Chromium 156, over real
//! connections. The servers end connections inside events and inside characters, reset them, redirect, refuse, and
//! send wrong headers. The tests compare the requests that the server receives (their number, order, URL and
//! `Last-Event-ID`) and what the client reports (open, each event, reconnecting, closed). Both clients behave the
//! same, except in these scenarios:
//!
//! | scenario | difference |
//! |---|---|
//! | 301 | Each attempt starts at the original URL, because redirects are followed within an attempt. Chromium continues at the URL of the last redirect, even a temporary one. |
//! | 307, each time | the same as for 301 |
//! | 302 to an ftp: URL | The Fetch standard calls this a network error, after which an event source reconnects. Chromium stops. |
//! | 429 with Retry-After | The standard treats 429 and 5xx as permanent failures. But servers send them while they restart or are overloaded, and expect their clients back. To follow the standard, return `Fail` from `with_response_verdict`. |
//! | 500, 502, 503, 504 | the same as for 429 |
//! | another charset | The standard ignores the parameters of the content type and decodes every event stream as UTF-8. Chromium stops. |
//! | plain text labelled as gzip | The client stops, because a body that was not decoded would look like silence. Chromium opens it, fails to decode it, and reconnects endlessly. |
//! | an ID with U+0001 | The client stops, because HTTP allows no control characters in headers, and most clients and servers refuse them. Chromium sends the ID. |
//!
//! Chromium also waits exactly the reconnection time before each attempt, no matter how many have failed, and with
//! `retry: 0` it does not wait. This client adds [jitter and backoff](#the-delays).
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `std` (default) | [`EventSource`]; without it there are only its rules, [`Reconnect`] |
//! | `simd` (default) | vectorised UTF-8 validation of long values |
//! | `multipart` | [`Opening::parts`], with the crate `eventwire-multipart` |
//! | `json` | `.json()` and `.json_with()`, on events and on `Opened`, [`Opening::lines`] for JSON lines, and [`UnexpectedResponse::json`] |
//! | `tracing` | logs |

#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
// Items that need a feature are mentioned on pages that exist without it, and cannot be linked to there.
#![cfg_attr(not(all(feature = "std", feature = "json")), allow(rustdoc::broken_intra_doc_links))]

extern crate alloc;
#[cfg(any(feature = "std", test, doc))]
extern crate std;

#[cfg(feature = "std")]
mod event_source;
#[cfg(feature = "std")]
mod open;
mod reconnect;
#[cfg(feature = "std")]
mod unexpected_body;
#[cfg(feature = "std")]
mod unexpected_response;

pub use self::reconnect::{
    Reconnect, action::Action, ready_state::ReadyState, reconnect_policy::ReconnectPolicy, resend::Resend,
    response_head::ResponseHead, stop_reason::StopReason, verdict::Verdict,
};
#[cfg(feature = "std")]
pub use self::{
    event_source::{
        EventSource, attempt::Attempt, connection_error::ConnectionError, connector::Connector,
        connector_fn::connector_fn, handle::Handle, hooks::Hooks, item::Item, request_fn::request_fn, stopped::Stopped,
    },
    open::{open, open_chunks, open_error::OpenError, open_reader, opened::Opened, opening::Opening},
    unexpected_response::UnexpectedResponse,
};

#[cfg(feature = "json")]
#[doc(no_inline)]
pub use eventwire::{Dialect, JsonError, WithEvent};
/// What a first program needs, so that it has to name only this crate.
#[cfg(feature = "std")]
#[doc(no_inline)]
pub use eventwire::{Error, Event, Timer};

/// Types that other items of this crate return. You rarely need to name them.
#[cfg(feature = "std")]
pub mod adapters {
    #[cfg(feature = "multipart")]
    pub use crate::open::format::OpenedParts;
    #[cfg(feature = "json")]
    pub use crate::open::opened_lines::OpenedLines;
    pub use crate::{
        event_source::{
            connector_fn::ConnectorFn,
            request_fn::{Connecting, RequestFn},
            source_event_stream::SourceEventStream,
        },
        open::{ResponseOpening, until_error::UntilError},
    };
}
