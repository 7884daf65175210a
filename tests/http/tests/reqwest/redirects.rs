//! Redirects that are followed, that cannot be followed, and that must not be followed.

use crate::{
    runs::{Seen, Way, http_client, nobody, redirect, request, script},
    server::{Answer, Server, Step::Send, stream},
    version::client_builder,
};
use eventwire_client::{ConnectionError, StopReason};
use eventwire_reqwest::RedirectError;
use reqwest::Method;
use std::error::Error as _;

const EVENT: Answer = &[stream!("data: a\n\n")];

/// The targets of redirects that cannot be followed.
const DEAD_ENDS: [&str; 8] = [
    "http://[::1",
    "http://127.0.0.1:99999/",
    "data:text/event-stream,data:a",
    "data:1",
    "javascript:alert(1)",
    "ftp://127.0.0.1/events",
    "mailto:a@example.com",
    "http://{{host}}/",
];
/// The same, but not UTF-8.
const NOT_UTF8: Answer = &[Send(b"HTTP/1.1 302 Found\r\nLocation: http://a/\xFF\r\nContent-Length: 0\r\n\r\n")];

/// Returns the target of the redirect that failed.
#[track_caller]
fn dead_end(error: &ConnectionError<reqwest::Error>) -> &str {
    let ConnectionError::Transport(error) = error else { panic!("{error:?}") };
    // The error is neither that of the request itself nor that of its connection.
    assert!(!error.is_builder() && !error.is_connect(), "{error:?}");
    let redirect = error.source().and_then(|source| source.downcast_ref::<RedirectError>());
    let line = format!("{error}: {}", redirect.unwrap());
    assert!(!line.contains(char::is_control), "{line:?}");
    redirect.unwrap().location()
}

/// A POST was sent, so it is not sent again.
#[tokio::test]
async fn a_redirect_that_cannot_be_followed_is_a_lost_connection() {
    let statuses = [301, 302, 303, 307, 308].into_iter().cycle();
    let answers = DEAD_ENDS.into_iter().zip(statuses).map(|(location, status)| (redirect(status, location), location));
    for (answer, location) in answers.chain([(NOT_UTF8, "http://a/\u{FFFD}")]) {
        let script = script(&[answer, EVENT]);
        for way in Way::BOTH {
            let (server, client) = (Server::start(script).await, http_client());
            let seen = way.run(&|| request(&client, &Method::GET, &server.url())).await;
            assert_eq!(dead_end(&seen.errors[0]), location);
            assert_eq!((seen.events.len(), seen.stopped.reason()), (1, StopReason::NoContent), "{location}");
            assert_eq!(server.requests().len(), 3, "{location}");

            let server = Server::start(script).await;
            let Seen { errors, stopped, .. } = way.run(&|| request(&client, &Method::POST, &server.url())).await;
            assert_eq!(dead_end(stopped.error().unwrap()), location);
            assert_eq!((errors.len(), stopped.reason(), stopped.is_failure()), (0, StopReason::NotResent, true));
            assert_eq!(server.requests().len(), 1, "{location}");
        }
    }
}

#[tokio::test]
async fn a_redirect_without_a_location_or_that_must_not_be_followed_is_refused() {
    const NOWHERE: Answer = &[Send(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n")];
    for (answer, client) in [
        (NOWHERE, http_client()),
        (redirect(302, "/other"), client_builder().no_proxy().build().unwrap()),
        (redirect(307, "ftp://127.0.0.1/"), client_builder().no_proxy().build().unwrap()),
    ] {
        let server = Server::start(vec![answer; 4].leak()).await;
        for way in Way::BOTH {
            for method in [Method::GET, Method::POST] {
                let seen = way.run(&|| request(&client, &method, &server.url())).await;
                assert!(seen.stopped.response().unwrap().status().is_redirection());
                assert_eq!((seen.errors.len(), seen.stopped.reason()), (0, StopReason::UnexpectedResponse));
            }
        }
        assert_eq!(server.requests().len(), 4);
    }
}

/// reqwest behaves as described in the documentation of `eventwire_client`.
#[tokio::test]
async fn a_redirect_to_another_host_drops_credentials_but_not_the_id() {
    let there = Server::start(&[EVENT]).await;
    let here = Server::start(script(&[redirect(302, &there.url())])).await;
    let client = http_client();
    let url = here.url() + "?token=secret";
    let request = || {
        let request = client.get(&url).bearer_auth("key").header("cookie", "a=b").header("x-api-key", "key");
        request.header("last-event-id", "7")
    };
    Way::Same.run(&request).await;
    let requests = there.requests();
    let header = |name| requests[0].header(name);
    assert_eq!((header("authorization"), header("cookie")), (None, None));
    assert_eq!((header("last-event-id"), header("x-api-key")), (Some("7"), Some("key")));
    assert_eq!(header("referer"), Some(&*url));
}

/// In both cases, the client cannot see that the first server has received the POST, as the documentation says.
#[tokio::test]
async fn a_post_is_sent_again_if_reqwest_hides_that_a_server_has_received_it() {
    const TOO_MANY: Answer = &[Send(b"HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n")];
    // Back to the URL of the POST, where a 429 waits.
    for way in Way::BOTH {
        let (server, client) =
            (Server::start(script(&[redirect(303, "/events"), TOO_MANY, EVENT])).await, http_client());
        let seen = way.run(&|| request(&client, &Method::POST, &server.url())).await;
        assert_eq!((seen.events.len(), seen.stopped.reason()), (1, StopReason::NotResent));
        assert_eq!(methods(&server), ["POST", "GET", "POST"]);
    }
    // To a server that does not exist.
    for way in Way::BOTH {
        let (_reserved, nobody) = nobody();
        let (server, client) = (Server::start(script(&[redirect(303, &nobody), EVENT])).await, http_client());
        let seen = way.run(&|| request(&client, &Method::POST, &server.url())).await;
        assert_eq!((seen.events.len(), seen.stopped.reason()), (1, StopReason::NotResent));
        assert_eq!(methods(&server), ["POST", "POST"]);
    }
}

/// Returns the methods of the requests.
fn methods(server: &Server) -> Vec<String> {
    let requests = server.requests();
    requests.iter().map(|sent| sent.head.split(' ').next().unwrap_or_default().to_owned()).collect()
}
