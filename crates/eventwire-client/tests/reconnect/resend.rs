//! Which requests are sent again, written by hand from the documentation of [`Resend`].

use super::{Both, Call, Next, START, Settings, decoder};
use eventwire_client::{
    Resend::{self, Always, Never, Unknown, UnlessSent, UntilProgress, WithCursor},
    StopReason::NotResent,
    Verdict::{NotProcessed, Open},
};

/// Whether a request is sent again after each of [`LOSSES`].
const ROWS: [(Resend, [bool; 5]); 6] = [
    (Always, [true, true, true, true, true]),
    (UnlessSent, [true, true, false, false, false]),
    (UntilProgress, [true, true, true, false, true]),
    (WithCursor, [true, true, false, false, true]),
    (Never, [false, false, false, false, false]),
    (Unknown, [true, true, false, false, false]),
];

/// A name, what has happened since the request began, and what the stream contained.
const LOSSES: [(&str, &[Call], &str); 5] = [
    ("it was not sent", &[Call::Unsent(START)], ""),
    ("it was turned away", &[Call::Verdict(START, NotProcessed, None)], ""),
    ("it was lost", &[Call::Disconnect(START)], ""),
    ("it was lost after progress", &[Call::Verdict(START, Open, None), Call::Progress, Call::Disconnect(START)], ""),
    ("it was lost, and there is an ID", &[Call::Disconnect(START)], "id: 1\n\n"),
];

#[test]
fn what_is_sent_again_depends_on_the_setting_and_on_what_has_happened() {
    for (resend, expected) in ROWS {
        for ((name, calls, stream), is_resent) in LOSSES.into_iter().zip(expected) {
            for by_policy in [false, true] {
                let mut both = Both::new(Settings { resend: by_policy.then_some(resend), ..Settings::DEFAULT });
                let decoder = decoder(stream);
                assert!(matches!(both.poll(START, &decoder), Next::Connect(_)));
                // The connector's report counts if the policy has no setting.
                both.tell(Call::Resend(if by_policy { Always } else { resend }));
                calls.iter().for_each(|call| both.tell(call.clone()));
                let next = both.poll(START, &decoder);
                let is_expected = if is_resent { matches!(next, Next::Wait(_)) } else { next == Next::Stop(NotResent) };
                assert!(is_expected, "{resend:?}, {name}: {next:?}");
            }
        }
    }
}
