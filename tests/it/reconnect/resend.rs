//! Whether a request may be sent again: always, until its first event, or never.

use super::{BUSY, START, STREAM, connecting, connects, stopped, wait};
use eventwire::{
    Decoder,
    client::{Action, Reconnect, ReconnectPolicy, Resend, ResponseHead, StopReason},
};

#[test]
fn what_must_not_be_sent_again_is_not_after_its_first_event() {
    use Resend::{Always, Never, UntilFirstEvent};
    for (set, of_request, expected) in [
        (None, None, Always),
        (None, Some(Always), Always),
        (None, Some(UntilFirstEvent), UntilFirstEvent),
        (Some(Always), None, Always),
        (Some(UntilFirstEvent), None, UntilFirstEvent),
        // What was set goes before what the request is.
        (Some(Always), Some(UntilFirstEvent), Always),
        (Some(UntilFirstEvent), Some(Always), UntilFirstEvent),
        (Some(Never), None, Never),
        (None, Some(Never), Never),
    ] {
        let rules =
            set.map_or_else(Reconnect::default, |resend| Reconnect::new(ReconnectPolicy::new().with_resend(resend)));
        let mut connect = 0;
        let mut serve = |rules: &mut Reconnect, now| {
            connect += 1;
            of_request.into_iter().for_each(|resend| rules.handle_resend(resend));
            match connect {
                1 => rules.handle_disconnect(now),
                2 | 6 => drop(rules.handle_response(now, &BUSY)),
                3 | 7 => drop(rules.handle_response(now, &STREAM)),
                4 | 5 => {
                    rules.handle_response(now, &STREAM);
                    rules.handle_event();
                }
                _ => drop(rules.handle_response(now, &ResponseHead::new(204, &[]))),
            }
        };
        let expected = match expected {
            Always => (8, StopReason::NoContent),
            UntilFirstEvent => (4, StopReason::NotResent),
            _ => (1, StopReason::NotResent),
        };
        let (connects, reason) = connects(rules, &mut serve);
        assert_eq!((connects, reason.unwrap()), expected, "{set:?}, {of_request:?}");
    }
}

#[test]
fn the_last_request_says_whether_it_may_be_sent_again() {
    let mut rules = connecting(Reconnect::default());
    rules.handle_resend(Resend::UntilFirstEvent);
    rules.handle_resend(Resend::Always);
    rules.handle_response(START, &STREAM);
    rules.handle_event();
    assert_eq!(rules.poll(START, &Decoder::new()), Action::Read);
    rules.handle_disconnect(START);
    wait(&mut rules.clone(), START, &Decoder::new());

    // It goes before the other reasons, and comes without a delay.
    rules.set_policy(ReconnectPolicy::new().with_max_attempts(0));
    rules.handle_resend(Resend::UntilFirstEvent);
    assert_eq!(stopped(&mut rules.clone()), StopReason::NotResent);
    rules.handle_resend(Resend::Always);
    assert_eq!(stopped(&mut rules), StopReason::AttemptsExhausted);
}
