//! What a server does when a client comes back.

use std::time::Duration;

use eventwire_lint::{Finding, Lint, Severity};
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
    let ids = judgement.seen.ids.clone();
    match &ids[..] {
        [] if !has_ended => judgement.not_judged("resume", "no event has an ID"),
        [] => {}
        ids => {
            // If possible, an ID after which there are events that a server has to send again.
            let place = (ids.len() - 1) / 2;
            let again = ask(target, Some(&ids[place]), Wanted::OneId).await?;
            judgement.seen.findings.extend(resumed(ids, place, &again));
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
    if status.is_some_and(|status| status != 200 && status != 204) {
        return Some(Finding::new(
            Severity::Fail,
            "resume",
            format!("a request with `Last-Event-ID: {asked}` was answered with status {}", status.unwrap_or_default()),
            "A browser that reconnects fails, and does not try again",
            "Answer 200 and send the events after that ID, or all if it is not known",
        ));
    }
    let sent = again.ids.first();
    let seen_before = sent.and_then(|sent| ids.iter().position(|id| id == sent));
    let what = match (next, sent, seen_before) {
        // It continues, or there is nothing to send, or what is sent is new.
        (Some(next), Some(sent), _) if next == sent => return None,
        (None, _, None) => return None,
        (_, Some(sent), Some(before)) if before <= place => {
            return Some(Finding::new(
                Severity::Fail,
                "resume",
                format!("asked to continue after ID {asked:?}, the server sent {sent:?} again, which comes before"),
                "After each reconnect, clients get events twice",
                "Read the header `Last-Event-ID`, and send only the events after it",
            ));
        }
        (Some(next), Some(sent), _) => {
            format!("asked to continue after ID {asked:?}, the server sent {sent:?} and skipped {next:?}")
        }
        (Some(next), None, _) => format!(
            "asked to continue after ID {asked:?}, the server sent no event with an ID within {:.1} s, although {next:?} follows",
            again.elapsed.as_secs_f64()
        ),
        (None, ..) => return None,
    };
    Some(Finding::new(
        Severity::Fail,
        "resume",
        what,
        "After each reconnect, clients miss events",
        "Keep the last events, and send those after `Last-Event-ID` first. Without them, do not send IDs",
    ))
}

/// Asks twice after the end of a finished stream, as a browser does that reconnects.
async fn after_the_end(target: &Target, seen: &Seen) -> anyhow::Result<Option<Finding>> {
    let last = seen.ids.last().map(String::as_str);
    for _ in 0..2 {
        let again = ask(target, last, Wanted::OneEvent).await?;
        if again.events == 0 || again.first_event_hash != seen.first_event_hash || !again.is_event_stream() {
            return Ok(None);
        }
    }
    Ok(Some(Finding::new(
        Severity::Warn,
        "begins-anew",
        "the stream ended, and began anew for each of two requests after it",
        "A browser reconnects when a stream ends, and gets everything again, until the page closes it",
        "Answer 204 No Content to a client that has everything, or send a last event at which the page calls `close()`",
    )))
}
