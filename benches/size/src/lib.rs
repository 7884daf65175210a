//! Small programs for browsers. The feature selects the program. All but the smallest pass the data that they read to a
//! JavaScript function.

#[cfg(feature = "alone")]
mod alone;

#[cfg(feature = "page")]
use wasm_bindgen::prelude::wasm_bindgen;

#[cfg(feature = "page")]
#[wasm_bindgen]
extern "C" {
    /// Stands for the page, which shows the text.
    fn show(text: &str);
}

/// The code that every program needs: the allocator, panics and wasm-bindgen.
#[cfg(feature = "nothing")]
#[wasm_bindgen]
pub async fn run(text: String) {
    show(&text);
}

/// A decoder for chunks that JavaScript passes in.
#[cfg(feature = "decoder")]
#[wasm_bindgen]
pub struct Events(eventwire::Decoder);

#[cfg(feature = "decoder")]
#[wasm_bindgen]
impl Events {
    #[wasm_bindgen(constructor)]
    pub fn new() -> Events {
        Events(eventwire::Decoder::new())
    }

    /// Calls `show` with the data of each event in a chunk.
    pub fn push(&mut self, mut chunk: &[u8]) {
        while let Ok(Some(event)) = self.0.decode(&mut chunk) {
            show(event.data());
        }
    }
}

/// A client that reconnects.
#[cfg(all(feature = "web", not(feature = "web-json")))]
#[wasm_bindgen]
pub async fn run(url: String) {
    let mut events = eventwire_web::Request::get(url).eventsource().events();
    while let Some(Ok(event)) = events.next().await {
        show(event.data());
    }
}

#[cfg(feature = "web-json")]
#[derive(serde::Deserialize)]
struct Token {
    text: String,
}

/// A POST with a typed stream as its response.
#[cfg(feature = "web-json")]
#[wasm_bindgen]
pub async fn run(url: String, body: String) {
    use eventwire_web::Dialect;

    let source = eventwire_web::Request::post(url).with_body(body).eventsource();
    let mut tokens = source.events().json_with::<Token>(Dialect::OPENAI);
    while let Some(Ok(token)) = tokens.next().await {
        show(&token.text);
    }
}

/// A response of parts, in addition to the typed stream.
#[cfg(feature = "web-json-multipart")]
#[wasm_bindgen]
pub async fn read_parts(url: String) {
    use eventwire_multipart::{PartDecoder, Parts};

    let Ok(response) = eventwire_web::Request::get(url).send().await else { return };
    let content_type = response.headers().get("content-type").map_or(&b""[..], |value| value.as_bytes());
    let Ok(decoder) = PartDecoder::from_content_type(content_type) else { return };
    let mut parts = Parts::new(response.into_body(), decoder);
    while let Some(Ok(part)) = parts.next().await {
        if let Ok(bytes) = part.bytes().await {
            show(&String::from_utf8_lossy(&bytes));
        }
    }
}

/// reqwest without eventwire.
#[cfg(all(feature = "reqwest-alone", not(feature = "reqwest")))]
#[wasm_bindgen]
pub async fn run(url: String) {
    use futures_util::StreamExt;

    let Ok(response) = reqwest::get(url).await else { return };
    let mut body = response.bytes_stream();
    while let Some(Ok(chunk)) = body.next().await {
        show(&String::from_utf8_lossy(&chunk));
    }
}

/// A client that reconnects, over reqwest.
#[cfg(feature = "reqwest")]
#[wasm_bindgen]
pub async fn run(url: String) {
    use eventwire_reqwest::RequestBuilderExt;

    let Ok(source) = reqwest::Client::new().get(url).eventsource() else { return };
    let mut events = source.events();
    while let Some(Ok(event)) = events.next().await {
        show(event.data());
    }
}
