//! `GET /v1/events`, byte for byte.

use eventwire::Events;
use reqwest::Method;
use std::convert::Infallible;

use crate::client::{Answer, Gateway};

#[tokio::test]
async fn events_byte_for_byte() {
    let gateway = Gateway::start().await;
    let answer = gateway.get("/v1/events?text=%20one%20%20two%0A%0Athree%0D%0Afour%0Dfive+%F0%9F%A6%80%0A").await;
    assert_eq!(answer.status, 200);
    let expected = "\
        event: word\nid: 1\ndata:  one  \n\n\
        event: word\nid: 2\ndata: two\ndata: \ndata: \n\n\
        event: word\nid: 3\ndata: three\ndata: \n\n\
        event: word\nid: 4\ndata: four\ndata: \n\n\
        event: word\nid: 5\ndata: five \n\n\
        event: word\nid: 6\ndata: 🦀\ndata: \n\n\
        event: done\nid: 7\ndata: [DONE]\n\n";
    assert_eq!(answer.body, expected);
    assert_eq!(answer.header("content-type"), "text/event-stream");
    assert_eq!(answer.header("cache-control"), "no-cache, no-transform");
    assert_eq!(answer.header("x-accel-buffering"), "no");

    // The decoded text differs only in its line ends: each carriage return has become a line feed.
    let events: Vec<_> = Events::new([Ok::<_, Infallible>(answer.body)].into_iter()).map(Result::unwrap).collect();
    let (done, words) = events.split_last().unwrap();
    assert_eq!(words.iter().map(|word| word.data()).collect::<String>(), " one  two\n\nthree\nfour\nfive 🦀\n");
    assert_eq!((done.event_type(), done.id()), ("done", "7"));
}

#[tokio::test]
async fn an_empty_text_has_no_words() {
    let gateway = Gateway::start().await;
    assert_eq!(gateway.get("/v1/events?text=").await.body, "event: done\nid: 1\ndata: [DONE]\n\n");
    assert_eq!(
        gateway.get("/v1/events?text=+").await.body,
        "event: word\nid: 1\ndata:  \n\nevent: done\nid: 2\ndata: [DONE]\n\n"
    );
}

#[tokio::test]
async fn a_browser_that_reconnects_continues_where_it_was() {
    let gateway = Gateway::start().await;
    let after = async |id: &str| {
        let request = gateway.request(Method::GET, "/v1/events?text=one+two").header("last-event-id", id);
        Answer::of(request).await
    };
    let all = "event: word\nid: 1\ndata: one \n\nevent: word\nid: 2\ndata: two\n\nevent: done\nid: 3\ndata: [DONE]\n\n";
    let (first, rest) = all.split_at(all.find("event: word\nid: 2").unwrap());
    for (id, body) in [("0", all), ("", all), ("x", all), ("1", rest), ("2", "event: done\nid: 3\ndata: [DONE]\n\n")] {
        let answer = after(id).await;
        assert_eq!((answer.status, answer.body.as_str()), (200, body), "{id:?}");
    }
    assert!(!first.is_empty());
    // The browser received everything, including the end. After a 204 it does not reconnect.
    for id in ["3", "4", "18446744073709551615"] {
        let answer = after(id).await;
        assert_eq!((answer.status, answer.body.as_str()), (204, ""), "{id:?}");
    }
}
