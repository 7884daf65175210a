//! A connector from two functions: one makes the request, the other sends it.

use crate::fake::Failure;
use eventwire::TokioTimer;
use eventwire_client::{Attempt, EventSource, ReconnectPolicy, Resend, StopReason, request_fn};
use futures_util::{StreamExt, stream};
use http::Response;
use std::{
    cell::Cell,
    future::{self, ready},
    time::Duration,
};

const SECOND: Duration = Duration::from_secs(1);
const ATTEMPTS: u32 = 3;

fn once_and_no_more() -> ReconnectPolicy {
    ReconnectPolicy::new().with_resend(Resend::UnlessSent).with_max_attempts(ATTEMPTS)
}

/// The connection of each request is lost. Only a report says that a request was not sent, so none means that it was.
#[tokio::test(start_paused = true)]
async fn a_request_counts_as_sent_unless_its_function_reports_otherwise() {
    type Report = fn(&Attempt);
    let reports: [(&str, Report, u32); 5] = [
        ("silent", |_| (), 1),
        ("started", |attempt| attempt.handle_start(Resend::UnlessSent), 1),
        ("started, but the policy decides", |attempt| attempt.handle_start(Resend::Always), 1),
        ("unsent", Attempt::handle_unsent, ATTEMPTS),
        (
            "started and unsent",
            |attempt| {
                attempt.handle_start(Resend::UnlessSent);
                attempt.handle_unsent();
            },
            ATTEMPTS,
        ),
    ];
    for (name, report, expected) in reports {
        // The report may come before or after the connection is lost, or while the response is awaited.
        for hangs in [false, true] {
            let sent = Cell::new(0);
            let send = async |(), attempt: Attempt| {
                sent.set(sent.get() + 1);
                report(&attempt);
                if hangs {
                    future::pending::<()>().await;
                }
                Err::<Response<stream::Empty<Result<&'static str, Failure>>>, _>(Failure("reset"))
            };
            let connector = request_fn(|_| ready(Ok::<_, Failure>(())), &send);
            let source = EventSource::with_connector(connector, TokioTimer).with_idle_timeout(SECOND);
            let mut source = source.with_policy(once_and_no_more());
            while source.next().await.is_some() {}
            let reason = if expected == 1 { StopReason::NotResent } else { StopReason::AttemptsExhausted };
            assert_eq!((sent.get(), source.into_stopped().reason()), (expected, reason), "{name}, {hangs}");
        }
    }
}

/// It fails, or it hangs until the timeout.
#[tokio::test(start_paused = true)]
async fn a_request_that_is_not_made_is_not_sent() {
    for hangs in [false, true] {
        let made = Cell::new(0);
        let request = async |_: Attempt| {
            made.set(made.get() + 1);
            if hangs {
                future::pending::<()>().await;
            }
            Err::<(), _>(Failure("no token"))
        };
        let send =
            |(), _: Attempt| ready(Ok::<_, Failure>(Response::new(stream::empty::<Result<&'static str, Failure>>())));
        let source = EventSource::with_connector(request_fn(&request, send), TokioTimer);
        let mut source = source.with_policy(once_and_no_more()).with_idle_timeout(SECOND);
        while source.next().await.is_some() {}
        assert_eq!((made.get(), source.into_stopped().reason()), (ATTEMPTS, StopReason::AttemptsExhausted), "{hangs}");
    }
}
