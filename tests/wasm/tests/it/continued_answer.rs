//! The recipe for an answer that is continued, over `fetch`, with a model that counts the requests that it would bill.

#[rustfmt::skip] // `.ci/run` formats it with the settings in `docs`
#[path = "../../../../docs/recipes/continued_answer.rs"]
mod recipe;

use crate::watch::SERVER;
use reqwest::Client;
use serde_json::json;

/// Returns the text, the result, and how many answers are billed.
async fn ask(way: &str) -> (String, Result<(), String>, String) {
    let (client, url) = (Client::new(), format!("{SERVER}/model/{way}"));
    let mut out = Vec::new();
    let result = recipe::ask(&client, &format!("{url}/responses"), json!({ "model": "any" }), &mut out).await;
    let billed = client.get(format!("{url}/billed")).send().await.unwrap().text().await.unwrap();
    (String::from_utf8(out).unwrap(), result.map_err(|error| format!("{error:#}")), billed)
}

#[test]
async fn an_answer_that_is_cut_off_is_continued_and_billed_once() {
    assert_eq!(ask("cut").await, ("One, two, d\u{E9}j\u{E0} vu.".to_owned(), Ok(()), "1".to_owned()));
}

#[test]
async fn an_answer_that_cannot_be_continued_is_not_asked_for_again() {
    let (text, result, billed) = ask("begun").await;
    let error = result.unwrap_err();
    assert!(error.contains("not retried: "), "{error}");
    assert_eq!((text.as_str(), billed.as_str()), ("", "1"));
}
