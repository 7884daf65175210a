//! Answers that go on without their readers. Two servers with the same log stand for two processes.

use crate::patiently;
use axum::serve::ListenerExt;
use eventwire_hub::{History, Memory};
use eventwire_recipes::detached_answer::app;
use eventwire_reqwest::{Event, Item, ReconnectPolicy, from_fn};
use futures_util::{StreamExt, stream};
use reqwest::{Client, Method, Response, StatusCode};
use std::{
    future,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{net::TcpListener, runtime::Runtime, time::sleep};

/// The questions whose model no longer runs.
static ANSWERED: Mutex<Vec<String>> = Mutex::new(Vec::new());

struct Running(String);

impl Drop for Running {
    fn drop(&mut self) {
        ANSWERED.lock().unwrap().push(self.0.clone());
    }
}

/// Repeats the question word by word, and then waits without end if the question ends with "...".
fn model(question: String) -> stream::BoxStream<'static, String> {
    let words: Vec<_> = question.split_inclusive(' ').map(str::to_owned).collect();
    let silence = stream::once(future::pending()).take(usize::from(question.ends_with("...")));
    let running = Running(question);
    let words = stream::iter(words).then(async |word| {
        sleep(Duration::from_millis(5)).await;
        word
    });
    words.chain(silence).inspect(move |_| _ = &running).boxed()
}

struct Process {
    url: String,
    /// Its tasks are the server and the model.
    runtime: Option<Runtime>,
}

impl Process {
    async fn start(log: &Memory) -> Process {
        let runtime = Runtime::new().unwrap();
        let app = app(log.clone(), model);
        let bound = runtime.spawn(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let url = format!("http://{}/answers", listener.local_addr().unwrap());
            let listener = listener.tap_io(|connection| connection.set_nodelay(true).unwrap());
            tokio::spawn(axum::serve(listener, app).into_future());
            url
        });
        Process { url: bound.await.unwrap(), runtime: Some(runtime) }
    }

    /// Asks the model, and returns the ID of the answer.
    async fn ask(&self, question: &str) -> String {
        let request = Client::new().post(&self.url).body(question.to_owned());
        let response = patiently(request.send()).await.unwrap().error_for_status().unwrap();
        response.text().await.unwrap()
    }

    async fn request(&self, method: Method, id: &str) -> Response {
        patiently(Client::new().request(method, format!("{}/{id}", self.url)).send()).await.unwrap()
    }

    async fn stop(&self, id: &str) -> StatusCode {
        self.request(Method::DELETE, id).await.status()
    }

    /// Reads an answer from its beginning up to its end, after which the server says that there is no more.
    async fn read(&self, id: &str) -> Vec<Event> {
        Reader::open(self, id).rest().await
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // A test's runtime must not wait for another one.
        self.runtime.take().unwrap().shutdown_background();
    }
}

/// A client that reconnects, perhaps to another process.
struct Reader {
    url: Arc<Mutex<String>>,
    items: stream::BoxStream<'static, Item<reqwest::Error>>,
}

impl Reader {
    fn open(process: &Process, id: &str) -> Reader {
        let url = Arc::new(Mutex::new(format!("{}/{id}", process.url)));
        let at = Arc::clone(&url);
        let client = Client::new();
        let source = from_fn(move |_| future::ready(Ok(client.get(at.lock().unwrap().as_str()))));
        let (min, max) = (Duration::from_millis(1), Duration::from_millis(20));
        let policy = ReconnectPolicy::new().with_min_delay(min).with_reconnection_time(min).with_max_delay(max);
        Reader { url, items: source.with_policy(policy).boxed() }
    }

    fn moves_to(&self, process: &Process, id: &str) {
        *self.url.lock().unwrap() = format!("{}/{id}", process.url);
    }

    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Item::Event(event) = patiently(self.items.next()).await? {
                return Some(event);
            }
        }
    }

    async fn rest(mut self) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        events
    }
}

/// The types and the data.
fn shown(events: &[Event]) -> Vec<(&str, &str)> {
    events.iter().map(|event| (event.event_type(), event.data())).collect()
}

const WHOLE: [(&str, &str); 4] = [("question", "one two"), ("message", "one "), ("message", "two"), ("end", "done")];

fn log() -> Memory {
    Memory::new(History::new())
}

#[tokio::test]
async fn an_answer_goes_on_without_its_readers() {
    let process = Process::start(&log()).await;
    let id = process.ask("one two").await;
    let mut reader = Reader::open(&process, &id);
    assert_eq!(reader.next().await.unwrap().data(), "one two");
    drop(reader);
    let all = process.read(&id).await;
    assert_eq!(shown(&all), WHOLE);
    // It can be read again, and at its end a reader is told not to return.
    assert_eq!(process.read(&id).await, all);
    let last = all.last().unwrap().last_event_id();
    let status = process.request(Method::GET, &format!("{id}?last_event_id={last}")).await.status();
    assert_eq!(status, StatusCode::NO_CONTENT);
}

#[tokio::test]
async fn a_reader_follows_an_answer_to_another_process() {
    let log = log();
    let (model, killed, restarted) =
        (Process::start(&log).await, Process::start(&log).await, Process::start(&log).await);
    let words: Vec<String> = (0..50).map(|number| format!("{number} ")).collect();
    let id = model.ask(words.concat().trim_end()).await;
    let mut reader = Reader::open(&killed, &id);
    let mut events = Vec::new();
    while events.len() < 10 {
        events.push(reader.next().await.unwrap());
    }
    reader.moves_to(&restarted, &id);
    drop(killed);
    events.extend(reader.rest().await);
    // Nothing is missing, and nothing comes twice.
    let said: String = events[1..events.len() - 1].iter().map(Event::data).collect();
    assert_eq!(said, words.concat().trim_end());
    assert_eq!(shown(&events[50..])[1..], [("end", "done")]);
}

#[tokio::test]
async fn another_process_stops_an_answer() {
    let log = log();
    let (one, two) = (Process::start(&log).await, Process::start(&log).await);
    let id = one.ask("Stop me...").await;
    let mut reader = Reader::open(&one, &id);
    while reader.next().await.unwrap().data() != "me..." {}
    assert_eq!(two.stop(&id).await, StatusCode::NO_CONTENT);
    assert_eq!(reader.rest().await.last().map(Event::data), Some("stopped"));
    // The model, which was waiting for its next word, has stopped.
    patiently(async {
        while !ANSWERED.lock().unwrap().iter().any(|question| question == "Stop me...") {
            sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
    // There is only one end.
    assert_eq!(one.stop(&id).await, StatusCode::NO_CONTENT);
    let all = two.read(&id).await;
    assert_eq!(all.iter().filter(|event| event.event_type() == "end").count(), 1);
}

#[tokio::test]
async fn an_answer_that_is_complete_cannot_be_stopped() {
    let process = Process::start(&log()).await;
    let id = process.ask("one two").await;
    assert_eq!(shown(&process.read(&id).await), WHOLE);
    assert_eq!(process.stop(&id).await, StatusCode::NO_CONTENT);
    assert_eq!(shown(&process.read(&id).await), WHOLE);
}

/// Its answers have no end, until somebody stops them.
#[tokio::test]
async fn an_answer_whose_process_was_killed() {
    let log = log();
    let (one, two) = (Process::start(&log).await, Process::start(&log).await);
    let id = one.ask("Well...").await;
    drop(one);
    let mut reader = Reader::open(&two, &id);
    assert_eq!(reader.next().await.unwrap().event_type(), "question");
    assert_eq!(two.stop(&id).await, StatusCode::NO_CONTENT);
    assert_eq!(reader.rest().await.last().map(Event::data), Some("stopped"));
}

#[tokio::test]
async fn an_unknown_answer() {
    let process = Process::start(&log()).await;
    for method in [Method::GET, Method::DELETE] {
        assert_eq!(process.request(method.clone(), "0123").await.status(), StatusCode::NOT_FOUND);
        assert_eq!(process.request(method, "a%0Ab").await.status(), StatusCode::BAD_REQUEST);
    }
}
