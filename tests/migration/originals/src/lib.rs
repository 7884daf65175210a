//! The examples of the documentation for other crates, as doctests.

#[cfg(doctest)]
mod files {
    #[doc = include_str!("../../../../docs/before-eventsource-client.md")]
    struct EventsourceClient;

    #[doc = include_str!("../../../../docs/before-eventsource-stream.md")]
    struct EventsourceStream;

    #[doc = include_str!("../../../../docs/before-reqwest-eventsource.md")]
    struct ReqwestEventsource;

    #[doc = include_str!("../../../../docs/before-sse-stream.md")]
    struct SseStream;
}
