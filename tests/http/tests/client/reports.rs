//! What a connector reports about its request.

use crate::fake::{
    Answer::{self, Stream},
    Failure, Fake,
    Step::Chunk,
};
use eventwire::TokioTimer;
use eventwire_client::{Attempt, EventSource, ReconnectPolicy, Resend, StopReason, connector_fn, request_fn};
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

/// Runs a source to its end. Returns the number of its attempts, and whether it has failed.
async fn attempts(fake: Fake, cursor: Option<&str>) -> (u32, bool) {
    let mut source = fake.source().with_policy(ReconnectPolicy::new().with_max_attempts(ATTEMPTS));
    if let Some(cursor) = cursor {
        source = source.with_cursor(cursor);
    }
    while source.next().await.is_some() {}
    (u32::try_from(fake.attempts().len()).unwrap(), source.into_stopped().is_failure())
}

/// The policy does not say what may be sent again, so the report of the start decides.
#[tokio::test(start_paused = true)]
async fn the_start_says_what_is_sent_again() {
    const LOST: &[Answer] = &[Answer::Failure("lost"); 5];
    const ENDED: &[Answer] = &[Stream(&[Chunk("data: a\n\n")])];
    // The attempts if the connection is lost, if the request is not sent, and if there is a cursor. Then the attempts
    // after a response that ended, and whether that is a failure.
    for (resend, lost, unsent, with_cursor, ended) in [
        (Resend::Always, 3, 3, 3, (2, false)),
        (Resend::UnlessSent, 1, 3, 1, (1, false)),
        (Resend::UntilProgress, 3, 3, 3, (1, false)),
        (Resend::WithCursor, 1, 3, 3, (1, false)),
        (Resend::Never, 1, 1, 1, (1, false)),
        (Resend::Unknown, 1, 3, 1, (1, true)),
    ] {
        assert_eq!(attempts(Fake::new(LOST).with_resend(resend), None).await, (lost, true), "{resend:?}");
        assert_eq!(attempts(Fake::unsent(LOST).with_resend(resend), None).await, (unsent, true), "{resend:?}");
        assert_eq!(attempts(Fake::new(LOST).with_resend(resend), Some("7")).await, (with_cursor, true), "{resend:?}");
        assert_eq!(attempts(Fake::new(ENDED).with_resend(resend), None).await, ended, "{resend:?}");
    }
}

/// Runs a source whose requests are reported in this way and get no response. Returns the number of its attempts.
async fn reported(policy: ReconnectPolicy, report: impl Fn(&Attempt)) -> (u32, StopReason) {
    let sent = Cell::new(0);
    let connector = connector_fn(async |attempt: Attempt| {
        sent.set(sent.get() + 1);
        report(&attempt);
        Err::<Response<stream::Empty<Result<&'static str, Failure>>>, _>(Failure("reset"))
    });
    let mut source = EventSource::with_connector(connector, TokioTimer).with_policy(policy.with_max_attempts(ATTEMPTS));
    while source.next().await.is_some() {}
    (sent.get(), source.into_stopped().reason())
}

/// Another attempt would begin with the POST that a server has carried out.
#[tokio::test(start_paused = true)]
async fn what_was_carried_out_stays_so() {
    const NOT_RESENT: (u32, StopReason) = (1, StopReason::NotResent);
    const ALL: (u32, StopReason) = (ATTEMPTS, StopReason::AttemptsExhausted);
    // A request that may always be sent again may be carried out twice.
    for (first, expected) in [(None, NOT_RESENT), (Some(Resend::UnlessSent), NOT_RESENT), (Some(Resend::Always), ALL)] {
        let report = |attempt: &Attempt| {
            if let Some(resend) = first {
                attempt.handle_start(resend);
            }
            attempt.handle_carried_out();
            attempt.handle_unsent();
        };
        assert_eq!(reported(once_and_no_more(), report).await, expected, "{first:?}");
    }
    let report = |attempt: &Attempt| {
        attempt.handle_start(Resend::UnlessSent);
        attempt.handle_carried_out();
        attempt.handle_start(Resend::Always);
    };
    assert_eq!(reported(ReconnectPolicy::new(), report).await, NOT_RESENT);
    let permanent = |attempt: &Attempt| {
        attempt.handle_unsent();
        attempt.handle_permanent_error();
    };
    assert_eq!(reported(ReconnectPolicy::new(), permanent).await, (1, StopReason::Permanent));
}
