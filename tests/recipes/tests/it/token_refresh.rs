//! A token that is renewed in time, or when the server rejects it, once in a row.

use crate::{header, patiently, stream};
use eventwire_recipes::token_refresh::{Token, Tokens};
use eventwire_test::{Script, TestServer};
use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

const HOUR: Duration = Duration::from_secs(3600);

fn rejected() -> Script {
    Script::status(401).send("expired")
}

/// The events, the result, and the token and the last event ID of each request.
struct Run {
    events: Vec<String>,
    result: Result<(), String>,
    requests: Vec<[String; 2]>,
}

/// Follows a feed with the tokens 0, 1 and 2. Then there is none.
async fn run(answers: impl IntoIterator<Item = Script>) -> Run {
    let server = TestServer::new().answers(answers);
    let url = server.url();
    let (mut events, count) = (Vec::new(), AtomicU32::new(1));
    let token = |number: u32| Token { text: number.to_string(), lifetime: HOUR };
    let tokens = Tokens::new(token(0));
    let fetch = async || match count.fetch_add(1, Ordering::Relaxed) {
        3.. => anyhow::bail!("no token is left"),
        number => Ok(token(number)),
    };
    let result = patiently(async {
        tokio::select! {
            result = tokens.renew(fetch) => result,
            result = tokens.follow(&url, |event| events.push(event.data().to_owned())) => result,
        }
    });
    let result = result.await.map_err(|error| error.to_string());
    let requests = server.requests();
    let values = |name| requests.iter().map(move |request| header(request, name).concat());
    let requests = values("authorization").zip(values("last-event-id")).map(Into::into).collect();
    Run { events, result, requests }
}

#[tokio::test]
async fn a_rejected_token_is_replaced_and_no_event_is_lost() {
    let run = run([stream("id: 1\ndata: a\n\n"), rejected(), stream("id: 2\ndata: b\n\n"), Script::status(204)]).await;
    assert_eq!((run.events.concat(), run.result), ("ab".to_owned(), Ok(())));
    let expected = [["Bearer 0", ""], ["Bearer 0", "1"], ["Bearer 1", "1"], ["Bearer 1", "2"]];
    assert_eq!(run.requests, expected);
}

#[tokio::test]
async fn a_token_that_has_worked_may_expire_before_the_first_event() {
    let run = run([stream(""), rejected(), stream("data: a\n\n"), rejected(), stream(""), Script::status(204)]).await;
    assert_eq!((run.events.concat(), run.result), ("a".to_owned(), Ok(())));
    let tokens: Vec<_> = run.requests.iter().map(|[token, _]| &token[7..]).collect();
    assert_eq!(tokens.concat(), "001122");
}

#[tokio::test]
async fn a_new_token_that_is_rejected_is_an_error() {
    let error = Err("the server answered 401 Unauthorized: expired".to_owned());
    let first = run([rejected(), rejected(), stream("data: a\n\n")]).await;
    assert_eq!((first.result, first.requests.len()), (error.clone(), 2));
    let second = run([stream("data: a\n\n"), rejected(), rejected(), stream("data: b\n\n")]).await;
    assert_eq!((second.events.concat(), second.result, second.requests.len()), ("a".to_owned(), error, 3));
}

/// The first token may have been rejected while another feed used it.
#[tokio::test]
async fn the_first_token_may_be_an_old_one() {
    let run = run([rejected(), stream("data: a\n\n"), Script::status(204)]).await;
    assert_eq!((run.events.concat(), run.result, run.requests.len()), ("a".to_owned(), Ok(()), 3));
}

#[tokio::test]
async fn a_token_is_renewed_before_it_expires() {
    let server = TestServer::new().answers([stream("data: a\n\n"), stream("data: b\n\n"), Script::status(204)]);
    let url = server.url();
    let token = |text: &str, lifetime| Token { text: text.to_owned(), lifetime };
    let tokens = Tokens::new(token("old", Duration::from_millis(10)));
    // The reader returns after at least 100 ms.
    let follow = tokens.follow(&url, |_| {});
    let renew = tokens.renew(async || Ok(token("new", HOUR)));
    let result = patiently(async {
        tokio::select! { result = renew => result, result = follow => result }
    })
    .await;
    assert!(result.is_ok(), "{result:?}");
    let requests = server.requests();
    let tokens: Vec<_> = requests.iter().map(|request| header(request, "authorization").concat()).collect();
    assert_eq!(tokens[1..], ["Bearer new", "Bearer new"]);
}

/// All feeds get the token that one of them has asked for.
#[tokio::test]
async fn feeds_share_a_token() {
    let answers = [stream("data: a\n\n"), rejected(), stream("data: b\n\n"), Script::status(204)];
    let servers = [TestServer::new().answers(answers.clone()), TestServer::new().answers(answers)];
    let count = AtomicU32::new(0);
    let tokens = Tokens::new(Token { text: "0".to_owned(), lifetime: HOUR });
    let fetch = async || {
        tokio::time::sleep(Duration::from_millis(300)).await; // until both have been rejected
        let number = count.fetch_add(1, Ordering::Relaxed) + 1;
        Ok(Token { text: number.to_string(), lifetime: HOUR })
    };
    let mut events = [String::new(), String::new()];
    let [first, second] = &mut events;
    let result = patiently(async {
        let feeds = async {
            let [one, two] = servers.each_ref().map(TestServer::url);
            tokio::try_join!(
                tokens.follow(&one, |event| first.push_str(event.data())),
                tokens.follow(&two, |event| second.push_str(event.data())),
            )
        };
        tokio::select! { result = tokens.renew(fetch) => result, result = feeds => result.map(|_| ()) }
    });
    result.await.unwrap();
    assert_eq!(events, ["ab", "ab"]);
    assert!(count.into_inner() <= 2);
    for server in servers {
        let requests = server.requests();
        let tokens: Vec<_> = requests.iter().map(|request| header(request, "authorization").concat()).collect();
        assert_eq!(tokens[..3], ["Bearer 0", "Bearer 0", "Bearer 1"]);
    }
}

#[tokio::test]
async fn another_refusal_is_an_error() {
    let run = run([stream("data: a\n\n"), Script::status(403), stream("data: b\n\n")]).await;
    assert_eq!((run.result, run.requests.len()), (Err("the server answered 403 Forbidden".to_owned()), 2));
}

#[tokio::test]
async fn without_a_new_token_it_stops() {
    let answers = [stream("data: a\n\n"), rejected()];
    let run = run(std::iter::repeat_n(answers, 4).flatten()).await;
    assert_eq!((run.events.len(), run.result), (3, Err("no token is left".to_owned())));
}
