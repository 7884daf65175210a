//! What right servers send has no finding.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::time::Duration;

use eventwire::{Comment, Event};
use eventwire_lint::{Finding, Lint, Severity, check};
use proptest::prelude::*;

/// Any text without the characters `\` and `n` of a line break that was not written, which are a finding.
fn text() -> impl Strategy<Value = String> {
    any::<String>().prop_filter("a literal line break", |text| !text.contains("\\n"))
}

proptest! {
    /// Whatever the texts contain, an encoder writes them right.
    #[test]
    fn what_is_encoded(data in text(), id: Option<u64>, comment in text(), retry: Option<u32>) {
        let mut event = Event::new(data).with_event_type("update").unwrap();
        if let Some(id) = id {
            event = event.with_numeric_id(id);
        }
        if let Some(retry) = retry {
            event = event.with_retry(Duration::from_millis(retry.into()));
        }
        let body = [Comment::new(comment).to_bytes(), event.to_bytes(), Event::new("").to_bytes()].concat();
        prop_assert_eq!(check(body), []);
    }
}

/// Recorded streams of model services, which belong to others and are not part of the crate.
#[test]
fn recordings() {
    let Some(folder) = env::var_os("EVENTWIRE_RECORDINGS") else {
        // `eprintln!` would be shown only if a test fails.
        let _ = writeln!(io::stderr(), "skipped: EVENTWIRE_RECORDINGS names no folder of recorded streams");
        return;
    };
    let mut count = 0;
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "sse") {
            continue;
        }
        count += 1;
        let stream = fs::read(&path).unwrap();
        for finding in check(&stream) {
            // Some send the default type.
            assert_eq!((finding.severity, finding.code), (Severity::Note, "default-type"), "{path:?}: {finding}");
        }
        // Those that are like OpenAI's chat completions, and end with the marker.
        let text = String::from_utf8(stream).unwrap();
        if text.contains("chat.completion.chunk") && text.contains("[DONE]") {
            let mut lint = Lint::new().with_openai();
            lint.chunk(text.as_bytes(), Duration::ZERO);
            let findings = lint.finish(Duration::ZERO);
            // One of them has no finish reason.
            let is_known = |finding: &Finding| finding.severity == Severity::Note || finding.code == "no-finish-reason";
            assert!(findings.iter().all(is_known), "{path:?}: {findings:#?}");
        }
    }
    assert!(count > 0, "no *.sse file");
}
