//! warp: `warp::sse`.

use crate::{
    message::{Data, Message},
    server::{Refusal, Response, Script, Server},
};
use ::warp::{
    Reply,
    http::header::CONTENT_TYPE,
    sse::{self, Event},
};
use futures_util::StreamExt;
use http_body_util::BodyExt;
use std::convert::Infallible;

pub struct Warp;

impl Server for Warp {
    const NAME: &'static str = "warp";
    const KEEP_ALIVE: &'static str = ":\n\n";

    async fn respond(script: Script) -> Result<Response, Refusal> {
        let keep_alive = script.keep_alive();
        let events = script.stream(event).map(Ok::<_, Infallible>);
        let response = match keep_alive {
            None => sse::reply(events).into_response(),
            Some(interval) => sse::reply(sse::keep_alive().interval(interval).stream(events)).into_response(),
        };
        let (head, body) = response.into_parts();
        let content_type = head.headers.get(CONTENT_TYPE).map(|value| value.as_bytes());
        Response::new(content_type, body.into_data_stream()).await
    }
}

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
