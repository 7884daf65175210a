//! The example `driver` over `fetch`, with a model that counts the requests that it would bill.

use driver::{Answer, Driver, DriverError};
use reqwest::Client;

/// The URL of the server that `run` has started.
const SERVER: &str = env!("EVENTWIRE_SERVER");

struct Outcome {
    pieces: Vec<String>,
    result: Result<Answer, DriverError>,
    billed: String,
}

async fn ask(way: &str) -> Outcome {
    let (client, base_url) = (Client::new(), format!("{SERVER}/model/{way}"));
    let mut pieces = Vec::new();
    let driver = Driver { client: client.clone(), base_url: base_url.clone(), model: "any".to_owned() };
    let result = driver.answer("prompt", |piece| pieces.push(piece.to_owned()), |_| {}).await;
    let billed = client.get(format!("{base_url}/billed")).send().await.unwrap().text().await.unwrap();
    Outcome { pieces, result, billed }
}

#[test]
async fn an_answer_that_is_cut_off_is_continued_and_billed_once() {
    let outcome = ask("cut").await;
    assert_eq!(outcome.pieces, ["One, ", "two, ", "d\u{E9}j\u{E0} ", "vu."]);
    let usage = outcome.result.unwrap().usage.unwrap();
    assert_eq!((usage.input_tokens, usage.output_tokens, outcome.billed.as_str()), (3, 9, "1"));
}

#[test]
async fn an_answer_that_cannot_be_continued_is_not_asked_for_again() {
    let outcome = ask("begun").await;
    let error = outcome.result.unwrap_err().to_string();
    assert!(error.contains("not retried: "), "{error}");
    assert_eq!((outcome.pieces.len(), outcome.billed.as_str()), (0, "1"));
}

#[test]
async fn an_answer_that_is_not_a_stream() {
    let outcome = ask("json").await;
    assert_eq!(outcome.pieces, ["One, two, d\u{E9}j\u{E0} vu."]);
    assert_eq!((outcome.result.unwrap().usage.unwrap().output_tokens, outcome.billed.as_str()), (9, "1"));
}
