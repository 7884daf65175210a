//! One response, opened and checked.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use bytes::Bytes;
use eventwire::{Error, TokioTimer};
use eventwire_client::{OpenError, Opening, open, open_chunks, open_reader};
use futures_util::{FutureExt, StreamExt, TryStreamExt, future, stream};
use http::{HeaderMap, Response};
use std::{
    io::{self, Read},
    pin::Pin,
    time::Duration,
};
use tokio::time::Instant;

const SECOND: Duration = Duration::from_secs(1);
const EVENTS: &[(&str, &str)] = &[("content-type", "text/event-stream")];
const JSON: &[(&str, &str)] = &[("content-type", "application/json")];
const HTML: &[(&str, &str)] = &[("content-type", "text/html")];

type Chunks = Pin<Box<dyn futures_util::Stream<Item = io::Result<Bytes>> + Send>>;

fn respond<B>(status: u16, headers: &[(&'static str, &'static str)], body: B) -> Response<B> {
    let mut response = Response::new(body);
    *response.status_mut() = status.try_into().unwrap();
    let headers = headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
    *response.headers_mut() = headers.collect::<HeaderMap>();
    response
}

async fn fails(
    status: u16,
    headers: &[(&'static str, &'static str)],
    body: &str,
) -> OpenError<std::convert::Infallible> {
    open(respond(status, headers, body.to_owned()), TokioTimer).await.unwrap_err()
}

#[tokio::test]
async fn an_event_stream_is_opened() {
    let response = respond(200, &[EVENTS[0], ("x-request", "7")], "data: a\n\nid: 1\ndata: b\n\n".to_owned());
    let events = open(response, TokioTimer).await.unwrap();
    assert_eq!(events.response().headers()["x-request"], "7");
    let events: Vec<_> = events.map_ok(|event| event.into_data().to_string()).try_collect().await.unwrap();
    assert_eq!(events, ["a", "b"]);
}

#[tokio::test]
async fn the_errors_in_the_readme() {
    let limit = r#"{"error":{"message":"Rate limit reached for gpt-4o"}}"#;
    let mut errors = vec![
        fails(404, &[("content-type", "text/plain")], "no such feed").await.to_string(),
        fails(429, JSON, limit).await.to_string(),
    ];
    for body in ["data: {}\n\n", "data: {\"error\":{\"message\":\"server overloaded\"}}\n\ndata: [DONE]\n\n"] {
        let events = open(respond(200, EVENTS, body.to_owned()), TokioTimer).await.unwrap();
        let chunks = events.json_with::<serde_json::Value>(eventwire::Dialect::OPENAI);
        errors.extend(
            chunks
                .filter_map(|chunk| future::ready(chunk.err()))
                .map(|error| error.to_string())
                .collect::<Vec<_>>()
                .await,
        );
    }
    assert_eq!(errors.len(), 4);
    let page = include_str!("../../../README.md");
    for error in errors {
        assert!(page.replace('\n', " ").contains(&error), "{error}");
    }
}

#[tokio::test]
async fn the_stream_of_a_response_has_the_settings_of_events() {
    let body = || respond(200, EVENTS, ": c\n\ndata: [1]\n\ndata: much too long\n\n".to_owned());
    let items: Vec<_> = open(body(), TokioTimer).await.unwrap().blocks().try_collect().await.unwrap();
    assert_eq!(items.len(), 3);
    let mut values = open(body(), TokioTimer).await.unwrap().json::<[u32; 1]>();
    assert_eq!(values.try_next().await.unwrap(), Some([1]));
    let decoder = eventwire::Decoder::new().with_max_event_size(10);
    let mut events = open(body(), TokioTimer).await.unwrap().with_decoder(decoder);
    assert_eq!(events.try_next().await.unwrap().unwrap().data(), "[1]");
    assert!(matches!(events.try_next().await, Err(Error::Decode(_))));
    let mut events = open(body(), TokioTimer).await.unwrap().into_events();
    assert_eq!(events.try_next().await.unwrap().unwrap().data(), "[1]");
}

#[tokio::test]
async fn a_refusal_says_why() {
    let busy = [JSON[0], ("retry-after", "20")];
    let nested = r#"{"error":{"message":"no credit\nleft","code":7}}"#;
    for (status, headers, body, text) in [
        (429, &busy[..], nested, "the server answered 429 Too Many Requests: no credit left"),
        (401, JSON, r#"{"message":"bad key"}"#, "the server answered 401 Unauthorized: bad key"),
        (400, JSON, r#"{"error":"bad model"}"#, "the server answered 400 Bad Request: bad model"),
        (400, JSON, r#"{"message":" ","detail":" bad model "}"#, "the server answered 400 Bad Request: bad model"),
        (400, JSON, r#"{"a": 1}"#, r#"the server answered 400 Bad Request: {"a": 1}"#),
        (400, JSON, "[1]", "the server answered 400 Bad Request: [1]"),
        (400, JSON, r#"{"error":[]}"#, r#"the server answered 400 Bad Request: {"error":[]}"#),
        (500, &[], "Oh\u{1b}!\n\n  no", "the server answered 500 Internal Server Error: Oh\\u{1b}! no"),
        (502, HTML, " <html>", "the server answered 502 Bad Gateway"),
        (204, &[], "", "the server answered 204 No Content"),
        (201, EVENTS, "data: a\n\n", "the server answered 201 Created: data: a"),
    ] {
        let error = fails(status, headers, body).await;
        assert_eq!(error.to_string(), text);
        assert!(std::error::Error::source(&error).is_none());
        let OpenError::Refused(refusal) = &error else { panic!("{error:?}") };
        // A 204 has no body that could be read.
        assert_eq!((refusal.status().as_u16(), &*refusal.text()), (status, body));
        assert_eq!(refusal.is_complete(), status != 204);
        let retry_after = (status == 429).then_some(20 * SECOND);
        assert_eq!((refusal.retry_after(), refusal.headers().len()), (retry_after, headers.len()));
    }
    let error = fails(400, &[], &"ä".repeat(1000)).await;
    assert_eq!(error.to_string(), format!("the server answered 400 Bad Request: {}...", "ä".repeat(200)));
}

#[tokio::test]
async fn another_content_type() {
    let error = fails(200, HTML, "<!DOCTYPE html>").await;
    assert_eq!(error.to_string(), r#"the server answered with the content type "text/html""#);
    assert!(matches!(error, OpenError::WrongContentType(_)));

    // JSON is an answer. It is read whole, far beyond the limit of a refusal.
    let answer = format!("[{}1]", "1,".repeat(100_000));
    let error = fails(200, JSON, &answer).await;
    let OpenError::WrongContentType(refusal) = &error else { panic!("{error:?}") };
    assert_eq!((refusal.json::<Vec<u8>>().unwrap().len(), refusal.is_complete()), (100_001, true));
    // Its message is not looked for, because a value takes many times the memory of its text.
    let long = format!(r#"{{"message":"{}"}}"#, "x".repeat(16 * 1024));
    let text =
        format!(r#"the server answered with the content type "application/json": {{"message":"{}..."#, "x".repeat(188));
    assert_eq!(fails(200, JSON, &long).await.to_string(), text);
    let OpenError::Refused(refusal) = fails(400, JSON, &answer).await else { panic!() };
    assert_eq!((refusal.body().len(), refusal.is_complete()), (16 * 1024, false));
    assert!(refusal.json::<Vec<u8>>().unwrap_err().to_string().contains("incomplete"));

    let error = fails(200, &[EVENTS[0], ("content-encoding", "br")], "x").await;
    let text = "the body is still compressed with \"br\"; enable decompression in the HTTP client, or send \
                `Accept-Encoding: identity`";
    assert_eq!(error.to_string(), text);
    assert!(matches!(error, OpenError::Compressed(_)));
    assert_eq!(error.response().unwrap().body(), b"x");
}

#[tokio::test]
async fn the_response_is_taken_out_of_the_error() {
    for (status, headers) in [(500, JSON), (200, HTML), (200, &[EVENTS[0], ("content-encoding", "br")])] {
        let mut response = respond(status, headers, "body".to_owned());
        *response.version_mut() = http::Version::HTTP_2;
        response.extensions_mut().insert(7);
        let error = open(response, TokioTimer).await.unwrap_err();
        assert_eq!(error.response().unwrap().as_http().extensions().get(), Some(&7));
        let (head, body) = error.into_response().unwrap().into_http().into_parts();
        assert_eq!((head.status.as_u16(), head.headers.len(), body.as_slice()), (status, headers.len(), &b"body"[..]));
        assert_eq!((head.version, head.extensions.get()), (http::Version::HTTP_2, Some(&7)));
    }
    let error = OpenError::<io::Error>::Timeout(SECOND);
    assert!(matches!(error.into_response(), Err(OpenError::Timeout(SECOND))));
}

/// What is read of an unexpected body is the same as by an event source, but the limits are not.
#[tokio::test(start_paused = true)]
async fn reading_a_refusal_has_limits() {
    // The caller's limit, if there is one, with a time of nine seconds.
    for (status, headers, limit, kept, seconds) in [
        (500, &[][..], None, "abcdef", 5),
        (200, JSON, None, "abcdef", 60),
        (200, JSON, Some(4), "abcd", 0),
        (200, JSON, Some(3), "abc", 0),
        (200, JSON, Some(6), "abcdef", 9),
        (200, JSON, Some(0), "", 0),
    ] {
        let chunks = stream::iter(["abc", "def"]).map(Ok::<_, io::Error>).chain(stream::pending());
        let (head, start) = (respond(status, headers, ()).into_parts().0, Instant::now());
        let mut opening = open_chunks(head, chunks, TokioTimer);
        if let Some(limit) = limit {
            opening = opening.with_max_unexpected_body(limit).with_unexpected_body_timeout(9 * SECOND);
        }
        let error = opening.await.unwrap_err();
        let refusal = error.response().unwrap();
        let seen = (&*refusal.text(), refusal.is_complete(), start.elapsed().as_secs());
        assert_eq!(seen, (kept, false, seconds), "{status} {limit:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_until_the_response() {
    type Answer = io::Result<Response<Chunks>>;
    let start = Instant::now();
    let opening = Opening::new(future::pending::<Answer>(), TokioTimer);
    let error = opening.with_timeout(7 * SECOND).await.unwrap_err();
    assert_eq!((error.to_string().as_str(), start.elapsed()), ("no response received for 7s", 7 * SECOND));
    assert!(matches!(error, OpenError::Timeout(time) if time == 7 * SECOND));
    assert!(error.response().is_none());

    // A response in time stops it, and the body has its own timeout.
    let late = async {
        tokio::time::sleep(6 * SECOND).await;
        Answer::Ok(respond(200, EVENTS, Box::pin(stream::pending()) as Chunks))
    };
    let opening = Opening::new(late, TokioTimer);
    let events = Box::pin(opening.with_timeout(7 * SECOND)).await.unwrap();
    let mut events = events.with_idle_timeout(3 * SECOND);
    let start = Instant::now();
    let item = events.next().await;
    assert!(matches!(item, Some(Err(Error::IdleTimeout(time))) if time == 3 * SECOND), "{item:?}");
    assert_eq!((start.elapsed(), events.next().await.is_none()), (3 * SECOND, true));

    // An error of the client, with its sources.
    let failed = future::ready(Answer::Err(io::Error::other(CannotConnect(io::Error::other("no route")))));
    let opening = Opening::new(failed, TokioTimer);
    assert_eq!(opening.await.unwrap_err().to_string(), "cannot connect: no route");
}

#[derive(Debug)]
struct CannotConnect(io::Error);

impl std::fmt::Display for CannotConnect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("cannot connect")
    }
}

impl std::error::Error for CannotConnect {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

#[tokio::test(start_paused = true)]
async fn progress_is_what_the_caller_says() {
    let pings = stream::unfold((), |()| async {
        tokio::time::sleep(SECOND).await;
        Some((Ok::<_, io::Error>("event: ping\ndata: {}\n\n"), ()))
    });
    let body = stream::iter([Ok("data: a\n\n")]).chain(pings);
    let events = open_chunks(respond(200, EVENTS, ()).into_parts().0, Box::pin(body), TokioTimer).await.unwrap();
    let events = events.with_idle_timeout(2 * SECOND);
    let mut events = events.with_progress_timeout(60 * SECOND, 20 * SECOND, |event| event.event_type() != "ping");
    let start = Instant::now();
    let error = loop {
        if let Err(error) = events.next().await.unwrap() {
            break error;
        }
    };
    assert!(matches!(error, Error::ProgressTimeout(time) if time == 20 * SECOND), "{error}");
    assert_eq!(start.elapsed().as_secs(), 20);
}

#[test]
fn readers() {
    #[derive(Debug)]
    struct Failing(io::ErrorKind);
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(self.0.into())
        }
    }

    let (head, body) = respond(200, EVENTS, &b"data: a\n\ndata: b\n\n"[..]).into_parts();
    let response = open_reader(head, body).unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let events: Vec<_> = response.into_body().map(|event| event.unwrap().into_data().to_string()).collect();
    assert_eq!(events, ["a", "b"]);

    let long = vec![b'x'; 20_000];
    for (status, headers, body, kept, is_complete) in [
        (429, JSON, &b"{\"error\":\"busy\"}"[..], 16, true),
        (500, &[], &long, 16 * 1024, false),
        (200, JSON, &long, 20_000, true),
        (200, HTML, b"<p>", 3, true),
    ] {
        let (head, body) = respond(status, headers, body).into_parts();
        let error = open_reader(head, body).unwrap_err();
        let refusal = error.response().unwrap();
        assert_eq!((refusal.body().len(), refusal.is_complete()), (kept, is_complete), "{error}");
    }
    let (head, body) = respond(500, &[], b"abc".chain(Failing(io::ErrorKind::ConnectionReset))).into_parts();
    let error = open_reader(head, body).unwrap_err();
    assert_eq!(error.to_string(), "the server answered 500 Internal Server Error: abc...");
    // An error that could be tried again ends the events, too.
    let (head, body) = respond(200, EVENTS, b"data: a\n\n".chain(Failing(io::ErrorKind::TimedOut))).into_parts();
    let mut events = open_reader(head, body).unwrap().into_body();
    assert_eq!(events.next().unwrap().unwrap().data(), "a");
    assert!(matches!(events.next(), Some(Err(Error::Transport(_)))));
    assert!(events.next().is_none());
}

/// Returns the head of a response, and a body that returns the same error for ever, as reqwest's does after a timeout.
fn failing(content_type: &'static str, bytes: &'static str) -> (http::response::Parts, Chunks) {
    let errors = stream::repeat_with(|| Err(io::ErrorKind::TimedOut.into()));
    let head = respond(200, &[("content-type", content_type)], ()).into_parts().0;
    (head, Box::pin(stream::iter([Ok(bytes.into())]).chain(errors)))
}

#[tokio::test]
async fn a_body_that_fails_has_ended() {
    let opened = async || {
        let (head, body) = failing("text/event-stream", "data: 1\n\ndata: 2");
        open_chunks(head, body, TokioTimer).await.unwrap()
    };
    let events: Vec<_> = opened().await.map(|event| event.is_ok()).collect().await;
    assert_eq!(events, [true, false]);
    let values: Vec<_> = opened().await.json::<u32>().map(|value| value.is_ok()).collect().await;
    assert_eq!(values, [true, false]);
    let blocks: Vec<_> = opened().await.blocks().map(|block| block.is_ok()).collect().await;
    assert_eq!(blocks, [true, false]);

    let (head, body) = failing("multipart/mixed; boundary=x", "--x\r\n\r\na\r\n--x\r\n\r\nb");
    let mut parts = open_chunks(head, body, TokioTimer).parts().await.unwrap().into_body();
    assert_eq!(parts.next().await.unwrap().unwrap().bytes().await.unwrap(), "a");
    assert!(parts.next().await.unwrap().unwrap().bytes().await.is_err());
    assert!(matches!(parts.next().await, None | Some(Err(_))));
    assert!(parts.next().await.is_none());
}

#[tokio::test]
async fn what_is_opened_can_be_changed() {
    let plain = &[("content-type", "text/plain")];
    let response = || respond(202, plain, "data: a\n\n".to_owned());
    let mut events = open(response(), TokioTimer).with_check(|head| head.status() == 202).await.unwrap();
    assert_eq!(events.try_next().await.unwrap().unwrap().data(), "a");
    // What the check rejects is refused, even an event stream.
    let error = open(respond(200, EVENTS, String::new()), TokioTimer).with_check(|_| false).await.unwrap_err();
    assert!(matches!(error, OpenError::WrongContentType(_)));

    let response = || respond(202, &[("content-type", "multipart/mixed; boundary=x")], "--x--".to_owned());
    assert!(open(response(), TokioTimer).parts().await.is_err());
    let opening = open(response(), TokioTimer).parts().with_check(|head| head.status() == 202);
    assert!(opening.await.unwrap().into_body().next().await.is_none());
    let opening = open(response(), TokioTimer).with_check(|head| head.status() == 202).parts();
    assert!(opening.await.unwrap().into_body().next().await.is_none());
}

#[tokio::test]
async fn parts_of_one_response() {
    let body = || "--x\r\ncontent-type: text/plain\r\n\r\nhello\r\n--x--\r\n".to_owned();
    let headers = &[("content-type", "multipart/x-mixed-replace; boundary=x")];
    let response = open(respond(200, headers, body()), TokioTimer).parts().await.unwrap();
    assert_eq!(response.headers().len(), 1);
    let mut parts = response.into_body();
    let part = parts.next().await.unwrap().unwrap();
    assert_eq!(part.bytes().await.unwrap(), "hello");
    assert!(parts.next().await.is_none());
    for (status, headers, text) in [
        (200, EVENTS, "the server answered with the content type \"text/event-stream\""),
        (
            200,
            &[("content-type", "multipart/mixed")][..],
            "the server answered with the content type \"multipart/mixed\": the content type has no boundary parameter",
        ),
        (
            200,
            &[("content-type", "multipart/mixed; boundary=\"\"")],
            "the server answered with the content type \"multipart/mixed\": the boundary is empty",
        ),
        (404, headers, "the server answered 404 Not Found: --x"),
        (404, &[("content-type", "multipart/mixed")], "the server answered 404 Not Found: --x"),
        (200, &[headers[0], ("content-encoding", "gzip")], "the body is still compressed with \"gzip\"; enable "),
    ] {
        let error = open(respond(status, headers, body()), TokioTimer).parts().await.unwrap_err();
        assert!(error.to_string().starts_with(text), "{error}");
    }
    // Events have no boundary, so it is not what is missing.
    let headers = &[("content-type", "multipart/mixed")];
    let error = open(respond(200, headers, body()), TokioTimer).await.unwrap_err();
    assert!(
        error.to_string().starts_with("the server answered with the content type \"multipart/mixed\": --x"),
        "{error}"
    );
}

#[tokio::test]
async fn lines_of_one_response() {
    for content_type in [
        "application/x-ndjson",
        "Application/NDJSON; charset=utf-8",
        "application/jsonl",
        "application/jsonlines",
        "application/x-jsonlines",
        "application/json",
        "application/json;stream=watch",
    ] {
        let headers = [("content-type", content_type), ("x-request", "7")];
        let lines = open(respond(200, &headers, "1\n\n2".to_owned()), TokioTimer).lines().await.unwrap();
        assert_eq!(lines.response().headers()["x-request"], "7");
        assert_eq!(lines.json_lines::<u32>().try_collect::<Vec<_>>().await.unwrap(), [1, 2], "{content_type}");
    }
    let json = r#"{"error":"no such model"}"#;
    let compressed = [JSON[0], ("content-encoding", "br")];
    for (status, headers, body, text) in [
        (
            200,
            EVENTS,
            "data: 1\n\n",
            "the server answered with the content type \"text/event-stream\" instead of JSON lines; it is an event stream: \
             data: 1",
        ),
        (200, HTML, "<p>", "the server answered with the content type \"text/html\" instead of JSON lines"),
        (
            200,
            &[("content-type", "application/json-seq")],
            "1",
            "the server answered with the content type \"application/json-seq\" instead of JSON lines: 1",
        ),
        (200, &[], "1", "the server answered without a content type instead of JSON lines: 1"),
        (404, JSON, json, "the server answered 404 Not Found: no such model"),
        (204, &[], "", "the server answered 204 No Content"),
        (
            200,
            &compressed,
            "x",
            "the body is still compressed with \"br\"; enable decompression in the HTTP client, or send \
             `Accept-Encoding: identity`",
        ),
    ] {
        let error = open(respond(status, headers, body.to_owned()), TokioTimer).lines().await.unwrap_err();
        assert_eq!(error.to_string(), text);
        let is_right = match &error {
            OpenError::Refused(refusal) => status != 200 && refusal.to_string() == text,
            OpenError::WrongContentType(refusal) => headers.len() < 2 && refusal.to_string() == text,
            OpenError::Compressed(_) => headers.len() == 2,
            _ => false,
        };
        assert!(is_right, "{error:?}");
    }
    // Events are not lines, and the other way round.
    let error = fails(200, &[("content-type", "application/x-ndjson")], "{\"a\":1}").await;
    let text = "the server answered with the content type \"application/x-ndjson\"; it is JSON lines: \
                {\"a\":1}";
    assert_eq!(error.to_string(), text);
    // Other servers.
    let response = respond(202, &[("content-type", "text/plain")], "1\n".to_owned());
    let lines = open(response, TokioTimer).lines().with_check(|head| head.status() == 202).await.unwrap();
    assert_eq!(lines.json_lines::<u32>().try_collect::<Vec<_>>().await.unwrap(), [1]);
}

#[tokio::test(start_paused = true)]
async fn the_settings_and_errors_of_lines() {
    let response = respond(200, JSON, "1\n12345678901\n2\nEND\n3\n".to_owned());
    let lines = open(response, TokioTimer).lines().await.unwrap();
    let lines = lines.with_decoder(eventwire::Decoder::new().with_max_event_size(10));
    let values = lines.json_lines_with::<u32>(eventwire::Dialect::new().with_end_data("END"));
    let items: Vec<_> = values.map(|item| item.map_err(|error| error.to_string())).collect().await;
    assert_eq!(items, [Ok(1), Err("line 2 is longer than the limit of 10 bytes".to_owned()), Ok(2)]);

    // The body is silent, or fails.
    let body = stream::iter([Ok::<_, io::Error>("1\n{")]).chain(stream::pending());
    let head = || respond(200, JSON, ()).into_parts().0;
    let lines = open_chunks(head(), body, TokioTimer).lines().await.unwrap().with_idle_timeout(3 * SECOND);
    let items: Vec<_> = lines.json_lines::<u32>().collect().await;
    assert!(matches!(items[..], [Ok(1), Err(eventwire::JsonError::Stream(Error::IdleTimeout(_)))]), "{items:?}");
    let (head, body) = failing("application/json", "1\n{");
    let items: Vec<_> = open_chunks(head, body, TokioTimer).lines().await.unwrap().json_lines::<u32>().collect().await;
    assert!(matches!(items[..], [Ok(1), Err(eventwire::JsonError::Stream(Error::Transport(_)))]), "{items:?}");
}

/// A dialect over plain events is a method of everything that has `json_with`.
#[tokio::test]
async fn events_in_a_dialect() {
    let body = "data: Hi\n\nevent: done\ndata: {}\n\ndata: late\n\n".to_owned();
    let events = open(respond(200, EVENTS, body), TokioTimer).await.unwrap();
    let events = events.with_dialect(eventwire::Dialect::new().with_end_type("done"));
    let events: Vec<_> = events.map_ok(|event| event.into_data().to_string()).try_collect().await.unwrap();
    assert_eq!(events, ["Hi"]);
}

#[tokio::test]
async fn the_error_of_the_transport_can_be_converted() {
    let texts = [(429, EVENTS), (200, HTML), (200, &[EVENTS[0], ("content-encoding", "br")][..])];
    for (status, headers) in texts {
        let error = fails(status, headers, "no").await;
        let text = error.to_string();
        assert_eq!(error.map_transport(|never| -> io::Error { match never {} }).to_string(), text);
    }
    let error = OpenError::Transport(7).map_transport(|code| io::Error::other(format!("code {code}")));
    assert_eq!(error.to_string(), "code 7");
    let error = OpenError::<u8>::Timeout(SECOND).map_transport(|_| io::Error::other("none"));
    assert!(matches!(error, OpenError::Timeout(SECOND)));
}

/// What `.open()` and what a reader return of a body in these chunks: the data of the events, or an error.
fn opened(chunks: &[&[u8]]) -> Vec<String> {
    let head = || respond(200, EVENTS, ()).into_parts().0;
    let open = || {
        let body = stream::iter(chunks.iter().map(|chunk| Ok::<_, io::Error>(Bytes::copy_from_slice(chunk))));
        open_chunks(head(), body, |_| future::pending::<()>()).now_or_never().unwrap().unwrap()
    };
    let text = |item: Result<eventwire::Event, Error<io::Error>>| match item {
        Ok(event) => event.data().to_owned(),
        Err(error) => {
            assert!(matches!(error, Error::NotEventStream(_)), "{error:?}");
            error.to_string()
        }
    };
    let found: Vec<String> = open().map(text).collect::<Vec<_>>().now_or_never().unwrap();
    let again: Vec<String> = open().into_events().map(text).collect::<Vec<_>>().now_or_never().unwrap();
    assert_eq!(found, again);
    let day = Duration::from_secs(86_400);
    let timed = open().with_idle_timeout(day).with_progress_timeout(day, day, |_| true);
    assert_eq!(timed.map(text).collect::<Vec<_>>().now_or_never().unwrap(), found);
    let blocks = open().blocks().filter_map(|item| {
        future::ready(match item {
            Ok(eventwire::BlockItem::Block(block)) => block.into_event().map(|event| text(Ok(event))),
            Ok(_) => None,
            Err(error) => Some(text(Err(error))),
        })
    });
    assert_eq!(blocks.collect::<Vec<_>>().now_or_never().unwrap(), found);

    let body = chunks.concat();
    let mut events = open_reader(head(), &body[..]).unwrap().into_body();
    assert_eq!(events.by_ref().map(text).collect::<Vec<_>>(), found);
    assert!(events.next().is_none());
    found
}

/// Byte by byte, and split in two at every place.
#[track_caller]
fn opens(body: &[u8], expected: &[&str]) {
    let name = body.escape_ascii().to_string();
    assert_eq!(opened(&body.chunks(1).collect::<Vec<_>>()), expected, "{name}, byte by byte");
    for place in 0..=body.len() {
        let (head, tail) = body.split_at(place);
        assert_eq!(opened(&[head, tail]), expected, "{name}, split at {place}");
    }
}

/// gzip of an event, twice.
const GZIP: &[u8] = b"\x1f\x8b\x08\0\0\0\0\0\x02\xffKI,I\xb4R\xc8H\xcd\xc9\xc9\xe7\xe2JA\xe6\0\0\xddu\x1b0\x1a\0\0\0";

#[test]
fn a_body_that_is_not_an_event_stream() {
    let page = "<!DOCTYPE html>\n<html>\n\n<p>id: 502</p>\r\n: a comment\n</html>\n";
    for (body, text) in [
        (page.as_bytes(), "<!DOCTYPE html>\\n<html>\\n<p>id: 502</p>\\n</html>"),
        (
            GZIP,
            "\\u{1f}\\x8b\\u{8}\\u{0}\\u{0}\\u{0}\\u{0}\\u{0}\\u{2}\\xffKI,I\\xb4R\\xc8H\\xcd\\xc9\\xc9\\xe7\\xe2JA\\xe6\\u{0}\\u{0}\\xddu\\u{1b}0\\u{1a}\\u{0}\\u{0}\\u{0}",
        ),
        (b"{\"error\":{\"message\":\"invalid api key\"}}", "{\"error\":{\"message\":\"invalid api key\"}}"),
        (b"{\"a\":1}\n[\"a\",2]\n", "{\"a\":1}\\n[\"a\",2]"),
        (b"error: overloaded\n\n", "error: overloaded"),
        (b"\xEF\xBB\xBF\r\n: c\n[]", "[]"),
        (b"\xEF\xBB", "\\xef\\xbb"),
        (b"timestamp: 1\n\n", "timestamp: 1"),
        (b"datax: 1\n data: 2\nDATA: 3\nretries\nids\nid2:", "datax: 1\\n data: 2\\nDATA: 3\\nretries\\nids\\nid2:"),
        // A field without an event does not make it an event stream.
        (b"<html>\nid: 7\n\nevent: ping\n\nretry: 1\n", "<html>"),
        (b"id: 7\nname: Ada\n\n", "name: Ada"),
    ] {
        opens(body, &[&format!("received text that is not an event stream: `{text}`")]);
    }
    let long = [&b"x".repeat(5000)[..], b"\n"].concat();
    let shown = format!("received text that is not an event stream: `{}...`", "x".repeat(200));
    assert_eq!(opened(&[&long]), [&*shown]);
    assert_eq!(opened(&long.chunks(100).collect::<Vec<_>>()), [&*shown]);
}

#[test]
fn an_event_a_field_a_comment_or_nothing_is_an_event_stream() {
    for body in ["", "\n", "\r\n\r\n", ": c\n\n", ":", "\u{feff}", "\u{feff}: c", ": c\r: d\n\n\n"] {
        opens(body.as_bytes(), &[]);
    }
    for field in ["event: ping\n\n", "id: 7\n", "retry: 1\r\n", "retry: soon\n", "id", "data", "event:"] {
        opens(field.as_bytes(), &[]);
    }
    // An event, between any text. One that is not finished has not been received.
    for (before, after) in [("", ""), ("\u{feff}", ""), ("", "\n<html>\n"), ("<html>\r\n\n", ""), (": c\n{}\n", "x")] {
        opens(format!("{before}data:1\n\n{after}").as_bytes(), &["1"]);
    }
    for unfinished in ["data: 1", "data:1", "data", "data:\ndata:\n", "event: ping\ndata\n"] {
        opens(unfinished.as_bytes(), &[]);
        opens(format!("x\n{unfinished}").as_bytes(), &["received text that is not an event stream: `x`"]);
    }
    let late = ["<p>\n".repeat(2000), "data: 1\n\n".to_owned()].concat();
    assert_eq!(opened(&[late.as_bytes()]), ["1"]);
}

/// What a decoder has ignored of another stream is not in this one.
#[tokio::test]
async fn an_empty_body_after_text() {
    let mut decoder = eventwire::Decoder::new();
    assert!(decoder.decode(&mut &b"<html>\n"[..]).unwrap().is_none() && decoder.finish().unwrap().is_none());
    assert_eq!(decoder.ignored(), b"<html>");
    let events = open(respond(200, EVENTS, String::new()), TokioTimer).await.unwrap().with_decoder(decoder);
    assert_eq!(events.collect::<Vec<_>>().await, []);
}

/// An event that the end completes is one, and so is an event that is too large.
#[tokio::test]
async fn text_and_an_event_that_is_returned_otherwise() {
    let open = |body: &'static str, decoder| async move {
        open(respond(200, EVENTS, body.to_owned()), TokioTimer).await.unwrap().with_decoder(decoder)
    };
    for body in ["x\ndata:1", "x\ndata", "x\ndata:\n"] {
        let decoder = || eventwire::Decoder::new().with_eof(eventwire::Eof::Dispatch);
        let events: Vec<_> = open(body, decoder()).await.collect().await;
        assert!(matches!(&events[..], [Ok(_)]), "{events:?}");
        let blocks: Vec<_> = open(body, decoder()).await.blocks().collect().await;
        assert!(matches!(&blocks[..], [Ok(_)]), "{blocks:?}");
    }
    for body in ["timestamp: 1\ndata: 123456789012\n\n", "data: 123456789012\n\ntimestamp: 1\n"] {
        let events: Vec<_> = open(body, eventwire::Decoder::new().with_max_event_size(10)).await.collect().await;
        assert!(
            matches!(&events[..], [Err(Error::Decode(eventwire::DecodeError::EventTooLarge { .. }))]),
            "{events:?}"
        );
    }
}

/// A failure says more, and nobody knows how the body would have continued.
#[tokio::test]
async fn text_before_a_failure() {
    let body = stream::iter([Ok(Bytes::from("<html>\n")), Err(io::Error::other("reset"))]);
    let (head, body) = respond(200, EVENTS, body).into_parts();
    let mut events = open_chunks(head, body, TokioTimer).await.unwrap();
    assert_eq!(events.next().await.unwrap().unwrap_err().to_string(), "reset");
    assert!(events.next().await.is_none());
}

/// With an end that reports what is unfinished, it is one error.
#[tokio::test]
async fn text_with_an_end_that_is_an_error() {
    for eof in [eventwire::Eof::Error, eventwire::Eof::Dispatch] {
        let decoder = eventwire::Decoder::new().with_eof(eof);
        let events = open(respond(200, EVENTS, "<html>".to_owned()), TokioTimer).await.unwrap().with_decoder(decoder);
        let found: Vec<_> = events.map(|item| item.unwrap_err().to_string()).collect().await;
        assert_eq!(found, ["received text that is not an event stream: `<html>`"]);
    }
}

/// A typed stream has the server's message, if it can parse the text.
#[tokio::test]
async fn values_of_a_body_that_is_not_an_event_stream() {
    use eventwire::{Dialect, JsonError};
    for (body, dialect, expected) in [
        (
            &b"{\"error\":{\"message\":\"invalid api key\"}}"[..],
            Dialect::GEMINI,
            &["the server reported an error: invalid api key"][..],
        ),
        (b"<html>", Dialect::GEMINI, &["received text that is not an event stream: `<html>`"]),
        (b"\x1f\x8b", Dialect::new(), &["received text that is not an event stream: `\\u{1f}\\x8b`"]),
        (
            b"try again",
            Dialect::OPENAI,
            &[
                "received text that is not an event stream: `try again`",
                "the stream is truncated: it ended without `[DONE]`",
            ],
        ),
    ] {
        let body = http_body_util::Full::new(Bytes::from_static(body));
        let values = open(respond(200, EVENTS, body), TokioTimer).await.unwrap().json_with::<u32>(dialect);
        let found: Vec<_> =
            values.map(|value: Result<u32, JsonError<_>>| value.unwrap_err().to_string()).collect().await;
        assert_eq!(found, expected);
    }
}
