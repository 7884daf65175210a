//! Decisions of the caller's code: verdicts, delays, progress, cursors.

use crate::fake::{
    Answer::{self, Refusal, Stream},
    Delay, Failure, Fake,
    Step::{self, Chunk, Hang, Silence as Pause},
    watch,
};
use eventwire::{Event, TokioTimer};
use eventwire_client::{
    ConnectionError, EventSource, Hooks, Item, ReconnectPolicy, Resend, ResponseHead, StopReason, Verdict, connector_fn,
};
use futures_util::{StreamExt, stream};
use http::Response;
use std::{cell::RefCell, convert::Infallible, future, rc::Rc, time::Duration};
use tokio::time::Instant;

const SECOND: Duration = Duration::from_secs(1);

/// Pings are no progress.
struct Pings;

impl<E> Hooks<E> for Pings {
    fn is_progress(&mut self, event: &Event) -> bool {
        event.event_type() != "ping"
    }
}

/// Events that have arrived are returned even after the timeout, and progress among them counts.
#[tokio::test(start_paused = true)]
async fn a_timeout_drops_nothing_of_the_chunk() {
    const ANSWERS: &[Answer] = &[
        Stream(&[Pause(29), Chunk("event: ping\ndata: p\n\n"), Pause(2), Chunk(": c\n"), Hang]),
        Stream(&[
            Chunk("event: ping\ndata: p\n\n"),
            Pause(29),
            Chunk("event: ping\ndata: q\n\nevent: ping\ndata: r\n\ndata: a\n\n"),
            Pause(29),
            Chunk("data: b\n\n"),
            Step::Failure("reset"),
        ]),
    ];
    let mut source = Fake::new(ANSWERS).source().with_hooks(Pings);
    source = source.with_progress_timeout(30 * SECOND);
    let mut words = Vec::new();
    while let Some(item) = source.next().await {
        match item {
            Item::Event(event) => {
                words.push(event.data().to_owned());
                // The timeout has passed when the second ping of the second response is returned.
                if event.data() == "q" {
                    tokio::time::sleep(10 * SECOND).await;
                }
            }
            Item::Reconnecting { error, .. } => words.push(error.to_string()),
            _ => {}
        }
    }
    assert_eq!(words, ["p", "no progress for 30s", "p", "q", "r", "a", "b", "reset"]);

    // The same with comments and blocks without data.
    const BLOCKS: &[Answer] = &[Stream(&[Pause(29), Chunk(": c\n\nid: 4\n\nretry: 77\n\n"), Hang])];
    let fake = Fake::new(BLOCKS);
    let mut blocks = fake.source().with_blocks().with_progress_timeout(30 * SECOND);
    let mut seen = Vec::new();
    while let Some(item) = blocks.next().await {
        seen.push(match item {
            Item::Comment(_) => {
                // The timeout has passed when the next item is returned.
                tokio::time::sleep(10 * SECOND).await;
                "comment"
            }
            Item::Block(block) if block.id().is_some() => "ID",
            Item::Block(_) => "retry",
            Item::Reconnecting { error: ConnectionError::ProgressTimeout(_), .. } => "timeout",
            _ => continue,
        });
    }
    assert_eq!(seen, ["comment", "ID", "retry", "timeout"]);
}

/// The ID of an event that is not returned would be lost with it.
#[tokio::test(start_paused = true)]
async fn an_event_that_arrives_with_the_timeout_is_returned_before_it() {
    let pings = (0..20).map(|id| Chunk(format!("event: ping\nid: {id}\ndata\n\n").leak()));
    let steps: Vec<_> = pings.flat_map(|ping| [Pause(1), ping]).collect();
    let fake = Fake::new(vec![Stream(steps.leak())].leak());
    let mut source = fake.source().with_hooks(Pings).with_progress_timeout(10 * SECOND);
    let mut last = String::new();
    while let Some(item) = source.next().await {
        match item {
            Item::Event(event) => event.last_event_id().clone_into(&mut last),
            Item::Reconnecting { error, .. } => assert!(matches!(error, ConnectionError::ProgressTimeout(_))),
            _ => {}
        }
    }
    assert_eq!(fake.attempts(), [(1, String::new()), (2, last.clone())]);
    assert!((8..=11).contains(&last.parse::<u32>().unwrap()), "{last}");
}

#[tokio::test(start_paused = true)]
async fn a_flood_without_progress_is_lost() {
    let connector = connector_fn(|_| {
        let body = stream::repeat(Ok::<_, Infallible>("event: ping\ndata\n\n"));
        let response = Response::builder().header("content-type", "text/event-stream").body(body).unwrap();
        future::ready(Ok::<_, Infallible>(response))
    });
    let mut source = EventSource::with_connector(connector, |_: Duration| future::ready(()))
        .with_hooks(Pings)
        .with_progress_timeout(SECOND);
    assert!(matches!(source.next().await, Some(Item::Open(_))));
    for _ in 0..10 {
        if let Some(Item::Reconnecting { error, .. }) = source.next().await {
            assert!(matches!(error, ConnectionError::ProgressTimeout(_)));
            return;
        }
    }
    panic!("the connection was not dropped");
}

#[tokio::test(start_paused = true)]
async fn a_verdict_on_an_error() {
    let run = async |fake: Fake, verdict: Option<Verdict>| {
        let policy = ReconnectPolicy::new().with_resend(Resend::UnlessSent);
        let mut source = fake.source().with_policy(policy).with_error_verdict(|error: &Failure| match error.0 {
            "asked" => verdict,
            _ => None,
        });
        watch(&mut source).await;
        let stopped = source.into_stopped();
        (stopped.reason(), stopped.is_failure(), fake.attempts().len())
    };
    const NO_RESPONSE: &[Answer] = &[Answer::Failure("asked")];
    const NO_BODY: &[Answer] = &[Stream(&[Chunk("data: a\n\n"), Step::Failure("asked")])];
    for answers in [NO_RESPONSE, NO_BODY] {
        for (verdict, expected) in [
            (None, (StopReason::NotResent, true, 1)),
            (Some(Verdict::Open), (StopReason::NotResent, true, 1)),
            (Some(Verdict::RetryIfAllowed), (StopReason::NotResent, true, 1)),
            // A request with a response was processed, for any verdict on the error.
            (
                Some(Verdict::NotProcessed),
                match answers {
                    [Answer::Failure(_)] => (StopReason::NoContent, false, 2),
                    _ => (StopReason::NotResent, true, 1),
                },
            ),
            (Some(Verdict::Stop), (StopReason::Finished, false, 1)),
            (Some(Verdict::Fail), (StopReason::Permanent, true, 1)),
        ] {
            assert_eq!(run(Fake::new(answers), verdict).await, expected, "{answers:?}, {verdict:?}");
        }
    }
    // Without a verdict, the connector decides. If a body fails, the request was sent.
    assert_eq!(run(Fake::unsent(NO_RESPONSE), None).await, (StopReason::NoContent, false, 2));
    assert_eq!(run(Fake::unsent(NO_RESPONSE), Some(Verdict::RetryIfAllowed)).await, (StopReason::NotResent, true, 1));
    assert_eq!(run(Fake::unsent(NO_BODY), None).await, (StopReason::NotResent, true, 1));
    // A redirect shows that a server has carried the request out, and the next server cannot be reached.
    // Only a GET may be carried out twice, whatever the policy says.
    for (resend, expected) in
        [(Resend::UnlessSent, (StopReason::NotResent, true, 1)), (Resend::Always, (StopReason::NoContent, false, 2))]
    {
        for verdict in [None, Some(Verdict::NotProcessed)] {
            let redirected = Fake::unsent(NO_RESPONSE).carried_out().with_resend(resend);
            assert_eq!(run(redirected, verdict).await, expected, "{resend:?} {verdict:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_custom_delay() {
    let fake = Fake::new(&[Answer::Failure("a"), Refusal(503, &[("retry-after", "100")], &[]), Stream(&[])]);
    let mut asked = Vec::new();
    let mut told = Vec::new();
    let delay = |delay, attempt: u32, error: &ConnectionError<Failure>| {
        asked.push((attempt, error.to_string(), delay));
        Duration::from_secs(attempt.into())
    };
    let mut source = fake.source().with_hooks(Delay(delay)).on_retry(|_, delay, attempt| told.push((delay, attempt)));
    let begun = Instant::now();
    let mut delays = Vec::new();
    while let Some(item) = source.next().await {
        if let Item::Reconnecting { delay, .. } = item {
            delays.push(delay);
        }
    }
    assert_eq!(delays, [2, 3, 4].map(Duration::from_secs));
    assert_eq!(begun.elapsed(), 9 * SECOND);
    drop(source);
    // The observer is told of the same.
    assert_eq!(told, [2, 3, 4].map(|attempt| (Duration::from_secs(attempt.into()), attempt)));
    let said: Vec<_> = asked.iter().map(|(attempt, error, _)| (*attempt, error.as_str())).collect();
    let errors = ["a", "the server answered 503 Service Unavailable", "the connection ended"];
    assert_eq!(said, [(2, errors[0]), (3, errors[1]), (4, errors[2])]);
    // The closure gets the delay of the policy.
    assert!(asked[0].2 >= 3 * SECOND && asked[1].2 >= 100 * SECOND, "{asked:?}");
}

/// A type with its own state: what was asked.
#[derive(Clone, Default)]
struct All(Rc<RefCell<Vec<String>>>);

impl All {
    fn note(&self, asked: String) {
        self.0.borrow_mut().push(asked);
    }
}

impl Hooks<Failure> for All {
    fn opens(&mut self, head: &ResponseHead<'_>) -> bool {
        self.note(format!("opens {}", head.status()));
        Verdict::default_for(head) == Verdict::Open
    }

    fn response_verdict(&mut self, refusal: &eventwire_client::UnexpectedResponse) -> Verdict {
        self.note(format!("verdict {}", refusal.text()));
        Verdict::default_for(&refusal.head())
    }

    fn error_verdict(&mut self, error: &Failure) -> Option<Verdict> {
        self.note(format!("error {error}"));
        None
    }

    fn delay(&mut self, _: Duration, attempt: u32, _: &ConnectionError<Failure>) -> Duration {
        self.note(format!("delay {attempt}"));
        SECOND
    }

    fn is_progress(&mut self, event: &Event) -> bool {
        self.note(format!("progress {}", event.data()));
        event.data() == "a"
    }

    fn cursor(&mut self, event: &Event) -> Option<String> {
        self.note(format!("cursor {}", event.data()));
        Some(event.data().to_owned())
    }

    fn is_end(&mut self, event: &Event) -> bool {
        self.note(format!("end {}", event.data()));
        event.data() == "z"
    }

    fn expects_end(&self) -> bool {
        true
    }
}

/// Runs a source whose decisions are `All` and what `set` sets. Returns what `All` was asked.
async fn asked<D: Hooks<Failure>>(
    set: impl FnOnce(EventSource<Fake, TokioTimer, All>) -> EventSource<Fake, TokioTimer, D>,
) -> Vec<String> {
    const ANSWERS: &[Answer] = &[
        Answer::Failure("refused"),
        Refusal(503, &[], &[Chunk("busy")]),
        Stream(&[Chunk("data: a\n\n"), Step::Failure("reset")]),
        Stream(&[Chunk("data: b\n\n")]),
        Stream(&[Chunk("data: z\n\ndata: not read\n\n")]),
    ];
    let (fake, all) = (Fake::new(ANSWERS), All::default());
    let mut source = set(fake.source().with_hooks(all.clone()));
    let begun = Instant::now();
    let items = watch(&mut source).await;
    assert_eq!(items[6..8], ["b", "the stream is truncated: the connection ended early; 2"]);
    assert_eq!((items.last().unwrap().as_str(), source.cursor()), ("z", Some("z")));
    assert_eq!(begun.elapsed(), 4 * SECOND);
    assert_eq!(source.into_stopped().reason(), StopReason::Finished);
    drop(fake);
    all.0.take()
}

/// The methods of a type are called as documented, and a closure leaves what it does not decide to the decisions
/// before it.
#[tokio::test(start_paused = true)]
async fn a_type_that_decides_everything_and_closures_over_it() {
    const EXPECTED: &[&str] = &[
        "error refused",
        "delay 2",
        "opens 503",
        "verdict busy",
        "delay 3",
        "opens 200",
        "cursor a",
        "progress a",
        "end a",
        "error reset",
        "delay 1",
        "opens 200",
        "cursor b",
        "progress b",
        "end b",
        "delay 2",
        "opens 200",
        "cursor z",
        "progress z",
        "end z",
    ];
    let without = |word| EXPECTED.iter().copied().filter(move |asked| !asked.starts_with(word)).collect::<Vec<_>>();
    assert_eq!(asked(|source| source).await, EXPECTED);
    assert_eq!(
        asked(|source| source.with_response_verdict(|refusal| Verdict::default_for(&refusal.head()))).await,
        without("verdict")
    );
    let decided = |_: &Failure| Some(Verdict::RetryIfAllowed);
    assert_eq!(asked(|source| source.with_error_verdict(decided)).await, without("error"));
    // An error without a verdict is left to the decisions before it, and so is the delay.
    assert_eq!(asked(|source| source.with_error_verdict(|_| None)).await, EXPECTED);
    assert_eq!(asked(|source| source.on_retry(|_, _, _| {})).await, EXPECTED);
    assert_eq!(asked(|source| source.with_end(|event| event.data() == "z")).await, without("end"));
}

#[tokio::test(start_paused = true)]
async fn closures_may_borrow_and_need_not_be_send() {
    let seen = Rc::new(RefCell::new(Vec::new()));
    let fake = Fake::new(&[Stream(&[Chunk("data: a\n\ndata: b\n\n")])]);
    let mut source = fake.source().with_end({
        let seen = Rc::clone(&seen);
        move |event| {
            seen.borrow_mut().push(event.data().to_owned());
            event.data() == "b"
        }
    });
    assert_eq!(watch(&mut source).await, ["open 200", "a", "b"]);
    assert_eq!(*seen.borrow(), ["a", "b"]);

    fn sendable(_: &impl Send) {}
    let mut count = 0;
    sendable(&fake.source().with_end(move |_| {
        count += 1;
        count == 2
    }));
}
