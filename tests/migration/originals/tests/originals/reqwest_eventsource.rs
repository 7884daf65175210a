//! reqwest-eventsource 0.6.0, and the file that replaces it. If eventsource-client has the same row,
//! `eventsource_client.rs` tests eventwire's part.

use super::{
    PATIENCE, copied,
    fake::{self, Answer, Fake},
};
use eventwire_client::{ConnectionError, Item, ReconnectPolicy, StopReason};
use eventwire_test::{Script, TestServer};
use futures_util::StreamExt;
use reqwest_eventsource::{
    Error, Event, EventSource, ReadyState, RequestBuilderExt,
    retry::{Constant, DEFAULT_RETRY, RetryPolicy},
};
use std::{
    collections::HashSet,
    panic::{self, AssertUnwindSafe},
    sync::{Arc, Mutex},
    time::Duration,
};

fn run<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async { tokio::time::timeout(PATIENCE, future).await.expect("an end") })
}

fn answers(bodies: &[&'static str]) -> TestServer {
    let streams = bodies.iter().map(|body| Script::new().send(*body));
    TestServer::new().answers(streams).answer(Script::status(404))
}

/// All items, until the server answers 404.
fn theirs(server: &TestServer) -> Vec<Result<Event, Error>> {
    let mut source = EventSource::get(server.url());
    source.set_retry_policy(Box::new(Constant::new(Duration::from_millis(1), None)));
    run(source.collect())
}

/// The same, by the file.
fn copys(server: &TestServer) -> Vec<Result<copied::Event, copied::Error>> {
    let mut source = copied::EventSource::get(server.url());
    source.set_retry_policy(Box::new(copied::retry::Constant::new(Duration::from_millis(1), None)));
    run(source.collect())
}

fn ids(server: &TestServer) -> Vec<Vec<String>> {
    let requests = server.requests();
    let ids = requests.iter().map(|request| request.headers().get_all("last-event-id"));
    ids.map(|ids| ids.iter().map(|id| id.to_str().expect("a text").to_owned()).collect()).collect()
}

#[test]
fn a_byte_order_mark_panics() {
    let server = answers(&["\u{feff}data: a\n\n"]);
    assert!(panic::catch_unwind(AssertUnwindSafe(|| theirs(&server))).is_err());

    let items = copys(&answers(&["\u{feff}data: a\n\n"]));
    assert!(matches!(&items[1], Ok(copied::Event::Message(message)) if message.data == "a"), "{items:?}");
}

#[test]
fn the_last_event_id_is_lost_with_an_event_that_has_none() {
    let server = answers(&["id: 41\ndata: a\n\n", "data: b\n\n"]);
    theirs(&server);
    assert_eq!(ids(&server), [vec![], vec!["41"], vec![""]]);

    let server = answers(&["id: 41\ndata: a\n\n", "data: b\n\n"]);
    copys(&server);
    assert_eq!(ids(&server), [vec![], vec!["41"], vec!["41"]]);
}

#[test]
fn an_empty_id_is_sent_where_there_is_none() {
    let server = answers(&["data: a\n\n"]);
    theirs(&server);
    assert_eq!(ids(&server), [vec![], vec![""]]);

    let server = answers(&["data: a\n\n"]);
    copys(&server);
    assert_eq!(ids(&server), [[""; 0]; 2]);

    static ANSWERS: [Answer; 2] = [fake::open(b"data: a\n\n"), Answer::Response(204, "", ("x-none", ""), b"")];
    let server = Fake::new(&ANSWERS);
    fake::run(server.source("GET").collect::<Vec<_>>());
    assert_eq!(server.ids(), [None, None]);
}

#[test]
fn a_post_is_sent_again_when_it_ends() {
    let server = answers(&["data: a\n\n"]);
    let source = reqwest::Client::new().post(server.url()).body("buy").eventsource().expect("a request");
    let items: Vec<_> = run(source.collect());
    assert_eq!(items.len(), 4, "{items:?}"); // open, a, the end, 404
    assert_eq!(server.requests().iter().map(|request| request.body()).collect::<Vec<_>>(), ["buy", "buy"]);

    let server = answers(&["data: a\n\n"]);
    let request = reqwest::Client::new().post(server.url()).body("buy");
    let items: Vec<_> = run(copied::RequestBuilderExt::eventsource(request).expect("a request").collect());
    assert!(matches!(items[..], [Ok(_), Ok(_), Err(copied::Error::StreamEnded)]), "{items:?}");
    assert_eq!(server.requests().len(), 1);

    // With a policy, it is the program that decides.
    let server = answers(&["data: a\n\n"]);
    let request = reqwest::Client::new().post(server.url()).body("buy");
    let mut source = copied::RequestBuilderExt::eventsource(request).expect("a request");
    source.set_retry_policy(Box::new(copied::retry::Constant::new(Duration::from_millis(1), None)));
    run(source.collect::<Vec<_>>());
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn any_status_but_200_is_the_end() {
    for status in [204, 429, 503] {
        let server = || TestServer::new().answer(Script::status(status).header("retry-after", "1"));
        let items = theirs(&server());
        assert!(matches!(items[..], [Err(Error::InvalidStatusCode(..))]), "{items:?}");

        let items = copys(&server());
        assert!(matches!(items[..], [Err(copied::Error::InvalidStatusCode(..))]), "{items:?}");
    }

    static NO_CONTENT: [Answer; 1] = [Answer::Response(204, "", ("x-none", ""), b"")];
    let mut ours = Fake::new(&NO_CONTENT).source("GET");
    assert!(fake::run(ours.next()).is_none());
    assert!(ours.into_result().is_ok());

    const fn overloaded(status: u16) -> [Answer; 1] {
        [Answer::Response(status, "text/plain", ("retry-after", "20"), b"")]
    }
    static OVERLOADED: [[Answer; 1]; 2] = [overloaded(429), overloaded(503)];
    for answers in &OVERLOADED {
        let item = fake::run(Fake::new(answers).source("GET").next());
        let Some(Item::Reconnecting { delay, .. }) = item else { panic!("{item:?}") };
        assert!((20..=25).contains(&delay.as_secs()), "{delay:?}");
    }
}

#[test]
fn a_limit_on_retries_of_two_or_more_has_no_effect() {
    let server = TestServer::new().answer_with(|_| Script::raw(""));
    let mut source = EventSource::get(server.url());
    source.set_retry_policy(Box::new(Constant::new(Duration::from_millis(1), Some(2))));
    let items: Vec<_> = run(source.by_ref().take(10).collect());
    assert_eq!(items.iter().filter(|item| matches!(item, Err(Error::Transport(_)))).count(), 10);
    assert_eq!(source.ready_state(), ReadyState::Connecting);

    let server = TestServer::new().answer_with(|_| Script::raw(""));
    let mut copy = copied::EventSource::get(server.url());
    copy.set_retry_policy(Box::new(copied::retry::Constant::new(Duration::from_millis(1), Some(2))));
    assert_eq!(run(copy.by_ref().collect::<Vec<_>>()).len(), 3);
    assert_eq!(copy.ready_state(), copied::ReadyState::Closed);

    static ANSWERS: [Answer; 3] = [Answer::NotReached; 3];
    let mut ours = Fake::new(&ANSWERS).source("GET").with_policy(ReconnectPolicy::new().with_max_attempts(2));
    assert_eq!(fake::run(ours.by_ref().collect::<Vec<_>>()).len(), 1);
    assert_eq!(ours.into_stopped().reason(), StopReason::AttemptsExhausted);
}

/// Records whether each failure was the first one in a row, and the reconnection times.
#[derive(Clone, Default)]
struct Recorder {
    failures: Arc<Mutex<Vec<bool>>>,
    times: Arc<Mutex<Vec<Duration>>>,
}

impl Recorder {
    fn record(&self, last: Option<(usize, Duration)>) -> Option<Duration> {
        self.failures.lock().expect("failures").push(last.is_none());
        Some(Duration::from_millis(1))
    }

    fn failures(&self) -> Vec<bool> {
        self.failures.lock().expect("failures").clone()
    }

    fn times(&self) -> Vec<Duration> {
        self.times.lock().expect("times").clone()
    }
}

impl RetryPolicy for Recorder {
    fn retry(&self, _: &Error, last: Option<(usize, Duration)>) -> Option<Duration> {
        self.record(last)
    }

    fn set_reconnection_time(&mut self, time: Duration) {
        self.times.lock().expect("times").push(time);
    }
}

impl copied::retry::RetryPolicy for Recorder {
    fn retry(&self, _: &copied::Error, last: Option<(usize, Duration)>) -> Option<Duration> {
        self.record(last)
    }

    fn set_reconnection_time(&mut self, time: Duration) {
        self.times.lock().expect("times").push(time);
    }
}

/// What the two tell their policies, with these streams.
fn recorded(bodies: &[&'static str]) -> [Recorder; 2] {
    let recorders = [Recorder::default(), Recorder::default()];
    let servers = [answers(bodies), answers(bodies)];
    let mut theirs = EventSource::get(servers[0].url());
    theirs.set_retry_policy(Box::new(recorders[0].clone()));
    run(theirs.collect::<Vec<_>>());
    let mut copy = copied::EventSource::get(servers[1].url());
    copy.set_retry_policy(Box::new(recorders[1].clone()));
    run(copy.collect::<Vec<_>>());
    recorders
}

#[test]
fn an_answer_of_200_resets_the_backoff() {
    let [theirs, copy] = recorded(&["", "", ""]); // closed at once
    assert_eq!((theirs.failures(), copy.failures()), (vec![true; 3], vec![true, false, false]));

    static ANSWERS: [Answer; 3] = [fake::open(b""); 3];
    let ours = Fake::new(&ANSWERS).source("GET").with_policy(ReconnectPolicy::new().with_max_attempts(3));
    let attempts = ours.filter_map(async |item| match item {
        Item::Reconnecting { attempt, .. } => Some(attempt),
        _ => None,
    });
    assert_eq!(fake::run(attempts.collect::<Vec<_>>()), [2, 3]);
}

#[test]
fn a_reconnection_time_in_a_block_without_data_is_lost() {
    let [theirs, copy] = recorded(&["retry: 1500\n\n"]);
    assert_eq!((theirs.times(), copy.times()), (vec![], vec![Duration::from_millis(1500)]));
}

#[test]
fn a_reconnection_time_of_zero_is_no_delay() {
    let [theirs, copy] = recorded(&["retry: 0\ndata: a\n\n"]);
    let minimum = Duration::from_millis(100);
    assert_eq!((theirs.times(), copy.times()), (vec![Duration::ZERO], vec![minimum]));
    let mut policy = DEFAULT_RETRY;
    policy.set_reconnection_time(Duration::ZERO);
    assert_eq!(policy.retry(&Error::StreamEnded, None), Some(Duration::ZERO));
    assert_eq!(policy.retry(&Error::StreamEnded, Some((1, Duration::ZERO))), Some(Duration::ZERO));

    static ANSWERS: [Answer; 1] = [fake::open(b"retry: 0\ndata: a\n\n")];
    let item = fake::run(Fake::new(&ANSWERS).source("GET").skip(2).next());
    let Some(Item::Reconnecting { delay, .. }) = item else { panic!("{item:?}") };
    assert!(delay >= minimum, "{delay:?}");
}

#[test]
fn the_delays_have_no_jitter() {
    let (first, second) = (Duration::from_millis(300), Duration::from_millis(600));
    assert_eq!(DEFAULT_RETRY.retry(&Error::StreamEnded, None), Some(first));
    assert_eq!(DEFAULT_RETRY.retry(&Error::StreamEnded, Some((1, first))), Some(second));

    let (policy, ended): (&dyn copied::retry::RetryPolicy, _) =
        (&copied::retry::DEFAULT_RETRY, copied::Error::StreamEnded);
    assert_eq!(policy.retry(&ended, None), Some(first));
    assert_eq!(policy.retry(&ended, Some((1, first))), Some(second));

    static ANSWERS: [Answer; 1] = [Answer::NotReached];
    let delays: HashSet<Duration> = (0..9)
        .map(|seed| {
            let policy = ReconnectPolicy::new().with_jitter_seed(seed);
            let item = fake::run(Fake::new(&ANSWERS).source("GET").with_policy(policy).next());
            let Some(Item::Reconnecting { delay, .. }) = item else { panic!("{item:?}") };
            delay
        })
        .collect();
    assert_eq!(delays.len(), 9);
}

#[test]
fn a_stream_that_ends_inside_an_event_looks_complete() {
    let items = theirs(&answers(&["data: a\n\ndata: hal"]));
    assert!(matches!(items[..], [Ok(Event::Open), Ok(_), Err(Error::StreamEnded), Err(_)]), "{items:?}");

    let items = copys(&answers(&["data: a\n\ndata: hal"]));
    assert!(matches!(items[..], [Ok(_), Ok(_), Err(copied::Error::StreamEnded), Err(_)]), "{items:?}");

    static ANSWERS: [Answer; 1] = [fake::open(b"data: a\n\ndata: hal")];
    let mut ours = Fake::new(&ANSWERS).source("GET").skip(2);
    assert!(matches!(fake::run(ours.next()), Some(Item::Reconnecting { error: ConnectionError::Truncated, .. })));
}
