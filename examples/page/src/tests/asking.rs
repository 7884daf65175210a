//! Helpers: a running server, and the parts that a client receives.

use std::future::ready;
use std::path::PathBuf;
use std::time::SystemTime;

use eventwire_multipart::{HeadersRef, PartDecoder, Parts};
use eventwire_test::{Script, TestServer};
use eventwire_test_support::PATIENCE;
use reqwest::{Client, Response};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::time::timeout;

use crate::clock::Clock;
use crate::model::Model;
use crate::server::{Settings, serve};
use crate::sound::Sound;
use crate::speaker::Speaker;

pub(super) const STREAM: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
pub(super) const DONE: &str = "data: [DONE]\n\n";

/// A part of an answer. Text of the same sentence without another part in between is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    Text(u64, String),
    /// The sentence, and its text, which [`spelling`] encoded as sound.
    Sound(u64, String),
    Calls(Value),
    Drawing(String),
}

/// Settings with the demo model and a speaker that spells.
pub(super) fn settings() -> Settings {
    let (model, site) = (Model::Demo, PathBuf::from("/nonexistent"));
    Settings { model, speaker: spelling(), clock: Clock::from_fn(SystemTime::now), site, hosts: Vec::new() }
}

/// Serves until the test's runtime ends, and returns the URL of the page.
pub(super) async fn serve_with(settings: Settings) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(serve(listener, settings));
    url
}

/// Serves the answers of the model on this server, and returns the URL of the page.
pub(super) async fn with_model(base_url: &str, speaker: Speaker) -> String {
    let model = Model::on_server(base_url, "m".into()).unwrap();
    serve_with(Settings { model, speaker, ..settings() }).await
}

/// The same for a model with one answer, which ends when it is dropped, and a speaker that spells.
pub(super) async fn with_answer(answer: Script) -> (String, TestServer) {
    let model = TestServer::new().answer(answer);
    (with_model(&model.url(), spelling()).await, model)
}

/// Returns an event with this text.
pub(super) fn event(content: &str) -> String {
    format!("data: {}\n\n", json!({ "choices": [{ "index": 0, "delta": { "content": content } }] }))
}

/// Returns a speaker whose samples are the bytes of the text.
fn spelling() -> Speaker {
    Speaker::from_fn(|text| ready(spell(&text)))
}

pub(super) fn spell(text: &str) -> Sound {
    Sound { rate: 8000, samples: text.bytes().map(i16::from).collect() }
}

pub(super) fn client() -> Client {
    Client::builder().no_proxy().build().unwrap()
}

pub(super) async fn post(url: &str, body: impl ToString) -> Response {
    timeout(PATIENCE, client().post(url).body(body.to_string()).send()).await.expect("a response").unwrap()
}

/// Sends any question.
pub(super) async fn ask(url: &str) -> Response {
    post(url, json!({ "messages": [{ "role": "user", "content": "Well?" }] })).await
}

/// Returns the parts of a response. The error is why it is incomplete.
pub(super) async fn hear(response: Response) -> (Vec<Heard>, Result<(), String>) {
    let mut all = Vec::new();
    let end = listen(response, |heard| add(&mut all, heard)).await;
    (all, end)
}

/// Calls `each` with each part of a response, and with each chunk of a text. Checks what holds for every answer.
pub(super) async fn listen(response: Response, mut each: impl FnMut(Heard)) -> Result<(), String> {
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["cache-control"], "no-cache, no-transform");
    let content_type = response.headers()["content-type"].as_bytes();
    assert!(content_type.starts_with(b"multipart/x-mixed-replace; boundary="), "{content_type:?}");
    let decoder = PartDecoder::from_content_type(content_type).unwrap();
    let mut parts = Parts::new(Box::pin(response.bytes_stream()), decoder.require_close());
    let listening = async {
        let mut text_before = None;
        while let Some(part) = parts.next().await {
            let mut part = part.map_err(|error| error.to_string())?;
            let content_type = part.headers().get("Content-Type").unwrap().to_vec();
            let sentence = sentence(part.headers());
            if content_type == b"text/plain; charset=utf-8" {
                assert_ne!(text_before.replace(sentence), Some(sentence), "words that follow each other are one part");
                while let Some(chunk) = part.chunk().await {
                    let chunk = chunk.map_err(|error| error.to_string())?;
                    each(Heard::Text(sentence, String::from_utf8(chunk.to_vec()).unwrap()));
                }
                continue;
            }
            text_before = None;
            let length = part.headers().get("Content-Length").map(<[u8]>::to_vec);
            let body = part.bytes().await.map_err(|error| error.to_string())?;
            assert_eq!(length, Some(body.len().to_string().into()));
            each(match &content_type[..] {
                b"audio/wav" => {
                    let sound = Sound::from_wav(&body).unwrap();
                    // The sizes in the header must be right, too.
                    assert_eq!(sound.to_wav(), body);
                    let bytes: Vec<u8> = sound.samples.iter().map(|sample| sample.to_le_bytes()[0]).collect();
                    Heard::Sound(sentence, String::from_utf8_lossy(&bytes).into())
                }
                b"application/json" => Heard::Calls(serde_json::from_slice(&body).unwrap()),
                b"image/svg+xml" => Heard::Drawing(String::from_utf8(body.to_vec()).unwrap()),
                other => panic!("{}", String::from_utf8_lossy(other)),
            });
        }
        Ok(())
    };
    timeout(PATIENCE, listening).await.expect("the end of the answer")
}

/// Returns the number of the sentence; 0 if there is none.
fn sentence(headers: HeadersRef<'_>) -> u64 {
    headers.get("Sentence").map_or(0, |value| str::from_utf8(value).unwrap().parse().unwrap())
}

pub(super) fn add(all: &mut Vec<Heard>, heard: Heard) {
    match (all.last_mut(), heard) {
        (Some(Heard::Text(last, text)), Heard::Text(sentence, more)) if *last == sentence => *text += &more,
        (_, heard) => all.push(heard),
    }
}
