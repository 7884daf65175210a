//! Redirects that are followed, that cannot be followed, and that must not be followed.

use crate::{
    runs::{Seen, Way, event, http_client, nobody, redirect, request, serve},
    version::client_builder,
};
use eventwire_client::{ConnectionError, StopReason};
use eventwire_reqwest::RedirectError;
use eventwire_test::{Script, TestServer};
use reqwest::Method;
use std::error::Error as _;

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
const NOT_UTF8: &[u8] = b"HTTP/1.1 302 Found\r\nlocation: http://a/\xFF\r\ncontent-length: 0\r\n\r\n";

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
    for (answer, location) in answers.chain([(Script::raw(NOT_UTF8), "http://a/\u{FFFD}")]) {
        let answers = [answer, event()];
        for way in Way::BOTH {
            let (server, client) = (serve(&answers), http_client());
            let seen = way.run(&|| request(&client, &Method::GET, &server.url())).await;
            assert_eq!(dead_end(&seen.errors[0]), location);
            assert_eq!((seen.events.len(), seen.stopped.reason()), (1, StopReason::NoContent), "{location}");
            assert_eq!(server.requests().len(), 3, "{location}");

            let server = serve(&answers);
            let Seen { errors, stopped, .. } = way.run(&|| request(&client, &Method::POST, &server.url())).await;
            assert_eq!(dead_end(stopped.error().unwrap()), location);
            assert_eq!((errors.len(), stopped.reason(), stopped.is_failure()), (0, StopReason::NotResent, true));
            assert_eq!(server.requests().len(), 1, "{location}");
        }
    }
}

#[tokio::test]
async fn a_redirect_without_a_location_or_that_must_not_be_followed_is_refused() {
    for (answer, client) in [
        (Script::status(302), http_client()),
        (redirect(302, "/other"), client_builder().no_proxy().build().unwrap()),
        (redirect(307, "ftp://127.0.0.1/"), client_builder().no_proxy().build().unwrap()),
    ] {
        let server = serve(&vec![answer; 4]);
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
    let there = serve(&[event()]);
    let here = serve(&[redirect(302, &there.url())]);
    let client = http_client();
    let url = here.url() + "?token=secret";
    let request = || {
        let request = client.get(&url).bearer_auth("key").header("cookie", "a=b").header("x-api-key", "key");
        request.header("last-event-id", "7")
    };
    Way::Same.run(&request).await;
    let requests = there.requests();
    let headers = requests[0].headers();
    assert_eq!((headers.get("authorization"), headers.get("cookie")), (None, None));
    assert_eq!([&headers["last-event-id"], &headers["x-api-key"]], ["7", "key"]);
    assert_eq!(headers["referer"], url);
}

/// In both cases, the client cannot see that the first server has received the POST, as the documentation says.
#[tokio::test]
async fn a_post_is_sent_again_if_reqwest_hides_that_a_server_has_received_it() {
    // Back to the URL of the POST, where a 429 waits.
    for way in Way::BOTH {
        let (server, client) = (serve(&[redirect(303, "/events"), Script::status(429), event()]), http_client());
        let seen = way.run(&|| request(&client, &Method::POST, &server.url())).await;
        assert_eq!((seen.events.len(), seen.stopped.reason()), (1, StopReason::NotResent));
        assert_eq!(methods(&server), [Method::POST, Method::GET, Method::POST]);
    }
    // To a server that does not exist.
    for way in Way::BOTH {
        let (_reserved, nobody) = nobody();
        let (server, client) = (serve(&[redirect(303, &nobody), event()]), http_client());
        let seen = way.run(&|| request(&client, &Method::POST, &server.url())).await;
        assert_eq!((seen.events.len(), seen.stopped.reason()), (1, StopReason::NotResent));
        assert_eq!(methods(&server), [Method::POST, Method::POST]);
    }
}

/// Returns the methods of the requests.
fn methods(server: &TestServer) -> Vec<Method> {
    server.requests().iter().map(|request| request.method().clone()).collect()
}
