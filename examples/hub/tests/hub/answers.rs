//! What the program answers.

use eventwire_log_tests::RedisServer;
use eventwire_test_support::PATIENCE;

use crate::client::{Answer, Hub, read, send};

fn status(hub: &Hub, request: &str, headers: &[&str], body: &str) -> u16 {
    Answer::of(&hub.address, request, headers, body).unwrap().status
}

#[test]
fn a_topic_from_its_first_event_to_its_end() {
    let hub = Hub::start("memory");
    let mut reader = read(&hub.address, "/topics/room%2F7", "").unwrap().events();
    let sent = Answer::of(&hub.address, "POST /topics/room%2F7?type=joke", &[], "one\ntwo").unwrap().text();
    let event = reader.next().unwrap().unwrap();
    assert_eq!((event.event_type(), event.data(), event.last_event_id()), ("joke", "one\ntwo", &*sent));
    // The same key is stored once.
    for _ in 0..2 {
        let again = send(&hub.address, "room%2F7", Some("k"), "three").unwrap().text();
        assert!(again.ends_with("-2"), "{again}");
    }
    assert_eq!(reader.next().unwrap().unwrap().data(), "three");
    assert_eq!(status(&hub, "POST /topics/room%2F7/end", &[], ""), 200);
    assert!(reader.next().is_none(), "the response ends");
    // Who has everything is told not to return, and nobody can send any more.
    let last = sent.replace("-1", "-2");
    assert_eq!(read(&hub.address, "/topics/room%2F7", &last).unwrap().status, 204);
    assert_eq!(send(&hub.address, "room%2F7", None, "four").unwrap().status, 409);
    let path = format!("/topics/room%2F7?last_event_id={sent}");
    let rest: Vec<_> = read(&hub.address, &path, "").unwrap().events().map(Result::unwrap).collect();
    assert_eq!(rest.iter().map(|event| event.data()).collect::<Vec<_>>(), ["three"]);
}

#[test]
fn several_topics_in_one_response() {
    let hub = Hub::start("memory");
    let path = "/topics?topic=a&topic=b";
    for topic in ["a", "b"] {
        assert_eq!(send(&hub.address, topic, None, "before").unwrap().status, 200);
    }
    let mut reader = read(&hub.address, path, "").unwrap().events();
    for (topic, data) in [("a", "1"), ("b", "2"), ("c", "-"), ("a", "3")] {
        assert_eq!(send(&hub.address, topic, None, data).unwrap().status, 200);
    }
    let first = reader.next().unwrap().unwrap();
    drop(reader);
    // It continues in each topic.
    let reader = read(&hub.address, path, first.last_event_id()).unwrap().events();
    let mut got: Vec<_> = reader.take(2).map(|event| event.unwrap().data().to_owned()).collect();
    got.push(first.data().to_owned());
    got.sort();
    assert_eq!(got, ["1", "2", "3"]);
}

#[test]
fn requests_that_are_refused() {
    let hub = Hub::with(&["--log", "memory", "--host", "hub.example"], &[("HUB_TOKEN", "sesame")]);
    let token = "Authorization: Bearer sesame";
    let long = "k".repeat(257);
    for (expected, request, headers) in [
        (200, "POST /topics/a", &[token][..]),
        (200, "POST /topics/a", &[token, "Host: hub.example"]),
        (401, "POST /topics/a", &[]),
        (401, "POST /topics/a", &["Authorization: Bearer sesam"]),
        (401, "POST /topics/a/end", &[]),
        (421, "POST /topics/a", &[token, "Host: evil.example"]),
        (403, "POST /topics/a", &[token, "Origin: https://evil.example"]),
        (400, "POST /topics/a?type=x%0Ay", &[token]),
        (400, &format!("POST /topics/{long}"), &[token]),
        (400, "POST /topics/a", &[token, &format!("Idempotency-Key: {long}")]),
        (400, "GET /topics", &[]),
        (400, "GET /topics?topic=a&topic=a", &[]),
        (400, "GET /topics?topic=a/b", &[]),
        (404, "GET /", &[]),
        (405, "DELETE /topics/a", &[]),
    ] {
        assert_eq!(status(&hub, request, headers, "x"), expected, "{request} {headers:?}");
    }
    assert_eq!(read(&hub.address, "/topics/a", "").unwrap().status, 200, "everyone can read");
}

#[test]
fn while_the_log_cannot_be_reached() {
    let Some(mut redis) = RedisServer::start(&[]) else { return };
    let mut hub = Hub::start(&redis.url());
    let mut reader = read(&hub.address, "/topics/a", "").unwrap().events();
    redis.kill();
    let answer = send(&hub.address, "a", None, "lost").unwrap();
    // The reason is only logged.
    assert_eq!((answer.status, answer.text().as_str()), (503, "the log has failed"));
    let logged = hub.process.error_line();
    assert!(logged.starts_with("hub: the log has failed: ") && logged.len() > 30, "{logged}");
    redis.start_again();
    let started = std::time::Instant::now();
    while send(&hub.address, "a", None, "after").unwrap().status != 200 {
        assert!(started.elapsed() < PATIENCE);
    }
    // The reader has stayed.
    let got = reader.find(|event| event.as_ref().unwrap().event_type() != "gap").unwrap().unwrap();
    assert_eq!(got.data(), "after");
}
