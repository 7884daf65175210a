//! A token that the server rejects is replaced, once in a row.

use crate::{patiently, stream};
use eventwire_recipes::token_refresh::follow;
use eventwire_test_support::Script;
use std::sync::atomic::{AtomicU32, Ordering};

const REJECTED: &str = "HTTP/1.1 401 Unauthorized\r\n\r\nexpired";
const GONE: &str = "HTTP/1.1 204 No Content\r\n\r\n";

/// The events, the result, and the token and the last event ID of each request.
struct Run {
    events: Vec<String>,
    result: Result<(), String>,
    requests: Vec<[String; 2]>,
}

async fn run(answers: &[&str]) -> Run {
    let server = Script::new(answers);
    let (mut events, count) = (Vec::new(), AtomicU32::new(0));
    let refresh = async || match count.fetch_add(1, Ordering::Relaxed) {
        3.. => anyhow::bail!("no token is left"),
        number => Ok(number.to_string()),
    };
    let follow = follow(&server.url, refresh, |event| events.push(event.data().to_owned()));
    let result = patiently(follow).await.map_err(|error| error.to_string());
    let requests = server.requests();
    let header = |name| requests.iter().map(move |request| request.header(name).concat());
    let requests = header("authorization").zip(header("last-event-id")).map(Into::into).collect();
    Run { events, result, requests }
}

#[tokio::test]
async fn a_rejected_token_is_replaced_and_no_event_is_lost() {
    let run = run(&[&stream("id: 1\ndata: a\n\n"), REJECTED, &stream("id: 2\ndata: b\n\n"), GONE]).await;
    assert_eq!((run.events.concat(), run.result), ("ab".to_owned(), Ok(())));
    let expected = [["Bearer 0", ""], ["Bearer 0", "1"], ["Bearer 1", "1"], ["Bearer 1", "2"]];
    assert_eq!(run.requests, expected);
}

#[tokio::test]
async fn a_token_that_has_worked_may_expire_before_the_first_event() {
    let run = run(&[&stream(""), REJECTED, &stream("data: a\n\n"), REJECTED, &stream(""), GONE]).await;
    assert_eq!((run.events.concat(), run.result), ("a".to_owned(), Ok(())));
    let tokens: Vec<_> = run.requests.iter().map(|[token, _]| &token[7..]).collect();
    assert_eq!(tokens.concat(), "001122");
}

#[tokio::test]
async fn a_new_token_that_is_rejected_is_an_error() {
    let error = Err("the server answered 401 Unauthorized: expired".to_owned());
    let first = run(&[REJECTED, &stream("data: a\n\n")]).await;
    assert_eq!((first.result, first.requests.len()), (error.clone(), 1));
    let second = run(&[&stream("data: a\n\n"), REJECTED, REJECTED, &stream("data: b\n\n")]).await;
    assert_eq!((second.events.concat(), second.result, second.requests.len()), ("a".to_owned(), error, 3));
}

#[tokio::test]
async fn another_refusal_is_an_error() {
    let run = run(&[&stream("data: a\n\n"), "HTTP/1.1 403 Forbidden\r\n\r\n", &stream("data: b\n\n")]).await;
    assert_eq!((run.result, run.requests.len()), (Err("the server answered 403 Forbidden".to_owned()), 2));
}

#[tokio::test]
async fn without_a_new_token_it_stops() {
    let stream = stream("data: a\n\n");
    let run = run(&[&stream, REJECTED, &stream, REJECTED, &stream, REJECTED, &stream]).await;
    assert_eq!((run.events.len(), run.result), (3, Err("no token is left".to_owned())));
}
