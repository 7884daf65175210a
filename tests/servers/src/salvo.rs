//! salvo: `salvo::sse`.

use crate::{
    message::{Data, Message},
    server::{Refusal, Response, Script, Server},
};
use ::salvo::{
    http::header::CONTENT_TYPE,
    sse::{self, SseEvent, SseKeepAlive},
};
use futures_util::StreamExt;
use http_body_util::BodyExt;
use std::convert::Infallible;

pub struct Salvo;

impl Server for Salvo {
    const NAME: &'static str = "salvo";
    const KEEP_ALIVE: &'static str = ":\n\n";

    async fn respond(script: Script) -> Result<Response, Refusal> {
        let keep_alive = script.keep_alive();
        let events = script.stream(event).map(Ok::<_, Infallible>);
        let mut response = ::salvo::http::Response::new();
        match keep_alive {
            None => sse::stream(&mut response, events),
            Some(interval) => SseKeepAlive::new(events).max_interval(interval).stream(&mut response),
        }
        let body = response.take_body();
        let content_type = response.headers().get(CONTENT_TYPE).map(|value| value.as_bytes());
        Response::new(content_type, body.into_data_stream()).await
    }
}

fn event(message: Message) -> SseEvent {
    let mut event = SseEvent::default();
    if let Some(comment) = message.comment {
        event = event.comment(comment);
    }
    if let Some(event_type) = message.event_type {
        event = event.name(event_type);
    }
    if let Some(id) = message.id {
        event = event.id(id);
    }
    if let Some(retry) = message.retry {
        event = event.retry(retry);
    }
    match message.data {
        None => event,
        Some(Data::Text(text)) => event.text(text),
        Some(Data::Json(value)) => event.json(value).expect("JSON"),
        Some(Data::RawJson(value)) => event.json(value).expect("JSON"),
    }
}
