//! What a server does when a client comes back.

use std::time::Duration;

use eventwire_lint::{Finding, Lint};
use http::HeaderValue;

use super::judgement::Judgement;
use super::seen::{Ended, Limits, Seen, Wanted};
use super::target::{LAST_EVENT_ID, Target};

/// How long to wait for the events of another response.
const PATIENCE: Duration = Duration::from_secs(5);

/// Asks again with the ID of an event, as a browser does after a reconnect.
pub(crate) async fn judge(target: &Target, judgement: &mut Judgement) -> anyhow::Result<()> {
    if !target.is_repeatable() {
        judgement.not_judged("resume", "only a GET is sent again");
        return Ok(());
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
                let again = ask(target, Some(&ids[place]), Wanted::OneId).await?;
                judgement.seen.findings.extend(resumed(ids, place, &again));
            }
        }
    }
    if has_ended && judgement.seen.events > 0 {
        judgement.seen.findings.extend(after_the_end(target, &judgement.seen).await?);
    }
    Ok(())
}

/// Asks for the events after this ID.
async fn ask(target: &Target, id: Option<&str>, wanted: Wanted) -> anyhow::Result<Seen> {
    let mut request = target.request()?;
    if let Some(id) = id.and_then(|id| HeaderValue::from_bytes(id.as_bytes()).ok()) {
        request.headers_mut().insert(LAST_EVENT_ID, id);
    }
    let limits = Limits { time: Some(PATIENCE), events: None, wanted };
    target.watch(request, Lint::new(), limits).await
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

/// Asks twice after the end of a finished stream, as a browser does that reconnects.
async fn after_the_end(target: &Target, seen: &Seen) -> anyhow::Result<Option<Finding>> {
    let last = seen.ids.back().map(String::as_str);
    for _ in 0..2 {
        let again = ask(target, last, Wanted::OneEvent).await?;
        if again.events == 0 || again.first_event_hash != seen.first_event_hash || !again.is_event_stream() {
            return Ok(None);
        }
    }
    let what = "the stream ended, and two later requests each got it again from the start";
    Ok(Some(Finding::new("begins-anew", what)))
}
