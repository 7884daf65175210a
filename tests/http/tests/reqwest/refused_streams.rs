//! HTTP/2 servers that tell which requests they have not processed.

use crate::{
    raw_http2::{
        Last::{Above, Below, Same},
        RawHttp2,
        Reply::{self, Cut, Event, GoAway, Held, Reset, Status},
    },
    runs::{Seen, Way, quick, request, run},
    version::{RequestBuilderExt, client_builder},
};
use eventwire_client::{Resend, StopReason};
use reqwest::{Client, Method};

/// [Error codes](https://www.rfc-editor.org/rfc/rfc9113#section-7).
const NO_ERROR: u32 = 0;
const INTERNAL_ERROR: u32 = 2;
const REFUSED_STREAM: u32 = 7;
const CANCEL: u32 = 8;
const ENHANCE_YOUR_CALM: u32 = 11;

fn http_client() -> Client {
    client_builder().no_proxy().http2_prior_knowledge().build().unwrap()
}

/// Runs this script for a POST, with both ways to build requests. Checks how many streams the server has seen, and how
/// many events there were.
async fn check_post(script: &'static [Reply], expected: (usize, usize)) {
    for way in Way::BOTH {
        let (server, client) = (RawHttp2::start(script).await, http_client());
        let Seen { events, stopped, .. } =
            way.run(&|| request(&client, &Method::POST, &server.url()).with_redirects(10)).await;
        assert_eq!((server.requests(), events.len()), expected, "{script:?}");
        assert_eq!((stopped.reason(), stopped.is_failure()), (StopReason::NotResent, events.is_empty()), "{script:?}");
    }
}

#[tokio::test]
async fn a_post_is_sent_again_only_if_its_stream_was_refused() {
    const SCRIPTS: [(&[Reply], (usize, usize)); 14] = [
        (&[Reset(REFUSED_STREAM), Reset(REFUSED_STREAM), Event, Event], (3, 1)),
        (&[Reset(INTERNAL_ERROR), Event], (1, 0)),
        (&[Reset(CANCEL), Event], (1, 0)),
        (&[Reset(NO_ERROR), Event], (1, 0)),
        // Above the last stream of a GOAWAY, and up to it.
        (&[GoAway(Below, NO_ERROR), Event], (1, 0)),
        (&[GoAway(Below, ENHANCE_YOUR_CALM), Event], (1, 0)),
        (&[GoAway(Same, NO_ERROR), Event], (1, 0)),
        (&[GoAway(Above, NO_ERROR), Event], (1, 0)),
        (&[GoAway(Same, ENHANCE_YOUR_CALM), Event], (1, 0)),
        (&[GoAway(Above, INTERNAL_ERROR), Event], (1, 0)),
        // After a redirect.
        (&[Status("303", Some("/result")), Reset(REFUSED_STREAM), Event], (2, 0)),
        (&[Status("303", Some("/result")), GoAway(Below, NO_ERROR), Event], (2, 0)),
        (&[Status("307", Some("/other")), Reset(REFUSED_STREAM), Status("308", Some("/other")), Event, Event], (4, 1)),
        (&[Status("307", Some("/other")), GoAway(Below, NO_ERROR), Event], (2, 0)),
    ];
    for (script, expected) in SCRIPTS {
        check_post(script, expected).await;
    }
}

/// One stream is the last of the GOAWAY, and the other one is above it.
#[tokio::test]
async fn two_streams_of_a_connection_with_a_goaway() {
    for (method, requests, events) in [(Method::POST, 2, 1), (Method::GET, 5, 2)] {
        let (server, client) = (RawHttp2::start(&[Held, GoAway(Below, NO_ERROR), Event]).await, http_client());
        let make = || request(&client, &method, &server.url()).with_redirects(10);
        let above = async {
            while server.requests() == 0 {
                tokio::task::yield_now().await;
            }
            Way::Same.run(&make).await
        };
        let (last, above) = tokio::join!(Way::Same.run(&make), above);
        // The next attempts of the two GETs may come in any order.
        assert_eq!((server.requests(), last.events.len() + above.events.len()), (requests, events));
        assert_eq!((last.stopped.is_failure(), above.stopped.is_failure()), (false, method == Method::POST));
    }
}

#[tokio::test]
async fn a_get_is_always_sent_again() {
    let script = &[Reset(REFUSED_STREAM), Reset(CANCEL), GoAway(Below, NO_ERROR), GoAway(Same, NO_ERROR), Event];
    let (server, client) = (RawHttp2::start(script).await, http_client());
    let seen = Way::Same.run(&|| client.get(server.url())).await;
    assert_eq!((seen.events.len(), seen.stopped.reason(), server.requests()), (1, StopReason::NoContent, 6));
}

/// hyper hides a reset without an error: it ends the body, as if the server had ended it. So only the events can tell
/// that something is missing. A POST is not sent again in either case.
#[tokio::test]
async fn a_response_that_is_reset() {
    const BETWEEN: &str = "data: a\n\n";
    const INSIDE: &str = "data: a\n\ndata: b\n";
    const CASES: [(&[Reply], bool); 5] = [
        (&[Cut(BETWEEN, NO_ERROR), Event], false),
        (&[Cut(INSIDE, NO_ERROR), Event], true),
        (&[Cut(BETWEEN, CANCEL), Event], true),
        (&[Cut(BETWEEN, INTERNAL_ERROR), Event], true),
        (&[Cut(INSIDE, INTERNAL_ERROR), Event], true),
    ];
    for (script, is_failure) in CASES {
        for has_end in [false, true] {
            let (server, client) = (RawHttp2::start(script).await, http_client());
            let source = request(&client, &Method::POST, &server.url()).eventsource().unwrap().with_policy(quick());
            let Seen { events, stopped, .. } = match has_end {
                false => run(source).await,
                true => run(source.with_end(|event: &eventwire::Event| event.data() == "end")).await,
            };
            assert_eq!((server.requests(), events.len()), (1, 1), "{script:?}");
            assert_eq!(stopped.is_failure(), is_failure || has_end, "{script:?}, {has_end}: {stopped}");
        }
    }
}

/// As described at `Resend::Never`.
#[tokio::test]
async fn reqwest_itself_sends_a_request_again_unless_the_client_is_ours() {
    let default = Client::builder().no_proxy().http2_prior_knowledge().build().unwrap();
    let refused: &[Reply] = &[Reset(REFUSED_STREAM), Reset(REFUSED_STREAM), Reset(REFUSED_STREAM), Event];
    let closed: &[Reply] = &[GoAway(Below, NO_ERROR), GoAway(Below, NO_ERROR), GoAway(Below, NO_ERROR), Event];
    for (client, requests) in [(default, 3), (http_client(), 1)] {
        for script in [refused, closed] {
            let server = RawHttp2::start(script).await;
            let source = request(&client, &Method::POST, &server.url()).eventsource().unwrap();
            let seen = run(source.with_policy(quick().with_resend(Resend::Never))).await;
            assert_eq!((seen.events.len(), seen.stopped.reason()), (0, StopReason::NotResent));
            assert_eq!(server.requests(), requests, "{script:?}");
        }
    }
}
