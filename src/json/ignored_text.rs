//! Text that is no field, in which a server may have written an error.
//!
//! A service that fails in the middle of its stream often writes what the standard ignores. Without this, the half
//! answer would end like a complete one.

use super::{
    JsonError,
    dialect::{Dialect, Reports},
    top_level::{self, TopLevel},
};
use crate::{event::Event, feed::Error};
use alloc::boxed::Box;
use core::{convert::Infallible, iter};

/// Returns the error that this text is: from a line named `error`, or else from a line that begins like JSON or HTML.
/// Other lines, such as `timestamp: 1`, are unknown fields, and no error.
pub(super) fn error_in(ignored: &[u8], dialect: &Dialect) -> Option<JsonError<Infallible>> {
    // What is not UTF-8 is no JSON, and the end may be half a character.
    let text = ignored.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let from_line = |begins: fn(&str) -> bool| {
        let mut lines = iter::successors(Some(text), |rest| rest.get(line_len(rest) + 1..));
        lines.find(|rest| begins(rest))
    };
    let (text, report) = match from_line(|rest| error_value(rest).is_some()) {
        Some(named) => (named, error_value(named).map(written_value)),
        None => {
            let body = from_line(|rest| matches!(rest.trim_ascii_start().as_bytes(), [b'{' | b'[' | b'<', ..]))?;
            (body, top_level::values(body).find(|value| TopLevel::read(value, dialect).says_error()))
        }
    };
    Some(match report {
        Some(data) if dialect.reports != Reports::Nothing => {
            let event = Event::new(data).with_event_type("error").unwrap_or_default();
            JsonError::Reported { message: top_level::message(data), event: Box::new(event), line: None }
        }
        _ => JsonError::Stream(Error::NotEventStream(text.as_bytes().into())),
    })
}

/// Returns the value of a line named `error`, and the lines after it.
fn error_value(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("error")?;
    let is_name = matches!(rest.as_bytes(), [] | [b':' | b'\n', ..]);
    is_name.then(|| rest.strip_prefix(':').unwrap_or(rest))
}

/// Returns the JSON at the beginning of the text, which may have several lines, or else its first line. JSON that has
/// been cut off is all of the text.
fn written_value(text: &str) -> &str {
    let text = text.strip_prefix(' ').unwrap_or(text);
    if let [b'{' | b'[', ..] = text.as_bytes() {
        return top_level::values(text).next().unwrap_or(text).trim_ascii();
    }
    text.get(..line_len(text)).unwrap_or_default().trim_ascii()
}

fn line_len(text: &str) -> usize {
    memchr::memchr(b'\n', text.as_bytes()).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::{Dialect, JsonError, error_in};
    use crate::feed::Error;
    use alloc::{format, string::String};

    /// Checks what an ignored text is: `message (data)` of a report, `?` and a quoted text, or nothing.
    #[track_caller]
    fn check(text: &str, dialect: &Dialect, expected: &str) {
        let found = match error_in(text.as_bytes(), dialect) {
            None => String::new(),
            Some(JsonError::Reported { message, event, .. }) => {
                assert_eq!(event.event_type(), "error");
                format!("{message} ({})", event.data())
            }
            Some(JsonError::Stream(Error::NotEventStream(text))) => format!("?{}", String::from_utf8_lossy(&text)),
            Some(other) => panic!("{other:?}"),
        };
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn a_line_named_error() {
        for dialect in [Dialect::OPENAI, Dialect::GEMINI, Dialect::new().with_error_reports()] {
            check("error: {\"code\":400,\"message\":\"m\"}", &dialect, "m ({\"code\":400,\"message\":\"m\"})");
            check("error:{\n\"message\":\n\"m\"\n}\ntime: 1", &dialect, "m ({\n\"message\":\n\"m\"\n})");
            check("time: 1\nerror: overloaded\ntime: 2", &dialect, "overloaded (overloaded)");
            check("{\"a\":1}\nerror: m", &dialect, "m (m)");
            check("error: m\nerror: n", &dialect, "m (m)");
            check("error: {m} {\"message\":1}", &dialect, "{m} ({m})");
            check("error: {\"message\":\n\"cut o", &dialect, "{\"message\":\n\"cut o ({\"message\":\n\"cut o)");
            for nothing in ["error", "error:", "error: ", "error\ntime: 1"] {
                check(nothing, &dialect, " ()");
            }
            for other in ["errors: m", "error : m", " error: m", "Error: m", "an error: m", "er"] {
                check(other, &dialect, "");
            }
        }
        // This dialect reads no reports. The text is no event either.
        check("time: 1\nerror: m\ntime: 2", &Dialect::new(), "?error: m\ntime: 2");
    }

    #[test]
    fn json_of_an_error() {
        let pretty = "{\n  \"error\": {\n    \"message\": \"m\"\n  }\n}";
        for text in [pretty, "{\"type\":\"error\",\"message\":\"m\"}"] {
            for dialect in [Dialect::OPENAI, Dialect::ANTHROPIC, Dialect::new().with_error_reports()] {
                check(text, &dialect, &format!("m ({text})"));
                check(&format!("time: 1\n  {text}\ntime: 2"), &dialect, &format!("m ({text})"));
                check(&format!("{{\"a\":1}}\n{text}"), &dialect, &format!("m ({text})"));
            }
            check(text, &Dialect::new(), &format!("?{text}"));
            let array = format!("[{text}\n]");
            check(&array, &Dialect::GEMINI, &format!("m ({array})"));
            check(&array, &Dialect::new().with_error_reports(), &format!("?{array}"));
        }
        check(&pretty[..20], &Dialect::GEMINI, &format!("?{}", &pretty[..20]));
    }

    #[test]
    fn other_text() {
        for dialect in [Dialect::new(), Dialect::OPENAI] {
            for text in ["{\"a\":1}\n{\"a\":2}", "[1,\n2]", "<html>\n<p>error</p>", "{", "  <!DOCTYPE html>"] {
                check(text, &dialect, &format!("?{text}"));
                check(&format!("a\n{text}"), &dialect, &format!("?{text}"));
                let quotation = format!("{text}\n<p>,{{\"error\":1}}");
                check(&quotation, &dialect, &format!("?{quotation}"));
            }
            for text in ["", "timestamp: 1", "a {", "dat", "\u{1f}\u{fffd}", "\"a\"", "}", "a\nb"] {
                check(text, &dialect, "");
            }
        }
    }
}
