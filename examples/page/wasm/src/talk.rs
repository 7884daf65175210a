//! The talk: the answer consists of parts with text, sound, tool calls and drawings.

use eventwire_multipart::{Error, HeadersRef, Part, PartDecoder, Parts};
use eventwire_web::{AbortSignal, Body, FetchError, Request};
use js_sys::JsString;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::JsFuture;

use crate::begin;
use crate::failure::Failure;
use crate::views::TalkView;

/// The limit on the body of an error response, in bytes.
const LONGEST_ERROR: usize = 16 * 1024;

/// Sends a question and shows the answer. `body` is JSON with the conversation and the tools.
#[wasm_bindgen]
pub fn talk(body: JsString, view: TalkView, signal: AbortSignal) {
    begin(Box::pin(async move {
        match read(body, &view, &signal).await {
            _ if signal.aborted() => {}
            Ok(()) => view.end("complete", ""),
            Err(failure) => view.end(failure.outcome, &failure.words),
        }
    }));
}

async fn read(body: JsString, view: &TalkView, signal: &AbortSignal) -> Result<(), Failure> {
    let request = Request::post("/talk")
        .with_header("Content-Type", "application/json")
        .with_body(body)
        .with_signal(signal.clone());
    let (head, body) = request.send().await.map_err(|_| Failure::unreachable())?.into_parts();
    if !head.status.is_success() {
        let body = body.bytes(LONGEST_ERROR).await.unwrap_or_default();
        return Err(Failure::response(head.status, &body));
    }
    let content_type = head.headers.get("content-type").map_or(&b""[..], |value| value.as_bytes());
    let decoder = PartDecoder::from_content_type(content_type).map_err(|_| Failure::unreadable())?;
    // A stream of this type may end without a close delimiter. This server always writes one, so the answer is
    // truncated without it.
    let mut parts = Parts::new(body, decoder.require_close());
    while let Some(part) = parts.next().await {
        // While a sound waits to be played, the next parts may already have arrived. They are not shown after the
        // user has stopped the answer.
        if signal.aborted() {
            break;
        }
        let part = part.map_err(|error| Failure::parts(&error))?;
        show(part, view).await.map_err(|error| Failure::parts(&error))?;
    }
    Ok(())
}

/// Shows text as it arrives, and other parts when they are complete. Parts of unknown types are skipped.
async fn show(mut part: Part<'_, Body>, view: &TalkView) -> Result<(), Error<FetchError>> {
    let sentence = sentence(part.headers());
    let media_type = part.media_type().map(|media_type| media_type.essence().to_vec()).unwrap_or_default();
    match &media_type[..] {
        b"text/plain" => {
            while let Some(chunk) = part.chunk().await {
                view.text(sentence, &chunk?);
            }
            view.text(sentence, &[]);
        }
        b"audio/wav" => {
            let has_room = view.sound(sentence, &part.bytes().await?);
            // A sound that cannot be played does not end the answer.
            let _ = JsFuture::from(has_room).await;
        }
        b"application/json" => view.calls(&part.bytes().await?),
        image if image.starts_with(b"image/") => {
            view.drawing(str::from_utf8(image).unwrap_or_default(), &part.bytes().await?);
        }
        _ => {}
    }
    Ok(())
}

/// Returns the number of the sentence to which a part belongs; 0 if the part does not name one.
fn sentence(headers: HeadersRef<'_>) -> u32 {
    headers.get("Sentence").and_then(|value| str::from_utf8(value).ok()?.parse().ok()).unwrap_or_default()
}
