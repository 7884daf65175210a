//! actix-web: `actix_web_lab::sse`.

use crate::{
    message::{Data, Message},
    server::{Refusal, Response, Script, Server},
};
use actix_web::{Responder, body::MessageBody, http::header::CONTENT_TYPE, test::TestRequest};
use actix_web_lab::sse::{self, Sse};
use futures_util::{StreamExt, stream};
use std::pin::Pin;

pub struct Actix;

impl Server for Actix {
    const NAME: &'static str = "actix-web-lab";
    const KEEP_ALIVE: &'static str = ": keep-alive\n\n";

    async fn respond(mut script: Script) -> Result<Response, Refusal> {
        // actix-web-lab has one reconnection time for the response, sent before all events, and none for a single
        // event.
        let retry = script.messages.first_mut().and_then(|message| message.retry.take());
        for message in &script.messages {
            sayable(message)?;
        }
        let keep_alive = script.keep_alive();
        let mut sse = Sse::from_infallible_stream(script.stream(events).map(stream::iter).flatten());
        if let Some(retry) = retry {
            sse = sse.with_retry_duration(retry);
        }
        if let Some(interval) = keep_alive {
            sse = sse.with_keep_alive(interval);
        }
        let (head, mut body) = sse.respond_to(&TestRequest::default().to_http_request()).into_parts();
        let content_type = head.headers().get(CONTENT_TYPE).map(|value| value.as_bytes());
        Response::new(content_type, stream::poll_fn(|cx| Pin::new(&mut body).poll_next(cx))).await
    }
}

fn sayable(message: &Message) -> Result<(), Refusal> {
    if message.retry.is_some() {
        return Err(Refusal::Unsayable("retry after the first event"));
    }
    if message.id.is_some() && message.data.is_none() {
        return Err(Refusal::Unsayable("id without data"));
    }
    Ok(())
}

/// A comment is a separate event in actix-web-lab.
fn events(message: Message) -> Vec<sse::Event> {
    let Message { event_type, id, retry: _, data, comment } = message;
    let mut events: Vec<sse::Event> = comment.map(|comment| sse::Event::Comment(comment.into())).into_iter().collect();
    let data = data.map(|data| match data {
        Data::Text(text) => sse::Data::new(text),
        Data::Json(value) => sse::Data::new_json(value).expect("JSON"),
        Data::RawJson(value) => sse::Data::new_json(value).expect("JSON"),
    });
    if let Some(mut data) = data {
        if let Some(event_type) = event_type {
            data = data.event(event_type);
        }
        if let Some(id) = id {
            data = data.id(id);
        }
        events.push(data.into());
    }
    events
}
