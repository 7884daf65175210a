//! Responses that are not event streams: how much of them is kept, and their messages.

use crate::fake::{
    self, Fake,
    Step::{self, Chunk, Failure, Hang, Silence},
};
use eventwire::{Error, TokioTimer};
use eventwire_client::{EventSource, ReconnectPolicy, StopReason, Stopped, UnexpectedResponse, connector_fn};
use futures_util::{FutureExt, TryStreamExt, stream};
use http::{HeaderMap, HeaderValue, Response, header::CONTENT_TYPE};
use serde_json::{Value, json};
use std::{convert::Infallible, error::Error as _, future, ops::Deref, time::Duration};
use tokio::time::Instant;

const LIMIT: usize = 16 * 1024;
const SECOND: Duration = Duration::from_secs(1);
const JSON: &[(&str, &str)] = &[("content-type", "application/json")];

/// A source that has stopped because of a refusal.
struct Refused(Stopped<fake::Failure>);

impl Deref for Refused {
    type Target = UnexpectedResponse;

    fn deref(&self) -> &UnexpectedResponse {
        self.0.response().unwrap()
    }
}

/// Returns the refusal of a response with these headers and a body of these steps, and how long it took.
async fn refused(status: u16, headers: &'static [(&'static str, &'static str)], body: &[Step]) -> (Refused, Duration) {
    refused_by(status, headers, body, |source| source).await
}

async fn refused_by(
    status: u16,
    headers: &'static [(&'static str, &'static str)],
    body: &[Step],
    set: impl FnOnce(EventSource<Fake, TokioTimer>) -> EventSource<Fake, TokioTimer>,
) -> (Refused, Duration) {
    let fake = Fake::new(vec![fake::Answer::Refusal(status, headers, body.to_vec().leak())].leak());
    let mut source = set(fake.source()).with_policy(ReconnectPolicy::new().with_max_attempts(1));
    let begun = Instant::now();
    assert!(source.next().await.is_none());
    (Refused(source.into_stopped()), begun.elapsed())
}

/// Bytes that all differ from their neighbours, in chunks of this size.
fn chunks(length: usize, size: usize) -> Vec<Step> {
    let text: &'static str = ('!'..='~').cycle().take(length).collect::<String>().leak();
    (0..length).step_by(size).map(|start| Chunk(&text[start..length.min(start + size)])).collect()
}

fn text_of(steps: &[Step]) -> String {
    steps.iter().filter_map(|step| if let Chunk(text) = step { Some(*text) } else { None }).collect()
}

#[tokio::test(start_paused = true)]
async fn a_body_is_complete_only_if_its_end_was_seen() {
    let exactly = &chunks(LIMIT, LIMIT)[..];
    let too_much = &chunks(LIMIT + 1, LIMIT + 1)[..];
    let none = Duration::ZERO;
    for (steps, expected, time) in [
        (&[][..], true, none),
        (&[Chunk("")], true, none),
        (&[Chunk("a")], true, none),
        (&[Chunk("a"), Silence(4), Chunk("b")], true, 4 * SECOND),
        (&[Chunk("a"), Silence(4), Chunk("b"), Silence(2)], false, 5 * SECOND),
        (&[Chunk("a"), Hang], false, 5 * SECOND),
        (&[Hang], false, 5 * SECOND),
        (&[Chunk("a"), Failure("reset")], false, none),
        (&[Failure("reset")], false, none),
        (exactly, true, none),
        (&[exactly, &[Chunk("")]].concat(), true, none),
        (&[exactly, &[Chunk(""), Hang]].concat(), false, 5 * SECOND),
        (&[exactly, &[Silence(1)]].concat(), true, SECOND),
        (&[exactly, &[Failure("reset")]].concat(), false, none),
        // One more byte shows that the body is longer, and the client does not wait for the rest.
        (&[exactly, &[Chunk("a"), Hang]].concat(), false, none),
        (&[exactly, &[Chunk("a")]].concat(), false, none),
        (&[too_much, &[Hang]].concat(), false, none),
        (too_much, false, none),
    ] {
        for status in [200, 404, 503] {
            let (refusal, took) = refused(status, &[], steps).await;
            let text = text_of(steps);
            let kept = &text.as_bytes()[..text.len().min(LIMIT)];
            assert_eq!((refusal.body(), refusal.is_complete(), took), (kept, expected, time), "{status} {steps:?}");
        }
    }
    // A body that is not read is not known to be complete, and is not waited for.
    let (refusal, took) = refused(204, &[("x-why", "done")], &[Chunk("a"), Hang]).await;
    assert_eq!((refusal.body(), refusal.is_complete(), took), (&b""[..], false, none));
    assert_eq!((refusal.0.reason(), refusal.0.is_failure()), (StopReason::NoContent, false));
    assert_eq!(refusal.headers()["x-why"], "done");
}

/// Any body, split in any way, is kept up to the limit, and is complete if it is not longer.
#[tokio::test(start_paused = true)]
async fn any_split_of_a_body_yields_the_same_body() {
    for length in [0, 1, LIMIT - 1, LIMIT, LIMIT + 1, LIMIT + 100, 2 * LIMIT] {
        for size in [7, 100, LIMIT / 2, LIMIT - 1, LIMIT, LIMIT + 1, 3 * LIMIT] {
            let steps = chunks(length, size);
            let (refusal, took) = refused(404, &[], &steps).await;
            let text = text_of(&steps);
            assert_eq!(refusal.body(), &text.as_bytes()[..length.min(LIMIT)], "{length} {size}");
            assert_eq!((refusal.is_complete(), took), (length <= LIMIT, Duration::ZERO), "{length} {size}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn json_instead_of_an_event_stream() {
    let (refusal, _) = refused(200, JSON, &[Chunk("{\"choices\":[1,"), Chunk("2]}\n")]).await;
    assert!(refusal.is_json() && refusal.is_complete());
    assert_eq!(refusal.json::<Value>().unwrap(), json!({ "choices": [1, 2] }));
    // A body with another content type may be JSON as well.
    let (refusal, _) = refused(503, &[("content-type", "text/plain")], &[Chunk("[1]")]).await;
    assert_eq!((refusal.is_json(), refusal.json::<[u32; 1]>().unwrap()), (false, [1]));
    let (refusal, _) = refused(503, &[], &[Chunk("<html>")]).await;
    assert!(refusal.json::<Value>().unwrap_err().is_syntax());
    let string = format!("\"{}\"", "a".repeat(LIMIT - 2)).leak();
    let (refusal, _) = refused(200, JSON, &[Chunk(string)]).await;
    assert_eq!(refusal.json::<String>().unwrap().len(), LIMIT - 2);

    // The beginning of a number is also a number, so a truncated one must be an error.
    let number = Chunk("1".repeat(LIMIT + 1).leak());
    for (steps, length) in [(&[Chunk("10"), Failure("reset")][..], 2), (&[Chunk("10"), Hang], 2), (&[number], LIMIT)] {
        let (refusal, _) = refused(200, JSON, steps).await;
        let error = refusal.json::<f64>().unwrap_err().to_string();
        assert_eq!(error, format!("the body is incomplete, {length} bytes of it were read"));
    }
}

/// How much of a body is read can be set, for example for a server that ignores `stream: true` and answers with JSON.
#[tokio::test(start_paused = true)]
async fn limits_on_a_body() {
    let json = [Chunk("{\"answer\": "), Silence(20), Chunk("\"Hello\"}")];
    for (bytes, seconds, text, expected) in [
        (1 << 20, 30, "{\"answer\": \"Hello\"}", (true, 20)),
        (1 << 20, 0, "{\"answer\": \"Hello\"}", (true, 20)), // no timeout
        (1 << 20, 10, "{\"answer\": ", (false, 10)),
        (5, 30, "{\"ans", (false, 0)),
    ] {
        let set = |source: EventSource<_, _>| {
            source.with_max_unexpected_body(bytes).with_unexpected_body_timeout(Duration::from_secs(seconds))
        };
        let (refusal, took) = refused_by(200, JSON, &json, set).await;
        assert_eq!((&*refusal.text(), (refusal.is_complete(), took.as_secs())), (text, expected));
    }
    // The idle timeout runs as well.
    let slow = [Chunk("a"), Silence(2), Chunk("b"), Silence(2), Chunk("c"), Silence(4), Chunk("d")];
    let set =
        |source: EventSource<_, _>| source.with_unexpected_body_timeout(60 * SECOND).with_idle_timeout(3 * SECOND);
    let (refusal, took) = refused_by(503, &[], &slow, set).await;
    assert_eq!((&*refusal.text(), took.as_secs()), ("abc", 2 + 2 + 3));
    // What has arrived is read after a long pause.
    let mut late = Fake::new(&[fake::Answer::Refusal(401, &[], &[Chunk("a"), Silence(1), Chunk("b")])]).source();
    assert!(late.next().now_or_never().is_none());
    tokio::time::sleep(60 * SECOND).await;
    assert!(late.next().await.is_none());
    let refusal = Refused(late.into_stopped());
    assert_eq!((&*refusal.text(), refusal.is_complete()), ("ab", true));
}

#[tokio::test]
async fn what_is_printed_and_returned_of_a_body() {
    let body = &[Chunk("an error that goes on: "), Chunk("x".repeat(200).leak()), Chunk("tail")];
    let printed = format!("{:?}", refused(500, &[], body).await.0.0);
    assert!(printed.contains("an error that goes on: xxx") && printed.contains("body_length: 227"), "{printed}");
    assert!(!printed.contains("tail"), "{printed}");

    let connector = connector_fn(|_| {
        let body = stream::iter([Ok::<_, Infallible>(&b"caf\xE9"[..])]);
        future::ready(Ok::<_, Infallible>(Response::builder().status(404).body(body).unwrap()))
    });
    match EventSource::with_connector(connector, TokioTimer).events().try_next().await {
        Err(Error::Transport(stopped)) => {
            let refusal = stopped.response().unwrap();
            assert_eq!((refusal.body(), &*refusal.text()), (&b"caf\xE9"[..], "caf\u{FFFD}"));
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn which_media_types_are_json() {
    const IS_JSON: &[&str] = &[
        "application/json",
        "Application/JSON ; charset=utf-8",
        "text/json",
        "application/problem+json",
        "application/vnd.api+JSON;a=b",
        "image/+json",
    ];
    const IS_NOT: &[&str] = &[
        "json",
        "+json",
        "application/jsonl",
        "application/x-json",
        "application/json-seq",
        "application/json+xml",
        "image/json",
        "application/x+json/x",
        "text/event-stream",
    ];
    for (types, expected) in [(IS_JSON, true), (IS_NOT, false)] {
        for one in types {
            let (refusal, _) = refused(404, vec![("content-type", *one)].leak(), &[]).await;
            assert_eq!(refusal.is_json(), expected, "{one}");
        }
    }
    assert!(!refused(404, &[], &[]).await.0.is_json());
}

#[tokio::test(start_paused = true)]
async fn messages_of_refusals() {
    const CODED: &[(&str, &str)] = &[("content-type", "Text/Event-Stream"), ("content-encoding", "br")];
    const PLAIN: &[(&str, &str)] = &[("content-type", "text/plain"), ("content-encoding", "br")];
    const COMPRESSED: &str = "the body is still compressed with \"br\"; enable decompression in the HTTP client, or send \
                              `Accept-Encoding: identity`";
    for (status, headers, text) in [
        (402, &[][..], "the server answered 402 Payment Required: no credit"),
        (529, &[], "the server answered 529: no credit"),
        (200, &[], "the server answered without a content type: no credit"),
        (200, PLAIN, &*format!("the server answered with the content type \"text/plain\": {COMPRESSED}")),
        (206, CODED, &*format!("the server answered 206 Partial Content: {COMPRESSED}")),
        (404, CODED, &*format!("the server answered 404 Not Found: {COMPRESSED}")),
        (529, CODED, &*format!("the server answered 529: {COMPRESSED}")),
        (200, CODED, COMPRESSED),
    ] {
        let (refusal, _) = refused(status, headers, &[Chunk("{\"error\":"), Chunk("\"no credit\"}")]).await;
        assert_eq!((refusal.to_string().as_str(), &*refusal.text()), (text, "{\"error\":\"no credit\"}"));
        let stopped = &refusal.0;
        assert_eq!((stopped.reason(), stopped.is_failure()), (StopReason::UnexpectedResponse, true));
        // The message is printed once.
        assert_eq!((stopped.to_string().as_str(), stopped.source().is_none()), (text, true));
    }
    // There is nothing to decompress.
    let (refusal, _) = refused(404, CODED, &[]).await;
    assert_eq!(refusal.to_string(), "the server answered 404 Not Found");
}

/// Returns the message for a 200 with these content types.
async fn message(content_types: &[&[u8]]) -> String {
    let values = content_types.iter().map(|value| (CONTENT_TYPE, HeaderValue::from_bytes(value).unwrap()));
    let mut headers = HeaderMap::new();
    values.for_each(|(name, value)| _ = headers.append(name, value));
    let connector = connector_fn(|_| {
        let mut response = Response::new(stream::empty::<Result<&str, Infallible>>());
        *response.headers_mut() = headers.clone();
        future::ready(Ok::<_, Infallible>(response))
    });
    let mut source = EventSource::with_connector(connector, TokioTimer);
    assert!(source.next().await.is_none());
    source.into_stopped().response().unwrap().to_string()
}

#[tokio::test(start_paused = true)]
async fn a_refusal_names_the_content_type_that_counted() {
    let hundred = "x/".to_owned() + &"y".repeat(98);
    let hundred_and_one = hundred.clone() + "y";
    let cut = hundred.clone() + "...";
    let flood = "x/".to_owned() + &"y".repeat(100_000);
    let invalid_flood = vec![0xFF; 100_000];
    let escaped_flood = "\\xff".repeat(100) + "...";
    for (values, expected) in [
        (&[&b"text/html; charset=utf-8"[..]][..], "text/html"),
        (&[b"Text/HTML"], "Text/HTML"),
        (&[b"text/event-stream", b"text/html;a=b", b"garbage"], "text/html"),
        // No value is valid: the message contains the first one, on one line.
        (&[b"garbage", b"*/*"], "garbage"),
        (&[b"*/*"], "*/*"),
        (&[b""], ""),
        (&[b"a\"b\\c\td\xC3\xA9/\xFF"], r#"a\"b\\c\td\xc3\xa9/\xff"#),
        // A long value is shortened, so that it cannot flood a log.
        (&[hundred.as_bytes()], &hundred),
        (&[hundred_and_one.as_bytes()], &cut),
        (&[flood.as_bytes()], &cut),
        (&[&invalid_flood], &escaped_flood),
    ] {
        let message = message(values).await;
        assert_eq!(message, format!("the server answered with the content type \"{expected}\""), "{values:?}");
    }
    assert_eq!(message(&[]).await, "the server answered without a content type");
}
