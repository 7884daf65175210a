//! Runs an event source over simulated connections to its end, and writes down what has happened as one line of text.

use crate::fake::{Failure, Fake};
use eventwire::{Decoder, Error, Event, TokioTimer};
use eventwire_client::{Attempt, EventSource, Hooks, Item, ReconnectPolicy, Resend, Stopped};
use futures_util::stream::FusedStream;
use std::time::Duration;
use tokio::time::{Instant, sleep};

const SECOND: Duration = Duration::from_secs(1);
pub(crate) const NO_CONTENT: &str = "stopped NoContent: there are no more events: the server answered 204 No Content";

pub(crate) type Source<D = ()> = EventSource<Fake, TokioTimer, D>;

/// Runs a row with events as items and with blocks, and both again through `.events()`. All must report the same events
/// and the same end, and send the same requests. `expected` has, separated by bars:
///
/// * each request as `#` and the number of the attempt, with its ID and its cursor; `!` after a timeout;
/// * each item: `open`, an event as data and ID, an error as its text; `@` and the seconds since the request;
/// * the end.
///
/// After an event with the data `away 7`, the consumer does not poll for seven seconds.
pub(crate) async fn check<D: Hooks<Failure>>(
    answers: impl Into<Fake>,
    set: impl Fn(Source) -> Source<D>,
    expected: &str,
) {
    let fake = answers.into();
    let mut source = set(fake.source());
    let items = trace(&mut source).await;
    assert_eq!(items.text(), expected);
    let is_failure = source.stopped().unwrap().is_failure();
    assert_eq!(source.into_result().is_err(), is_failure, "{expected}");
    let blocks = trace(&mut set(fake.fresh().source()).with_blocks()).await;
    assert_eq!(blocks.without_blocks().text(), expected, "with blocks");
    for has_blocks in [false, true] {
        let alone = fake.fresh();
        let source = set(alone.source());
        let source = if has_blocks { source.with_blocks() } else { source };
        assert_eq!(events(source).await, items.events, "{expected}");
        assert_eq!(alone.attempts(), fake.attempts(), "{expected}");
    }
}

/// Runs a row with blocks. A comment is `:` and its text; a block that is no event is `~` and its bytes.
pub(crate) async fn check_blocks(answers: impl Into<Fake>, set: impl Fn(Source) -> Source, expected: &str) {
    assert_eq!(trace(&mut set(answers.into().source()).with_blocks()).await.text(), expected);
}

/// What a source has reported until its end.
#[derive(Default)]
pub(crate) struct Trace {
    pub(crate) words: Vec<String>,
    /// What `.events()` reports of that.
    events: Vec<String>,
    /// The delays before the attempts.
    pub(crate) delays: Vec<Duration>,
}

impl Trace {
    pub(crate) fn text(&self) -> String {
        self.words.join(" | ")
    }

    fn without_blocks(mut self) -> Trace {
        self.words.retain(|word| !word.starts_with([':', '~']) && !word.starts_with("the comment "));
        self
    }
}

pub(crate) async fn trace<D: Hooks<Failure>>(source: &mut Source<D>) -> Trace {
    let (mut trace, mut requests, mut begun) = (Trace::default(), source.connector().attempts().len(), Instant::now());
    let mut lost = None;
    loop {
        let item = source.next().await;
        for (attempt, at) in source.connector().all().into_iter().skip(requests) {
            if let Some((since, delay, number)) = lost.take() {
                assert_eq!(attempt.number(), number, "as announced");
                // tokio's clock counts milliseconds.
                assert!(at - since >= delay && at - since < delay + SECOND / 100, "{:?}, not {delay:?}", at - since);
            }
            trace.words.push(request(&attempt));
            (requests, begun) = (requests + 1, at);
        }
        let (word, is_event) = match item {
            None => break,
            Some(Item::Open(head)) if head.status() == 200 => ("open".to_owned(), false),
            Some(Item::Open(head)) => (format!("open {}", head.status()), false),
            Some(Item::Event(event)) => (shown(&event), true),
            Some(Item::Block(block)) => match block.clone().into_event() {
                Some(event) => (shown(&event), true),
                None => (format!("~{}", block.to_bytes().escape_ascii()), false),
            },
            Some(Item::Comment(comment)) => (format!(": {}", comment.text()), false),
            Some(Item::Undecodable(error)) => (error.to_string(), !error.is_in_comment()),
            Some(Item::Reconnecting { error, delay, attempt, .. }) => {
                lost = Some((Instant::now(), delay, attempt));
                trace.delays.push(delay);
                (error.to_string(), false)
            }
            Some(other) => panic!("{other:?}"),
        };
        if is_event {
            trace.events.push(word.clone());
        }
        let seconds = begun.elapsed().as_secs();
        stay_away(&word).await;
        trace.words.push(if seconds == 0 { word } else { format!("{word} @{seconds}") });
    }
    assert!(source.is_terminated() && source.next().await.is_none());
    if let Some(stopped) = source.stopped() {
        let end = end(stopped);
        trace.words.push(end.clone());
        trace.events.extend(stopped.is_failure().then_some(end));
    }
    trace
}

/// Sleeps if this is a word such as `away 7` or `: away 7`.
async fn stay_away(word: &str) {
    if let Some(seconds) = word.trim_start_matches(": ").strip_prefix("away ") {
        sleep(Duration::from_secs(seconds.parse().unwrap())).await;
    }
}

fn request(attempt: &Attempt) -> String {
    let mut word = format!("#{}", attempt.number());
    if let Some(id) = attempt.headers().get("last-event-id") {
        word += &format!(" id={}", id.to_str().unwrap());
    }
    if let Some(cursor) = attempt.cursor() {
        word += &format!(" cursor={cursor}");
    }
    word + if attempt.is_after_timeout() { "!" } else { "" }
}

fn shown(event: &Event) -> String {
    format!("{} {}", event.data(), event.last_event_id()).trim_end_matches(' ').to_owned()
}

pub(crate) fn end(stopped: &Stopped<Failure>) -> String {
    let word = if stopped.is_failure() { "failed" } else { "stopped" };
    match stopped.error() {
        None => format!("{word} {:?}", stopped.reason()),
        Some(_) => format!("{word} {:?}: {stopped}", stopped.reason()),
    }
}

async fn events<D: Hooks<Failure>>(source: Source<D>) -> Vec<String> {
    let mut events = source.events();
    let mut words = Vec::new();
    while let Some(item) = events.next().await {
        words.push(match item {
            Ok(event) => {
                stay_away(event.data()).await;
                shown(&event)
            }
            Err(Error::Decode(error)) => error.to_string(),
            Err(Error::Transport(stopped)) => end(&stopped),
            Err(other) => panic!("{other:?}"),
        });
    }
    words
}

/// The words, and the last request, which gets a 204.
pub(crate) fn then(words: &str, last_request: &str) -> String {
    format!("{words} | {last_request} | {NO_CONTENT}")
}

pub(crate) fn resend(resend: Resend) -> ReconnectPolicy {
    ReconnectPolicy::new().with_resend(resend)
}

pub(crate) fn at_most(bytes: usize) -> Decoder {
    Decoder::new().with_max_event_size(bytes)
}
