//! The boundary in a `Content-Type`, in the forms that servers send.

use eventwire_multipart::{Boundary, InvalidBoundary, MediaType, PartDecoder};
use proptest::{collection::vec, prelude::*, sample::select};

#[test]
fn boundaries_that_are_named() {
    let cases: &[(&str, &str)] = &[
        ("multipart/mixed; boundary=b", "b"),
        ("multipart/mixed;boundary=b", "b"),
        ("multipart/x-mixed-replace;boundary=--myboundary", "--myboundary"),
        ("multipart/x-mixed-replace; boundary=----MultipartStreamBoundary", "----MultipartStreamBoundary"),
        // White space before and after the `=` and the `;`.
        ("multipart/x-mixed-replace;boundary =--x", "--x"),
        ("multipart/mixed; boundary= b", "b"),
        ("multipart/mixed ; \tboundary = b \t; charset=utf-8", "b"),
        ("  multipart/mixed;boundary=b  ", "b"),
        // Quotes.
        ("multipart/mixed; boundary=\"b\"", "b"),
        ("multipart/mixed; boundary=\"-\";charset=utf-8", "-"),
        ("multipart/mixed;boundary=\"-\";deferSpec=20220824", "-"),
        ("multipart/mixed; boundary=\"a;b\"", "a;b"),
        ("multipart/mixed; boundary=\"a\\\"b\"", "a\"b"),
        ("multipart/mixed; boundary=\"a\\\\b\"", "a\\b"),
        ("multipart/mixed; boundary=\"simple boundary\"", "simple boundary"),
        ("multipart/mixed; boundary=\"open; and the rest", "open; and the rest"),
        ("multipart/mixed; boundary=\"b\" ; x=y", "b"),
        // Characters that a token may not contain.
        ("multipart/mixed; boundary=a/b:c", "a/b:c"),
        ("multipart/mixed; boundary=a=b", "a=b"),
        ("multipart/mixed; boundary==a/b:c", "=a/b:c"),
        ("multipart/mixed; boundary=a b", "a b"),
        // Names in upper and lower case.
        ("Multipart/Mixed; Boundary=B", "B"),
        ("MULTIPART/X-MIXED-REPLACE; BOUNDARY=b", "b"),
        // Other parameters, and a duplicate one, of which the first counts.
        ("multipart/mixed; charset=utf-8; boundary=b", "b"),
        ("multipart/mixed; boundary=a; boundary=b", "a"),
        ("multipart/mixed; xboundary=a; boundary=b", "b"),
        ("multipart/mixed; x=\"; boundary=a\"; boundary=b", "b"),
        ("multipart/mixed;; boundary=b", "b"),
        ("multipart/mixed; boundary; boundary=b", ""),
        ("multipart/form-data; boundary=----WebKitFormBoundaryabc", "----WebKitFormBoundaryabc"),
    ];
    for (content_type, boundary) in cases {
        let found = Boundary::from_content_type(content_type.as_bytes());
        if boundary.is_empty() {
            assert_eq!(found, Err(InvalidBoundary::Empty), "{content_type}");
            continue;
        }
        let found = found.unwrap_or_else(|error| panic!("{content_type}: {error}"));
        assert_eq!(found.as_bytes(), boundary.as_bytes(), "{content_type}");
        assert_eq!(MediaType::new(content_type.as_bytes()).param("boundary").as_deref(), Some(boundary.as_bytes()));
    }
}

#[test]
fn boundaries_that_are_not() {
    for (content_type, kind) in [
        ("multipart/mixed", "missing"),
        ("multipart/mixed; charset=utf-8", "missing"),
        ("multipart/mixed; xboundary=a", "missing"),
        ("multipart/mixed; boundary=", "empty"),
        ("multipart/mixed; boundary=\"\"", "empty"),
        ("multipart/mixed; boundary=\"a\rb\"", "byte"),
        ("multipart/mixed; boundary=\"a\nb\"", "byte"),
        ("text/event-stream; boundary=b", "not multipart"),
        ("multipartx/mixed; boundary=b", "not multipart"),
        ("multipart; boundary=b", "not multipart"),
        ("", "not multipart"),
    ] {
        let error = Boundary::from_content_type(content_type.as_bytes()).expect_err(content_type);
        let found = match &error {
            InvalidBoundary::Missing => "missing",
            InvalidBoundary::Empty => "empty",
            InvalidBoundary::Byte { .. } => "byte",
            InvalidBoundary::NotMultipart => "not multipart",
            other => panic!("{content_type}: {other:?}"),
        };
        assert_eq!(found, kind, "{content_type}");
    }
    let long = |length| format!("multipart/mixed; boundary={}", "x".repeat(length));
    assert!(Boundary::from_content_type(long(200).as_bytes()).is_ok());
    let error = Boundary::from_content_type(long(201).as_bytes()).expect_err("too long");
    assert!(matches!(error, InvalidBoundary::TooLong { .. }), "{error:?}");
}

#[test]
fn media_types() {
    let cases: &[(&str, &str, &str, Option<&str>)] = &[
        ("text/plain; role=user", "text/plain", "role", Some("user")),
        ("Text/Plain;ROLE=User", "Text/Plain", "role", Some("User")),
        ("application/json", "application/json", "charset", None),
        ("application/json; charset=\"utf-8\"", "application/json", "charset", Some("utf-8")),
        ("audio/mpeg;", "audio/mpeg", "x", None),
        ("text/plain; a; b=c", "text/plain", "b", Some("c")),
        ("", "", "b", None),
        (" image/jpeg ", "image/jpeg", "b", None),
    ];
    for (value, essence, name, param) in cases {
        let media_type = MediaType::new(value.as_bytes());
        assert_eq!(media_type.essence(), essence.as_bytes(), "{value}");
        assert!(media_type.is(&essence.to_ascii_uppercase()), "{value}");
        assert_eq!(media_type.param(name).as_deref(), param.map(str::as_bytes), "{value}");
    }
}

#[test]
fn a_close_is_required_of_all_types_but_one() {
    for (essence, is_required) in [
        ("multipart/x-mixed-replace", false),
        ("Multipart/X-Mixed-Replace", false),
        ("multipart/mixed", true),
        ("multipart/form-data", true),
        ("multipart/x-mixed-replacement", true),
    ] {
        let content_type = format!("{essence}; boundary=b");
        let mut decoder = PartDecoder::from_content_type(content_type.as_bytes()).expect("a boundary");
        assert_eq!(decoder.decode(&mut &b"--b\n"[..]), Ok(None));
        assert_eq!(decoder.finish().is_err(), is_required, "{essence}");
    }
}

#[test]
fn boundaries_that_are_sniffed() {
    let cases: &[(&[u8], Option<&[u8]>)] = &[
        (b"--frame\r\n", Some(b"frame")),
        (b"--frame\n", Some(b"frame")),
        (b"\r\n\r\n--frame \t\r\nContent-Type", Some(b"frame")),
        (b"preamble\n--\n--a b\n", Some(b"a b")),
        (b"---\n", Some(b"-")),
        (b"--frame", None),
        (b"--frame\r", None),
        (b"", None),
        (b"frame\n", None),
        // Bytes that a boundary cannot contain.
        (b"--a\rb\n--c\n", Some(b"c")),
    ];
    for (start, boundary) in cases {
        let found = Boundary::sniff(start);
        assert_eq!(found.as_ref().map(Boundary::as_bytes), *boundary, "{}", start.escape_ascii());
        if let Some(found) = found {
            assert_eq!(Boundary::new(found.as_bytes()), Ok(found), "a detected boundary is valid");
        }
    }
}

#[test]
fn media_types_are_printed() {
    for (value, printed) in [
        ("text/plain", "text/plain"),
        (" Text/Plain ;Charset = utf-8;", "Text/Plain; Charset=utf-8"),
        ("multipart/mixed;boundary=a/b:c", "multipart/mixed; boundary=\"a/b:c\""),
        ("multipart/mixed; boundary=\"-\"", "multipart/mixed; boundary=-"),
        ("a/b; c=\"\\\\ \\\" d\"; e=; f", "a/b; c=\"\\\\ \\\" d\"; e=\"\"; f=\"\""),
        ("form-data; name=\"\u{e4}\t1\"", "form-data; name=\"\u{e4}\t1\""),
        // Malformed.
        ("", ""),
        ("a/b; =c; d", "a/b; d=\"\""),
        ("x; \"a;b\"=c", "x"),
        ("text/plain; a b=c; \u{e4}=1; d=e", "text/plain; d=e"),
        ("te\"xt; charset=\"x", "te\"xt; charset=x"),
        (
            "a/b\r\nX-Evil: 1; c=\"d\r\n\0\u{7f}\"",
            "a/b\u{fffd}\u{fffd}X-Evil: 1; c=\"d\u{fffd}\u{fffd}\u{fffd}\u{fffd}\"",
        ),
    ] {
        assert_eq!(MediaType::new(value.as_bytes()).to_string(), printed, "{value:?}");
    }
    assert_eq!(MediaType::new(b"a/b; c=\xFF\xE4d").to_string(), "a/b; c=\"\u{fffd}\u{fffd}d\"");
}

const TEXTS: &[&str] = &[
    "text", "/", "plain", ";", ";", "=", "=", "\"", "\\", " ", "\t", "a", "charset", "utf-8", "\u{e4}", "\r", "\n", "(",
];

proptest! {
    #[test]
    fn printed_media_types_are_parsed_as_the_same(texts in vec(select(TEXTS), 0..20)) {
        let text = texts.concat();
        let parsed = MediaType::new(text.as_bytes());
        let printed = parsed.to_string();
        prop_assert!(!printed.contains(['\r', '\n']));
        let again = MediaType::new(printed.as_bytes());
        prop_assert_eq!(again.to_string(), &printed[..]);
        if !text.contains(['\r', '\n']) {
            prop_assert_eq!(again.essence(), parsed.essence());
            let is_token = |&byte: &u8| byte.is_ascii_graphic() && !b"\"(),/:;<=>?@[\\]{}".contains(&byte);
            let named = parsed.params().filter(|(name, _)| !name.is_empty() && name.iter().all(is_token));
            prop_assert_eq!(again.params().collect::<Vec<_>>(), named.collect::<Vec<_>>());
        }
    }
}
