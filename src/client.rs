//! docs
mod action;
#[cfg(feature = "client")]
mod attempt;
mod backoff;
#[cfg(feature = "client")]
mod clock;
#[cfg(feature = "client")]
mod connection_error;
#[cfg(feature = "client")]
mod connector;
#[cfg(feature = "client")]
mod event_source;
#[cfg(feature = "client")]
mod events;
#[cfg(feature = "client")]
mod head;
mod http_date;
#[cfg(feature = "client")]
mod item;
#[cfg(feature = "client")]
mod link;
mod media_type;
mod ready_state;
mod reconnect;
#[cfg(feature = "client")]
mod refusal;
#[cfg(feature = "reqwest")]
mod reqwest;
mod resend;
mod response_head;
#[cfg(feature = "client")]
mod seed;
mod stop_reason;
mod verdict;

#[cfg(feature = "reqwest")]
pub use self::reqwest::{
    RequestBuilderExt, RequestError, ReqwestChunks, ReqwestConnect, ReqwestConnector, ReqwestEventSource, ReqwestFn,
    ReqwestTimer,
};
pub use self::{
    action::Action, ready_state::ReadyState, reconnect::Reconnect, resend::Resend, response_head::ResponseHead,
    stop_reason::StopReason, verdict::Verdict,
};
#[cfg(feature = "client")]
pub use self::{
    attempt::Attempt,
    connection_error::{ConnectionError, Stopped},
    connector::Connector,
    event_source::EventSource,
    events::SourceEvents,
    head::Head,
    item::Item,
    refusal::Refusal,
};
