//! The README, and the examples in the documentation that need an HTTP client or server, as doctests.
//!
//! The crate `eventwire` shows the files of `docs/` in its documentation but does not run them, so that its own tests
//! need neither reqwest nor axum.

#![allow(missing_docs, reason = "each item is a file of examples")]

#[cfg(doctest)]
mod files {
    #[doc = include_str!("../../../README.md")]
    struct Readme;

    #[doc = include_str!("../../../crates/eventwire-hub/README.md")]
    struct HubReadme;

    #[doc = include_str!("../../../crates/eventwire-lint/README.md")]
    struct LintReadme;

    #[doc = include_str!("../../../crates/eventwire-postgres/README.md")]
    struct PostgresReadme;

    #[doc = include_str!("../../../crates/eventwire-redis/README.md")]
    struct RedisReadme;

    #[doc = include_str!("../../../crates/eventwire-reqwest/README.md")]
    struct ReqwestReadme;

    #[doc = include_str!("../../../crates/eventwire-sqlite/README.md")]
    struct SqliteReadme;

    #[doc = include_str!("../../../crates/eventwire-test/README.md")]
    struct TestReadme;

    #[doc = include_str!("../../../crates/eventwire-web/README.md")]
    struct WebReadme;

    #[doc = include_str!("../../../docs/browser-client.md")]
    struct BrowserClient;

    #[doc = include_str!("../../../docs/browser-end.md")]
    struct BrowserEnd;

    #[doc = include_str!("../../../docs/browser-spawn.md")]
    struct BrowserSpawn;

    #[doc = include_str!("../../../docs/event-body-axum.md")]
    struct EventBodyAxum;

    #[doc = include_str!("../../../docs/event-body-shutdown.md")]
    struct EventBodyShutdown;

    #[doc = include_str!("../../../docs/before-axum-sse.md")]
    struct BeforeAxumSse;

    #[doc = include_str!("../../../docs/from-axum-sse.md")]
    struct FromAxumSse;

    #[doc = include_str!("../../../docs/from-eventsource-client.md")]
    struct FromEventsourceClient;

    #[doc = include_str!("../../../docs/from-eventsource-stream.md")]
    struct FromEventsourceStream;

    #[doc = include_str!("../../../docs/from-reqwest-eventsource.md")]
    struct FromReqwestEventsource;

    #[doc = include_str!("../../../docs/from-sse-stream.md")]
    struct FromSseStream;

    #[doc = include_str!("../../../docs/json-frames-axum.md")]
    struct JsonFramesAxum;
}
