//! Two processes on one Redis.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use eventwire_log_tests::RedisServer;
use eventwire_test_support::PATIENCE;
use reqwest::Method;
use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::answers::{SLOW, ask, types};
use crate::app::{App, id, send};
use crate::reader::Reader;

/// Starts two processes. `None` if there is no Redis.
fn start(args: &[&str]) -> Option<(RedisServer, App, App)> {
    let redis = RedisServer::start(&[])?;
    let url = redis.url();
    let args = [&["--redis", &url], args].concat();
    let (one, two) = (App::start(&args), App::start(&args));
    Some((redis, one, two))
}

#[tokio::test]
async fn a_reader_whose_process_is_killed_goes_on_at_the_other() {
    const COUNT: u64 = 300;
    let Some((_redis, one, two)) = start(&[]) else { return };
    let urls = [&one, &two].map(|app| format!("{}/topics/room", app.url));
    let is_killed = Arc::new(AtomicBool::new(false));
    let moved = Arc::clone(&is_killed);
    let mut reader = Reader::moving(move || urls[usize::from(moved.load(Relaxed))].clone(), "").await;
    let sending = tokio::spawn(async move {
        for number in 1..=COUNT {
            two.store("/topics/room", &json!(number)).await;
        }
        two
    });
    let mut one = Some(one);
    for number in 1..=COUNT {
        assert_eq!(reader.data().await, json!(number));
        if number == COUNT / 3 {
            is_killed.store(true, Relaxed);
            one = None;
        }
    }
    assert!(one.is_none());
    assert_eq!(reader.opened, 2);
    // Nothing comes twice.
    let two = sending.await.unwrap();
    two.store("/topics/room", &json!("last")).await;
    assert_eq!(reader.data().await, json!("last"));
}

#[tokio::test]
async fn a_key_is_known_to_both() {
    let Some((_redis, one, two)) = start(&[]) else { return };
    let mut reader = Reader::open(format!("{}/topics/room", one.url)).await;
    let mut ids = Vec::new();
    for (app, value) in [(&one, 1), (&two, 2), (&one, 3)] {
        let request = app.request(Method::POST, "/topics/room").header("idempotency-key", "k");
        ids.push(id(send(request.json(&value)).await).await);
    }
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    two.store("/topics/room", &json!("last")).await;
    assert_eq!((reader.data().await, reader.data().await), (json!(1), json!("last")));
}

#[tokio::test]
async fn one_process_stops_the_answer_of_the_other() {
    let Some((_redis, mut one, two)) = start(&SLOW) else { return };
    let path = ask(&one, "Why?").await;
    let mut reader = Reader::open(format!("{}{path}", two.url)).await;
    assert_eq!(reader.event().await.event_type(), "question");
    assert_eq!(two.delete(&path).await, 204);
    let id = path.rsplit('/').next().unwrap();
    assert_eq!(one.process.error_line(), format!("hub: answer {id}: stopped\n"));
    assert_eq!(types(&reader.rest().await), ["stopped"]);
    assert_eq!(two.get("/answers/0123").await.status(), 404);
}

#[tokio::test]
async fn an_answer_whose_process_was_killed_can_be_stopped() {
    let Some((_redis, one, two)) = start(&SLOW) else { return };
    let path = ask(&one, "Why?").await;
    drop(one);
    let mut reader = Reader::open(format!("{}{path}", two.url)).await;
    assert_eq!(two.delete(&path).await, 204);
    assert_eq!(types(&reader.rest().await), ["question", "stopped"]);
}

#[cfg(unix)]
#[tokio::test]
async fn a_process_that_shuts_down_ends_its_answers() {
    let Some((_redis, one, two)) = start(&SLOW) else { return };
    let path = ask(&one, "Why?").await;
    let mut reader = Reader::open(format!("{}{path}", two.url)).await;
    one.process.interrupt();
    assert_eq!(types(&reader.rest().await), ["question", "stopped"]);
    assert_eq!(one.process.end().code, Some(0));
}

#[tokio::test]
async fn what_the_log_has_failed_with_is_logged_and_not_sent() {
    // Nothing listens on this port. One that is free could be taken by another test meanwhile.
    let mut app = App::start(&["--redis", "redis://127.0.0.1:1"]);
    for request in [
        app.request(Method::POST, "/topics/room").json(&json!(1)),
        app.request(Method::GET, "/topics/room"),
        app.request(Method::GET, "/topics/room/position"),
        app.request(Method::POST, "/answers").json(&json!({ "question": "Why?" })),
    ] {
        let response = send(request).await;
        assert_eq!(response.status(), 503);
        assert_eq!(response.text().await.unwrap(), "the log has failed\n");
        let line = app.process.error_line();
        assert!(line.starts_with("hub: the log has failed: cannot connect to Redis: "), "{line}");
    }
}

#[tokio::test]
async fn readers_stay_while_redis_restarts() {
    let Some((mut redis, one, two)) = start(&[]) else { return };
    let mut readers = [
        Reader::open(format!("{}/topics/room", one.url)).await,
        Reader::open(format!("{}/topics/room", two.url)).await,
        Reader::open(format!("{}/topics?names=room", two.url)).await,
    ];
    one.store("/topics/room", &json!(1)).await;
    for reader in &mut readers {
        assert_eq!(reader.data().await, json!(1));
    }
    redis.kill();
    assert_eq!(one.post("/topics/room", &json!("lost")).await.status(), 503);
    assert_eq!(one.get("/topics/new").await.status(), 503);
    assert_eq!(one.get("/topics/new/position").await.status(), 503);
    redis.start_again();
    let started = Instant::now();
    while one.post("/topics/room", &json!(2)).await.status() != 201 {
        assert!(started.elapsed() < PATIENCE, "nothing is stored");
        sleep(Duration::from_millis(50)).await;
    }
    for (reader, gap) in readers.iter_mut().zip(["{}", "{}", r#"{"topic":"room"}"#]) {
        assert_eq!(reader.gap().await, gap);
        assert_eq!((reader.data().await, reader.opened), (json!(2), 1));
    }
}
