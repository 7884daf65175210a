//! An event source from its first item to its last, and its getters in each state.

use crate::fake::{
    Answer::{self, Refusal, Silence, Stream},
    Failure, Fake,
    Step::{self, Chunk, Hang},
    watch,
};
use eventwire::{BoxError, DecodeError, Decoder, Eof, Error, TokioTimer};
use eventwire_client::{
    Attempt, ConnectionError, EventSource, Item, ReadyState, ReconnectPolicy, Resend, ResponseHead, StopReason,
    Stopped, Verdict, connector_fn,
};
use futures_util::{
    StreamExt, TryStreamExt,
    stream::{self, FusedStream},
};
use http::Response;
use std::{cell::Cell, convert::Infallible, error::Error as _, future, time::Duration};
use tokio::time::{Instant, timeout};

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn the_states_of_a_life() {
    let fake = Fake::new(&[Answer::Failure("refused"), Stream(&[Chunk("id: 7\ndata: a\n\n"), Hang])]);
    let mut source = fake.source();
    assert_eq!((source.ready_state(), fake.attempts().len()), (ReadyState::Connecting, 0));
    assert!(matches!(source.next().await, Some(Item::Reconnecting { error: ConnectionError::Transport(_), .. })));
    assert_eq!(source.ready_state(), ReadyState::Connecting);
    assert!(matches!(source.next().await, Some(Item::Open(_))));
    assert_eq!((source.ready_state(), source.last_event_id()), (ReadyState::Open, ""));
    assert!(matches!(source.next().await, Some(Item::Event(_))));
    assert_eq!((source.ready_state(), source.last_event_id()), (ReadyState::Open, "7"));
    assert!(format!("{source:?}").starts_with("EventSource { ready_state: Open, last_event_id: \"7\", stopped: None,"));
    assert!(timeout(SECOND, source.next()).await.is_err());
    assert_eq!((fake.alive(), source.stopped().is_some(), source.is_terminated()), (1, false, false));

    source.close();
    assert_eq!((source.ready_state(), fake.alive(), source.is_terminated()), (ReadyState::Closed, 0, true));
    assert!(source.next().await.is_none() && source.next().await.is_none());
    let stopped = source.stopped().unwrap();
    assert_eq!((stopped.reason(), stopped.error().is_none(), stopped.is_failure()), (StopReason::Closed, true, false));
    assert_eq!((source.last_event_id(), fake.attempts()), ("7", vec![(1, String::new()), (2, String::new())]));
}

#[tokio::test(start_paused = true)]
async fn dropping_it_drops_the_connection() {
    for answers in [&[Silence][..], &[Stream(&[Hang])], &[Refusal(401, &[], &[Hang])]] {
        let answers: &'static [Answer] = answers.to_vec().leak();
        let fake = Fake::new(answers);
        let mut source = fake.source();
        while timeout(SECOND, source.next()).await.is_ok() {}
        assert_eq!(fake.alive(), 1);
        let kept = fake.clone();
        drop(source);
        assert_eq!(kept.alive(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn closing_while_it_connects_or_waits() {
    for answers in [&[Silence][..], &[Answer::Failure("refused")]] {
        let fake = Fake::new(answers.to_vec().leak());
        let mut source = fake.source();
        let _ = timeout(SECOND, source.next()).await;
        source.close();
        assert_eq!((fake.alive(), source.next().await.is_none()), (0, true));
        source.close();
        assert_eq!((source.into_stopped().reason(), fake.attempts().len()), (StopReason::Closed, 1));
    }
}

#[tokio::test(start_paused = true)]
async fn closing_while_a_refusal_is_read() {
    let fake = Fake::new(&[Refusal(401, &[], &[Chunk("who"), Hang])]);
    let mut source = fake.source();
    assert!(timeout(SECOND, source.next()).await.is_err());
    assert_eq!(source.ready_state(), ReadyState::Closed);
    source.close();
    assert_eq!(fake.alive(), 0);
    // The reason is the previous one.
    let stopped = source.into_stopped();
    assert_eq!((stopped.reason(), stopped.refusal().unwrap().body()), (StopReason::Refused, &b"who"[..]));
}

#[tokio::test(start_paused = true)]
async fn a_policy_can_be_set_on_a_source_in_use() {
    let fake = Fake::new(&[Stream(&[Chunk("data: a\n\n")]), Stream(&[]), Stream(&[])]);
    let mut source = fake.source();
    assert!(matches!(source.next().await, Some(Item::Open(_))));
    assert!(matches!(source.next().await, Some(Item::Event(_))));
    source = source.with_policy(ReconnectPolicy::new().with_max_attempts(1));
    assert_eq!(source.ready_state(), ReadyState::Open);
    assert_eq!(watch(&mut source).await, ["the connection ended; 1", "open 200"]);
    assert_eq!(source.into_stopped().reason(), StopReason::AttemptsExhausted);
}

#[tokio::test(start_paused = true)]
async fn a_decoder_without_an_id_keeps_the_existing_id() {
    let id = |decoder: Decoder| {
        let source = Fake::new(&[]).source().with_last_event_id("7").unwrap().with_decoder(decoder);
        source.last_event_id().to_owned()
    };
    assert_eq!(id(Decoder::new()), "7");
    assert_eq!(id(Decoder::new().with_last_event_id("8").unwrap()), "8");
}

#[tokio::test(start_paused = true)]
async fn nothing_happens_before_the_first_poll() {
    let fake = Fake::new(&[]);
    let source = fake.source();
    tokio::time::sleep(SECOND).await;
    assert_eq!(fake.attempts().len(), 0);
    drop(source);
}

#[tokio::test(start_paused = true)]
async fn from_connection_to_connection() {
    let fake = Fake::new(&[
        Stream(&[Chunk("retry: 9000\nid: 1\ndata: a\n\nid: 2\ndata: b"), Step::Failure("reset"), Chunk("\n\n")]),
        Stream(&[]),
        Answer::Failure("refused"),
        Stream(&[Chunk("\n\ndata: c\n\n")]),
    ]);
    let mut source = fake.source();
    let words = [
        "open 200",
        "a 1",
        "reset; 1",
        "open 200",
        "the connection ended; 2",
        "refused; 3",
        "open 200",
        "c 1",
        "the connection ended; 1",
    ];
    assert_eq!(watch(&mut source).await, words);
    assert_eq!(source.decoder().reconnection_time(), Some(9 * SECOND));
    assert_eq!(fake.attempts(), [(1, "".into()), (1, "1".into()), (2, "1".into()), (3, "1".into()), (1, "1".into())]);
    assert_eq!(source.into_stopped().reason(), StopReason::NoContent);
}

#[tokio::test(start_paused = true)]
async fn an_event_truncated_by_a_failure_is_not_continued() {
    let fake = Fake::new(&[
        Stream(&[Chunk("data: a\n\nid: 2\ndata: b\n"), Step::Failure("reset")]),
        Stream(&[Chunk("data: c\n\nda"), Step::Failure("reset")]),
        Stream(&[Chunk("ta: d\n\ndata: e\n\n")]),
    ]);
    let mut source = fake.source();
    let events: Vec<_> = watch(&mut source).await.into_iter().filter(|word| word.len() == 1).collect();
    assert_eq!((events, source.last_event_id()), (vec!["a".to_owned(), "c".to_owned(), "e".to_owned()], ""));
}

#[tokio::test(start_paused = true)]
async fn closing_discards_what_has_arrived() {
    let fake = Fake::new(&[Stream(&[Chunk("id: 1\ndata: a\n\nid: 2\ndata: b\n\n"), Hang])]);
    let mut source = fake.source();
    assert!(matches!(source.next().await, Some(Item::Open(_))));
    assert!(matches!(source.next().await, Some(Item::Event(event)) if event.data() == "a"));
    source.close();
    assert!(source.next().await.is_none() && source.is_terminated());
    assert_eq!((source.last_event_id(), source.stopped().unwrap().reason()), ("1", StopReason::Closed));
}

#[tokio::test(start_paused = true)]
async fn the_reported_delays_are_waited_for() {
    let fake = Fake::new(&[
        Stream(&[Chunk("retry: 1000\ndata: a\n\n")]),
        Stream(&[Chunk("retry: 0\n")]),
        Refusal(503, &[("retry-after", "120")], &[]),
        Refusal(
            429,
            &[("date", "Sat, 21 Nov 2026 21:00:00 GMT"), ("retry-after", "Sat, 21 Nov 2026 21:00:42 GMT")],
            &[],
        ),
    ]);
    let mut source = fake.source();
    let mut delays = Vec::new();
    let begun = Instant::now();
    while let Some(item) = source.next().await {
        if let Item::Reconnecting { delay, .. } = item {
            delays.push(delay);
        }
    }
    // tokio's clock counts milliseconds.
    let total: Duration = delays.iter().sum();
    assert!(begun.elapsed() >= total && begun.elapsed() < total + 10 * Duration::from_millis(1));
    assert!((SECOND..=2 * SECOND).contains(&delays[0]), "{delays:?}");
    assert!((SECOND / 10..SECOND).contains(&delays[1]), "{delays:?}");
    // Up to a quarter more, because the server sends the same value to all clients.
    assert!((120 * SECOND..=150 * SECOND).contains(&delays[2]), "{delays:?}");
    assert!((42 * SECOND..=53 * SECOND).contains(&delays[3]), "{delays:?}");
}

#[tokio::test(start_paused = true)]
async fn two_sources_have_different_delays() {
    let new = || Fake::new(&[Answer::Failure("refused")]).source();
    let delay = async |mut source: EventSource<Fake, TokioTimer>| match source.next().await {
        Some(Item::Reconnecting { delay, .. }) => delay,
        other => panic!("{other:?}"),
    };
    assert_ne!(delay(new()).await, delay(new()).await);
    // This includes custom policies, unless they have a seed.
    let with = |rules| new().with_policy(rules);
    assert_ne!(delay(with(ReconnectPolicy::new())).await, delay(with(ReconnectPolicy::new())).await);
    let seeded = || ReconnectPolicy::new().with_jitter_seed(7);
    assert_eq!(delay(with(seeded())).await, delay(with(seeded())).await);
}

#[tokio::test(start_paused = true)]
async fn a_connector_decides_whether_its_request_may_be_sent_again() {
    let run = async |status: u16, resend: Resend, policy: ReconnectPolicy| {
        let attempts = Cell::new(0);
        let connector = connector_fn(|_| {
            attempts.set(attempts.get() + 1);
            let status = if attempts.get() == 3 { 204 } else { status };
            let response = Response::builder().status(status).header("content-type", "text/event-stream");
            let body = stream::iter([Ok::<_, Infallible>("data: a\n\n")]);
            future::ready(Ok::<_, Infallible>(response.body(body).unwrap()))
        })
        .with_resend(resend);
        let mut source = EventSource::with_connector(connector, TokioTimer).with_policy(policy);
        while source.next().await.is_some() {}
        let reason = source.into_stopped().reason();
        (reason, attempts.get())
    };
    for (status, resend, end) in [
        (200, Resend::Always, (StopReason::NoContent, 3)),
        (200, Resend::UnlessSent, (StopReason::NotResent, 1)),
        (429, Resend::UnlessSent, (StopReason::NoContent, 3)),
        (503, Resend::UnlessSent, (StopReason::NotResent, 1)),
        (502, Resend::UnlessSent, (StopReason::NotResent, 1)),
        (503, Resend::Never, (StopReason::NotResent, 1)),
    ] {
        assert_eq!(run(status, resend, ReconnectPolicy::new()).await, end, "{status} {resend:?}");
        // The policy takes precedence.
        let policy = ReconnectPolicy::new().with_resend(Resend::Always);
        assert_eq!(run(status, resend, policy).await, (StopReason::NoContent, 3), "{status} {resend:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_limit_on_attempts() {
    let fake = Fake::new(&[Stream(&[Chunk("data: a\n\n")]), Stream(&[]), Answer::Failure("refused"), Stream(&[])]);
    let mut source = fake.source().with_policy(ReconnectPolicy::new().with_max_attempts(2));
    let words = ["open 200", "a", "the connection ended; 1", "open 200", "the connection ended; 2"];
    assert_eq!(watch(&mut source).await, words);
    let stopped = source.into_stopped();
    assert_eq!((stopped.reason(), stopped.is_failure()), (StopReason::AttemptsExhausted, true));
    assert!(matches!(stopped.error(), Some(ConnectionError::Transport(Failure("refused")))));
    assert_eq!(fake.attempts().len(), 3);

    // The end of a body is a failure if more was expected.
    let mut ended = Fake::new(&[Stream(&[])]).source().with_policy(ReconnectPolicy::new().with_max_attempts(1));
    assert_eq!(watch(&mut ended).await, ["open 200"]);
    let stopped = ended.into_stopped();
    assert_eq!((stopped.reason(), stopped.is_failure()), (StopReason::AttemptsExhausted, true));
    assert!(matches!(stopped.error(), Some(ConnectionError::Ended)));
}

#[tokio::test(start_paused = true)]
async fn a_request_that_must_not_be_sent_twice() {
    let once = || ReconnectPolicy::new().with_resend(Resend::UntilProgress);
    let fake = Fake::new(&[Refusal(503, &[], &[]), Stream(&[]), Stream(&[Chunk("data: a\n\n")]), Stream(&[])]);
    let mut ended = fake.source().with_policy(once());
    let words =
        ["the server answered 503 Service Unavailable; 2", "open 200", "the connection ended; 3", "open 200", "a"];
    assert_eq!(watch(&mut ended).await, words);
    let stopped = ended.into_stopped();
    assert_eq!((stopped.reason(), stopped.is_failure()), (StopReason::NotResent, false));

    let fake = Fake::new(&[Stream(&[Chunk("data: a\n\n"), Step::Failure("reset")])]);
    let mut cut = fake.source().with_policy(once());
    assert_eq!(watch(&mut cut).await, ["open 200", "a"]);
    let stopped = cut.into_stopped();
    assert_eq!((stopped.reason(), stopped.is_failure()), (StopReason::NotResent, true));
}

#[tokio::test(start_paused = true)]
async fn an_event_that_is_too_large_counts_as_an_event() {
    let fake = Fake::new(&[Stream(&[Chunk("data: 12345\n")]), Stream(&[])]);
    let rules = ReconnectPolicy::new().with_resend(Resend::UntilProgress);
    let mut source = fake.source().with_policy(rules).with_decoder(Decoder::new().with_max_event_size(10));
    assert_eq!(watch(&mut source).await, ["open 200", "the event is larger than the limit of 10 bytes"]);
    assert_eq!((source.into_stopped().reason(), fake.attempts().len()), (StopReason::NotResent, 1));
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_sent_once() {
    let once = || ReconnectPolicy::new().with_resend(Resend::Never);
    for (answer, words, is_failure) in [
        (Stream(&[Chunk("data: a\n\n")]), &["open 200", "a"][..], false),
        (Stream(&[]), &["open 200"], false),
        (Stream(&[Step::Failure("reset")]), &["open 200"], true),
        (Refusal(503, &[], &[]), &[], true),
        (Answer::Failure("refused"), &[], true),
    ] {
        let fake = Fake::new(vec![answer].leak());
        let mut source = fake.source().with_policy(once());
        assert_eq!(watch(&mut source).await, words, "{answer:?}");
        let stopped = source.into_stopped();
        assert_eq!((stopped.reason(), stopped.is_failure()), (StopReason::NotResent, is_failure), "{answer:?}");
        assert_eq!(fake.attempts().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn the_head_of_a_204_is_returned() {
    let fake = Fake::new(&[Refusal(204, &[("x-why", "done")], &[])]);
    let mut source = fake.source();
    assert!(source.next().await.is_none());
    let stopped = source.into_stopped();
    assert_eq!((stopped.reason(), stopped.is_failure()), (StopReason::NoContent, false));
    assert_eq!(stopped.refusal().unwrap().headers()["x-why"], "done");
    assert!(matches!(stopped.error(), Some(ConnectionError::Refused(_))));
}

#[tokio::test(start_paused = true)]
async fn the_body_of_a_204_is_not_waited_for() {
    let fake = Fake::new(&[Refusal(204, &[], &[Chunk("body"), Hang])]);
    let (mut source, begun) = (fake.source(), Instant::now());
    assert!(source.next().await.is_none());
    assert_eq!((source.stopped().unwrap().refusal().unwrap().body(), begun.elapsed()), (&b""[..], Duration::ZERO));
}

#[tokio::test(start_paused = true)]
async fn an_id_that_a_header_cannot_contain() {
    let fake = Fake::new(&[Stream(&[Chunk("id: \u{1}\ndata: a\n\n")])]);
    let mut source = fake.source();
    assert_eq!(watch(&mut source).await, ["open 200", "a \u{1}"]);
    assert_eq!(source.into_stopped().reason(), StopReason::InvalidLastEventId);

    let mut seeded = EventSource::with_connector(fake.clone(), TokioTimer).with_last_event_id("\u{7F}").unwrap();
    assert!(seeded.next().await.is_none());
    let stopped = seeded.into_stopped();
    assert_eq!((stopped.reason(), stopped.is_failure()), (StopReason::InvalidLastEventId, true));
    assert_eq!(fake.attempts().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_initial_id_is_sent_until_the_server_sets_another() {
    let fake = Fake::new(&[Stream(&[Chunk("data: a\n\n")]), Stream(&[Chunk("id: 42\n\n")])]);
    let mut source = fake.source().with_last_event_id("41").unwrap();
    let words = ["open 200", "a 41", "the connection ended; 1", "open 200", "the connection ended; 2"];
    assert_eq!(watch(&mut source).await, words);
    assert_eq!(fake.attempts().map_ids(), ["41", "41", "42"]);
    assert!(EventSource::with_connector(fake, TokioTimer).with_last_event_id("a\nb").is_err());
}

#[tokio::test(start_paused = true)]
async fn an_initial_id_keeps_the_decoders_settings() {
    let fake = Fake::new(&[Stream(&[Chunk("data: 12345\n\n")])]);
    let decoder = Decoder::new().with_max_event_size(10).with_eof(Eof::Dispatch);
    let mut source = fake.source().with_decoder(decoder).with_last_event_id("41").unwrap();
    let words = ["open 200", "the event is larger than the limit of 10 bytes", "the connection ended; 2"];
    assert_eq!(
        (watch(&mut source).await, fake.attempts().map_ids()),
        (words.map(str::to_owned).to_vec(), vec!["41", "41"])
    );
    assert_eq!(source.decoder().last_event_id(), "41");
}

trait Ids {
    fn map_ids(&self) -> Vec<&str>;
}

impl Ids for Vec<(u32, String)> {
    fn map_ids(&self) -> Vec<&str> {
        self.iter().map(|(_, id)| id.as_str()).collect()
    }
}

#[tokio::test(start_paused = true)]
async fn an_event_that_is_too_large_is_skipped() {
    let fake = Fake::new(&[Stream(&[Chunk("data: 12345\n\ndata: a\n\n")])]);
    let mut source = fake.source().with_decoder(Decoder::new().with_max_event_size(10));
    let words = ["open 200", "the event is larger than the limit of 10 bytes", "a", "the connection ended; 1"];
    assert_eq!(watch(&mut source).await, words);
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_body_is_handled_as_set_in_the_decoder() {
    let cut = &[Stream(&[Chunk("id: 1\ndata: a")])];
    let cut_off = "the connection ended inside an event; 2";
    let ends = [
        (Eof::Discard, &["open 200", cut_off][..], ["", ""]),
        (Eof::Dispatch, &["open 200", "a 1", "the connection ended; 1"], ["", "1"]),
        (Eof::Error, &["open 200", "the stream ended in the middle of an event", cut_off], ["", ""]),
    ];
    for (eof, words, ids) in ends {
        let fake = Fake::new(cut);
        let mut source = fake.source().with_decoder(Decoder::new().with_eof(eof));
        assert_eq!(watch(&mut source).await, words, "{eof:?}");
        assert_eq!(fake.attempts().map_ids(), ids);
    }
}

#[tokio::test(start_paused = true)]
async fn an_ended_body_is_dropped_before_its_last_item_is_returned() {
    for eof in [Eof::Dispatch, Eof::Error] {
        let fake = Fake::new(&[Stream(&[Chunk("data: a")])]);
        let mut source = fake.source().with_decoder(Decoder::new().with_eof(eof));
        assert!(matches!(source.next().await, Some(Item::Open(_))));
        assert_eq!(fake.alive(), 1);
        assert!(matches!(source.next().await, Some(Item::Event(_) | Item::Undecodable(_))));
        assert_eq!(fake.alive(), 0, "{eof:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_custom_verdict() {
    fn verdict(head: &ResponseHead<'_>) -> Verdict {
        match (head.status(), head.header("x-should-retry")) {
            (_, Some(b"true")) => Verdict::TurnedAway,
            (200, _) => Verdict::Open,
            (205, _) => Verdict::Stop,
            _ => Verdict::Fail,
        }
    }
    let fake = Fake::new(&[
        Refusal(400, &[("X-Should-Retry", "true")], &[]),
        Refusal(200, &[("content-type", "text/plain")], &[Chunk("data: a\n\n")]),
        Refusal(205, &[], &[]),
    ]);
    let mut source = fake.source().with_verdict(verdict);
    let words = ["the server answered 400 Bad Request; 2", "open 200", "a", "the connection ended; 1"];
    assert_eq!(watch(&mut source).await, words);
    assert_eq!(source.into_stopped().reason(), StopReason::NoContent);
}

#[tokio::test(start_paused = true)]
async fn messages_of_refusals() {
    let json = &[Chunk("{\"error\":"), Chunk("\"no credit\"}")];
    let refusals: [(Answer, &str); 6] = [
        (Refusal(402, &[], json), "the server answered 402 Payment Required"),
        (Refusal(200, &[], json), "the server answered without a content type"),
        (
            Refusal(200, &[("content-type", "application/json")], json),
            "the server answered with the content type \"application/json\"",
        ),
        (
            Refusal(200, &[("content-type", "text/plain"), ("content-encoding", "br")], json),
            "the server answered with the content type \"text/plain\"",
        ),
        (Refusal(206, &[("content-type", "text/event-stream")], json), "the server answered 206 Partial Content"),
        (
            Refusal(200, &[("content-type", "Text/Event-Stream"), ("content-encoding", "br")], json),
            "the HTTP client has not decoded the content coding of the response",
        ),
    ];
    for (answer, text) in refusals {
        let fake = Fake::new(vec![answer].leak());
        let mut source = fake.source();
        assert!(source.next().await.is_none());
        let stopped = source.into_stopped();
        assert_eq!((stopped.reason(), stopped.is_failure()), (StopReason::Refused, true));
        let refusal = stopped.refusal().unwrap();
        assert_eq!((refusal.to_string().as_str(), &*refusal.text()), (text, "{\"error\":\"no credit\"}"));
        assert_eq!(refusal.body(), refusal.text().as_bytes());
        // The message is printed once.
        assert_eq!((stopped.to_string().as_str(), stopped.source().is_none()), (text, true));
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_keeps_the_beginning_of_its_body() {
    // The chunks end at the limit, or on either side of it.
    for chunk in ["0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcde"] {
        let steps = [Chunk(chunk)].repeat(600).leak();
        let fake = Fake::new(vec![Refusal(404, &[], steps)].leak());
        let mut source = fake.source();
        assert!(source.next().await.is_none());
        assert_eq!(source.into_stopped().refusal().unwrap().body(), &chunk.repeat(600).as_bytes()[..16 * 1024]);
    }
    // The client does not wait for more than that.
    let chunk: &'static str = "x".repeat(16 * 1024 + 1).leak();
    let fake = Fake::new(vec![Refusal(404, &[], vec![Chunk(chunk), Hang].leak())].leak());
    let (mut source, begun) = (fake.source(), Instant::now());
    assert!(source.next().await.is_none());
    assert_eq!(begun.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_that_is_not_utf_8() {
    let connector = connector_fn(|_| {
        let body = stream::iter([Ok::<_, Infallible>(&b"caf\xE9"[..])]);
        future::ready(Ok::<_, Infallible>(Response::builder().status(404).body(body).unwrap()))
    });
    let mut source = EventSource::with_connector(connector, TokioTimer);
    assert!(source.next().await.is_none());
    let stopped = source.into_stopped();
    let refusal = stopped.refusal().unwrap();
    assert_eq!((refusal.body(), &*refusal.text()), (&b"caf\xE9"[..], "caf\u{FFFD}"));
}

#[tokio::test(start_paused = true)]
async fn errors_name_their_sources() {
    let fake = Fake::new(&[Answer::Failure("refused")]);
    let mut source = fake.source().with_policy(ReconnectPolicy::new().with_max_attempts(1));
    assert!(source.next().await.is_none());
    let stopped: Stopped<Failure> = source.into_stopped();
    let mut chain: Vec<String> = vec![stopped.to_string()];
    let mut error = stopped.source();
    while let Some(source) = error {
        chain.push(source.to_string());
        error = source.source();
    }
    assert_eq!(chain, ["gave up after too many attempts: refused"]);
    let boxed = stopped.map_transport(|failure| BoxError::from(Box::from(failure)));
    assert_eq!(boxed.to_string(), chain[0]);
    assert!(boxed.source().is_none());
}

/// The sources of the connection's error are printed, and not returned, boxed or not.
#[tokio::test(start_paused = true)]
async fn the_sources_of_the_connections_error_are_printed_once() {
    #[derive(Debug)]
    struct Layered(Failure);

    impl std::fmt::Display for Layered {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("cannot connect")
        }
    }

    impl std::error::Error for Layered {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(&self.0)
        }
    }

    let stopped = async || {
        let fake = Fake::new(&[Answer::Failure("refused")]);
        let mut source = fake.source().with_policy(ReconnectPolicy::new().with_max_attempts(1));
        assert!(source.next().await.is_none());
        source.into_stopped().map_transport(Layered)
    };
    let plain = stopped().await;
    let boxed = stopped().await.map_transport(|layered| BoxError::from(Box::from(layered)));
    for error in [&plain as &dyn std::error::Error, &boxed] {
        assert_eq!(error.to_string(), "gave up after too many attempts: cannot connect: refused");
        assert!(error.source().is_none());
    }
}

/// The refusal's message contains more than the fact that it is a refusal.
#[tokio::test(start_paused = true)]
async fn a_refusal_is_printed_once() {
    let mut source = Fake::new(&[Refusal(404, &[], &[])]).source();
    assert!(source.next().await.is_none());
    let stopped = source.into_stopped();
    assert_eq!(
        (stopped.to_string().as_str(), stopped.source().is_some()),
        ("the server answered 404 Not Found", false)
    );
}

#[tokio::test(start_paused = true)]
async fn the_error_can_be_taken_once() {
    let mut source = Fake::new(&[Refusal(404, &[], &[])]).source();
    assert!(source.take_stopped().is_none());
    assert!(source.next().await.is_none());
    assert_eq!(source.take_stopped().unwrap().reason(), StopReason::Refused);
    assert!(source.take_stopped().is_none() && source.stopped().is_none());
    // The source has still ended, and there is no second error.
    assert!(source.is_terminated() && source.next().await.is_none());
    assert_eq!(source.ready_state(), ReadyState::Closed);
    // The reason is left, and it still is a failure.
    assert_eq!(source.into_result().unwrap_err().reason(), StopReason::Refused);
}

/// A source whose failure was taken out does not look closed, and a clean end does not look like a failure.
#[tokio::test(start_paused = true)]
async fn what_is_left_when_the_error_was_taken() {
    let once = || ReconnectPolicy::new().with_resend(Resend::Never);
    for (answers, reason, is_failure) in [
        (&[Refusal(404, &[], &[])][..], StopReason::Refused, true),
        (&[Stream(&[Chunk("data: a\n\n")])], StopReason::NotResent, false),
        (&[Stream(&[Chunk("data: a\n\n"), Step::Failure("reset")])], StopReason::NotResent, true),
    ] {
        let run = async || {
            let mut source = Fake::new(answers).source().with_policy(once());
            while source.next().await.is_some() {}
            assert_eq!(source.take_stopped().unwrap().is_failure(), is_failure, "{answers:?}");
            source
        };
        let stopped = run().await.into_stopped();
        assert_eq!((stopped.reason(), stopped.is_failure()), (reason, is_failure), "{answers:?}");
        assert!(stopped.error().is_none());
        assert_eq!(run().await.into_result().is_err(), is_failure, "{answers:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn only_a_failure_is_an_error_result() {
    let run = async |answers: &'static [Answer]| {
        let mut source = Fake::new(answers).source();
        while source.next().await.is_some() {}
        source.into_result()
    };
    assert!(run(&[Stream(&[Chunk("data: a\n\n")])]).await.is_ok(), "204 after that");
    assert_eq!(run(&[Refusal(410, &[], &[])]).await.unwrap_err().reason(), StopReason::Refused);
    assert!(Fake::new(&[]).source().into_result().is_ok(), "closed before the first request");
}

#[tokio::test(start_paused = true)]
async fn a_connector_reports_a_permanent_error() {
    let connector = connector_fn(async |attempt: Attempt| {
        attempt.handle_permanent_error();
        Err::<Response<stream::Empty<Result<&str, Failure>>>, _>(Failure("no such host"))
    });
    let mut source = EventSource::with_connector(connector, TokioTimer);
    assert!(source.next().await.is_none());
    assert_eq!(source.into_stopped().reason(), StopReason::Permanent);
}

#[tokio::test(start_paused = true)]
async fn the_events_alone() {
    let fake = Fake::new(&[
        Stream(&[Chunk("data: 123456\n\ndata: a\n\n")]),
        Answer::Failure("refused"),
        Stream(&[Chunk("id:1\ndata:b\n\n")]),
        Refusal(401, &[], &[Chunk("who?")]),
    ]);
    let mut events = fake.source().with_decoder(Decoder::new().with_max_event_size(12)).events();
    let too_large = events.try_next().await.unwrap_err();
    assert!(matches!(too_large, Error::Decode(DecodeError::EventTooLarge { limit: 12, .. })));
    assert_eq!(events.try_next().await.unwrap().unwrap().data(), "a");
    assert_eq!(events.try_next().await.unwrap().unwrap().data(), "b");
    assert!(!events.is_terminated());
    match events.next().await {
        Some(Err(Error::Transport(stopped))) => assert_eq!(stopped.refusal().unwrap().body(), b"who?"),
        other => panic!("{other:?}"),
    }
    assert!(events.next().await.is_none() && events.is_terminated());
    assert_eq!(events.get_ref().last_event_id(), "1");
    assert_eq!(events.get_ref().ready_state(), ReadyState::Closed);
    assert!(events.into_inner().stopped().is_none(), "the error has taken it");
}

#[tokio::test(start_paused = true)]
async fn an_earlier_failure_is_the_first_item() {
    let fake = Fake::new(&[Refusal(401, &[], &[])]);
    let mut source = fake.source();
    assert!(source.next().await.is_none());
    let mut events = source.events();
    assert!(matches!(events.next().await, Some(Err(Error::Transport(stopped))) if stopped.refusal().is_some()));
    assert!(events.next().await.is_none());
    // It is returned once.
    assert!(events.get_ref().stopped().is_none());
}

#[tokio::test(start_paused = true)]
async fn an_end_without_a_failure_is_not_an_error() {
    let fake = Fake::new(&[Stream(&[Chunk("data: a\n\n")])]);
    let mut events = fake.source().events();
    assert_eq!(events.try_next().await.unwrap().unwrap().data(), "a");
    assert_eq!(events.try_next().await.unwrap(), None);

    let fake = Fake::new(&[Stream(&[Chunk("data: a\n\n"), Hang])]);
    let mut events = fake.source().events();
    assert_eq!(events.try_next().await.unwrap().unwrap().data(), "a");
    events.get_mut().close();
    assert_eq!(events.try_next().await.unwrap(), None);
}

#[tokio::test(start_paused = true)]
async fn the_headers_that_an_attempt_has() {
    let fake = Fake::new(&[]);
    let mut source = fake.source().with_last_event_id("41").unwrap();
    assert!(source.next().await.is_none());
    let headers = fake.headers().remove(0);
    let values = ["accept", "cache-control", "last-event-id"].map(|name| headers[name].to_str().unwrap());
    assert_eq!((headers.len(), values), (3, ["text/event-stream", "no-cache", "41"]));
}
