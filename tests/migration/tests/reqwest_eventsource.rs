//! The replacement of reqwest-eventsource alone: it has the API of the original, its items and errors, and closes when
//! it does.

use eventwire_test::{Script, TestServer};
use futures_util::{StreamExt, stream};
use reqwest::{Body, Client, Method, RequestBuilder, StatusCode};
use reqwest_eventsource::{
    CannotCloneRequestError, Error, Event, EventSource, MessageEvent, ReadyState, RequestBuilderExt,
    retry::{Constant, DEFAULT_RETRY, ExponentialBackoff, Never, RetryPolicy},
};
use std::{
    net::TcpListener,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

/// Long enough for anything that happens on one machine.
const PATIENCE: Duration = Duration::from_secs(60);

const SOON: Duration = Duration::from_millis(1);

fn run<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async { tokio::time::timeout(PATIENCE, future).await.expect("an end") })
}

fn soon(request: RequestBuilder) -> EventSource {
    let mut source = request.eventsource().expect("a request");
    source.set_retry_policy(Box::new(Constant::new(SOON, None)));
    source
}

/// A server that answers the connections with these streams, and then with 204.
fn streams(bodies: &[&str]) -> TestServer {
    let streams = bodies.iter().map(|body| Script::new().send((*body).to_owned()));
    TestServer::new().answers(streams).answer_with(|_| Script::status(204))
}

/// The values of each request's header with this name.
fn headers(server: &TestServer, name: &str) -> Vec<String> {
    let requests = server.requests();
    let values = requests.iter().map(|request| request.headers().get_all(name).iter());
    values.map(|values| values.map(|value| value.to_str().expect("a text")).collect::<Vec<_>>().join("+")).collect()
}

/// Debug texts, because an error with a response cannot be compared.
fn kinds(items: &[Result<Event, Error>]) -> Vec<String> {
    let kind = |item: &Result<Event, Error>| match item {
        Ok(Event::Open) => "open".to_owned(),
        Ok(Event::Message(message)) => message.data.clone(),
        Err(error) => error.to_string(),
    };
    items.iter().map(kind).collect()
}

/// An address at which nothing listens.
fn refused() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    format!("http://{}/", listener.local_addr().expect("its address"))
}

/// Records what it is asked, and has the same answer to everything.
struct Recorder {
    delay: Option<Duration>,
    asked: Arc<Mutex<Asked>>,
}

#[derive(Debug, Default)]
struct Asked {
    retries: Vec<Option<(usize, Duration)>>,
    times: Vec<Duration>,
}

impl RetryPolicy for Recorder {
    fn retry(&self, _: &Error, last_retry: Option<(usize, Duration)>) -> Option<Duration> {
        self.asked.lock().expect("a record").retries.push(last_retry);
        self.delay
    }

    fn set_reconnection_time(&mut self, duration: Duration) {
        self.asked.lock().expect("a record").times.push(duration);
    }
}

/// All items of a source with a recorder, and what the recorder was asked.
fn recorded(url: &str, delay: Option<Duration>, count: usize) -> (Vec<Result<Event, Error>>, Asked) {
    let asked = Arc::default();
    let mut source = EventSource::get(url);
    source.set_retry_policy(Box::new(Recorder { delay, asked: Arc::clone(&asked) }));
    let items = run(source.by_ref().take(count).collect());
    drop(source);
    (items, Arc::into_inner(asked).expect("no other").into_inner().expect("a record"))
}

#[test]
fn a_source_can_move_between_threads() {
    fn check<T: Send + Unpin + 'static>(_: &T) {}
    check(&EventSource::get("http://localhost/"));
}

#[test]
fn a_feed_over_several_connections() {
    let server = streams(&["id: 1\nevent: greeting\nretry: 7\ndata: a\n\ndata: cut", "data: b\n\n"]);
    let mut source = soon(Client::new().get(server.url()));
    assert_eq!((source.ready_state(), source.last_event_id()), (ReadyState::Connecting, ""));
    run(async {
        assert!(matches!(source.next().await, Some(Ok(Event::Open))));
        assert_eq!(source.ready_state(), ReadyState::Open);
        let message = MessageEvent {
            event: "greeting".into(),
            data: "a".into(),
            id: "1".into(),
            retry: Some(Duration::from_millis(7)),
        };
        assert_eq!(source.next().await.expect("an item").expect("an event"), Event::from(message));
        assert!(matches!(source.next().await, Some(Err(Error::StreamEnded))));
        assert_eq!((source.ready_state(), source.last_event_id()), (ReadyState::Connecting, "1"));
        let rest: Vec<_> = source.by_ref().collect().await;
        assert_eq!(kinds(&rest), ["open", "b", "Stream ended", "Invalid status code: 204 No Content"]);
        assert_eq!(source.ready_state(), ReadyState::Closed);
        assert!(source.next().await.is_none());
    });
    assert_eq!(headers(&server, "last-event-id"), ["", "1", "1"]);
    assert_eq!(headers(&server, "accept"), ["text/event-stream"; 3]);
}

#[test]
fn an_id_replaces_the_one_of_the_request() {
    let server = streams(&["data: a\n\n", "id: 2\ndata: b\n\n"]);
    run(soon(Client::new().get(server.url()).header("Last-Event-ID", "1")).collect::<Vec<_>>());
    assert_eq!(headers(&server, "last-event-id"), ["1", "1", "2"]);
}

#[test]
fn a_response_that_is_no_event_stream_ends_it_and_can_be_read() {
    let server = TestServer::new().answer(Script::status(401).header("content-type", "text/event-stream").send("who?"));
    let items: Vec<_> = run(soon(Client::new().get(server.url())).collect());
    let [Err(Error::InvalidStatusCode(StatusCode::UNAUTHORIZED, _))] = items[..] else { panic!("{items:?}") };

    let page = Script::status(200).send("log in");
    for (page, text) in [(page.clone().header("content-type", "Text/HTML"), "Text/HTML"), (page, "")] {
        let server = TestServer::new().answer(page);
        run(async {
            let mut source = soon(Client::new().get(server.url()));
            let item = source.next().await.expect("an item");
            let Err(Error::InvalidContentType(value, response)) = item else { panic!("{item:?}") };
            assert_eq!((value.as_bytes(), response.url().as_str()), (text.as_bytes(), server.url().as_str()));
            assert_eq!(response.text().await.expect("a body"), "log in");
            assert!(source.next().await.is_none());
        });
    }
}

#[test]
fn a_content_type_may_have_parameters_and_capitals() {
    let stream = Script::status(200).header("content-type", "Text/Event-Stream ; charset=utf-8");
    let server = TestServer::new().answer(stream.send("data: a\n\n"));
    let items: Vec<_> = run(soon(Client::new().get(server.url())).take(2).collect());
    assert_eq!(kinds(&items), ["open", "a"]);
}

#[test]
fn a_value_that_is_not_utf_8_and_an_id_without_data() {
    let server = TestServer::new().answer(Script::new().send(&b"id: 7\n\ndata: \xff\n\nid: 8\n\n"[..]));
    let mut source = soon(Client::new().get(server.url()));
    let items: Vec<_> = run(source.by_ref().take(3).collect());
    let [Ok(Event::Open), Ok(Event::Message(message)), Err(Error::StreamEnded)] = &items[..] else {
        panic!("{items:?}")
    };
    assert_eq!((message.data.as_str(), message.id.as_str(), source.last_event_id()), ("\u{fffd}", "7", "8"));
}

#[test]
fn an_event_that_is_too_large_is_an_error_and_the_next_one_follows() {
    let server = streams(&[&format!("data: {}\n\ndata: b\n\n", "x".repeat(16 << 20))]);
    let mut source = soon(Client::new().get(server.url()));
    let items: Vec<_> = run(source.by_ref().take(3).collect());
    assert!(matches!(&items[..], [Ok(Event::Open), Err(Error::Parser(_)), Ok(Event::Message(_))]), "{items:?}");
    assert_eq!(source.ready_state(), ReadyState::Open);
}

#[test]
fn an_id_that_fits_in_no_header_is_an_error() {
    let server = streams(&["id: \u{1}\ndata: a\n\n", "data: b\n\n"]);
    let items: Vec<_> = run(soon(Client::new().get(server.url())).collect());
    let [Ok(_), Ok(_), Err(Error::StreamEnded), Err(Error::InvalidLastEventId(id))] = &items[..] else {
        panic!("{items:?}")
    };
    assert_eq!((id.as_str(), server.requests().len()), ("\u{1}", 1));

    let server = streams(&["id: é\ndata: a\n\n", "data: b\n\n"]);
    let items: Vec<_> = run(soon(Client::new().get(server.url())).collect());
    assert_eq!(kinds(&items)[3..5], ["open", "b"]);
}

#[test]
fn a_connection_that_breaks_is_an_error_of_reqwest() {
    let cut = Script::new().header("content-length", "99").send("data: a\n\n");
    let server = TestServer::new().answers([cut, Script::raw(""), Script::status(204)]);
    let items: Vec<_> = run(soon(Client::new().get(server.url())).collect());
    let [Ok(Event::Open), Ok(_), Err(Error::Transport(_)), Err(Error::Transport(error)), Err(_)] = &items[..] else {
        panic!("{items:?}")
    };
    assert_eq!(Error::StreamEnded.to_string(), "Stream ended");
    let text = error.to_string();
    let error = items.into_iter().nth(3).expect("an item").expect_err("an error");
    assert_eq!(error.to_string(), text);
    assert!(std::error::Error::source(&error).is_some());
}

#[test]
fn a_policy_is_told_of_retries_without_a_response_and_of_the_last_delay() {
    let (first, again) = (Duration::from_millis(1), Some(Duration::from_millis(1)));
    let server = streams(&["data: a\n\n", "", "data: b\n\n"]);
    let (items, asked) = recorded(&server.url(), again, 9);
    let ended = "Stream ended";
    let expected = ["open", "a", ended, "open", ended, "open", "b", ended, "Invalid status code: 204 No Content"];
    assert_eq!(kinds(&items), expected);
    // The second stream has ended without an event.
    assert_eq!(asked.retries, [None, Some((0, first)), None]);

    let (items, asked) = recorded(&refused(), again, 3);
    assert!(items.iter().all(|item| matches!(item, Err(Error::Transport(error)) if error.is_connect())));
    assert_eq!(asked.retries, [None, Some((1, first)), Some((2, first))]);

    let (items, asked) = recorded(&refused(), None, 3);
    assert_eq!((items.len(), asked.retries), (1, vec![None]));
}

#[test]
fn the_server_sets_the_reconnection_time_also_without_an_event() {
    for (body, time) in [("retry: 1500\n\n", 1500), ("retry: 0\ndata: a\n\n", 100), ("retry: +5\n\n", 0)] {
        let (_, asked) = recorded(&streams(&[body]).url(), None, 9);
        let times: Vec<_> = (time > 0).then_some(Duration::from_millis(time)).into_iter().collect();
        assert_eq!(asked.times, times, "{body:?}");
    }
}

#[test]
fn the_policies() {
    fn delays(policy: &dyn RetryPolicy) -> Vec<u128> {
        let mut last = None;
        let delays = std::iter::from_fn(|| {
            let delay = policy.retry(&Error::StreamEnded, last)?;
            last = Some((last.map_or(1, |(retries, _)| retries + 1), delay));
            Some(delay.as_millis())
        });
        delays.take(7).collect()
    }

    assert_eq!(delays(&DEFAULT_RETRY), [300, 600, 1200, 2400, 4800, 5000, 5000]);
    assert_eq!(delays(&Never), [] as [u128; 0]);
    assert_eq!(delays(&Constant::new(SOON, Some(2))), [1, 1]);
    assert_eq!(delays(&Constant::new(SOON, Some(0))), [] as [u128; 0]);
    let mut backoff = ExponentialBackoff::new(SOON, 3.0, Some(Duration::from_millis(5)), Some(3));
    assert_eq!(delays(&backoff), [1, 3, 5]);
    backoff.set_reconnection_time(Duration::from_millis(9));
    assert_eq!(delays(&backoff), [9, 9, 9]);
    let mut constant = Constant::new(SOON, None);
    constant.set_reconnection_time(Duration::from_millis(9));
    assert_eq!(delays(&constant), [9; 7]);
}

#[test]
fn the_delay_passes_before_the_next_request() {
    let server = streams(&[""]);
    let mut source = EventSource::get(server.url());
    source.set_retry_policy(Box::new(Constant::new(Duration::from_millis(300), None)));
    let began = Instant::now();
    assert_eq!(run(source.collect::<Vec<_>>()).len(), 3);
    assert!(began.elapsed() >= Duration::from_millis(300));
}

#[test]
fn a_request_that_may_have_an_effect_is_not_sent_again() {
    for method in [Method::POST, Method::PATCH] {
        let server = streams(&["data: a\n\n", "data: b\n\n"]);
        let source = Client::new().request(method, server.url()).eventsource().expect("a request");
        assert_eq!(kinds(&run(source.collect::<Vec<_>>())), ["open", "a", "Stream ended"]);
        assert_eq!(server.requests().len(), 1);
    }

    // No server has received it.
    let source = Client::new().post(refused()).eventsource().expect("a request");
    let items: Vec<_> = run(source.take(2).collect());
    assert!(matches!(items[..], [Err(Error::Transport(_)), Err(Error::Transport(_))]), "{items:?}");

    // The program has decided.
    let server = streams(&["data: a\n\n", "data: b\n\n"]);
    let items: Vec<_> = run(soon(Client::new().post(server.url())).collect());
    assert_eq!(items.len(), 7, "{items:?}");

    let server = streams(&["data: a\n\n", "data: b\n\n"]);
    let source = Client::new().put(server.url()).eventsource().expect("a request");
    assert_eq!(run(source.take(4).collect::<Vec<_>>()).len(), 4);
}

#[test]
fn a_closed_source_has_no_more_items() {
    let server = streams(&["data: a\n\ndata: b\n\n"]);
    let mut source = soon(Client::new().get(server.url()));
    run(async {
        assert!(source.next().await.is_some());
        source.close();
        assert_eq!(source.ready_state(), ReadyState::Closed);
        assert!(source.next().await.is_none());
    });
}

#[test]
fn a_request_that_cannot_be_cloned_is_an_error() {
    let body = Body::wrap(eventwire::EventBody::new(stream::empty::<eventwire::Event>()));
    for request in [Client::new().post("http://localhost/").body(body), Client::new().get("no URL")] {
        let error @ CannotCloneRequestError = request.eventsource().err().expect("an error");
        assert_eq!(error.to_string(), "expected a cloneable request");
    }
}

#[test]
fn the_page_shows_this_package() {
    let page = include_str!("../../../src/migration.rs");
    let manifest = include_str!("../reqwest-eventsource/Cargo.toml");
    let of_this_place = ["#", "publish", "[lib]", "doctest", "test", "eventwire ="];
    for line in manifest.lines().filter(|line| !of_this_place.iter().any(|start| line.starts_with(start))) {
        assert!(page.contains(format!("//! {line}").trim_end()), "{line}");
    }
    let message = "pub use eventsource_stream::Event as MessageEvent;";
    assert!(page.contains(message) && include_str!("../reqwest-eventsource/build.rs").contains(message));
    let patch = "reqwest-eventsource = { path = \"reqwest-eventsource\" }";
    assert!(page.contains(patch) && include_str!("../Cargo.toml").contains(patch));
}
