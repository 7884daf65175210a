//! Decisions of the caller's code. Their effects, hook by hook: `simulated.rs`.

use crate::{
    asked::Asked,
    fake::{
        Answer::{self, Refusal, Stream},
        Failure, Fake,
        Step::{self, Chunk},
    },
    trace::{Source, resend, trace},
};
use eventwire_client::{Hooks, Resend, StopReason, Verdict};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn a_verdict_on_an_error() {
    let run = async |fake: Fake, verdict: Option<Verdict>| {
        let source = fake.source().with_policy(resend(Resend::UnlessSent));
        let mut source = source.with_error_verdict(|error: &Failure| if error.0 == "asked" { verdict } else { None });
        trace(&mut source).await;
        let stopped = source.into_stopped();
        (stopped.reason(), stopped.is_failure(), fake.attempts().len())
    };
    const NO_RESPONSE: &[Answer] = &[Answer::Failure("asked")];
    const NO_BODY: &[Answer] = &[Stream(&[Chunk("data: a\n\n"), Step::Failure("asked")])];
    const LOST: (StopReason, bool, usize) = (StopReason::NotResent, true, 1);
    const SENT_AGAIN: (StopReason, bool, usize) = (StopReason::NoContent, false, 2);
    for (verdict, without_response, without_body) in [
        (None, LOST, LOST),
        (Some(Verdict::Open), LOST, LOST),
        (Some(Verdict::RetryIfAllowed), LOST, LOST),
        // A request with a response was processed, for any verdict on the error.
        (Some(Verdict::NotProcessed), SENT_AGAIN, LOST),
        (Some(Verdict::Stop), (StopReason::Finished, false, 1), (StopReason::Finished, false, 1)),
        (Some(Verdict::Fail), (StopReason::Permanent, true, 1), (StopReason::Permanent, true, 1)),
    ] {
        assert_eq!(run(Fake::new(NO_RESPONSE), verdict).await, without_response, "{verdict:?}");
        assert_eq!(run(Fake::new(NO_BODY), verdict).await, without_body, "{verdict:?}");
    }
    // Without a verdict, the connector decides. If a body fails, the request was sent.
    assert_eq!(run(Fake::unsent(NO_RESPONSE), None).await, SENT_AGAIN);
    assert_eq!(run(Fake::unsent(NO_RESPONSE), Some(Verdict::RetryIfAllowed)).await, LOST);
    assert_eq!(run(Fake::unsent(NO_BODY), None).await, LOST);
    // A redirect shows that a server has carried the request out, and the next server cannot be reached.
    // Only a GET may be carried out twice, whatever the policy says.
    for (resend, expected) in [(Resend::UnlessSent, LOST), (Resend::Always, SENT_AGAIN)] {
        for verdict in [None, Some(Verdict::NotProcessed)] {
            let redirected = Fake::unsent(NO_RESPONSE).carried_out().with_resend(resend);
            assert_eq!(run(redirected, verdict).await, expected, "{resend:?} {verdict:?}");
        }
    }
}

/// Runs a source with hooks that write down what they are asked, and with what `set` sets. Returns what they wrote.
async fn asked<D: Hooks<Failure>>(set: impl FnOnce(Source<Asked>) -> Source<D>) -> Vec<String> {
    let fake = Fake::new(&[
        Answer::Failure("refused"),
        Refusal(503, &[("retry-after", "100")], &[Chunk("busy")]),
        Stream(&[Chunk("data: a\n\n"), Step::Failure("reset")]),
        Stream(&[Chunk("data: b\n\n")]),
        Stream(&[Chunk("data: z\n\ndata: not read\n\n")]),
    ]);
    let asked = Asked::default();
    let mut source = set(fake.source().with_hooks(asked.clone()));
    let seen = trace(&mut source).await;
    let expected = "#1 | refused | #2 | the server answered 503 Service Unavailable: busy | #3 | open | a | reset | \
        #1 cursor=a | open | b | the stream is truncated: the connection ended early | #2 cursor=b | open | z | \
        stopped Finished";
    assert_eq!((seen.text().as_str(), seen.delays), (expected, vec![SECOND; 4]));
    assert_eq!(source.cursor(), Some("z"));
    asked.take()
}

/// The methods of a type are called as documented, and a closure leaves what it does not decide to the decisions
/// before it.
#[tokio::test(start_paused = true)]
async fn a_type_that_decides_everything_and_closures_over_it() {
    const EXPECTED: &[&str] = &[
        "error_verdict refused",
        "delay 2, short: refused",
        "opens 503",
        "response_verdict busy",
        "delay 3, long: the server answered 503 Service Unavailable: busy",
        "opens 200",
        "cursor a",
        "is_progress a",
        "is_end a",
        "error_verdict reset",
        "delay 1, short: reset",
        "opens 200",
        "cursor b",
        "is_progress b",
        "is_end b",
        "delay 2, short: the stream is truncated: the connection ended early",
        "opens 200",
        "cursor z",
        "is_progress z",
        "is_end z",
    ];
    let without = |word| EXPECTED.iter().copied().filter(move |asked| !asked.starts_with(word)).collect::<Vec<_>>();
    assert_eq!(asked(|source| source).await, EXPECTED);
    assert_eq!(
        asked(|source| source.with_response_verdict(|refusal| Verdict::default_for(&refusal.head()))).await,
        without("response_verdict")
    );
    let decided = |_: &Failure| Some(Verdict::RetryIfAllowed);
    assert_eq!(asked(|source| source.with_error_verdict(decided)).await, without("error_verdict"));
    // An error without a verdict is left to the decisions before it, and so is the delay.
    assert_eq!(asked(|source| source.with_error_verdict(|_| None)).await, EXPECTED);
    let mut told = Vec::new();
    assert_eq!(asked(|source| source.on_retry(|_, delay, attempt| told.push((delay, attempt)))).await, EXPECTED);
    assert_eq!(told, [2, 3, 1, 2].map(|attempt| (SECOND, attempt)));
    assert_eq!(asked(|source| source.with_end(|event| event.data() == "z")).await, without("is_end"));
}
