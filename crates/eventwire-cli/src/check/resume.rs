//! What a server does when a client comes back.

use std::num::NonZeroU64;

use eventwire_lint::{Finding, Lint};
use http::HeaderValue;

use super::judgement::Judgement;
use super::seen::{Ended, Limits, Seen, Wanted};
use super::target::{PATIENCE, Target};
use crate::journey::LastId;

/// Asks again with the ID of an event, as a browser does after a reconnect.
pub(crate) async fn judge(target: &Target, judgement: &mut Judgement) {
    if !target.is_repeatable() {
        judgement.not_judged("resume", "only a GET is sent again");
        return;
    }
    let has_ended = judgement.seen.ended == Ended::Complete;
    let ids: Vec<String> = judgement.seen.ids.iter().cloned().collect();
    match &ids[..] {
        [] if !has_ended => judgement.not_judged("resume", "no event has an ID"),
        [] => {}
        ids => {
            // If possible, an ID after which there is an event that a server has to send again. Just one, because a
            // server may keep only the last events.
            let place = ids.len().saturating_sub(2);
            if HeaderValue::from_bytes(ids[place].as_bytes()).is_err() {
                judgement.not_judged("resume", format!("the ID {:?} cannot be sent in a header", ids[place]));
            } else {
                match ask(target, &judgement.seen, Some(&ids[place]), None).await {
                    Some(again) => judgement.seen.findings.extend(resumed(ids, place, &again)),
                    None => judgement.not_judged("resume", NO_RESPONSE),
                }
            }
        }
    }
    if has_ended && judgement.seen.events > 0 {
        match begins_anew(target, &judgement.seen).await {
            Some(true) => judgement.add(Finding::new("begins-anew", BEGINS_ANEW)),
            Some(false) => {}
            None => judgement.not_judged("begins-anew", NO_RESPONSE),
        }
    }
}

const NO_RESPONSE: &str = "there was no response to another request";
const BEGINS_ANEW: &str = "the stream ended, and two later requests each got it again from the start";

/// Asks for the events after this ID of the response that was seen, up to the first one that has an ID, or up to this
/// number. Returns `None` if no response arrives, which may have other reasons than that the client has returned.
async fn ask(target: &Target, seen: &Seen, id: Option<&str>, events: Option<NonZeroU64>) -> Option<Seen> {
    let mut ask = target.ask();
    let id = id.and_then(|id| HeaderValue::from_bytes(id.as_bytes()).ok());
    ask.last_id = id.zip(seen.url.clone()).map(|(value, of)| LastId { value, of });
    let wanted = if events.is_some() { Wanted::Everything } else { Wanted::OneId };
    let again = target.watch(ask, Lint::new(), Limits { time: Some(PATIENCE), events, wanted }).await.ok()?;
    again.head.is_some().then_some(again)
}

/// Judges the answer to a request for the events after the ID at this place.
fn resumed(ids: &[String], place: usize, again: &Seen) -> Option<Finding> {
    let asked = &ids[place];
    let next = ids.get(place + 1);
    let status = again.head.as_ref().map(|head| head.status().as_u16());
    if let Some(status) = status.filter(|status| *status != 200 && *status != 204) {
        return Some(Finding::new(
            "resume",
            format!("a request with `Last-Event-ID: {asked}` was answered with status {status}"),
        ));
    }
    let sent = again.ids.front();
    let is_before = sent.is_some_and(|sent| ids[..=place].contains(sent));
    let what = match (next, sent) {
        (_, Some(sent)) if is_before => format!("event {sent:?}, which the client already had"),
        // It continues, or what it has to send is new.
        (Some(next), Some(sent)) if next == sent => return None,
        (None, _) => return None,
        (Some(next), Some(sent)) => format!("event {sent:?}, which skips {next:?}"),
        (Some(next), None) if status == Some(204) => format!("status 204, although {next:?} follows"),
        (Some(next), None) => {
            let time = again.elapsed.as_secs_f64();
            format!("no event that has an ID within {time:.1} s, although {next:?} follows")
        }
    };
    Some(Finding::new("resume", format!("a request with `Last-Event-ID: {asked}` was answered with {what}")))
}

/// Asks twice after the end of a finished stream, as a browser does that reconnects. Returns whether the same events
/// came each time.
async fn begins_anew(target: &Target, seen: &Seen) -> Option<bool> {
    let last = seen.ids.back().map(String::as_str);
    let events = NonZeroU64::new(seen.beginning.len() as u64);
    for _ in 0..2 {
        let again = ask(target, seen, last, events).await?;
        if again.beginning != seen.beginning || !again.is_event_stream() {
            return Some(false);
        }
    }
    Some(true)
}
