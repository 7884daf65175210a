//! axum: `axum::response::sse`.

use crate::{
    message::{Data, Message},
    server::{Refusal, Response, Script, Server},
};
use ::axum::{
    http::header::CONTENT_TYPE,
    response::{
        IntoResponse,
        sse::{Event, KeepAlive, Sse},
    },
};
use futures_util::StreamExt;
use std::convert::Infallible;

pub struct Axum;

impl Server for Axum {
    const NAME: &'static str = "axum";
    const KEEP_ALIVE: &'static str = ":\n\n";

    async fn respond(script: Script) -> Result<Response, Refusal> {
        let keep_alive = script.keep_alive();
        let sse = Sse::new(script.stream(event).map(Ok::<_, Infallible>));
        let response = match keep_alive {
            None => sse.into_response(),
            Some(interval) => sse.keep_alive(KeepAlive::new().interval(interval)).into_response(),
        };
        let (head, body) = response.into_parts();
        let content_type = head.headers.get(CONTENT_TYPE).map(|value| value.as_bytes());
        Response::new(content_type, body.into_data_stream()).await
    }
}

/// axum writes the fields in the order in which the methods are called.
fn event(message: Message) -> Event {
    let mut event = Event::default();
    if let Some(comment) = message.comment {
        event = event.comment(comment);
    }
    if let Some(event_type) = message.event_type {
        event = event.event(event_type);
    }
    if let Some(id) = message.id {
        event = event.id(id);
    }
    if let Some(retry) = message.retry {
        event = event.retry(retry);
    }
    match message.data {
        None => event,
        Some(Data::Text(text)) => event.data(text),
        Some(Data::Json(value)) => event.json_data(value).expect("JSON"),
        Some(Data::RawJson(value)) => event.json_data(value).expect("JSON"),
    }
}
