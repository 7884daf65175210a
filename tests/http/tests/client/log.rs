//! The log of an event source, with feature `tracing`.

use crate::fake::{
    Answer::{self, Failure, Late, Refusal, Silence, Stream},
    Fake,
    Step::{self, Chunk, Hang},
};
use eventwire::TokioTimer;
use eventwire_client::{ConnectionError, EventSource, Hooks, ReconnectPolicy, Resend, StopReason};
use futures_util::{FutureExt, StreamExt};
use std::{
    fmt::{self, Write},
    panic::AssertUnwindSafe,
    sync::{Arc, LazyLock, Mutex},
    time::Duration,
};
use tracing::{
    Dispatch, Event, Metadata, Subscriber,
    field::{Field, Visit},
    span,
    subscriber::{DefaultGuard, set_default},
};

/// A second subscriber. While there is only one, tracing turns a call site off for all threads if a thread without a
/// subscriber is the first to reach it.
static ANOTHER: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(Each(|_: &Event<'_>| ())));

/// Every event of this thread as a line: its level, its target, its fields and values.
#[derive(Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn record(&self) -> DefaultGuard {
        LazyLock::force(&ANOTHER);
        let lines = Arc::clone(&self.0);
        set_default(Each(move |event: &Event<'_>| {
            let mut line = Line(format!("{} {}", event.metadata().level(), event.metadata().target()));
            event.record(&mut line);
            lines.lock().unwrap().push(line.0);
        }))
    }

    fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().drain(..).collect()
    }
}

/// Calls a function with every event of this thread.
struct Each<F>(F);

impl<F: Fn(&Event<'_>) + 'static> Subscriber for Each<F> {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn event(&self, event: &Event<'_>) {
        (self.0)(event);
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        write!(self.0, " {}={value:?}", field.name()).unwrap();
    }
}

struct WithoutJitter;

impl<E> Hooks<E> for WithoutJitter {
    fn delay(&mut self, _: Duration, attempt: u32, _: &ConnectionError<E>) -> Duration {
        Duration::from_millis(1500 * u64::from(attempt))
    }
}

/// Returns the log of a source over these answers, to its end.
async fn log_of(answers: &'static [Answer], policy: ReconnectPolicy) -> Vec<String> {
    let log = Log::default();
    let _guard = log.record();
    let source = EventSource::with_connector(Fake::new(answers), TokioTimer)
        .with_policy(policy)
        .with_hooks(WithoutJitter)
        .with_idle_timeout(Duration::from_secs(60));
    source.for_each(async |_| ()).await;
    log.lines()
}

#[track_caller]
fn check(log: &[String], expected: &[&str]) {
    // All lines have this target and field.
    let expected = expected.iter().map(|line| line.replacen(' ', " eventwire_client message=", 1));
    assert_eq!(log, expected.collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn a_life() {
    const ANSWERS: &[Answer] = &[
        Failure("unreachable"),
        Refusal(503, &[("retry-after", "20")], &[Chunk("overloaded")]),
        // Truncated inside an event.
        Stream(&[Chunk("id: 7\ndata: a\n\ndata: b\n\n: wait\n\ndata: c")]),
        // A complete response.
        Stream(&[Chunk("data: c\n\n")]),
        Silence,
        Stream(&[Hang]),
        Stream(&[Step::Failure("reset")]),
    ];
    check(
        &log_of(ANSWERS, ReconnectPolicy::new()).await,
        &[
            "DEBUG connecting attempt=1 resumes=false after_timeout=false",
            "WARN reconnecting error=\"Transport\" delay_ms=3000 attempt=2",
            "DEBUG connecting attempt=2 resumes=false after_timeout=false",
            "INFO unexpected response status=503 verdict=RetryIfAllowed",
            "WARN reconnecting error=\"UnexpectedResponse\" delay_ms=4500 attempt=3",
            "DEBUG connecting attempt=3 resumes=false after_timeout=false",
            "DEBUG open status=200 version=HTTP/1.1",
            "WARN reconnecting error=\"Truncated\" delay_ms=1500 attempt=1",
            "DEBUG connecting attempt=1 resumes=true after_timeout=false",
            "DEBUG open status=200 version=HTTP/1.1",
            "INFO reconnecting error=\"Ended\" delay_ms=1500 attempt=1",
            "DEBUG connecting attempt=1 resumes=true after_timeout=false",
            "WARN reconnecting error=\"ResponseTimeout\" delay_ms=3000 attempt=2",
            "DEBUG connecting attempt=2 resumes=true after_timeout=true",
            "DEBUG open status=200 version=HTTP/1.1",
            "WARN reconnecting error=\"IdleTimeout\" delay_ms=4500 attempt=3",
            "DEBUG connecting attempt=3 resumes=true after_timeout=true",
            "DEBUG open status=200 version=HTTP/1.1",
            "WARN reconnecting error=\"Transport\" delay_ms=6000 attempt=4",
            "DEBUG connecting attempt=4 resumes=true after_timeout=false",
            "INFO unexpected response status=204 verdict=Stop",
            "INFO stopped reason=NoContent error=\"UnexpectedResponse\"",
        ],
    );
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_life() {
    const CONNECTING: &str = "DEBUG connecting attempt=1 resumes=false after_timeout=false";
    const OPEN: &str = "DEBUG open status=200 version=HTTP/1.1";
    const WHOLE: &[Step] = &[Chunk("data: a\n\n")];
    const HALF: &[Step] = &[Chunk("data: a")];
    let once = ReconnectPolicy::new().with_resend(Resend::Never);
    for (answers, expected) in [
        (&[Stream(WHOLE)][..], &[CONNECTING, OPEN, "INFO stopped reason=NotResent error=\"Ended\""][..]),
        (&[Stream(HALF)], &[CONNECTING, OPEN, "WARN stopped reason=NotResent error=\"Truncated\""]),
        (&[Failure("unreachable")], &[CONNECTING, "WARN stopped reason=NotResent error=\"Transport\""]),
        (
            &[Refusal(401, &[], &[])],
            &[
                CONNECTING,
                "INFO unexpected response status=401 verdict=Fail",
                "WARN stopped reason=UnexpectedResponse error=\"UnexpectedResponse\"",
            ],
        ),
    ] {
        check(&log_of(answers, once.clone()).await, expected);
    }

    // `close` is logged once, even if it is called twice.
    let log = Log::default();
    let _guard = log.record();
    let mut source = EventSource::with_connector(Fake::new(&[Stream(&[Hang])]), TokioTimer);
    assert!(source.next().await.is_some());
    source.close();
    source.close();
    assert!(source.next().await.is_none());
    drop(source);
    check(&log.lines(), &[CONNECTING, OPEN, "DEBUG stopped reason=Closed"]);
}

/// A second panic would abort the program.
#[tokio::test(start_paused = true)]
async fn a_log_that_panics_is_not_called_during_the_panic() {
    let mut source = EventSource::with_connector(Fake::new(&[Late(1, &Refusal(404, &[], &[]))]), TokioTimer);
    assert!(source.next().now_or_never().is_none());
    let guard = set_default(Each(|_: &Event<'_>| panic!("the log")));
    assert!(AssertUnwindSafe(source.next()).catch_unwind().await.is_err());
    drop(guard);
    assert!(source.next().await.is_none());
    assert_eq!(source.into_stopped().reason(), StopReason::Permanent);
}

/// The log depends only on the connections, not on what they carry.
#[tokio::test(start_paused = true)]
async fn no_event_is_logged_and_no_secret() {
    const SECRET: &str = "id: secret\nevent: secret\ndata: secret\n\n: secret\n\n";
    const HEADERS: &[(&str, &str)] = &[("content-type", "application/secret"), ("location", "/?secret")];
    let log_with = async |events| {
        let body = vec![Chunk(SECRET.repeat(events).leak()), Step::Failure("secret")];
        let answers = vec![Failure("secret"), Stream(body.leak()), Refusal(400, HEADERS, &[Chunk("secret")])];
        log_of(answers.leak(), ReconnectPolicy::new()).await
    };
    let log = log_with(1).await;
    assert!(log.len() == 8 && !log.concat().contains("secret"), "{log:#?}");
    assert_eq!(log_with(1000).await, log);
}
