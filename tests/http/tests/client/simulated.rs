//! Scenarios of this client alone, over simulated connections: what it sends, and what it reports. The rules that it
//! follows have tests of their own. `trace::check` says how its rows are written.

use crate::{
    fake::{
        Answer::{self, Late, Refusal, Silence, Stream},
        Fake,
        Step::{self, Chunk, Hang, Silence as Pause},
    },
    trace::{NO_CONTENT, Source, at_most, check, check_blocks, resend, then},
};
use eventwire::{Decoder, Eof, Event};
use eventwire_client::{
    ConnectionError, Hooks, Item, ReconnectPolicy, Resend, ResponseHead, UnexpectedResponse, Verdict,
};
use std::time::Duration;
use tokio::time::{Instant, sleep};

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn from_connection_to_connection() {
    check(
        &[
            Stream(&[Chunk("retry: 9000\nid: 1\ndata: a\n\nid: 2\ndata: b"), Step::Failure("reset"), Chunk("\n\n")]),
            Stream(&[]),
            Answer::Failure("refused"),
            Stream(&[Chunk("\n\ndata: c\n\n")]),
        ],
        |source| source,
        &then(
            "#1 | open | a 1 | reset | #1 id=1 | open | the connection ended | #2 id=1 | refused | #3 id=1 | open | \
            c 1 | the connection ended",
            "#1 id=1",
        ),
    )
    .await;
    // A truncated event is not continued.
    check(
        &[
            Stream(&[Chunk("data: a\n\nid: 2\ndata: b\n"), Step::Failure("reset")]),
            Stream(&[Chunk("data: c\n\nda"), Step::Failure("reset")]),
            Stream(&[Chunk("ta: d\n\ndata: e\n\n")]),
        ],
        |source| source,
        &then("#1 | open | a | reset | #1 | open | c | reset | #1 | open | e | the connection ended", "#1"),
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn limits_on_attempts() {
    let limit = |source: Source| source.with_policy(ReconnectPolicy::new().with_max_attempts(2));
    check(
        &[Stream(&[Chunk("data: a\n\n")]), Stream(&[]), Answer::Failure("refused"), Stream(&[])],
        limit,
        "#1 | open | a | the connection ended | #1 | open | the connection ended | #2 | \
        failed AttemptsExhausted: gave up after too many attempts: refused",
    )
    .await;
    const REFUSED: &[Answer] = &[Answer::Failure("refused"); 2];
    check(
        REFUSED,
        |source| source.with_policy(ReconnectPolicy::new().with_max_first_attempts(2)),
        "#1 | refused | #2 | failed NeverOpened: no event stream could be opened: refused",
    )
    .await;
    // The end of a body is a failure if more was expected.
    const NOTHING: &[Answer] = &[Stream(&[]); 2];
    check(
        NOTHING,
        limit,
        "#1 | open | the connection ended | #2 | open | \
        failed AttemptsExhausted: gave up after too many attempts: the connection ended",
    )
    .await;
    // An event that is too large is no progress for this limit: the next connection may return it again.
    const LARGE: &[Answer] = &[Stream(&[Chunk("data: larger than that\n\n")]); 100];
    check(
        LARGE,
        |source| limit(source).with_decoder(at_most(10)),
        "#1 | open | the event is larger than the limit of 10 bytes | the connection ended | #2 | open | \
        the event is larger than the limit of 10 bytes | \
        failed AttemptsExhausted: gave up after too many attempts: the connection ended",
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn requests_that_must_not_be_sent_again() {
    let until_progress = |source: Source| source.with_policy(resend(Resend::UntilProgress));
    check(
        &[Refusal(503, &[], &[]), Stream(&[]), Stream(&[Chunk("data: a\n\n")]), Stream(&[])],
        until_progress,
        "#1 | the server answered 503 Service Unavailable | #2 | open | the connection ended | #3 | open | a | \
        stopped NotResent: not retried: the connection ended",
    )
    .await;
    // An event that is too large counts, although it is not complete.
    check(
        &[Stream(&[Chunk("data: 12345\n")]), Stream(&[])],
        |source| until_progress(source).with_decoder(at_most(10)),
        "#1 | open | the event is larger than the limit of 10 bytes | \
        failed NotResent: not retried: the stream is truncated: the connection ended early",
    )
    .await;
    // A truncated event does not count, nor does a comment that is too large.
    check(
        &[Stream(&[Chunk("data: a\n")]), Stream(&[Chunk("data: b\n\n")])],
        |source| until_progress(source).with_decoder(Decoder::new().with_eof(Eof::Error)),
        "#1 | open | the stream is truncated: it ended inside an event | the stream is truncated: the connection ended early | #2 | open | \
        b | stopped NotResent: not retried: the connection ended",
    )
    .await;
    check(
        &[Stream(&[Chunk(": larger than that\n\n")]), Stream(&[Chunk("data: b\n\n")])],
        |source| until_progress(source).with_decoder(at_most(10)),
        "#1 | open | the connection ended | #2 | open | b | stopped NotResent: not retried: the connection ended",
    )
    .await;

    for (answer, expected) in [
        (Stream(&[]), "#1 | open | stopped NotResent: not retried: the connection ended"),
        (Stream(&[Step::Failure("reset")]), "#1 | open | failed NotResent: not retried: reset"),
        (Answer::Failure("refused"), "#1 | failed NotResent: not retried: refused"),
    ] {
        check(Fake::new(vec![answer].leak()), |source| source.with_policy(resend(Resend::Never)), expected).await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_last_event_id() {
    const CONTROL: &[Answer] = &[Stream(&[Chunk("id: \u{1}\ndata: a\n\n")])];
    let invalid = "failed InvalidLastEventId";
    let text = "the last event ID contains a control character and cannot be sent in a header";
    let ended = format!("#1 | open | a \u{1} | {invalid}: {text}: the connection ended");
    check(CONTROL, |source| source, &ended).await;
    check(CONTROL, |source| source.with_last_event_id("\u{7F}").unwrap(), invalid).await;
    let long = "x".repeat(9000);
    let answers = vec![Stream(vec![Chunk(format!("id: {long}\ndata: a\n\n").leak())].leak())];
    let text = "the last event ID is too long to be sent in a header";
    let ended = format!("#1 | open | a {long} | failed LastEventIdTooLong: {text}: the connection ended");
    check(Fake::new(answers.leak()), |source| source, &ended).await;
    // The first ID is sent until the server sets another.
    check(
        &[Stream(&[Chunk("data: a\n\n")]), Stream(&[Chunk("id: 42\n\n")])],
        |source| source.with_last_event_id("41").unwrap(),
        &then("#1 id=41 | open | a 41 | the connection ended | #1 id=41 | open | the connection ended", "#2 id=42"),
    )
    .await;
    // The decoder's settings stay.
    check(
        &[Stream(&[Chunk("data: 12345\n\n")])],
        |source| source.with_decoder(at_most(10).with_eof(Eof::Dispatch)).with_last_event_id("41").unwrap(),
        &then("#1 id=41 | open | the event is larger than the limit of 10 bytes | the connection ended", "#2 id=41"),
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn settings_of_the_decoder() {
    check(
        &[Stream(&[Chunk("data: 12345\n\ndata: a\n\n")])],
        |source| source.with_decoder(at_most(10)),
        &then("#1 | open | the event is larger than the limit of 10 bytes | a | the connection ended", "#1"),
    )
    .await;
    const CUT: &[Answer] = &[Stream(&[Chunk("id: 1\ndata: a")])];
    for (eof, words, last) in [
        (Eof::Discard, "#1 | open | the stream is truncated: the connection ended early", "#2"),
        (Eof::Dispatch, "#1 | open | a 1 | the connection ended", "#1 id=1"),
        (
            Eof::Error,
            "#1 | open | the stream is truncated: it ended inside an event | the stream is truncated: the connection ended early",
            "#2",
        ),
    ] {
        let set = |source: Source| source.with_decoder(Decoder::new().with_eof(eof));
        check(CUT, set, &then(words, last)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_last_event_of_a_stream() {
    let is_end = |event: &Event| event.data() == "z";
    const CUT: &[Answer] = &[Stream(&[Chunk("data: a\n\ndata: z\n")])];
    const TWO: &[Answer] = &[Stream(&[Chunk("id: 1\ndata: a\n\n")]), Stream(&[Chunk("id: 2\ndata: z\n\n")])];
    check(
        &[Stream(&[Chunk("data: a\n\ndata: z\n\ndata: not read\n\n"), Hang])],
        |source| source.with_end(is_end),
        "#1 | open | a | z | stopped Finished",
    )
    .await;
    // A body that ends before it is a lost connection.
    let early = "the stream is truncated: the connection ended early";
    let expected = format!("#1 | open | a 1 | {early} | #1 id=1 | open | z 2 | stopped Finished");
    check(TWO, |source| source.with_end(is_end), &expected).await;
    let expected = format!("#1 | open | a 1 | failed NotResent: not retried: {early}");
    let once = |source: Source| source.with_policy(resend(Resend::UnlessSent));
    check(TWO, |source| once(source).with_end(is_end), &expected).await;
    // The text is more exact if it ends inside an event.
    let inside = "#1 | open | a | failed NotResent: not retried: the stream is truncated: the connection ended early";
    check(CUT, |source| once(source).with_end(is_end), inside).await;
    let dispatch = |source| once(source).with_decoder(Decoder::new().with_eof(Eof::Dispatch));
    check(CUT, |source| dispatch(source).with_end(is_end), "#1 | open | a | z | stopped Finished").await;
    // An event that the decoder dispatches at the end is complete.
    let complete = "#1 | open | a | z | stopped NotResent: not retried: the connection ended";
    check(CUT, dispatch, complete).await;

    // The answer of a server that no longer has the stream: what was received is not everything.
    const HALF: &[Answer] = &[Stream(&[Chunk("data: half\n\n")]), Refusal(204, &[], &[])];
    let failed = NO_CONTENT.replace("stopped", "failed");
    let expected = format!("#1 | open | half | {early} | #1 | {failed}");
    check(HALF, |source| source.with_end(is_end), &expected).await;
    check(HALF, |source| source, &then("#1 | open | half | the connection ended", "#1")).await;
}

#[tokio::test(start_paused = true)]
async fn a_verdict_of_the_caller() {
    struct Verdicts;
    impl<E> Hooks<E> for Verdicts {
        fn opens(&mut self, head: &ResponseHead<'_>) -> bool {
            head.status() == 200
        }

        fn response_verdict(&mut self, refusal: &UnexpectedResponse) -> Verdict {
            match (refusal.status().as_u16(), &*refusal.text()) {
                (_, "busy") => Verdict::NotProcessed,
                (205, _) => Verdict::Stop,
                _ => Verdict::Fail,
            }
        }
    }
    check(
        &[
            Refusal(400, &[], &[Chunk("bu"), Chunk("sy")]),
            Refusal(200, &[("content-type", "text/plain")], &[Chunk("data: a\n\n")]),
            Refusal(205, &[], &[]),
        ],
        |source| source.with_hooks(Verdicts),
        "#1 | the server answered 400 Bad Request: busy | #2 | open | a | the connection ended | #1 | \
        stopped NoContent: there are no more events: the server answered 205 Reset Content",
    )
    .await;
    check(
        &[Refusal(429, &[("retry-after", "1")], &[Chunk("no credit left")])],
        |source| {
            source.with_response_verdict(|refusal| match &*refusal.text() {
                "no credit left" => Verdict::Fail,
                _ => Verdict::NotProcessed,
            })
        },
        "#1 | failed UnexpectedResponse: the server answered 429 Too Many Requests: no credit left",
    )
    .await;
    // A refusal is never opened, because its body is gone.
    check(
        &[Refusal(404, &[], &[])],
        |source| source.with_response_verdict(|_| Verdict::Open),
        "#1 | failed UnexpectedResponse: the server answered 404 Not Found",
    )
    .await;
}

/// Pings are no progress. The cursor is a number in the data.
struct Numbers;

impl<E> Hooks<E> for Numbers {
    fn is_progress(&mut self, event: &Event) -> bool {
        event.event_type() != "ping"
    }

    fn cursor(&mut self, event: &Event) -> Option<String> {
        event.data().strip_prefix("n=").map(str::to_owned)
    }
}

#[tokio::test(start_paused = true)]
async fn events_that_are_no_progress() {
    let timeout = |source: Source| source.with_progress_timeout(30 * SECOND).with_hooks(Numbers);
    check(
        &[Stream(&[
            Pause(29),
            Chunk("data: a\n\n"),
            Pause(20),
            Chunk("event: ping\ndata: p\n\n"),
            Pause(9),
            Chunk("event: ping\ndata: q\n\n"),
            Hang,
        ])],
        timeout,
        &then("#1 | open | a @29 | p @49 | q @58 | no progress for 30s @59", "#1!"),
    )
    .await;
    // Progress directly after a ping stops the clock.
    check(
        &[Stream(&[
            Pause(20),
            Chunk("event: ping\ndata: p\n\ndata: a\n\n"),
            Pause(29),
            Chunk("data: b\n\n"),
            Step::Failure("reset"),
        ])],
        timeout,
        &then("#1 | open | p @20 | a @20 | b @49 | reset @49", "#1"),
    )
    .await;
    // Attempts are counted from the last progress.
    const PING: Answer = Stream(&[Chunk("event: ping\ndata: p\n\n")]);
    check(
        &[PING, PING, Stream(&[Chunk("data: a\n\n")]), PING, PING, PING],
        |source| source.with_policy(ReconnectPolicy::new().with_max_attempts(3)).with_hooks(Numbers),
        "#1 | open | p | the connection ended | #2 | open | p | the connection ended | #3 | open | a | \
        the connection ended | #1 | open | p | the connection ended | #2 | open | p | the connection ended | #3 | \
        open | p | failed AttemptsExhausted: gave up after too many attempts: the connection ended",
    )
    .await;
    check(
        &[
            Stream(&[Chunk("event: ping\ndata: p\n\n"), Step::Failure("reset")]),
            Stream(&[Chunk("event: ping\ndata: p\n\ndata: a\n\n"), Step::Failure("reset")]),
            Stream(&[]),
        ],
        |source| source.with_policy(resend(Resend::UntilProgress)).with_hooks(Numbers),
        "#1 | open | p | reset | #2 | open | p | a | failed NotResent: not retried: reset",
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn cursors() {
    check(
        &[
            Answer::Failure("refused"),
            Stream(&[Chunk("data: n=1\n\ndata: n=2\n\ndata: other\n\n"), Step::Failure("reset")]),
            Stream(&[Chunk("data: n=3\n\n"), Step::Failure("reset")]),
            Silence,
        ],
        |source| source.with_idle_timeout(SECOND).with_hooks(Numbers),
        &then(
            "#1 | refused | #2 | open | n=1 | n=2 | other | reset | #1 cursor=2 | open | n=3 | reset | #1 cursor=3 | \
            no response received for 1s @1",
            "#2 cursor=3!",
        ),
    )
    .await;
    const NOTHING: &[Answer] = &[];
    check(NOTHING, |source| source.with_cursor("41"), &format!("#1 cursor=41 | {NO_CONTENT}")).await;

    const CUT: Answer = Stream(&[Chunk("data: n=1\n\n"), Step::Failure("reset")]);
    const LOST: &[Answer] = &[Stream(&[Chunk("data: a\n\n"), Step::Failure("reset")]), CUT];
    let with_cursor = |source: Source| source.with_policy(resend(Resend::WithCursor)).with_hooks(Numbers);
    check(LOST, with_cursor, "#1 | open | a | failed NotResent: not retried: reset").await;
    let expected = then("#1 cursor=0 | open | a | reset | #1 cursor=0 | open | n=1 | reset", "#1 cursor=1");
    check(LOST, |source| with_cursor(source.with_cursor("0")), &expected).await;
    let expected = then("#1 | open | n=1 | reset | #1 cursor=1 | open | n=1 | reset", "#1 cursor=1");
    check(&[CUT, CUT], with_cursor, &expected).await;
}

/// What the connector says of its request reaches the rules, unless the policy takes precedence. The end of a response
/// is a failure if nobody knows what it means.
#[tokio::test(start_paused = true)]
async fn what_a_connector_says_may_be_sent_again() {
    const UNAVAILABLE: &[Answer] = &[Refusal(503, &[], &[])];
    const TURNED_AWAY: &[Answer] = &[Refusal(429, &[], &[])];
    const COMPLETE: &[Answer] = &[Stream(&[Chunk("data: a\n\n")])];
    let unavailable = "the server answered 503 Service Unavailable";
    let turned_away = "the server answered 429 Too Many Requests";
    let ended = "the connection ended";
    let is_resent = |is_resent, error| match is_resent {
        true => then(&format!("#1 | {error}"), "#2"),
        false => format!("#1 | failed NotResent: not retried: {error}"),
    };
    // Whether it is sent again after a 503 and after a 429, and what follows the end of a response, with a cursor.
    for (of_request, of_policy, after_503, after_429, after_end) in [
        (Resend::Always, None, true, true, "again"),
        (Resend::UnlessSent, None, false, true, "stopped"),
        (Resend::UntilProgress, None, true, true, "stopped"),
        (Resend::WithCursor, None, false, true, "again"),
        (Resend::Never, None, false, false, "stopped"),
        (Resend::Unknown, None, false, true, "failed"),
        (Resend::Unknown, Some(Resend::UnlessSent), false, true, "stopped"),
        (Resend::UnlessSent, Some(Resend::Always), true, true, "again"),
        (Resend::Always, Some(Resend::Unknown), false, true, "failed"),
    ] {
        let set = |source: Source| source.with_policy(of_policy.map_or(ReconnectPolicy::new(), resend));
        let fake = |answers| Fake::new(answers).with_resend(of_request);
        check(fake(UNAVAILABLE), set, &is_resent(after_503, unavailable)).await;
        check(fake(TURNED_AWAY), set, &is_resent(after_429, turned_away)).await;
        let opened = "#1 cursor=7 | open | a";
        let expected = match after_end {
            "again" => then(&format!("{opened} | {ended}"), "#1 cursor=7"),
            _ => format!("{opened} | {after_end} NotResent: not retried: {ended}"),
        };
        check(fake(COMPLETE), |source| set(source.with_cursor("7")), &expected).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_ends_inside_an_event_is_a_failure() {
    let complete = "stopped NotResent: not retried: the connection ended";
    let truncated = "failed NotResent: not retried: the stream is truncated: the connection ended early";
    for (body, events, end) in [
        ("data: a\n\n", " | a", complete),
        ("data: a\n\n: comment", " | a", complete),
        ("data: a\n\nretry: 5\n", " | a", complete),
        ("data: a\n", "", truncated),
        ("data: a", "", truncated),
        ("data: a\n\nid: 7\n", " | a", truncated),
        ("data: a\n\nda", " | a", truncated),
        ("data: a\n\ndata: more than ten bytes", " | a | the event is larger than the limit of 10 bytes", truncated),
        ("", "", complete),
    ] {
        let fake = Fake::new(vec![Stream(vec![Chunk(body)].leak())].leak());
        let set = |source: Source| source.with_policy(resend(Resend::UnlessSent)).with_decoder(at_most(10));
        check(fake, set, &format!("#1 | open{events} | {end}")).await;
    }
}

/// The seconds are those since the request, so a timeout includes the time until the response.
#[tokio::test(start_paused = true)]
async fn silence() {
    let idle = |source: Source| source.with_idle_timeout(30 * SECOND);
    let event = |source: Source| source.with_progress_timeout(30 * SECOND);
    let long = &[Stream(&[Chunk("data: a\n\n"), Pause(1_000_000), Chunk("data: b\n\n")])];
    let ended = then("#1 | open | a | b @1000000 | the connection ended @1000000", "#1");
    check(long, |source| source, &ended).await;
    let zero = |source: Source| source.with_idle_timeout(Duration::ZERO).with_progress_timeout(Duration::ZERO);
    check(long, zero, &ended).await;

    // Any byte restarts the idle timeout, and so does the head of a response.
    let bytes = &[Stream(&[Chunk("data: a\n\n"), Pause(29), Chunk(": c\n"), Pause(29), Chunk("da"), Hang])];
    check(bytes, idle, &then("#1 | open | a | no data received for 30s @88", "#1!")).await;
    check(&[Silence], idle, &then("#1 | no response received for 30s @30", "#2!")).await;
    let late = &[Late(29, &Stream(&[Hang]))];
    check(late, idle, &then("#1 | open @29 | no data received for 30s @59", "#2!")).await;
    let refused = &[Late(29, &Refusal(503, &[], &[Hang]))];
    check(refused, idle, &then("#1 | the server answered 503 Service Unavailable @34", "#2!")).await;

    let comments = &[Stream(&[
        Pause(29),
        Chunk("data: a\n\n"),
        Pause(29),
        Chunk(": c\n\nevent: ping\n\n"),
        Pause(29),
        Chunk(": c\n\n"),
        Hang,
    ])];
    check(comments, event, &then("#1 | open | a @29 | no progress for 30s @59", "#1!")).await;
    // An event counts even directly after a comment, in the same chunk or in the next one.
    let after = &[Stream(&[
        Chunk(":\n"),
        Pause(20),
        Chunk(": a\n\ndata: a\n\n"),
        Pause(20),
        Chunk(":\n"),
        Chunk("data: b\n\n"),
        Hang,
    ])];
    check(after, event, &then("#1 | open | a @20 | b @40 | no progress for 30s @70", "#1!")).await;
    let flood = [&[Chunk(": c\n")].repeat(1001)[..], &[Chunk("data: a\n\n"), Hang]].concat();
    let flood = Fake::new(vec![Stream(flood.leak())].leak());
    check(flood, event, &then("#1 | open | a | no progress for 30s @30", "#1!")).await;
    // An event that is too large shows that the server is not silent.
    let large = &[Stream(&[Pause(29), Chunk("data: 12345\n\n"), Hang])];
    let words = "#1 | open | the event is larger than the limit of 10 bytes @29 | no progress for 30s @59";
    check(large, |source| event(source).with_decoder(at_most(10)), &then(words, "#2!")).await;
    let heads = &[Silence, Late(20, &Stream(&[Hang]))];
    let words = "#1 | no progress for 30s @30 | #2! | open @20 | no progress for 30s @30";
    check(heads, event, &then(words, "#3!")).await;
    let both = &[Stream(&[Chunk(": c\n"), Pause(20), Chunk(": c\n"), Hang]), Stream(&[Hang])];
    let words = "#1 | open | no progress for 30s @30 | #2! | open | no data received for 30s @30";
    check(both, |source| idle(event(source)), &then(words, "#3!")).await;
    // After a refusal, the next attempt has the whole progress timeout, whether the refusal's body is read or not.
    let refused = &[Late(29, &Refusal(429, &[], &[Hang])), Late(29, &Stream(&[Hang]))];
    for (limit, end) in [(0, "@29 | #2"), (1, "@34 | #2!")] {
        let words =
            format!("#1 | the server answered 429 Too Many Requests {end} | open @29 | no progress for 30s @30");
        check(refused, |source| event(source).with_max_unexpected_body(limit), &then(&words, "#3!")).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_busy_consumer_is_not_silence() {
    // The body's own pause begins only when it is polled.
    check(
        &[Stream(&[Chunk("data: away 3600\n\n"), Pause(29), Chunk("data: b\n\n"), Hang])],
        |source| source.with_progress_timeout(30 * SECOND).with_idle_timeout(30 * SECOND),
        &then("#1 | open | away 3600 | b @3629 | no data received for 30s @3659", "#1!"),
    )
    .await;
}

/// What has arrived is returned even after the timeout, and progress among it counts.
#[tokio::test(start_paused = true)]
async fn a_timeout_drops_nothing_of_the_chunk() {
    let timeout = |source: Source| source.with_progress_timeout(30 * SECOND);
    check(
        &[
            Stream(&[Pause(29), Chunk("event: ping\ndata: p\n\n"), Pause(2), Chunk(": c\n"), Hang]),
            Stream(&[
                Chunk("event: ping\ndata: p\n\n"),
                Pause(29),
                Chunk("event: ping\ndata: away 10\n\nevent: ping\ndata: r\n\ndata: a\n\n"),
                Pause(29),
                Chunk("data: b\n\n"),
                Step::Failure("reset"),
            ]),
        ],
        |source| timeout(source).with_hooks(Numbers),
        &then(
            "#1 | open | p @29 | no progress for 30s @30 | #2! | open | p | away 10 @29 | r @39 | a @39 | b @68 | \
            reset @68",
            "#1",
        ),
    )
    .await;
    check_blocks(
        &[Stream(&[Pause(29), Chunk(": away 10\n\nid: 4\n\nretry: 77\n\n"), Hang])],
        timeout,
        &then(
            "#1 | open | : away 10 @29 | ~id: 4\\n\\n @39 | ~retry: 77\\n\\n @39 | no progress for 30s @39",
            "#2 id=4!",
        ),
    )
    .await;
}

/// The ID of an event that is not returned would be lost with it.
#[tokio::test(start_paused = true)]
async fn an_event_that_arrives_with_the_timeout_is_returned_before_it() {
    let pings = (0..20).map(|id| Chunk(format!("event: ping\nid: {id}\ndata\n\n").leak()));
    let steps: Vec<_> = pings.flat_map(|ping| [Pause(1), ping]).collect();
    let fake = Fake::new(vec![Stream(steps.leak())].leak());
    let mut source = fake.source().with_hooks(Numbers).with_progress_timeout(10 * SECOND);
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

/// The timeout has passed when it is turned off, but the connection has not been dropped yet.
#[tokio::test(start_paused = true)]
async fn a_timeout_that_is_turned_off_drops_no_connection() {
    const PINGS: &str = "event: ping\ndata: p\n\nevent: ping\ndata: q\n\n";
    let fake = Fake::new(&[Stream(&[Pause(29), Chunk(PINGS), Pause(5), Chunk("data: a\n\n")])]);
    let mut source = fake.source().with_hooks(Numbers).with_progress_timeout(30 * SECOND);
    assert!(matches!(source.next().await, Some(Item::Open(_))));
    assert!(matches!(source.next().await, Some(Item::Event(event)) if event.data() == "p"));
    sleep(10 * SECOND).await;
    assert!(matches!(source.next().await, Some(Item::Event(event)) if event.data() == "q"));
    source = source.with_progress_timeout(Duration::ZERO);
    assert!(matches!(source.next().await, Some(Item::Event(event)) if event.data() == "a"));
}

#[tokio::test(start_paused = true)]
async fn a_delay_passes_without_polls() {
    let fake = Fake::new(&[Refusal(503, &[("retry-after", "7")], &[]), Stream(&[Hang])]);
    let mut source = fake.source();
    assert!(matches!(source.next().await, Some(Item::Reconnecting { .. })));
    sleep(5 * SECOND).await;
    let begun = Instant::now();
    assert!(matches!(source.next().await, Some(Item::Open(_))));
    // What is left of 7 seconds and up to a quarter more.
    let time = begun.elapsed();
    assert!((2 * SECOND..4 * SECOND).contains(&time), "{time:?}");
}

/// A connector should not use the connection of a request again that ended with a timeout.
#[tokio::test(start_paused = true)]
async fn a_connector_is_told_of_a_timeout() {
    check(
        &[
            Silence,
            Stream(&[Hang]),
            Stream(&[Chunk(": c\n"), Pause(20), Chunk(": c\n"), Pause(20), Chunk("data: late\n\n")]),
            Stream(&[Step::Failure("reset")]),
            Late(3, &Stream(&[])),
        ],
        |source| source.with_idle_timeout(25 * SECOND).with_progress_timeout(30 * SECOND),
        &then(
            "#1 | no response received for 25s @25 | #2! | open | no data received for 25s @25 | #3! | open | \
            no progress for 30s @30 | #4! | open | reset | #5 | open @3 | the connection ended @3",
            "#6",
        ),
    )
    .await;
    let unavailable = "the server answered 503 Service Unavailable";
    check(
        &[Refusal(503, &[], &[Chunk("a"), Hang]), Refusal(503, &[], &[Chunk("b")])],
        |source| source.with_idle_timeout(SECOND),
        &then(&format!("#1 | {unavailable}: a... @1 | #2! | {unavailable}: b"), "#3"),
    )
    .await;
    // A restart is no attempt after a timeout.
    let fake = Fake::new(&[Silence, Silence]);
    let mut source = fake.source().with_idle_timeout(SECOND);
    assert!(matches!(source.next().await, Some(Item::Reconnecting { .. })));
    source.restart();
    assert!(matches!(source.next().await, Some(Item::Reconnecting { .. })));
    assert!(fake.all().iter().all(|(attempt, _)| !attempt.is_after_timeout()));
}
