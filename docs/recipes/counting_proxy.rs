//! A proxy that counts the tokens of a language model's answers: a handler for axum.

use axum::http::{StatusCode, header};
use axum::{body::Body, extract::Request, extract::State, response::IntoResponse};
use eventwire::{BlockRef, DecodeError, Tap};

#[derive(Clone)]
pub struct Proxy {
    pub client: reqwest::Client,
    pub upstream: String,
    pub counts: tokio::sync::mpsc::UnboundedSender<(u64, bool)>, // for each answer: tokens, and whether it is complete
}

/// Counts events with text, most often one token each, and notes `[DONE]`. It reports when it is dropped.
struct Count(u64, bool, Proxy);

impl Count {
    fn add(&mut self, block: Result<BlockRef<'_>, DecodeError>) {
        let Ok(BlockRef::Event(event)) = block else { return };
        self.1 |= event.data() == "[DONE]";
        let chunk: serde_json::Value = serde_json::from_str(event.data()).unwrap_or_default();
        self.0 += u64::from(chunk["choices"][0]["delta"]["content"].as_str().is_some_and(|text| !text.is_empty()));
    }
}

impl Drop for Count {
    fn drop(&mut self) {
        let _ = self.2.counts.send((self.0, self.1));
    }
}

pub async fn relay(State(proxy): State<Proxy>, request: Request) -> Result<impl IntoResponse, StatusCode> {
    let (head, body) = request.into_parts();
    let mut request = proxy.client.post(&proxy.upstream).body(reqwest::Body::wrap_stream(body.into_data_stream()));
    for name in [header::AUTHORIZATION, header::CONTENT_TYPE] {
        request = head.headers.get(&name).into_iter().fold(request, |request, value| request.header(&name, value));
    }
    let answer = request.send().await.map_err(|error| {
        eprintln!("no answer from {}: {error:?}", proxy.upstream);
        StatusCode::BAD_GATEWAY
    })?;
    let content_type = answer.headers().get(header::CONTENT_TYPE).map(|value| [(header::CONTENT_TYPE, value.clone())]);
    let (status, mut count) = (answer.status(), Count(0, false, proxy));
    let chunks = Tap::new(answer.bytes_stream(), move |block| count.add(block));
    Ok((status, content_type, Body::from_stream(chunks)))
}
