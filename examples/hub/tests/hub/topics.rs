//! Topics of one process.

use reqwest::Method;
use serde_json::{Value, json};

use crate::app::{App, id, send};
use crate::reader::Reader;

#[tokio::test]
async fn what_is_sent_is_read() {
    let app = App::start(&[]);
    let mut reader = Reader::open(format!("{}/topics/a%20room", app.url)).await;
    let value = json!({ "text": "<b>\u{1F980}\n" });
    let id = app.store("/topics/a%20room", &value).await;
    let event = reader.event().await;
    assert_eq!((event.event_type(), event.last_event_id()), ("message", id.as_str()));
    let data: Value = serde_json::from_str(event.data()).unwrap();
    assert_eq!(data, json!({ "topic": "a room", "data": value }));
    // Bytes that another serializer would change.
    let odd = "{ \"b\" : 1e999,\r\n\t\"a\": 0.10 }";
    let request = app.request(Method::POST, "/topics/a%20room").header("content-type", "application/json");
    assert_eq!(send(request.body(odd)).await.status(), 201);
    let event = reader.event().await;
    assert!(event.data().contains("1e999,\n\t\"a\": 0.10 }"), "{event:?}");
}

#[tokio::test]
async fn a_stream_is_one() {
    let app = App::start(&[]);
    let response = app.get("/topics/room").await;
    let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
    assert_eq!((response.status().as_u16(), header("content-type").as_str()), (200, "text/event-stream"));
    assert!(header("cache-control").contains("no-cache"));
}

#[tokio::test]
async fn a_reader_continues_after_its_last_id() {
    let app = App::start(&[]);
    let first = app.store("/topics/room", &json!(1)).await;
    app.store("/topics/room", &json!(2)).await;
    let url = format!("{}/topics/room", app.url);
    let by_header = Reader::after(url.clone(), &first).await;
    let by_query = Reader::open(format!("{url}?last_event_id={first}")).await;
    for mut reader in [by_header, by_query] {
        app.store("/topics/room", &json!(3)).await;
        assert_eq!((reader.data().await, reader.data().await), (json!(2), json!(3)));
    }
    // One that has no ID gets what is new.
    let mut reader = Reader::open(url).await;
    app.store("/topics/room", &json!("new")).await;
    assert_eq!(reader.data().await, json!("new"));
}

#[tokio::test]
async fn topics_in_one_stream() {
    let app = App::start(&[]);
    let url = format!("{}/topics?names=a,b", app.url);
    let mut reader = Reader::open(url.clone()).await;
    for topic in ["a", "b", "c"] {
        app.store(&format!("/topics/{topic}"), &json!(1)).await;
    }
    let events = [reader.event().await, reader.event().await];
    let mut data = events.each_ref().map(|event| event.data().to_owned());
    data.sort();
    assert_eq!(data, ["a", "b"].map(|topic| format!(r#"{{"topic":"{topic}","data":1}}"#)));
    let ids = events[1].last_event_id();
    assert!(ids.starts_with("a=") && ids.contains(",b="), "{ids}");
    drop(reader);
    app.store("/topics/b", &json!("while away")).await;
    assert_eq!(Reader::after(url, ids).await.data().await, json!("while away"));
}

#[tokio::test]
async fn what_is_no_longer_kept_is_a_gap() {
    let app = App::start(&["--keep", "3"]);
    let first = app.store("/topics/room", &json!(1)).await;
    for number in 2..=10 {
        app.store("/topics/room", &json!(number)).await;
    }
    let mut reader = Reader::after(format!("{}/topics/room", app.url), &first).await;
    assert_eq!(reader.gap().await, r#"{"missed":6}"#);
    for number in 8..=10 {
        assert_eq!(reader.data().await, json!(number));
    }
}

#[tokio::test]
async fn a_key_stores_an_event_once() {
    let app = App::start(&[]);
    let mut reader = Reader::open(format!("{}/topics/room", app.url)).await;
    let mut ids = Vec::new();
    for (key, value) in [("k", 1), ("k", 2), ("another", 3)] {
        let request = app.request(Method::POST, "/topics/room").header("idempotency-key", key);
        ids.push(id(send(request.json(&value)).await).await);
    }
    assert!(ids[0] == ids[1] && ids[1] != ids[2], "{ids:?}");
    assert_eq!((reader.data().await, reader.data().await), (json!(1), json!(3)));
}

#[tokio::test]
async fn a_page_starts_at_a_position() {
    let app = App::start(&[]);
    let page = app.get("/").await;
    assert!(page.headers()["content-type"].to_str().unwrap().starts_with("text/html"));
    assert!(page.headers().contains_key("content-security-policy"));
    let position = async || -> Value { app.get("/topics/room/position").await.json().await.unwrap() };
    // A browser shows a response with another status than 200 as an error.
    assert_eq!(app.get("/topics/room/position").await.status(), 200);
    assert_eq!(position().await, json!({ "id": null }));
    let id = app.store("/topics/room", &json!("before")).await;
    assert_eq!(position().await, json!({ "id": id }));
    app.store("/topics/room", &json!("meanwhile")).await;
    assert_eq!(Reader::after(format!("{}/topics/room", app.url), &id).await.data().await, json!("meanwhile"));
}

#[tokio::test]
async fn too_many_readers_are_told_when_to_return() {
    let app = App::start(&["--readers", "1"]);
    let mut reader = Reader::open(format!("{}/topics/room", app.url)).await;
    for path in ["/topics/room", "/topics/other", "/topics?names=a,b"] {
        let response = app.get(path).await;
        assert_eq!(response.status(), 503, "{path}");
        let time: u64 = response.headers()["retry-after"].to_str().unwrap().parse().unwrap();
        assert!((5..=15).contains(&time), "{time}");
    }
    // The one that was there has stayed.
    app.store("/topics/room", &json!(1)).await;
    assert_eq!((reader.data().await, reader.opened), (json!(1), 1));
}
