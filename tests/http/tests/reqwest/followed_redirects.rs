//! Redirects that the event source follows itself: `with_redirects`.

use crate::{
    runs::{Seen, Way, event, nobody, quick, redirect, request, run, serve},
    version::{self, RequestBuilderExt, client_builder},
};
use eventwire_client::{ConnectionError, Item, StopReason, Verdict};
use eventwire_reqwest::RedirectError;
use eventwire_test::{Script, TestServer};
use futures_util::{future::ready, stream};
use reqwest::{
    Body, Client, Method, Url,
    header::{CONTENT_TYPE, HOST, HeaderMap, HeaderValue},
};
use std::error::Error as _;

fn http_client() -> Client {
    client_builder().no_proxy().build().unwrap()
}

/// Sends a request to a server with these answers, and follows redirects to any server.
async fn follow(way: Way, method: &Method, answers: &[Script]) -> (TestServer, Seen<reqwest::Error>) {
    let (server, client) = (serve(answers), http_client());
    let request = || request(&client, method, &server.url()).with_redirects(10).with_other_origins(|_| true);
    let seen = way.run(&request).await;
    (server, seen)
}

/// Returns the error of a redirect that was not followed.
#[track_caller]
fn redirect_error(error: &ConnectionError<reqwest::Error>) -> &RedirectError {
    let ConnectionError::Transport(error) = error else { panic!("{error:?}") };
    error.source().and_then(|source| source.downcast_ref()).unwrap()
}

/// Returns the methods and the paths of the requests.
fn sent(server: &TestServer) -> Vec<String> {
    server.requests().iter().map(|sent| format!("{} {}", sent.method(), sent.uri())).collect()
}

/// Runs this script for a POST that follows redirects, with both ways to build requests. Checks the requests, and
/// whether the source stopped with a failure. A POST that is not sent again has this reason.
async fn check_post(answers: &[Script], expected: &[&str], is_failure: bool) {
    for way in Way::BOTH {
        let (server, Seen { stopped, .. }) = follow(way, &Method::POST, answers).await;
        assert_eq!(sent(&server), expected, "{answers:?}");
        assert_eq!((stopped.reason(), stopped.is_failure()), (StopReason::NotResent, is_failure), "{answers:?}");
    }
}

/// The redirect says that the POST was carried out, and the GET asks for its result.
#[tokio::test]
async fn a_post_that_became_a_get_is_not_sent_again() {
    for status in [301, 302, 303] {
        for end in [Script::status(503), Script::status(429), Script::raw("")] {
            let answers = [redirect(status, "/events"), end, event()];
            check_post(&answers, &["POST /events", "GET /events"], true).await;
        }
        check_post(&[redirect(status, "/result"), event(), event()], &["POST /events", "GET /result"], false).await;
    }
}

/// The redirect says that the POST is for another URL, so the server that answered has not carried it out.
#[tokio::test]
async fn a_post_that_was_passed_on_is_sent_again_if_the_last_server_turned_it_away() {
    let (there, back) = (|| redirect(307, "/other"), || redirect(308, "/events"));
    let too_many = || Script::status(429);
    let round = ["POST /events", "POST /other", "POST /events"];
    check_post(&[there(), back(), Script::status(503), event()], &round, true).await;
    check_post(&[there(), back(), Script::raw(""), event()], &round, true).await;
    let twice = [there(), back(), too_many(), there(), back(), event()];
    check_post(&twice, &[round, round].concat(), false).await;
    // A POST that was passed on, then carried out.
    let becomes_get = [there(), redirect(303, "/result"), too_many(), event()];
    check_post(&becomes_get, &["POST /events", "POST /other", "GET /result"], true).await;
}

#[tokio::test]
async fn the_fate_of_a_post_whose_second_server_cannot_be_reached() {
    for (status, is_sent_again) in [(303, false), (302, false), (307, true), (308, true)] {
        for way in Way::BOTH {
            let (_reserved, nobody) = nobody();
            let (server, seen) = follow(way, &Method::POST, &[redirect(status, &nobody), event()]).await;
            assert_eq!((seen.events.len() == 1, seen.errors.len() == 1), (is_sent_again, is_sent_again), "{status}");
            assert_eq!((seen.stopped.reason(), seen.stopped.is_failure()), (StopReason::NotResent, !is_sent_again));
            assert_eq!(sent(&server).len(), 1 + usize::from(is_sent_again), "{status}");
        }
    }
}

#[tokio::test]
async fn a_get_is_always_sent_again() {
    let (_reserved, nobody) = nobody();
    let answers = [
        redirect(303, "/other"),
        Script::status(503),
        redirect(302, "/other"),
        Script::status(429),
        redirect(307, &nobody),
        event(),
    ];
    for way in Way::BOTH {
        let (server, seen) = follow(way, &Method::GET, &answers).await;
        assert_eq!((seen.events.len(), seen.errors.len(), seen.stopped.reason()), (1, 4, StopReason::NoContent));
        assert_eq!(server.requests().len(), 7);
    }
}

/// By the Fetch standard.
#[tokio::test]
async fn the_method_the_body_and_its_headers() {
    const QUERY: &str = "QUERY";
    let cases = [
        ("GET", 301, "GET"),
        ("GET", 303, "GET"),
        ("GET", 307, "GET"),
        ("POST", 301, "GET"),
        ("POST", 302, "GET"),
        ("POST", 303, "GET"),
        ("POST", 307, "POST"),
        ("POST", 308, "POST"),
        ("PUT", 301, "PUT"),
        ("PUT", 302, "PUT"),
        ("PUT", 303, "GET"),
        ("PATCH", 302, "PATCH"),
        (QUERY, 301, QUERY),
        (QUERY, 303, "GET"),
    ];
    for (method, status, expected) in cases {
        let (server, client) = (serve(&[redirect(status, "other?q"), event()]), http_client());
        let request = || {
            let request = client.request(method.parse().unwrap(), server.url()).header("x-api-key", "key");
            let request = if method == "GET" { request } else { request.body("once").header(CONTENT_TYPE, "a/b") };
            request.header("content-language", "en").with_redirects(10)
        };
        assert_eq!(Way::Same.run(&request).await.events, ["a"]);
        let (sent, next) = (sent(&server), &server.requests()[1]);
        assert_eq!(sent[..2], [format!("{method} /events"), format!("{expected} /other?q")]);
        let is_same = method == expected;
        let headers = next.headers();
        assert_eq!(next.body().is_empty(), !is_same || method == "GET", "{method} {status}");
        assert_eq!(headers.contains_key("content-type"), is_same && method != "GET", "{method} {status}");
        assert_eq!(headers.contains_key("content-language"), is_same, "{method} {status}");
        assert_eq!(headers["x-api-key"], "key");
        assert!(!headers.contains_key("content-length") || !next.body().is_empty(), "{headers:?}");
        assert_eq!(headers.get("referer"), None);
    }
}

#[tokio::test]
async fn each_attempt_begins_at_the_first_url_and_sends_its_id() {
    let (away, one) = (|| redirect(308, "/other"), Script::new().send("id: 1\ndata: a\n\n"));
    let (server, client) = (serve(&[away(), one, away(), event()]), http_client());
    Way::Same.run(&|| client.get(server.url()).with_redirects(10)).await;
    let requests = server.requests();
    let seen: Vec<_> =
        requests.iter().map(|request| (request.uri().path(), request.headers().get("last-event-id"))).collect();
    let ([first, other], one) = (["/events", "/other"], Some(&HeaderValue::from_static("1")));
    assert_eq!(seen, [(first, None), (other, None), (first, one), (other, one), (first, one)]);
}

#[tokio::test]
async fn a_redirect_to_another_origin_is_permanent_unless_it_is_allowed() {
    for (method, status) in [(Method::GET, 302), (Method::POST, 303), (Method::POST, 307)] {
        for way in Way::BOTH {
            let there = serve(&[event()]);
            let here = serve(&[redirect(status, &there.url()), event()]);
            let client = http_client();
            let seen = way.run(&|| request(&client, &method, &here.url()).with_redirects(10)).await;
            let error = redirect_error(seen.stopped.error().unwrap());
            let said = format!(
                "cannot follow the redirect to \"{}\": it is of another origin, which is not allowed",
                there.url()
            );
            assert_eq!((error.location(), error.to_string()), (&*there.url(), said));
            assert_eq!((seen.errors.len(), seen.stopped.reason()), (0, StopReason::Permanent));
            assert_eq!((here.requests().len(), there.requests().len()), (1, 0));
        }
    }
}

/// The error is permanent, but the caller wants to go on. Even so, a POST that a server has carried out stays one.
#[tokio::test]
async fn a_redirect_that_is_not_allowed_leaves_the_fate_of_the_request_known() {
    for (method, status, requests) in [(Method::GET, 302, 3), (Method::POST, 303, 1), (Method::POST, 307, 1)] {
        for way in Way::BOTH {
            let there = serve(&[event()]);
            let here = serve(&[redirect(status, &there.url()), event()]);
            let client = http_client();
            let make = || request(&client, &method, &here.url()).with_redirects(10);
            let go_on = |_: &reqwest::Error| Some(Verdict::RetryIfAllowed);
            match way {
                Way::Same => run(make().eventsource().unwrap().with_policy(quick()).with_error_verdict(go_on)).await,
                Way::Made => {
                    let source = version::from_fn(|_| ready(Ok::<_, reqwest::Error>(make())));
                    run(source.with_policy(quick()).with_error_verdict(go_on)).await
                }
            };
            assert_eq!(here.requests().len(), requests, "{method} {status} {way:?}");
        }
    }
}

#[tokio::test]
async fn another_origin_that_is_allowed_gets_no_credentials_but_all_other_headers() {
    for way in Way::BOTH {
        let there = serve(&[redirect(302, "/again"), event()]);
        let here = serve(&[redirect(307, "/same"), redirect(307, &there.url())]);
        let mut headers = HeaderMap::new();
        headers.insert("x-default", HeaderValue::from_static("seen"));
        let client = client_builder().no_proxy().default_headers(headers).build().unwrap();
        let allowed = Url::parse(&there.url()).unwrap();
        let request = || {
            let request = client.get(here.url()).bearer_auth("key").header("cookie", "a=b").header("x-api-key", "key");
            let request = request.header("proxy-authorization", "key").header("last-event-id", "7");
            let request = request.header("cookie2", "key").header("www-authenticate", "key").header("referer", "key");
            let allowed = allowed.clone();
            request.header(HOST, "virtual").with_redirects(10).with_other_origins(move |url| *url == allowed)
        };
        assert_eq!(way.run(&request).await.events, ["a"]);
        let secrets = ["authorization", "cookie", "cookie2", "proxy-authorization", "referer", "www-authenticate"];
        for (requests, has_secrets) in [(here.requests(), true), (there.requests(), false)] {
            for request in &requests[..2] {
                let headers = request.headers();
                assert!(secrets.iter().all(|name| headers.contains_key(*name) == has_secrets), "{headers:?}");
                let others = ["last-event-id", "x-api-key", "x-default"].map(|name| &headers[name]);
                assert_eq!(others, ["7", "key", "seen"]);
                assert_eq!(headers["host"] == "virtual", has_secrets, "{headers:?}");
            }
        }
        // The next attempt sends them again.
        assert!(secrets.iter().all(|name| here.requests()[2].headers().contains_key(*name)));
    }
}

#[tokio::test]
async fn a_redirect_without_a_location_or_with_an_empty_one_is_refused() {
    for answer in [Script::status(303), redirect(302, ""), redirect(307, " ")] {
        for (way, method) in Way::BOTH.into_iter().zip([Method::GET, Method::POST]) {
            let (server, seen) = follow(way, &method, &[answer.clone(), event()]).await;
            assert!(seen.stopped.response().unwrap().status().is_redirection());
            assert_eq!((seen.stopped.reason(), server.requests().len()), (StopReason::UnexpectedResponse, 1));
        }
    }
}

#[tokio::test]
async fn a_location_that_cannot_be_requested_is_a_lost_connection() {
    // By the Fetch standard, several locations are a network error, even if all of them are the same.
    for (location, shown) in [
        ("http://[::1", "http://[::1"),
        ("http://127.0.0.1:99999/", "http://127.0.0.1:99999/"),
        ("data:1", "data:1"),
        ("ftp://127.0.0.1/", "ftp://127.0.0.1/"),
        ("http://{{host}}/", "http://{{host}}/"),
        ("/other\r\nLocation: /other", "/other"),
    ] {
        for way in Way::BOTH {
            let (_, seen) = follow(way, &Method::GET, &[redirect(302, location), event()]).await;
            assert_eq!(redirect_error(&seen.errors[0]).location(), shown);
            assert_eq!((seen.events.len(), seen.stopped.reason()), (1, StopReason::NoContent), "{location}");
            let (server, seen) = follow(way, &Method::POST, &[redirect(303, location), event()]).await;
            assert_eq!(redirect_error(seen.stopped.error().unwrap()).location(), shown);
            assert_eq!((seen.stopped.reason(), server.requests().len()), (StopReason::NotResent, 1), "{location}");
        }
    }
}

#[tokio::test]
async fn too_many_redirects_are_a_lost_connection() {
    let again = || redirect(302, "/events");
    for (limit, answers) in [(0, vec![again(), event()]), (2, vec![again(), again(), again(), event()])] {
        for way in Way::BOTH {
            let (server, client) = (serve(&answers), http_client());
            let seen = way.run(&|| client.get(server.url()).with_redirects(limit)).await;
            let said = format!("cannot follow the redirect to \"/events\": more than {limit} redirects");
            assert_eq!(redirect_error(&seen.errors[0]).to_string(), said);
            assert_eq!((seen.errors.len(), seen.events.len()), (2, 1));
            assert_eq!(server.requests().len(), answers.len() + 1);
        }
    }
    let (server, client) = (serve(&[again(), event()]), http_client());
    assert_eq!(Way::Same.run(&|| client.get(server.url()).with_redirects(1)).await.events, ["a"]);
}

#[tokio::test]
async fn a_body_that_is_a_stream_is_not_sent_again() {
    for (method, status, follows) in [(Method::POST, 307, false), (Method::PUT, 302, false), (Method::POST, 303, true)]
    {
        let (server, client) = (serve(&[redirect(status, "/other"), event()]), http_client());
        let seen = Way::Made
            .run(&|| {
                let body = Body::wrap_stream(stream::iter([Ok::<_, reqwest::Error>("once")]));
                client.request(method.clone(), server.url()).body(body).with_redirects(10)
            })
            .await;
        assert_eq!((seen.events.len() == 1, server.requests().len()), (follows, 1 + usize::from(follows)), "{status}");
        if !follows {
            let said = "cannot follow the redirect to \"/other\": the body of the request is a stream, which cannot be sent again";
            assert_eq!(redirect_error(seen.stopped.error().unwrap()).to_string(), said);
            assert_eq!((seen.stopped.reason(), seen.errors.len()), (StopReason::Permanent, 0));
        }
    }
}

#[tokio::test]
async fn the_url_of_the_response_is_known() {
    let answers = [redirect(302, "/a#kept"), redirect(302, "b?q"), event(), redirect(307, "/c#d"), Script::status(404)];
    let (server, client) = (serve(&answers), http_client());
    let base = server.url();
    let mut source = client.get(format!("{base}#first")).with_redirects(10).eventsource().unwrap().with_policy(quick());
    let mut urls = Vec::new();
    while let Some(item) = source.next().await {
        if let Item::Open(response) = item {
            urls.push(response.extensions().get::<Url>().unwrap().to_string());
        }
    }
    let stopped = source.into_stopped();
    urls.push(stopped.response().unwrap().as_http().extensions().get::<Url>().unwrap().to_string());
    let base = base.strip_suffix("/events").unwrap();
    assert_eq!(urls, [format!("{base}/b?q#kept"), format!("{base}/c#d")]);
}

/// The caller has forgotten to turn the client's redirects off.
#[tokio::test]
async fn a_client_that_follows_redirects_itself_is_a_permanent_error() {
    let client = crate::runs::http_client();
    for method in [Method::GET, Method::POST] {
        for (status, end) in
            [(303, event()), (303, Script::status(429)), (307, Script::status(429)), (302, redirect(303, "ftp://a/"))]
        {
            let answers = [redirect(status, "/other"), end, event()];
            for way in Way::BOTH {
                let server = serve(&answers);
                let seen = way.run(&|| request(&client, &method, &server.url()).with_redirects(10)).await;
                let said = redirect_error(seen.stopped.error().unwrap()).to_string();
                assert!(
                    said.ends_with(": the HTTP client follows redirects itself, so use client_builder()"),
                    "{said}"
                );
                assert_eq!((seen.stopped.reason(), seen.errors.len()), (StopReason::Permanent, 0));
                assert_eq!(server.requests().len(), 2, "{method} {status}");
            }
        }
    }
    // The caller wants to go on, but a server may have carried the POST out.
    for end in [event(), redirect(303, "ftp://a/")] {
        let server = serve(&[redirect(307, "/other"), end, event()]);
        let source = request(&client, &Method::POST, &server.url()).with_redirects(10).eventsource().unwrap();
        run(source.with_policy(quick()).with_error_verdict(|_| Some(Verdict::RetryIfAllowed))).await;
        assert_eq!(server.requests().len(), 2);
    }
}
