//! The boundary in a `Content-Type`, in the forms that servers send.

use eventwire_multipart::{Boundary, Headers, InvalidBoundary, PartDecoder};

fn with_content_type(value: &str) -> Headers {
    Headers::new().with("Content-Type", value).expect(value)
}

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
        let headers = with_content_type(content_type);
        let media_type = headers.as_ref().media_type().expect(content_type);
        assert_eq!(media_type.param("boundary").as_deref(), Some(boundary.as_bytes()));
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
        let headers = with_content_type(value);
        let media_type = headers.as_ref().media_type().expect(value);
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
