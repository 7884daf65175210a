//! Which media type of a response counts: the same one as in the standards' algorithms, transcribed step by step.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use eventwire_client::ResponseHead;
use proptest::{collection::vec, prelude::*, sample::select};

#[test]
fn the_last_valid_media_type_counts() {
    for (values, expected) in [
        (&[][..], None),
        (&[""], None),
        (&["*/*"], None),
        (&["text"], None),
        (&["text/html"], Some("text/html")),
        (&["Text/HTML ; charset=utf-8"], Some("Text/HTML")),
        (&["application/vnd.api+json;a"], Some("application/vnd.api+json")),
        // Examples of the Fetch standard.
        (&["text/plain;charset=gbk, text/html"], Some("text/html")),
        (&["text/html;charset=gbk;a=b", "text/html;x=y"], Some("text/html")),
        (&["text/html;charset=gbk", "x/x", "text/html;x=y"], Some("text/html")),
        (&["text/html", "cannot-parse"], Some("text/html")),
        (&["text/html", "*/*"], Some("text/html")),
        (&["text/html", ""], Some("text/html")),
        (&["text/html, te(x)t/plain"], Some("text/html")),
        // A comma in quotes does not separate, and outside of quotes a backslash has no meaning.
        (&["text/html;a=\", x/y\""], Some("text/html")),
        (&["text/html;a=\"\\\", x/y\""], Some("text/html")),
        (&["text/html;a=\"\\\\\", x/y"], Some("x/y")),
        (&["text/html;a=\\\", x/y"], Some("text/html")),
        // A quoted string that continues in the next header.
        (&["text/html;a=\"", "text/plain"], Some("text/html")),
        (&["text/html;a=\"", "text/plain\", x/y"], Some("x/y")),
        (&["text/html;a=\"", "text/plain\"", "x/y"], Some("x/y")),
        (&["text/html;a=\"x\\", "\"", "x/y"], Some("x/y")),
    ] {
        check(expected, values);
    }
}

#[track_caller]
fn check(expected: Option<&str>, values: &[&str]) {
    let headers: Vec<(&str, &str)> = values.iter().map(|value| ("content-type", *value)).collect();
    assert_eq!(ResponseHead::new(200, &headers).media_type(), expected, "{values:?}");
    assert_eq!(extract_a_mime_type(values), expected.map(str::to_owned), "the standard's, of {values:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]
    #[test]
    fn it_is_the_standards_media_type(values in vec(vec(select(PIECES), 0..9).prop_map(|all| all.concat()), 0..5)) {
        let headers: Vec<(&str, &str)> = values.iter().map(|value| ("Content-Type", value.as_str())).collect();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        let head = ResponseHead::new(200, &headers);
        let expected = extract_a_mime_type(&values);
        prop_assert_eq!(head.media_type(), expected.as_deref());
        let is_event_stream = expected.is_some_and(|essence| essence.eq_ignore_ascii_case("text/event-stream"));
        prop_assert_eq!(head.is_event_stream(), is_event_stream);
    }
}

/// The parts of generated headers, with special characters more often than others.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "\"", "\"", "\"", "\"", ",", ",", ", ", ", ", "\\", "\\", ";", ";a=", ";a=\"", " ", "\t", "/", "a", "(", "*/*",
    "a/b", "c/d", "text/event-stream", "Text/Event-Stream", "text/html", "\u{E9}", "!#$%&'*+-.^_`|~09azAZ/b",
];

/// <https://fetch.spec.whatwg.org/#concept-header-extract-mime-type>, without parameters, and with upper and lower
/// case unchanged.
fn extract_a_mime_type(values: &[&str]) -> Option<String> {
    let joined = values.join(", ");
    split(&joined).into_iter().rev().find_map(|value| essence(&value))
}

/// <https://fetch.spec.whatwg.org/#header-value-get-decode-and-split>
fn split(input: &str) -> Vec<String> {
    let mut input = input.chars().peekable();
    let mut values = Vec::new();
    let mut value = String::new();
    loop {
        while let Some(next) = input.next_if(|next| !"\",".contains(*next)) {
            value.push(next);
        }
        if input.next_if_eq(&'"').is_some() {
            value.push('"');
            // <https://fetch.spec.whatwg.org/#collect-an-http-quoted-string>
            while let Some(next) = input.next() {
                value.push(next);
                match next {
                    '"' => break,
                    '\\' => value.extend(input.next()),
                    _ => {}
                }
            }
            if input.peek().is_some() {
                continue;
            }
        }
        values.push(value.trim_matches(['\t', ' ']).to_owned());
        value.clear();
        if input.next().is_none() {
            return values;
        }
    }
}

/// <https://mimesniff.spec.whatwg.org/#parse-a-mime-type>, up to step 9.
fn essence(input: &str) -> Option<String> {
    let (main, rest) = input.trim_matches(['\n', '\r', '\t', ' ']).split_once('/')?;
    let (sub, _) = rest.split_once(';').unwrap_or((rest, ""));
    let sub = sub.trim_end_matches(['\n', '\r', '\t', ' ']);
    let is_token = |text: &str| {
        !text.is_empty() && text.chars().all(|one| one.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(one))
    };
    (is_token(main) && is_token(sub) && (main, sub) != ("*", "*")).then(|| format!("{main}/{sub}"))
}
