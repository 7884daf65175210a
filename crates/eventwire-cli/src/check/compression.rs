//! Whether compression delays events.

use std::time::Duration;

use eventwire_lint::{Finding, Lint, Severity};
use http::header::{ACCEPT_ENCODING, HeaderValue};

use super::events;
use super::judgement::Judgement;
use super::seen::{Ended, Limits, Seen, Wanted};
use super::target::Target;
use crate::coding::content_coding;
use crate::failure;

/// For how long the second response is watched at most.
const LONGEST: Duration = Duration::from_secs(20);

/// Asks again as a browser does, which accepts compression, and compares what arrives.
pub(crate) async fn judge(target: &Target, judgement: &mut Judgement) {
    let plain = &judgement.seen;
    if let Some(coding) = plain.head.as_ref().and_then(content_coding) {
        let what =
            format!("the response is compressed with `{coding}`, although the request has `Accept-Encoding: identity`");
        let mut finding = Finding::new("compressed-unasked", what);
        if !plain.is_readable() {
            finding.severity = Severity::Fail;
        } else if plain.bytes == 0 && plain.ended == Ended::No {
            let delay = format!("no event arrived in {:.1} s", plain.elapsed.as_secs_f64());
            judgement.add(Finding::new("compression", delay));
        } else if plain.events == 0 {
            judgement.not_judged("compression", "no events to compare");
        }
        judgement.add(finding);
        return;
    }
    if !target.is_repeatable() {
        judgement.not_judged("compression", "only a GET is sent again");
        return;
    }
    if plain.events < 2 {
        judgement.not_judged("compression", format!("{} to compare", events(plain.events)));
        return;
    }
    let mut ask = target.ask();
    ask.headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip, br"));
    let time = plain.elapsed.min(LONGEST) + Duration::from_secs(1);
    let limits = Limits { time: Some(time), events: None, wanted: Wanted::Compression };
    let Ok(compressed) = target.watch(ask, Lint::new(), limits).await else {
        judgement.not_judged("compression", "there was no response to another request");
        return;
    };
    if let Some(what) = delay(plain, &compressed) {
        judgement.add(Finding::new("compression", format!("with `Accept-Encoding: gzip, br`, {what}")));
    }
}

/// Returns how compression delays the events, if it does.
fn delay(plain: &Seen, compressed: &Seen) -> Option<String> {
    let time = compressed.elapsed.as_secs_f64();
    let Some(head) = &compressed.head else { return Some(format!("no headers arrived in {time:.1} s")) };
    if head.status().is_server_error() {
        return Some(format!("the response has the status {}", failure::status(head.status())));
    }
    if !compressed.is_compressed() {
        return None;
    }
    if let Ended::Broken(why) = &compressed.ended {
        return Some(format!("the response cannot be decompressed: {why}"));
    }
    // One event or two may have happened by chance.
    if compressed.events == 0 && plain.events > 2 {
        return Some(format!(
            "no event arrived in {time:.1} s; without it, {} arrived in {:.1} s",
            plain.events,
            plain.elapsed.as_secs_f64()
        ));
    }
    let is_held_back = |seen: &Seen| seen.finding("held-back").is_some_and(|finding| finding.severity > Severity::Note);
    let held_back = compressed.finding("held-back").filter(|_| is_held_back(compressed) && !is_held_back(plain))?;
    Some(held_back.what.clone())
}
