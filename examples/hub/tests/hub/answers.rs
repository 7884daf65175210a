//! Answers of one process.

use eventwire::Event;
use reqwest::Response;
use serde_json::json;

use crate::app::{App, id};
use crate::reader::Reader;

/// The next word comes after the test has timed out.
pub(crate) const SLOW: [&str; 2] = ["--delay", "3600000"];

/// Asks, and returns the path of the answer.
pub(crate) async fn ask(app: &App, question: &str) -> String {
    let response = app.post("/answers", &json!({ "question": question })).await;
    let location = location(&response);
    assert_eq!(location, format!("/answers/{}", id(response).await));
    location
}

fn location(response: &Response) -> String {
    response.headers()["location"].to_str().unwrap().to_owned()
}

/// The types of events, those of words without a name.
pub(crate) fn types(events: &[Event]) -> Vec<&str> {
    events.iter().map(Event::event_type).filter(|event_type| *event_type != "message").collect()
}

fn words(events: &[Event]) -> String {
    let words = events.iter().filter(|event| event.event_type() == "message");
    words.map(|event| serde_json::from_str::<String>(event.data()).unwrap()).collect()
}

#[tokio::test]
async fn an_answer_can_be_read_again() {
    let app = App::start(&["--delay", "5"]);
    let path = ask(&app, "Why two\nlines?").await;
    let url = format!("{}{path}", app.url);
    // The first reader leaves in the middle.
    let mut reader = Reader::open(url.clone()).await;
    let events = [reader.event().await, reader.event().await, reader.event().await];
    assert_eq!((events[0].event_type(), events[0].data()), ("question", r#""Why two\nlines?""#));
    drop(reader);

    let all = Reader::open(url.clone()).await.rest().await;
    assert_eq!(types(&all), ["question", "done"]);
    assert_eq!(all.last().unwrap().event_type(), "done");
    assert!(words(&all).starts_with("You asked: Why two\nlines?\nThis answer is"), "{}", words(&all));
    assert!(words(&all).ends_with("delete the answer."));
    assert_eq!(Reader::open(url.clone()).await.rest().await, all);
    assert_eq!(Reader::after(url, events[2].last_event_id()).await.rest().await, all[3..]);
    // A reader that has everything is told not to return.
    let last = all.last().unwrap().last_event_id();
    assert_eq!(app.get(&format!("{path}?last_event_id={last}")).await.status(), 204);
}

#[tokio::test]
async fn an_answer_is_stopped() {
    let mut app = App::start(&SLOW);
    let path = ask(&app, "Why?").await;
    let mut reader = Reader::open(format!("{}{path}", app.url)).await;
    assert_eq!(reader.event().await.event_type(), "question");
    assert_eq!(app.delete(&path).await, 204);
    assert_eq!(types(&reader.rest().await), ["stopped"]);
    // The model was waiting for its next word.
    let id = path.rsplit('/').next().unwrap();
    assert_eq!(app.process.error_line(), format!("hub: answer {id}: stopped\n"));
    assert_eq!(app.delete(&path).await, 204);
    assert_eq!(types(&Reader::open(format!("{}{path}", app.url)).await.rest().await), ["question", "stopped"]);
}

#[tokio::test]
async fn a_reader_that_leaves_stops_nothing() {
    let app = App::start(&["--delay", "20"]);
    let path = ask(&app, "Why?").await;
    drop(Reader::open(format!("{}{path}", app.url)).await);
    assert_eq!(types(&Reader::open(format!("{}{path}", app.url)).await.rest().await), ["question", "done"]);
}

#[tokio::test]
async fn an_answer_that_is_complete_cannot_be_stopped() {
    let app = App::start(&["--delay", "0"]);
    let path = ask(&app, "Why?").await;
    let all = Reader::open(format!("{}{path}", app.url)).await.rest().await;
    assert_eq!(app.delete(&path).await, 204);
    assert_eq!(Reader::open(format!("{}{path}", app.url)).await.rest().await, all);
}

#[tokio::test]
async fn an_unknown_answer() {
    let app = App::start(&[]);
    assert_eq!(app.get("/answers/0123").await.status(), 404);
    assert_eq!(app.delete("/answers/0123").await, 404);
    // Topics are no answers.
    app.store("/topics/0123", &json!(1)).await;
    assert_eq!(app.get("/answers/0123").await.status(), 404);
}
