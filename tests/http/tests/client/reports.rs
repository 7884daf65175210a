//! What a connector reports about its request.

use self::Report::{CarriedOut, Start, Unsent};
use crate::fake::Failure;
use eventwire::TokioTimer;
use eventwire_client::{
    Attempt, Connector, EventSource, Item, ReconnectPolicy, Resend, StopReason, connector_fn, request_fn,
};
use futures_util::stream;
use http::Response;
use std::{
    future::{self, ready},
    time::Duration,
};

const ATTEMPTS: u32 = 3;
const NOT_RESENT: (u32, StopReason) = (1, StopReason::NotResent);
const SENT_AGAIN: (u32, StopReason) = (ATTEMPTS, StopReason::AttemptsExhausted);

type Body = stream::Empty<Result<&'static str, Failure>>;

/// Like a POST.
fn once() -> ReconnectPolicy {
    ReconnectPolicy::new().with_resend(Resend::UnlessSent)
}

/// Runs a source to its end. Returns how many attempts it made, and why it stopped.
async fn run(connector: impl Connector<Error = Failure>, policy: ReconnectPolicy) -> (u32, StopReason) {
    let source = EventSource::with_connector(connector, TokioTimer).with_idle_timeout(Duration::from_secs(1));
    let mut source = source.with_policy(policy.with_max_attempts(ATTEMPTS));
    let mut attempts = 1;
    while let Some(item) = source.next().await {
        attempts += u32::from(matches!(item, Item::Reconnecting { .. }));
    }
    (attempts, source.into_stopped().reason())
}

/// What a connector reports, in this order.
#[derive(Clone, Copy, Debug)]
enum Report {
    Start(Resend),
    Unsent,
    CarriedOut,
}

/// The connection of each request is lost. Only a report says that a request was not sent, so none means that it was.
#[tokio::test(start_paused = true)]
async fn what_is_reported_decides_whether_a_request_is_sent_again() {
    const POST: Report = Start(Resend::UnlessSent);
    const GET: Report = Start(Resend::Always);
    let reports: [(&[Report], ReconnectPolicy, (u32, StopReason)); 10] = [
        (&[], once(), NOT_RESENT),
        (&[POST], once(), NOT_RESENT),
        // The policy decides, if it has a setting.
        (&[GET], once(), NOT_RESENT),
        (&[GET], ReconnectPolicy::new(), SENT_AGAIN),
        (&[Unsent], once(), SENT_AGAIN),
        (&[POST, Unsent], once(), SENT_AGAIN),
        // Another attempt would begin with the POST that a server has carried out.
        (&[CarriedOut, Unsent], once(), NOT_RESENT),
        (&[POST, CarriedOut, Unsent], once(), NOT_RESENT),
        (&[POST, CarriedOut, GET], ReconnectPolicy::new(), NOT_RESENT),
        // A request that may always be sent again may be carried out twice.
        (&[GET, CarriedOut, Unsent], once(), SENT_AGAIN),
    ];
    for (reports, policy, expected) in reports {
        // The report may come before or after the connection is lost, or while the response is awaited.
        for hangs in [false, true] {
            let send = move |(), attempt: Attempt| async move {
                for report in reports {
                    match report {
                        Start(resend) => attempt.handle_start(*resend),
                        Unsent => attempt.handle_unsent(),
                        CarriedOut => attempt.handle_carried_out(),
                    }
                }
                if hangs {
                    future::pending::<()>().await;
                }
                Err::<Response<Body>, _>(Failure("reset"))
            };
            let connector = request_fn(|_| ready(Ok::<_, Failure>(())), send);
            assert_eq!(run(connector, policy.clone()).await, expected, "{reports:?}, {hangs}");
        }
    }
}

/// It fails, or it hangs until the timeout.
#[tokio::test(start_paused = true)]
async fn a_request_that_is_not_made_is_not_sent() {
    for hangs in [false, true] {
        let make = move |_: Attempt| async move {
            if hangs {
                future::pending::<()>().await;
            }
            Err::<(), _>(Failure("no token"))
        };
        let send = |(), _: Attempt| ready(Ok::<Response<Body>, Failure>(Response::new(stream::empty())));
        assert_eq!(run(request_fn(make, send), once()).await, SENT_AGAIN, "{hangs}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_permanent_error_stops_the_source() {
    let connector = connector_fn(async |attempt: Attempt| {
        attempt.handle_unsent();
        attempt.handle_permanent_error();
        Err::<Response<Body>, _>(Failure("no such host"))
    });
    assert_eq!(run(connector, ReconnectPolicy::new()).await, (1, StopReason::Permanent));
}
