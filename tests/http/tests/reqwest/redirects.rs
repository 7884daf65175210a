//! Redirects that are followed, that cannot be followed, and that must not be followed.

use crate::{
    Seen, Way,
    followed_redirects::nobody,
    http_client, request,
    server::{Answer, Server, Step::Send, stream},
};
use eventwire_client::{ConnectionError, StopReason};
use eventwire_reqwest::RedirectError;
use reqwest::{Client, Method, redirect::Policy};
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
        }
    }
}

#[tokio::test]
async fn a_post_whose_redirect_fails_was_sent() {
    for (answer, location) in DEAD_ENDS {
        let script: &'static [Answer] = vec![answer, EVENT].leak();
        for way in Way::BOTH {
            let (server, client) = (Server::start(script).await, http_client());
            let Seen { errors, stopped, .. } = way.run(&|| request(&client, &Method::POST, &server.url())).await;
            assert_eq!(dead_end(stopped.error().unwrap()), location);
            assert_eq!((errors.len(), stopped.reason(), stopped.is_failure()), (0, StopReason::NotResent, true));
            assert_eq!(server.requests().len(), 1, "{location}");
        }
    }
}

#[tokio::test]
async fn too_many_redirects_are_a_lost_connection() {
    const AGAIN: Answer = redirect!(302, "/events");
    // reqwest follows ten.
    let server =
        Server::start(&[AGAIN, AGAIN, AGAIN, AGAIN, AGAIN, AGAIN, AGAIN, AGAIN, AGAIN, AGAIN, AGAIN, EVENT]).await;
    let client = http_client();
    let seen = Way::Same.run(&|| client.get(server.url())).await;
    assert!(matches!(&seen.errors[0], ConnectionError::Transport(error) if error.is_redirect()), "{:?}", seen.errors);
    assert_eq!((seen.events.len(), server.requests().len()), (1, 13));
}

#[tokio::test]
async fn a_redirect_without_a_location_is_refused() {
    const NOWHERE: Answer = &[Send(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n")];
    for method in [Method::GET, Method::POST] {
        let (server, client) = (Server::start(&[NOWHERE, NOWHERE]).await, http_client());
        for way in Way::BOTH {
            let seen = way.run(&|| request(&client, &method, &server.url())).await;
            assert_eq!(seen.stopped.response().unwrap().status(), 302);
        }
        assert_eq!(server.requests().len(), 2);
    }
}

#[tokio::test]
async fn a_redirect_that_must_not_be_followed_is_refused() {
    let client = Client::builder().no_proxy().redirect(Policy::none()).build().unwrap();
    for answer in [redirect!(302, "/other"), redirect!(307, "ftp://127.0.0.1/")] {
        let server = Server::start(vec![answer; 2].leak()).await;
        for way in Way::BOTH {
            let seen = way.run(&|| client.get(server.url())).await;
            assert_eq!((seen.errors.len(), seen.stopped.reason()), (0, StopReason::UnexpectedResponse));
        }
        assert_eq!(server.requests().len(), 2);
    }
}

#[tokio::test]
async fn each_attempt_begins_at_the_first_url_and_sends_its_id() {
    const AWAY: Answer = redirect!(307, "/other");
    const ONE: Answer = &[stream!("id: 1\ndata: a\n\n")];
    let (server, client) = (Server::start(&[AWAY, ONE, AWAY, EVENT]).await, http_client());
    Way::Same.run(&|| client.get(server.url()).bearer_auth("key")).await;
    let requests = server.requests();
    let seen: Vec<_> = requests
        .iter()
        .map(|request| (request.path(), request.header("last-event-id"), request.header("authorization").is_some()))
        .collect();
    let [first, other] = ["/events", "/other"];
    assert_eq!(
        seen,
        [
            (first, None, true),
            (other, None, true),
            (first, Some("1"), true),
            (other, Some("1"), true),
            (first, Some("1"), true)
        ]
    );
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

#[tokio::test]
async fn a_post_that_is_redirected_becomes_a_get_except_by_307_and_308() {
    for (answer, is_post) in
        [(redirect!(302, "/other"), false), (redirect!(303, "/other"), false), (redirect!(308, "/other"), true)]
    {
        let (server, client) = (Server::start(vec![answer, EVENT].leak()).await, http_client());
        let seen = Way::Same.run(&|| request(&client, &Method::POST, &server.url())).await;
        assert_eq!((seen.events.len(), seen.stopped.reason()), (1, StopReason::NotResent));
        let requests = server.requests();
        assert_eq!(
            (requests.len(), requests[1].head.starts_with("POST"), !requests[1].body.is_empty()),
            (2, is_post, is_post)
        );
    }
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
