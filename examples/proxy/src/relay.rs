//! An event stream on its way to the client.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

use axum::body::Body;
use eventwire::{BlockRef, Decoder, Edit, Eof, Error, Rewrite, Tap};
use futures_util::{StreamExt, stream};
use reqwest::Response;
use serde::de::IgnoredAny;

use crate::model;
use crate::report::End;
use crate::root_cause::root_cause;
use crate::watch::Watch;

/// Returns the body of the response, measured, without its comments, and with this model name.
///
/// If the stream ends within an event, the event is completed and passed on, unless its payload is incomplete. If
/// the connection breaks within an event, that is an error, and no part of the event is passed on.
///
/// A chunk is read only after the client has received the one before it, so a slow client slows the server down. If
/// the server's connection breaks, the client's is broken as well. If the client leaves, the body is dropped, which
/// closes the connection to the server.
pub(crate) fn body(response: Response, mut watch: Watch, model: Option<Arc<str>>) -> Body {
    let has_ended = Arc::new(AtomicBool::new(false));
    let end = Arc::clone(&has_ended);
    let source = response.bytes_stream().chain(stream::poll_fn(move |_| {
        end.store(true, Ordering::Relaxed);
        Poll::Ready(None)
    }));
    // The tap comes first: it measures what the server sent, before anything is changed.
    let measured = Tap::with_decoder(source, watch.observer(), decoder());
    let change = move |block: BlockRef<'_>, edit: &mut Edit<'_>| match block {
        BlockRef::Event(event) if has_ended.load(Ordering::Relaxed) && is_half_object(event.data()) => edit.remove(),
        block => change(block, edit, model.as_deref()),
    };
    let rewritten = Rewrite::with_decoder(measured, change, decoder());
    let mut chunks = Box::pin(rewritten);
    Body::from_stream(stream::poll_fn(move |context| {
        let item = chunks.poll_next_unpin(context);
        match &item {
            Poll::Ready(Some(Err(Error::Transport(error)))) => watch.end(End::CutOff(root_cause(error).to_string())),
            Poll::Ready(Some(Err(error))) => watch.end(End::Unreadable(root_cause(error).to_string())),
            Poll::Ready(None) => watch.end(End::Unmarked),
            _ => {}
        }
        item
    }))
}

/// Some servers leave out the last blank line.
fn decoder() -> Decoder {
    Decoder::new().with_eof(Eof::Dispatch)
}

/// Returns whether this is incomplete JSON. Its model cannot be renamed, and clients would have dropped the event
/// without its blank line.
fn is_half_object(data: &str) -> bool {
    data.trim_ascii_start().starts_with('{')
        && serde_json::from_str::<IgnoredAny>(data).is_err_and(|error| error.is_eof())
}

fn change(block: BlockRef<'_>, edit: &mut Edit<'_>, model: Option<&str>) {
    match block {
        BlockRef::Comment(_) => edit.remove(),
        BlockRef::Event(event) => {
            if let Some(data) = model.and_then(|name| model::rename(event.data(), name)) {
                edit.replace(&event.without_inherited_id().with_data(&data));
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http;
    use std::convert::Infallible;
    use std::sync::atomic::AtomicUsize;
    use std::time::Instant;

    #[tokio::test]
    async fn nothing_is_read_before_it_is_asked_for() {
        let given = Arc::new(AtomicUsize::new(0));
        let source = stream::iter((0..1000).map({
            let given = Arc::clone(&given);
            move |n| {
                given.fetch_add(1, Ordering::Relaxed);
                Ok::<_, Infallible>(format!("data: {{\"model\":\"small-2\",\"n\":{n}}}\n\n"))
            }
        }));
        let response = Response::from(http::Response::new(reqwest::Body::wrap_stream(source)));
        let watch = Watch::new(http::Method::GET, "/".into(), http::StatusCode::OK, Instant::now(), Arc::new(|_| {}));
        let mut body = body(response, watch, Some("ours".into())).into_data_stream();
        for n in 0..1000 {
            assert_eq!(given.load(Ordering::Relaxed), n);
            let event = body.next().await.unwrap().unwrap();
            assert_eq!(event, format!("data: {{\"model\":\"ours\",\"n\":{n}}}\n\n"));
        }
        assert!(body.next().await.is_none());
    }
}
