//! Redirects that are followed, that cannot be followed, and that must not be followed.

use crate::{
    Seen, Way,
    followed_redirects::nobody,
    http_client, request,
    server::{Answer, Server, Step::Send, stream},
};
use eventwire_client::{ConnectionError, StopReason};
use eventwire_reqwest::{RedirectError, client_builder};
use reqwest::Method;
use std::error::Error as _;

const EVENT: Answer = &[stream!("data: a\n\n")];

/// An answer that redirects to this URL.
macro_rules! redirect {
    ($status:literal, $location:literal) => {
        const {
            &[Send(
                concat!("HTTP/1.1 ", $status, " Elsewhere\r\nLocation: ", $location, "\r\nContent-Length: 0\r\n\r\n")
                    .as_bytes(),
            )] as Answer
        }
    };
}

/// Redirects that cannot be followed, and their targets.
const DEAD_ENDS: [(Answer, &str); 9] = [
    (redirect!(301, "http://[::1"), "http://[::1"),
    (redirect!(302, "http://127.0.0.1:99999/"), "http://127.0.0.1:99999/"),
    (redirect!(303, "data:text/event-stream,data:a"), "data:text/event-stream,data:a"),
    (redirect!(307, "data:1"), "data:1"),
    (redirect!(308, "javascript:alert(1)"), "javascript:alert(1)"),
    (redirect!(302, "ftp://127.0.0.1/events"), "ftp://127.0.0.1/events"),
    (redirect!(302, "mailto:a@example.com"), "mailto:a@example.com"),
    (redirect!(302, "http://{{host}}/"), "http://{{host}}/"),
    (&[Send(b"HTTP/1.1 302 Found\r\nLocation: http://a/\xFF\r\nContent-Length: 0\r\n\r\n")], "http://a/\u{FFFD}"),
];

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
    for (answer, location) in DEAD_ENDS {
        let script: &'static [Answer] = vec![answer, EVENT].leak();
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
        (redirect!(302, "/other"), client_builder().no_proxy().build().unwrap()),
        (redirect!(307, "ftp://127.0.0.1/"), client_builder().no_proxy().build().unwrap()),
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
    let location = format!("HTTP/1.1 302 Found\r\nLocation: {}\r\nContent-Length: 0\r\n\r\n", there.url());
    let script: Vec<Answer> = vec![vec![Send(location.leak().as_bytes())].leak()];
    let here = Server::start(script.leak()).await;
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
        let (server, client) = (Server::start(&[redirect!(303, "/events"), TOO_MANY, EVENT]).await, http_client());
        let seen = way.run(&|| request(&client, &Method::POST, &server.url())).await;
        assert_eq!((seen.events.len(), seen.stopped.reason()), (1, StopReason::NotResent));
        assert_eq!(methods(&server), ["POST", "GET", "POST"]);
    }
    // To a server that does not exist.
    for way in Way::BOTH {
        let (_reserved, nobody) = nobody();
        let location = format!("HTTP/1.1 303 Elsewhere\r\nLocation: {nobody}\r\nContent-Length: 0\r\n\r\n");
        let away: Answer = vec![Send(location.leak().as_bytes())].leak();
        let (server, client) = (Server::start(vec![away, EVENT].leak()).await, http_client());
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
