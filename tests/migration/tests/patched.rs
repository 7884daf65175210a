//! Published crates that depend on eventsource-stream, built with the package of that name in this workspace. They
//! handle the streams on which they fail with the original, as the tests in `originals` show.

use async_openai::{Client, config::OpenAIConfig, types::completions::CreateCompletionRequestArgs};
use eventsource_stream::{Event, EventStream, EventStreamError, Eventsource};
use eventwire_test_support::{Script, serve};
use futures_util::{FutureExt, StreamExt, TryStreamExt, stream};
use reqwest_eventsource::{Error, Event as Item, EventSource, RequestBuilderExt};
use std::{convert::Infallible, fs, future::Future, io::Write, sync::mpsc, time::Duration};

/// Long enough for anything that happens on one machine.
const PATIENCE: Duration = Duration::from_secs(60);

const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";

const NOT_FOUND: &str = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";

fn run<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async { tokio::time::timeout(PATIENCE, future).await.expect("an end") })
}

/// Returns the URL of a server that sends `body`, and then keeps the connection open until the sender is dropped.
fn open_server(body: &'static str) -> (String, mpsc::Sender<()>) {
    let (hold, held) = mpsc::channel();
    let url = serve(move |_, mut client| {
        client.write_all(format!("{HEAD}{body}").as_bytes()).expect("a client");
        let _ = held.recv();
    });
    (url, hold)
}

async fn next_message(source: &mut EventSource) -> Event {
    loop {
        match source.next().await.expect("an event") {
            Ok(Item::Open) | Err(Error::StreamEnded) => {}
            Ok(Item::Message(message)) => return message,
            Err(error) => panic!("{error:?}"),
        }
    }
}

#[test]
fn reqwest_eventsource_drops_a_byte_order_mark() {
    let (url, _hold) = open_server("\u{feff}event: greeting\ndata: hello\n\n");
    let message = run(async { next_message(&mut EventSource::get(&url)).await });
    assert_eq!(message, Event { event: "greeting".into(), data: "hello".into(), ..Event::default() });
}

#[test]
fn reqwest_eventsource_returns_an_event_at_the_carriage_return_that_completes_it() {
    let (url, _hold) = open_server("data: hello\r\r");
    let message = run(async { next_message(&mut EventSource::get(&url)).await });
    assert_eq!(message.data, "hello");
}

#[test]
fn reqwest_eventsource_keeps_the_last_event_id_over_connections() {
    let first = format!("{HEAD}id: 41\nretry: 1\ndata: a\n\n");
    let server = Script::new(&[&first, &format!("{HEAD}data: b\n\n"), NOT_FOUND]);
    run(async {
        let mut source = reqwest::Client::new().get(&server.url).eventsource().expect("a request");
        assert_eq!(next_message(&mut source).await.id, "41");
        assert_eq!(next_message(&mut source).await.id, "41");
        assert_eq!(source.last_event_id(), "41");
        let rest: Vec<_> = source.collect().await;
        assert!(matches!(rest[..], [Err(Error::StreamEnded), Err(Error::InvalidStatusCode(..))]), "{rest:?}");
    });
    let requests = server.requests();
    let ids: Vec<Vec<&str>> = requests.iter().map(|request| request.header("last-event-id")).collect();
    assert_eq!(ids, [vec![], vec!["41"], vec!["41"]]);
}

#[test]
fn async_openai_reads_a_stream_with_a_byte_order_mark_and_carriage_returns() {
    let chunk = r#"data: {"id":"1","object":"text_completion","created":0,"model":"m","choices":[{"text":"Hello","index":0,"logprobs":null,"finish_reason":null}]}"#;
    let body = format!("{HEAD}\u{feff}{chunk}\r\r: wait\r\rdata: [DONE]\r\r");
    let (hold, held) = mpsc::channel::<()>();
    let server = Script::with(move |_, mut client| {
        client.write_all(body.as_bytes()).expect("a client");
        let _ = held.recv();
    });
    let base = server.url.strip_suffix("/events").expect("a path");
    let client = Client::with_config(OpenAIConfig::new().with_api_base(base).with_api_key("none"));
    let request =
        CreateCompletionRequestArgs::default().model("m").prompt("p").stream(true).build().expect("a request");
    let answer: String = run(async {
        let chunks = client.completions().create_stream(request).await.expect("a stream");
        chunks.map_ok(|chunk| chunk.choices[0].text.clone()).try_collect().await.expect("chunks")
    });
    assert_eq!(answer, "Hello");
    drop(hold);
}

fn ready<F: Future>(future: F) -> F::Output {
    future.now_or_never().expect("all is ready")
}

#[test]
fn a_seeded_id_stays() {
    let mut events = stream::iter([Ok::<_, Infallible>(b"data: a\n\nid: 8\ndata: b\n\n")]).eventsource();
    events.set_last_event_id("7");
    assert_eq!(events.last_event_id(), "7");
    let ids: Vec<String> = ready(events.by_ref().map_ok(|event| event.id).try_collect()).expect("events");
    assert_eq!(ids, ["7", "8"]);
    assert_eq!(events.last_event_id(), "8");

    events.set_last_event_id("9\n"); // no stream can set it
    assert_eq!(events.last_event_id(), "8");
}

#[test]
fn each_kind_of_item_is_that_of_the_original() {
    let large = format!("data: {}\n\n", "x".repeat(16 << 20));
    let chunks = [Ok("retry: 7\ndata: a\n\n"), Ok(&large), Ok("data: b\n\n"), Err("reset"), Ok("data: c\n\ndata: d")];
    let mut events = EventStream::new(stream::iter(chunks));
    let mut next = || ready(events.next());

    let first =
        Event { event: "message".into(), data: "a".into(), id: String::new(), retry: Some(Duration::from_millis(7)) };
    assert_eq!(next(), Some(Ok(first)));
    let error = next().expect("an item").expect_err("a limit");
    assert!(matches!(error, EventStreamError::Parser(_)), "{error:?}");
    let text = error.to_string();
    assert!(
        text.starts_with("Parse error: ") && text.contains("event is larger than the limit of 16777216 bytes"),
        "{text}"
    );
    assert_eq!(next().expect("an item").expect("an event").data, "b");
    let error = next().expect("an item").expect_err("the source's");
    assert_eq!((error.to_string().as_str(), error), ("Transport error: reset", EventStreamError::Transport("reset")));
    assert_eq!(next().expect("an item").expect("an event").data, "c");
    assert_eq!(next(), None);
    assert_eq!(next(), None);
}

#[test]
fn the_page_shows_this_package() {
    let page = include_str!("../../../src/migration.rs");
    let manifest = include_str!("../eventsource-stream/Cargo.toml");
    let of_this_place = ["#", "publish", "[lib]", "path", "doctest", "test", "eventwire ="];
    for line in manifest.lines().filter(|line| !of_this_place.iter().any(|start| line.starts_with(start))) {
        assert!(page.contains(format!("//! {line}").trim_end()), "{line}");
    }
    for line in include_str!("../Cargo.toml").lines().skip_while(|&line| line != "[patch.crates-io]").take(2) {
        assert!(page.contains(&format!("//! {line}\n")), "{line}");
    }
}

/// The original passes 242 of them, by `--bin conformance` in `benches/rivals`.
#[test]
fn all_fixtures_pass() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures");
    let files = fs::read_dir(folder).expect("the fixtures").map(|entry| entry.expect("a file").path());
    let streams: Vec<_> = files.filter(|path| path.extension().is_some_and(|extension| extension == "sse")).collect();
    assert!(streams.len() >= 296, "{} fixtures only", streams.len());
    for path in streams {
        let stream = fs::read(&path).expect("a stream");
        let json = fs::read(path.with_extension("json")).expect("what it means");
        let due: Meaning = serde_json::from_slice(&json).expect("JSON");
        for chunk in [stream.len(), 1] {
            let events = EventStream::new(stream::iter(stream.chunks(chunk.max(1)).map(Ok::<_, Infallible>)));
            let events: Vec<Event> = ready(events.try_collect()).expect("events");
            let events =
                events.into_iter().map(|event| Dispatched { r#type: event.event, data: event.data, id: event.id });
            assert_eq!(events.collect::<Vec<_>>(), due.events, "{}", path.display());
        }
    }
}

#[derive(serde::Deserialize)]
struct Meaning {
    events: Vec<Dispatched>,
}

#[derive(Debug, PartialEq, serde::Deserialize)]
struct Dispatched {
    r#type: String,
    data: String,
    id: String,
}
