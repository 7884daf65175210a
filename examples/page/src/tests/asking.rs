//! Helpers: a running server, and the pieces that a client receives.

use std::future::ready;
use std::io::Write;
use std::net::TcpStream;

use eventwire_test_support::{PATIENCE, serve};
use gateway::{Reply, Script, ToolCall};
use reqwest::{Client, Response};
use serde_json::{Value, json};
use talk::{Heard, ListenError, Model, Settings, Sound, Speaker};
use tokio::net::TcpListener;
use tokio::time::timeout;

pub(crate) const STREAM: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
pub(crate) const DONE: &str = "data: [DONE]\n\n";

/// A received piece, owned. Adjacent texts of the same sentence are joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Owned {
    Text(u64, String),
    /// The sentence, and its text, which [`spelling`] encoded as sound.
    Sound(u64, String),
    ToolCalls(Value),
    Drawing(String),
}

/// Serves answers of this model until the test's runtime ends, and returns the URL.
pub(crate) async fn talk(base_url: &str, speaker: Speaker) -> String {
    let model = Model::new(base_url, "echo", None).unwrap();
    serve_with(Settings::new(model, speaker)).await + "talk"
}

/// Serves with these settings until the test's runtime ends, and returns the URL of the page.
pub(crate) async fn serve_with(settings: Settings) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(talk::serve(listener, settings));
    url
}

/// Settings with a model that cannot be reached.
pub(crate) fn without_model() -> Settings {
    Settings::new(Model::new("http://talk.invalid/v1", "none", None).unwrap(), Speaker::tones())
}

pub(crate) async fn get(url: &str) -> Response {
    let request = Client::builder().no_proxy().build().unwrap().get(url);
    timeout(PATIENCE, request.send()).await.expect("a response").unwrap()
}

/// Returns the base URL of a model with this answer.
pub(crate) async fn model(content: &str, calls: &[(&str, &str)]) -> String {
    let calls = calls.iter().map(|&(name, arguments)| ToolCall { name: name.into(), arguments: arguments.into() });
    let script = Script::fixed(Reply { content: content.into(), tool_calls: calls.collect() });
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    tokio::spawn(gateway::serve(listener, gateway::Settings { script: Some(script), ..gateway::Settings::default() }));
    base_url
}

/// Returns the base URL of a model whose only answer the test writes.
pub(crate) fn written(answer: impl FnOnce(TcpStream) + Send + 'static) -> String {
    serve(move |_, client| answer(client))
}

/// Returns the base URL of a model that sends these bytes and closes the connection.
pub(crate) fn sends(bytes: String) -> String {
    written(move |mut client| client.write_all(bytes.as_bytes()).unwrap())
}

/// Returns an event with this piece of the answer.
pub(crate) fn event(content: &str) -> String {
    format!("data: {}\n\n", json!({ "choices": [{ "index": 0, "delta": { "content": content } }] }))
}

/// Returns a speaker whose samples are the bytes of the text.
pub(crate) fn spelling() -> Speaker {
    Speaker::from_fn(|text| ready(spell(&text)))
}

pub(crate) fn spell(text: &str) -> Sound {
    Sound { rate: 8000, samples: text.bytes().map(i16::from).collect() }
}

pub(crate) async fn post(url: &str, body: impl ToString) -> Response {
    let request = Client::builder().no_proxy().build().unwrap().post(url).body(body.to_string());
    timeout(PATIENCE, request.send()).await.expect("a response").unwrap()
}

/// Sends any question.
pub(crate) async fn ask(url: &str) -> Response {
    post(url, json!({ "messages": [{ "role": "user", "content": "Well?" }] })).await
}

/// Returns the pieces of a response.
pub(crate) async fn hear(response: Response) -> (Vec<Owned>, Result<(), ListenError>) {
    let mut all = Vec::new();
    let end = listen(response, |heard| add(&mut all, heard)).await;
    (all, end)
}

/// Calls `each` with each piece of a response.
pub(crate) async fn listen(response: Response, mut each: impl FnMut(Owned)) -> Result<(), ListenError> {
    let listening = talk::listen(response, |heard| {
        each(owned(heard));
        Ok(())
    });
    timeout(PATIENCE, listening).await.expect("the end of the answer")
}

pub(crate) fn add(all: &mut Vec<Owned>, heard: Owned) {
    match (all.last_mut(), heard) {
        (Some(Owned::Text(last, text)), Owned::Text(sentence, more)) if *last == sentence => *text += &more,
        (_, heard) => all.push(heard),
    }
}

fn owned(heard: Heard<'_>) -> Owned {
    match heard {
        Heard::Text { sentence, text } => Owned::Text(sentence, text.into()),
        Heard::Sound { sentence, wav } => {
            let sound = Sound::from_wav(&wav).unwrap();
            // The header must have the right sizes, which `from_wav` does not require.
            assert_eq!(sound.to_wav(), wav);
            Owned::Sound(sentence, sound.samples.iter().map(|&sample| char::from(sample.to_le_bytes()[0])).collect())
        }
        Heard::ToolCalls(json) => Owned::ToolCalls(serde_json::from_slice(&json).unwrap()),
        Heard::Drawing(svg) => Owned::Drawing(String::from_utf8(svg.to_vec()).unwrap()),
        other => panic!("{other:?}"),
    }
}
