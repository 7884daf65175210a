//! axum, salvo and warp, whose events have a method for each field.

use crate::{
    message::{Data, Message},
    server::{Refusal, Response, Script, Server},
};
use ::axum::response::{IntoResponse, sse as axum_sse};
use ::salvo::sse as salvo_sse;
use ::warp::{Reply, http::header::CONTENT_TYPE, sse as warp_sse};
use http_body_util::BodyExt;
use std::convert::Infallible;

pub struct Axum;
pub struct Salvo;
pub struct Warp;

/// A function from a message to an event of a server: its type, and the names of its methods that differ. axum writes
/// the fields in the order in which the methods are called.
macro_rules! event {
    ($event:ty, $event_type:ident, $text:ident, $json:ident) => {
        |message: Message| {
            let mut event = <$event>::default();
            if let Some(comment) = message.comment {
                event = event.comment(comment);
            }
            if let Some(event_type) = message.event_type {
                event = event.$event_type(event_type);
            }
            if let Some(id) = message.id {
                event = event.id(id);
            }
            if let Some(retry) = message.retry {
                event = event.retry(retry);
            }
            Ok::<_, Infallible>(match message.data {
                None => event,
                Some(Data::Text(text)) => event.$text(text),
                Some(Data::Json(value)) => event.$json(value).expect("JSON"),
                Some(Data::RawJson(value)) => event.$json(value).expect("JSON"),
            })
        }
    };
}

impl Server for Axum {
    const NAME: &'static str = "axum";
    const KEEP_ALIVE: &'static str = ":\n\n";

    async fn respond(script: Script) -> Result<Response, Refusal> {
        let keep_alive = script.keep_alive();
        let sse = axum_sse::Sse::new(script.stream(event!(axum_sse::Event, event, data, json_data)));
        let response = match keep_alive {
            None => sse.into_response(),
            Some(interval) => sse.keep_alive(axum_sse::KeepAlive::new().interval(interval)).into_response(),
        };
        let (head, body) = response.into_parts();
        let content_type = head.headers.get(CONTENT_TYPE).map(|value| value.as_bytes());
        Response::new(content_type, body.into_data_stream()).await
    }
}

impl Server for Salvo {
    const NAME: &'static str = "salvo";
    const KEEP_ALIVE: &'static str = ":\n\n";

    async fn respond(script: Script) -> Result<Response, Refusal> {
        let keep_alive = script.keep_alive();
        let events = script.stream(event!(salvo_sse::SseEvent, name, text, json));
        let mut response = ::salvo::http::Response::new();
        match keep_alive {
            None => salvo_sse::stream(&mut response, events),
            Some(interval) => salvo_sse::SseKeepAlive::new(events).max_interval(interval).stream(&mut response),
        }
        let body = response.take_body();
        let content_type = response.headers().get(CONTENT_TYPE).map(|value| value.as_bytes());
        Response::new(content_type, body.into_data_stream()).await
    }
}

impl Server for Warp {
    const NAME: &'static str = "warp";
    const KEEP_ALIVE: &'static str = ":\n\n";

    async fn respond(script: Script) -> Result<Response, Refusal> {
        let keep_alive = script.keep_alive();
        let events = script.stream(event!(warp_sse::Event, event, data, json_data));
        let response = match keep_alive {
            None => warp_sse::reply(events).into_response(),
            Some(interval) => warp_sse::reply(warp_sse::keep_alive().interval(interval).stream(events)).into_response(),
        };
        let (head, body) = response.into_parts();
        let content_type = head.headers.get(CONTENT_TYPE).map(|value| value.as_bytes());
        Response::new(content_type, body.into_data_stream()).await
    }
}
